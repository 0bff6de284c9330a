#include "records/claims_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/toml.h"
#include "records/claims_keys.h"

namespace reprise::records {
namespace {

ClaimKind read_kind(Keys& keys) {
  constexpr std::pair<const char*, ClaimKind> kinds[] = {{"better", ClaimKind::Better},         {"similar", ClaimKind::Similar},
                                                         {"no_worse", ClaimKind::NoWorse},      {"sooner", ClaimKind::Sooner},
                                                         {"parameters", ClaimKind::Parameters}, {"none", ClaimKind::None}};
  const std::string given = keys.text("kind");
  for (const auto& [text, kind] : kinds)
    if (given == text) return kind;
  keys.refuse(fmt::format("the kind '{}' is not known; known: better, similar, no_worse, sooner, parameters, none", given));
}

ParameterCount read_count(Keys& keys, const std::string& key) {
  const toml::node& node = keys.node(key);
  if (const auto given = node.value_exact<std::int64_t>()) {
    if (*given < 1) keys.refuse(fmt::format("the key '{}' is {}; a count is at least 1", key, *given));
    return {.given = *given, .table = "", .dataset = "", .method = "", .count = ""};
  }
  const toml::table* table = node.as_table();
  if (!table) keys.refuse(fmt::format("the key '{}' must be a whole number or {{ table, dataset, method, count }}", key));
  Keys inner(*table, keys.where() + ", " + key, keys.copy());
  ParameterCount count{.given = {},
                       .table = inner.text("table"),
                       .dataset = inner.text("dataset"),
                       .method = inner.text("method"),
                       .count = inner.text("count")};
  inner.no_others();
  return count;
}

/// One test for every combination of than and metric.
void read_comparisons(Keys& keys, ClaimTest test, std::vector<ClaimTest>& tests) {
  const bool sooner = test.kind == ClaimKind::Sooner;
  test.methods = keys.pattern("methods", keys.text("methods"));
  test.table = keys.text("table");
  test.than_table = keys.text("than_table", test.table);
  test.dataset = keys.pattern("dataset", keys.text("dataset", ".*"));
  if (keys.has("comparisons")) test.comparisons = keys.count("comparisons");
  test.optional = keys.flag_of_copy("optional");
  if (test.kind == ClaimKind::Similar || test.kind == ClaimKind::NoWorse || keys.has("margin")) test.margin = keys.positive("margin");
  if (sooner)
    test.higher = keys.flag("higher", false);
  else
    test.items = keys.flag("items", false);
  if (test.items && test.kind == ClaimKind::NoWorse) keys.refuse("it has 'items' with the kind no_worse, which is judged over seeds");
  for (const auto& than : keys.texts("than"))
    for (const auto& metric : keys.texts(sooner ? "curve" : "metric")) {
      test.than = than;
      test.metric = metric;
      test.than_metric = sooner ? metric : keys.text("than_metric", metric);
      tests.push_back(test);
    }
}

void read_tests(Keys& keys, std::vector<ClaimTest>& tests) {
  ClaimTest test;
  test.kind = read_kind(keys);
  if (test.kind != ClaimKind::None && test.kind != ClaimKind::Parameters) return read_comparisons(keys, test, tests);
  if (test.kind == ClaimKind::None) {
    test.because = keys.text("because");
  } else {
    test.left = read_count(keys, "left");
    test.right = read_count(keys, "right");
    if (keys.has("at_most")) {
      test.at_most = keys.positive("at_most");
      if (keys.has("fraction") || keys.has("tolerance")) keys.refuse("it has 'at_most' beside 'fraction' or 'tolerance'; give one of both");
    } else {
      test.fraction = keys.positive("fraction");
      test.tolerance = keys.positive("tolerance");
    }
  }
  tests.push_back(test);
}

RequirementTest read_requirement(Keys& keys) {
  RequirementTest test{.says = keys.text("says"), .metric = keys.text("metric")};
  test.compared = keys.has("inside") && !keys.has("table") && !keys.has("methods") && !keys.has("dataset");
  test.table = test.compared ? "" : keys.text("table");
  test.methods = keys.pattern("methods", test.compared ? "" : keys.text("methods"));
  test.dataset = keys.pattern("dataset", keys.text("dataset", ".*"));
  test.than = keys.text("than", "");
  test.than_table = keys.text("than_table", test.table);
  test.than_metric = keys.text("than_metric", test.metric);
  if (keys.has("at_least")) test.at_least = keys.number("at_least");
  if (keys.has("at_most")) test.at_most = keys.number("at_most");
  test.inside = keys.text("inside", "");
  test.from_zero = keys.flag("from_zero", false);
  if (test.from_zero && test.inside.empty()) keys.refuse("it has 'from_zero' without 'inside', whose list it is about");
  if (!test.inside.empty() && (test.at_least || test.at_most || !test.than.empty()))
    keys.refuse(
        "it has 'inside' beside 'at_least', 'at_most' or 'than'; a chosen value lies inside its list, and nothing else is asked of it");
  test.any = keys.flag("any", false);
  test.significant = keys.flag("significant", false);
  test.every_seed = keys.flag("every_seed", false);
  test.size = keys.flag("size", false);
  test.post_hoc = keys.flag("post_hoc", false);
  if (test.inside.empty() && !test.at_least && !test.at_most && !test.significant)
    keys.refuse("it has none of 'at_least', 'at_most', 'significant' and 'inside'; a requirement needs a bound");
  if ((test.every_seed || test.size) && (test.significant || !test.inside.empty()))
    keys.refuse("it has 'every_seed' or 'size' beside 'significant' or 'inside', which are of all seeds together, with the sign");
  if (test.significant && test.than.empty()) keys.refuse("it is 'significant' without 'than'; only a gain can be");
  return test;
}

/// What stands as [[claim.NAME]] in the claim: `read` for every entry and every copy that its for_each asks for.
void read_entries(Keys& keys, const std::string& name, const std::function<void(Keys&)>& read) {
  const toml::array* entries = keys.node(name).as_array();
  if (!entries || entries->empty() || !entries->is_homogeneous<toml::table>())
    keys.refuse(fmt::format("'{}' must be written as [[claim.{}]]", name, name));
  int number = 0;
  for (const auto& node : *entries)
    read_copies(*node.as_table(), fmt::format("{}, {} {}", keys.where(), name, ++number), keys.copy(), read);
}

/// The file's [[requirement]], by name, and whether a claim needs it.
struct NamedRequirement {
  const toml::table* table = nullptr;
  bool needed = false;
};
using Named = std::map<std::string, NamedRequirement>;

/// What the claim needs of these: each as if it stood in the claim. Returns what of them decides a verdict.
nlohmann::json read_needs(Keys& keys, Named& named, std::vector<RequirementTest>& requirements) {
  auto decisive = nlohmann::json::array();
  for (const auto& name : keys.texts("needs")) {
    const auto found = named.find(name);
    if (found == named.end()) {
      std::vector<std::string> known;
      for (const auto& [other, requirement] : named) known.push_back(other);
      keys.refuse(fmt::format("it needs \"{}\", and no [[requirement]] has that name; known: {}", name, join(known, ", ")));
    }
    const auto where = fmt::format("{}, requirement \"{}\"", keys.where(), name);
    const auto& [table, needed] = found->second;
    found->second.needed = true;
    read_copies(*table, where, keys.copy(), [&](Keys& inner) {
      inner.has("name");
      requirements.push_back(read_requirement(inner));
    });
    auto entry = Keys(*table, where, keys.copy()).decisive(/*with_for_each=*/true);
    entry.erase("name");
    decisive.push_back(std::move(entry));
  }
  return decisive;
}

/// "14", or "3, 14".
std::set<std::int64_t> read_seeds(const Keys& keys, const std::string& text) {
  static const std::regex list("[0-9]{1,9}(, [0-9]{1,9})*"), one("[0-9]+");
  if (!std::regex_match(text, list)) keys.refuse(fmt::format("'without_seeds' of its row is '{}'; write seeds as \"3, 14\"", text));
  std::set<std::int64_t> seeds;
  for (std::sregex_iterator at(text.begin(), text.end(), one), end; at != end; ++at) seeds.insert(std::stoll((*at)[0]));
  return seeds;
}

Claim read_row(Keys& keys, Named& named) {
  Claim claim;
  claim.claim_id = keys.shared("id");
  claim.row = keys.copy().label();
  claim.id = claim.row.empty() ? claim.claim_id : claim.claim_id + " " + claim.row;
  claim.says = keys.shared("says");
  claim.source = keys.shared("source");
  // An own family's name cannot be written in a file by accident.
  claim.family = keys.text("family", "\n" + claim.id);
  if (keys.has("level")) claim.level = keys.positive("level");
  if (claim.level >= 1) keys.refuse(fmt::format("the key 'level' is {}; it must lie between 0 and 1", claim.level));
  claim.conjunction = keys.flag("conjunction", false);
  auto needs = nlohmann::json::array();
  if (keys.has("needs")) needs = read_needs(keys, named, claim.requirements);
  if (keys.has("requires")) read_entries(keys, "requires", [&](Keys& inner) { claim.requirements.push_back(read_requirement(inner)); });
  if (keys.has("test"))
    read_entries(keys, "test", [&](Keys& inner) { read_tests(inner, claim.tests); });
  else
    read_tests(keys, claim.tests);
  auto decisive = keys.decisive();
  decisive["level"] = claim.level;
  // A requirement is the same wherever it is written. One that is post hoc can only take a verdict away: what was asked stays what it was.
  decisive.erase("needs");
  if (decisive.contains("requires")) needs.insert(needs.end(), decisive["requires"].begin(), decisive["requires"].end());
  std::erase_if(needs.get_ref<nlohmann::json::array_t&>(), [](const auto& entry) { return entry.value("post_hoc", false); });
  decisive.erase("requires");
  if (!needs.empty()) decisive["requires"] = std::move(needs);
  if (const auto* without = keys.copy().find("without_seeds")) {
    claim.without_seeds = read_seeds(keys, *without);
    decisive["without_seeds"] = *without;
  }
  claim.definition = json_text(decisive);
  return claim;
}

/// Completes the definitions: each with those of its family, and with what the seeds of its tables renew.
void define(std::vector<Claim>& claims, const std::vector<std::pair<std::regex, std::string>>& replicates) {
  std::map<std::string, std::vector<std::string>> families;
  for (const auto& claim : claims) families[claim.family].push_back(claim.definition);
  for (auto& [family, members] : families) std::sort(members.begin(), members.end());
  for (auto& claim : claims) {
    auto text = claim.definition + "\n" + join(families.at(claim.family), "\n");
    for (const auto& entry : replicates)
      if (std::any_of(claim.tests.begin(), claim.tests.end(), [&](const auto& test) { return std::regex_match(test.table, entry.first); }))
        text += "\n" + entry.second;
    claim.definition = sha256(text);
  }
}

/// The rows of one claim; one without for_each.
std::vector<Claim> read_claim(const toml::table& table, Named& named, const RowLists& lists, const std::string& name, std::size_t number) {
  const std::string id = Keys(table, fmt::format("{}: claim {} of the file", name, number)).shared("id");
  std::vector<Claim> rows;
  read_copies(table, fmt::format("{}: claim \"{}\"", name, id), Copy{.rows = &lists},
              [&](Keys& keys) { rows.push_back(read_row(keys, named)); });
  return rows;
}

/// What stands as [[KEY]] in the file.
std::vector<const toml::table*> tables_of(Keys& keys, const std::string& key) {
  if (!keys.has(key)) return {};
  const toml::array* list = keys.node(key).as_array();
  if (!list || !list->is_homogeneous<toml::table>()) keys.refuse(fmt::format("'{}' must be written as [[{}]]", key, key));
  std::vector<const toml::table*> tables;
  for (const auto& node : *list) tables.push_back(node.as_table());
  return tables;
}

/// [rows]: lists of tables of texts, each with its `row`.
RowLists read_rows(Keys& keys) {
  RowLists lists;
  if (!keys.has("rows")) return lists;
  const auto* all = keys.node("rows").as_table();
  if (!all) keys.refuse("'rows' must be written as [rows], with a list of tables to each name");
  for (const auto& [key, node] : *all) {
    const auto* list = node.as_array();
    if (!list || list->empty() || !list->is_homogeneous<toml::table>())
      keys.refuse(fmt::format("rows.{} must be a list of tables of texts, each with its 'row'", key.str()));
    lists.emplace(key.str(), list);
  }
  return lists;
}

Renews read_renews(Keys& keys) {
  const auto given = keys.text("renews");
  for (const auto renews : {Renews::Data, Renews::Split, Renews::Weights})
    if (given == renews_text(renews)) return renews;
  keys.refuse(fmt::format("the key 'renews' is '{}'; known: data, split, weights", given));
}

}  // namespace

std::vector<Claim> read_claims(std::string_view claims_toml, const std::string& name) {
  const auto file = read_toml(claims_toml, name, claims_fix);
  Keys keys(file, name);
  keys.has("replicates");
  const auto lists = read_rows(keys);
  Named named;
  for (const auto* table : tables_of(keys, "requirement"))
    if (const auto id = Keys(*table, fmt::format("{}: requirement {} of the file", name, named.size() + 1)).text("name");
        !named.emplace(id, NamedRequirement{table}).second)
      keys.refuse(fmt::format("two requirements have the name \"{}\"", id));
  std::vector<Claim> claims;
  std::set<std::string> ids;
  std::size_t number = 0;
  for (const auto* table : tables_of(keys, "claim")) {
    const auto rows = read_claim(*table, named, lists, name, ++number);
    std::set<std::string> new_ids{rows.front().claim_id};
    for (const auto& row : rows)
      if (!row.row.empty() && !new_ids.insert(row.id).second) keys.refuse(fmt::format("two claims have the id \"{}\"", row.id));
    for (const auto& id : new_ids)
      if (!ids.insert(id).second) keys.refuse(fmt::format("two claims have the id \"{}\"", id));
    claims.insert(claims.end(), rows.begin(), rows.end());
  }
  for (const auto& [id, requirement] : named)
    if (!requirement.needed) keys.refuse(fmt::format("no claim needs the requirement \"{}\"", id));
  keys.no_others();
  std::vector<std::pair<std::regex, std::string>> replicates;
  for (const auto* table : tables_of(keys, "replicates")) {
    Keys entry(*table, fmt::format("{}: replicates {}", name, replicates.size() + 1));
    replicates.emplace_back(entry.pattern("table", entry.text("table")), json_text(entry.decisive()));
  }
  define(claims, replicates);
  return claims;
}

std::vector<Replicates> read_replicates(std::string_view claims_toml, const std::string& name) {
  const auto file = read_toml(claims_toml, name, claims_fix);
  Keys keys(file, name);
  std::vector<Replicates> replicates;
  for (const auto* table : tables_of(keys, "replicates")) {
    Keys entry(*table, fmt::format("{}: replicates {}", name, replicates.size() + 1));
    Replicates read{.table = entry.pattern("table", entry.text("table")),
                    .dataset = entry.pattern("dataset", entry.text("dataset", ".*")),
                    .renews = read_renews(entry)};
    if (read.renews == Renews::Split) read.test_over_train = entry.positive("test_over_train");
    read.because = entry.text("because");
    entry.no_others();
    replicates.push_back(std::move(read));
  }
  return replicates;
}

}  // namespace reprise::records
