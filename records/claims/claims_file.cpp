#include "records/claims/claims_file.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "core/toml.h"
#include "records/claims/claims_keys.h"

namespace reprise::records {
namespace {

constexpr std::array<std::pair<std::string_view, ClaimKind>, 5> kinds{
    {{"better", ClaimKind::Better},
     {"similar", ClaimKind::Similar},
     {"no_worse", ClaimKind::NoWorse},
     {"sooner", ClaimKind::Sooner},
     {"ratio", ClaimKind::Ratio}}};

ClaimKind read_kind(Keys& keys) {
  const std::string given = keys.text("kind");
  for (const auto& [text, kind] : kinds)
    if (given == text) return kind;
  keys.refuse(fmt::format(
      "the kind '{}' is not known; known: better, similar, no_worse, sooner, ratio", given));
}

/// Reads the tests of a row: one for every combination of its values of `than` and `metric`.
std::vector<ClaimTest> read_tests(Keys& keys) {
  ClaimTest test;
  test.kind = read_kind(keys);
  test.methods = keys.pattern("methods", keys.text("methods"));
  test.table = keys.text("table");
  test.than_table = keys.text("than_table", test.table);
  test.dataset = keys.pattern("dataset", keys.text("dataset", ".*"));
  const bool needs_margin = test.kind == ClaimKind::Similar || test.kind == ClaimKind::NoWorse;
  const bool may_have_margin =
      needs_margin || test.kind == ClaimKind::Better || test.kind == ClaimKind::Sooner;
  if (needs_margin || (may_have_margin && keys.has("margin")))
    test.margin = keys.positive("margin");
  if (test.kind == ClaimKind::Better && keys.has("at_least")) {
    test.at_least = keys.positive("at_least");
    // at_least replaces the margin, which may be inherited from the claim.
    test.margin.reset();
  }
  if (test.kind == ClaimKind::Ratio) {
    if (keys.has("at_least")) test.at_least = keys.positive("at_least");
    if (keys.has("at_most")) test.at_most = keys.positive("at_most");
    if (!test.at_least && !test.at_most)
      keys.refuse("it has neither 'at_least' nor 'at_most'; a ratio needs a bound");
  }
  std::vector<ClaimTest> tests;
  for (const auto& than : keys.texts("than"))
    for (const auto& metric : keys.texts("metric")) {
      test.than = than;
      test.metric = metric;
      test.than_metric = keys.text("than_metric", metric);
      tests.push_back(test);
    }
  return tests;
}

RequirementTest::Kind read_requirement_kind(Keys& keys) {
  using Kind = RequirementTest::Kind;
  const auto given = keys.text("kind", "mean");
  for (const auto& [text, kind] : {std::pair{"mean", Kind::Mean},
                                   {"every", Kind::Every},
                                   {"some", Kind::Some},
                                   {"ratio", Kind::Ratio}})
    if (given == text) return kind;
  keys.refuse(fmt::format(
      "the kind '{}' is not known; a requirement is of the kind mean, every, some or ratio",
      given));
}

/// Reads the key `inside`: the name of a setting, or "0, " and the name if 0 is a candidate too.
void read_inside(Keys& keys, RequirementTest& test) {
  test.inside = keys.text("inside");
  constexpr std::string_view with_zero = "0, ";
  test.from_zero = test.inside.starts_with(with_zero);
  if (test.from_zero) test.inside = test.inside.substr(with_zero.size());
  if (test.at_least || test.at_most || !test.than.empty())
    keys.refuse(
        "it has 'inside' together with 'at_least', 'at_most' or 'than'; "
        "'inside' replaces these bounds");
}

/// Table and data set of a row. Its requirements use them by default.
struct RowDefaults {
  std::string table, dataset;
};

RequirementTest read_requirement(Keys& keys, const RowDefaults& row) {
  RequirementTest test{.kind = read_requirement_kind(keys),
                       .statement = keys.text("statement"),
                       .metric = keys.text("metric")};
  test.compared = keys.has("inside") && !keys.has("methods");
  test.table = keys.text("table", row.table);
  test.methods = keys.pattern("methods", test.compared ? "" : keys.text("methods"));
  test.dataset = keys.pattern("dataset", keys.text("dataset", row.dataset));
  test.than = keys.text("than", "");
  test.than_table = keys.text("than_table", test.table);
  test.than_metric = keys.text("than_metric", test.metric);
  if (keys.has("at_least")) test.at_least = keys.number("at_least");
  if (keys.has("at_most")) test.at_most = keys.number("at_most");
  if (keys.has("inside")) read_inside(keys, test);
  test.post_hoc = keys.flag("post_hoc", false);
  if (test.inside.empty() && !test.at_least && !test.at_most)
    keys.refuse("it has none of 'at_least', 'at_most' and 'inside'; a requirement needs a bound");
  if (test.kind == RequirementTest::Kind::Ratio && test.than.empty())
    keys.refuse("it is a 'ratio' without 'than'");
  return test;
}

/// A [[requirement]] of the file.
struct NamedRequirement {
  const toml::table* table = nullptr;
  bool needed = false;  // by any row
};
/// The requirements of the file by id.
using RequirementsById = std::map<std::string, NamedRequirement>;

void read_needs(Keys& keys, const std::vector<std::string>& needs, const RowDefaults& defaults,
                RequirementsById& requirements_by_id, std::vector<RequirementTest>& requirements) {
  for (const auto& id : needs) {
    const auto found = requirements_by_id.find(id);
    if (found == requirements_by_id.end()) {
      std::vector<std::string> known;
      for (const auto& [other, requirement] : requirements_by_id) known.push_back(other);
      keys.refuse(fmt::format("it needs \"{}\", and no [[requirement]] has that id; known: {}", id,
                              join(known, ", ")));
    }
    // At the end of the file, a requirement that no row needs is an error.
    found->second.needed = true;
    // The requirement can contain {name}, for a name of the row's for_each.
    read_copies(*found->second.table, fmt::format("{}, requirement \"{}\"", keys.where(), id),
                keys.copy(), [&](Keys& inner) {
                  inner.has("id");  // marks the key as known
                  requirements.push_back(read_requirement(inner, defaults));
                });
  }
}

/// Lists the tables of [[KEY]].
std::vector<const toml::table*> list_tables(Keys& keys, const std::string& key,
                                            const std::string& title) {
  if (!keys.has(key)) return {};
  const toml::array* list = keys.node(key).as_array();
  if (!list || !list->is_homogeneous<toml::table>())
    keys.refuse(fmt::format("'{}' must be written as [[{}]]", key, title));
  std::vector<const toml::table*> tables;
  for (const auto& node : *list) tables.push_back(node.as_table());
  return tables;
}

/// Reads one [[claim]]: the keys that its rows share, then one row per [[claim.row]] and for_each
/// value.
std::vector<ClaimRow> read_claim(const toml::table& table, RequirementsById& requirements_by_id,
                                 const ValueLists& lists, const std::string& name,
                                 std::size_t number) {
  // The id is read first, so that later errors can name the claim.
  const std::string id =
      Keys(table, fmt::format("{}: claim {} of the file", name, number)).text("id");
  Keys keys(table, fmt::format("{}: claim \"{}\"", name, id));
  const ClaimRow common{.claim_id = keys.text("id"),
                        .id = id,
                        .statement = keys.text("statement"),
                        .source = keys.text("source"),
                        .because = keys.text("because", ""),
                        .own = keys.flag("own", false)};
  const auto needs = keys.has("needs") ? keys.texts("needs") : std::vector<std::string>{};
  for (const auto key : inherited) keys.has(std::string(key));  // marks the rows' defaults as known
  std::vector<ClaimRow> rows;
  std::set<std::string> ids;
  int row_number = 0;
  for (const auto* entry : list_tables(keys, "row", "claim.row"))
    read_copies(
        *entry, fmt::format("{}, row {}", keys.where(), ++row_number), Copy{.lists = &lists},
        [&](Keys& inner) {
          ClaimRow row = common;
          const auto label = inner.copy().label();
          row.row = inner.has("id") ? inner.text("id") + (label.empty() ? "" : " " + label) : label;
          if (row.row.empty())
            inner.refuse("the key 'id' is missing, and no for_each names the row");
          // Pages and errors identify a row by its id, so it must be unique.
          if (!ids.insert(row.row).second)
            inner.refuse(fmt::format("another row of the claim is called \"{}\" too", row.row));
          row.id = row.claim_id + ", " + row.row;
          row.further = inner.flag("further", false);
          row.tests = read_tests(inner);
          const RowDefaults defaults{row.tests.front().table, inner.text("dataset", ".*")};
          read_needs(inner, needs, defaults, requirements_by_id, row.requirements);
          if (inner.has("needs"))
            read_needs(inner, inner.texts("needs"), defaults, requirements_by_id, row.requirements);
          rows.push_back(std::move(row));
        },
        &table);
  if (rows.empty()) {
    if (common.because.empty())
      keys.refuse(
          "it has neither a [[claim.row]] nor 'because', which states why it is not tested");
    if (!needs.empty()) keys.refuse("it has 'needs', but no row; 'needs' applies to rows only");
    rows.push_back(common);
  } else if (!common.because.empty()) {
    keys.refuse("it has both rows and 'because', which is only for a claim that is not tested");
  }
  keys.no_others();
  return rows;
}

/// Reads the section [lists]. Each of its lists contains tables of texts, each with the key `row`.
ValueLists read_lists(Keys& keys) {
  ValueLists lists;
  if (!keys.has("lists")) return lists;
  const auto* all = keys.node("lists").as_table();
  if (!all)
    keys.refuse(
        "'lists' must be written as [lists], and each of its names must have a list of tables");
  for (const auto& [key, node] : *all) {
    const auto* list = node.as_array();
    if (!list || list->empty() || !list->is_homogeneous<toml::table>())
      keys.refuse(fmt::format("lists.{} must be a list of tables of texts, each with its 'row'",
                              key.str()));
    lists.emplace(key.str(), list);
  }
  return lists;
}

}  // namespace

std::string_view kind_text(ClaimKind kind) {
  for (const auto& [text, known] : kinds)
    if (known == kind) return text;
  return "";
}

std::vector<ClaimRow> read_claims(std::string_view claims_toml, const std::string& name) {
  const auto file = read_toml(claims_toml, name, claims_fix);
  Keys keys(file, name);
  // Marks [[resampling]] as known. read_resampling_rules() reads it.
  keys.has("resampling");
  const auto lists = read_lists(keys);
  // Requirements are read before the claims that refer to them.
  RequirementsById requirements_by_id;
  for (const auto* table : list_tables(keys, "requirement", "requirement"))
    if (const auto id = Keys(*table, fmt::format("{}: requirement {} of the file", name,
                                                 requirements_by_id.size() + 1))
                            .text("id");
        !requirements_by_id.emplace(id, NamedRequirement{table}).second)
      keys.refuse(fmt::format("two requirements have the id \"{}\"", id));
  std::vector<ClaimRow> claims;
  std::set<std::string> ids, row_ids;
  std::size_t number = 0;
  for (const auto* table : list_tables(keys, "claim", "claim")) {
    auto rows = read_claim(*table, requirements_by_id, lists, name, ++number);
    if (!ids.insert(rows.front().claim_id).second)
      keys.refuse(fmt::format("two claims have the id \"{}\"", rows.front().claim_id));
    for (auto& row : rows) {
      if (!row_ids.insert(row.id).second)
        keys.refuse(fmt::format("two rows are called \"{}\"", row.id));
      claims.push_back(std::move(row));
    }
  }
  for (const auto& [id, requirement] : requirements_by_id)
    if (!requirement.needed) keys.refuse(fmt::format("no row needs the requirement \"{}\"", id));
  keys.no_others();
  return claims;
}

std::vector<ResamplingRule> read_resampling_rules(std::string_view claims_toml,
                                                  const std::string& name) {
  const auto file = read_toml(claims_toml, name, claims_fix);
  Keys keys(file, name);
  std::vector<ResamplingRule> rules;
  for (const auto* table : list_tables(keys, "resampling", "resampling")) {
    Keys entry(*table, fmt::format("{}: resampling {}", name, rules.size() + 1));
    ResamplingRule rule{.table = entry.pattern("table", entry.text("table")),
                        .dataset = entry.pattern("dataset", entry.text("dataset", ".*"))};
    if (entry.node("resamples").is_number()) {
      rule.resampling = Resampling::Split;
      rule.test_over_train = entry.positive("resamples");
    } else {
      if (entry.text("resamples") != resampling_text(Resampling::Weights))
        entry.refuse(
            "the key 'resamples' must be \"weights\", or test items over training items "
            "(a number) of a data set that each seed splits again");
      rule.resampling = Resampling::Weights;
    }
    entry.no_others();
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace reprise::records
