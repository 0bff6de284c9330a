#include "records/claims_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"

namespace reprise::records {
namespace {

constexpr const char* fix_hint = "correct the claims file; records/claims.h lists the keys of every kind";

/// The file's [rows]: lists that several claims repeat themselves over.
using RowLists = std::map<std::string, const toml::array*>;

/// One copy of what a for_each repeats: the values that its texts hold where {name} is written. Without for_each there is one, empty copy.
struct Copy {
  std::vector<std::pair<std::string, std::string>> values{};  ///< name and value; those of the claim before those of a test
  std::vector<std::string> listed{};                          ///< all values of all lists, of this copy and the others
  std::set<std::string> silent{};                             ///< names whose values are no part of its label
  const RowLists* rows = nullptr;                             ///< that a for_each may name

  const std::string* find(const std::string& name) const {
    for (const auto& [known, value] : values)
      if (known == name) return &value;
    return nullptr;
  }
};

/// The values after the first `from`: "occlusion", "digits energy"; "" without any.
std::string label(const Copy& copy, std::size_t from = 0) {
  std::vector<std::string> values;
  for (std::size_t i = from; i < copy.values.size(); ++i)
    if (!copy.silent.contains(copy.values[i].first)) values.push_back(copy.values[i].second);
  return join(values, " ");
}

/// One TOML table whose keys are read by name; what was never asked for is unknown.
class Keys {
 public:
  Keys(const toml::table& table, std::string where, Copy copy = {}) : table_(table), where_(std::move(where)), copy_(std::move(copy)) {}

  const std::string& where() const { return where_; }
  const Copy& copy() const { return copy_; }

  [[noreturn]] void refuse(const std::string& what) const { throw UsageError(where_ + ": " + what, fix_hint); }

  bool has(const std::string& key) {
    known_.insert(key);
    return table_.contains(key);
  }
  std::string text(const std::string& key) { return filled(key, written(key)); }
  std::string text(const std::string& key, const std::string& otherwise) { return has(key) ? text(key) : otherwise; }
  /// A text that all copies have in common.
  std::string shared(const std::string& key) {
    std::string text = written(key);
    for (const auto& [name, value] : copy_.values)
      if (text.find("{" + name + "}") != std::string::npos)
        refuse(
            fmt::format("the key '{}' holds {{{}}}, but all rows of a claim share its {}; the page names each row itself", key, name, key));
    return text;
  }
  /// A text, or a list of different ones.
  std::vector<std::string> texts(const std::string& key) {
    const toml::array* list = node(key).as_array();
    if (!list) return {text(key)};
    if (list->empty()) refuse(fmt::format("the key '{}' is an empty list; name at least one", key));
    std::vector<std::string> texts;
    for (const auto& item : *list) {
      const auto value = item.value<std::string>();
      if (!value) refuse(fmt::format("the key '{}' must be a text or a list of texts", key));
      texts.push_back(filled(key, *value));
      if (std::count(texts.begin(), texts.end(), texts.back()) > 1) refuse(fmt::format("the key '{}' lists '{}' twice", key, texts.back()));
    }
    return texts;
  }
  double number(const std::string& key) {
    const auto value = node(key).value<double>();
    if (!value) refuse(fmt::format("the key '{}' must be a number", key));
    return *value;
  }
  double positive(const std::string& key) {
    const double value = number(key);
    if (!(value > 0)) refuse(fmt::format("the key '{}' is {}; it must be above 0", key, value));
    return value;
  }
  int count(const std::string& key) {
    constexpr std::int64_t most = 1'000'000;
    const auto value = node(key).value_exact<std::int64_t>();  // value<> would convert any float, also one that no integer holds
    if (!value || *value < 1 || *value > most) refuse(fmt::format("the key '{}' must be a whole number from 1 to {}", key, most));
    return static_cast<int>(*value);
  }
  bool flag(const std::string& key, bool otherwise) {
    if (!has(key)) return otherwise;
    const auto value = node(key).value<bool>();
    if (!value) refuse(fmt::format("the key '{}' must be true or false", key));
    return *value;
  }
  /// true or false for every copy, or a list of the values of for_each for which it is true.
  bool flag_of_copy(const std::string& key) {
    if (!has(key) || !node(key).is_array()) return flag(key, false);
    bool mine = false;
    for (const auto& text : texts(key)) {
      if (std::count(copy_.listed.begin(), copy_.listed.end(), text) == 0)
        refuse(fmt::format("the key '{}' lists '{}', which is no value of for_each; known: {}", key, text,
                           copy_.listed.empty() ? "none, for there is no for_each" : join(copy_.listed, ", ")));
      for (const auto& [name, value] : copy_.values) mine |= value == text;
    }
    return mine;
  }
  std::regex pattern(const std::string& key, const std::string& text) const {
    try {
      return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& reason) {
      refuse(fmt::format("the key '{}' is not a regular expression: '{}': {}", key, text, reason.what()));
    }
  }
  const toml::node& node(const std::string& key) {
    if (!has(key)) refuse(fmt::format("the key '{}' is missing", key));
    return *table_.get(key);
  }
  /// What of the table decides a verdict, in one order and spelling: all but names and prose, with {name} filled in. What a for_each
  /// within it repeats stands as it is written.
  nlohmann::json decisive(bool with_for_each = false) const {
    auto all = decisive(table_);
    if (!with_for_each) all.erase("for_each");
    return all;
  }
  void no_others() const {
    for (const auto& [key, value] : table_) {
      const std::string name(key.str());
      if (known_.count(name)) continue;
      refuse(fmt::format("the key '{}' is not known here; known: {}", name, join({known_.begin(), known_.end()}, ", ")));
    }
  }

 private:
  nlohmann::json decisive(const toml::node& node) const {
    static const std::set<std::string_view> prose{"id", "says", "source", "because", "optional", "family"};
    nlohmann::json out;
    if (const auto* table = node.as_table()) {
      out = nlohmann::json::object();
      for (const auto& [key, value] : *table)
        if (!prose.contains(key.str())) out[std::string(key.str())] = decisive(value);
    } else if (const auto* list = node.as_array()) {
      out = nlohmann::json::array();
      for (const auto& item : *list) out.push_back(decisive(item));
    } else if (const auto* text = node.as_string()) {
      std::string with_values = text->get();
      for (const auto& [name, value] : copy_.values)
        for (std::size_t at = 0; (at = with_values.find("{" + name + "}", at)) != std::string::npos; at += value.size())
          with_values.replace(at, name.size() + 2, value);
      out = with_values;
    } else if (const auto* flag = node.as_boolean()) {
      out = flag->get();
    } else if (const auto number = node.value<double>()) {
      out = *number;
    }
    return out;
  }
  std::string written(const std::string& key) {
    const auto value = node(key).value<std::string>();
    if (!value) refuse(fmt::format("the key '{}' must be a text", key));
    return *value;
  }
  /// {name} becomes its value. Numbers in braces are left alone: in a regular expression they count.
  std::string filled(const std::string& key, const std::string& text) const {
    static const std::regex placeholder("\\{([A-Za-z_][A-Za-z0-9_]*)\\}");
    std::string out;
    auto rest = text.begin();
    for (std::sregex_iterator found(text.begin(), text.end(), placeholder), end; found != end; ++found) {
      const auto& whole = (*found)[0];
      const std::string* value = copy_.find((*found)[1]);
      if (!value) {
        std::vector<std::string> names;
        for (const auto& [name, unused] : copy_.values) names.push_back("{" + name + "}");
        refuse(fmt::format("the key '{}' holds {}, which no for_each gives values; known: {}", key, whole.str(),
                           names.empty() ? "none here" : join(names, ", ")));
      }
      out.append(rest, whole.first).append(*value);
      rest = whole.second;
    }
    out.append(rest, text.end());
    return out;
  }

  const toml::table& table_;
  std::string where_;
  Copy copy_;
  std::set<std::string> known_;
};

ClaimKind read_kind(Keys& keys) {
  constexpr std::pair<const char*, ClaimKind> kinds[] = {{"better", ClaimKind::Better},         {"similar", ClaimKind::Similar},
                                                         {"no_worse", ClaimKind::NoWorse},      {"sooner", ClaimKind::Sooner},
                                                         {"parameters", ClaimKind::Parameters}, {"none", ClaimKind::None}};
  const std::string given = keys.text("kind");
  for (const auto& [text, kind] : kinds)
    if (given == text) return kind;
  keys.refuse(fmt::format("the kind '{}' is not known; known: better, similar, no_worse, sooner, parameters, none", given));
}

/// Whether a text of a table or list holds this.
bool holds(const toml::node& node, const std::string& part) {
  if (const auto* text = node.as_string()) return text->get().find(part) != std::string::npos;
  if (const auto* list = node.as_array())
    return std::any_of(list->begin(), list->end(), [&](const toml::node& item) { return holds(item, part); });
  if (const auto* table = node.as_table())
    return std::any_of(table->begin(), table->end(), [&](const auto& entry) { return holds(entry.second, part); });
  return false;
}

/// The names of a for_each as they stand in the file: a TOML table keeps them by the alphabet.
std::vector<std::string> names_of(Keys& keys) {
  const toml::table* lists = keys.node("for_each").as_table();
  if (!lists || lists->empty()) keys.refuse("the key 'for_each' must be { name = [\"value\", ...] }, or the name of a list of [rows]");
  std::vector<const toml::key*> found;
  for (const auto& [key, list] : *lists) found.push_back(&key);
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->source().begin < b->source().begin; });
  std::vector<std::string> names;
  for (const auto* key : found) names.emplace_back(key->str());
  return names;
}

void check_name(const Keys& keys, const std::string& name) {
  static const std::regex allowed("[A-Za-z_][A-Za-z0-9_]*");
  if (!std::regex_match(name, allowed))
    keys.refuse(fmt::format("the name '{}' of for_each cannot be written in braces: use letters, digits and _, no digit first", name));
  if (keys.copy().find(name)) keys.refuse(fmt::format("the name '{}' of for_each is one of the claim's for_each already", name));
}

/// One for each entry of a list of [rows].
std::vector<Copy> copies_of_rows(const std::string& name, Keys& keys, const Copy& outer) {
  const auto found = outer.rows ? outer.rows->find(name) : RowLists::const_iterator{};
  if (!outer.rows || found == outer.rows->end()) {
    std::vector<std::string> known;
    for (const auto& [other, list] : outer.rows ? *outer.rows : RowLists{}) known.push_back(other);
    keys.refuse(
        fmt::format("for_each is \"{}\", and [rows] has no such list; known: {}", name, known.empty() ? "none" : join(known, ", ")));
  }
  std::vector<Copy> copies;
  for (const auto& node : *found->second) {
    Keys entry(*node.as_table(), fmt::format("{}, entry {} of rows.{}", keys.where(), copies.size() + 1, name), outer);
    auto& copy = copies.emplace_back(outer);
    copy.values.emplace_back("row", entry.text("row"));
    for (const auto& [key, value] : *node.as_table()) {
      const std::string its_name(key.str());
      check_name(keys, its_name);
      if (its_name == "row") continue;
      copy.values.emplace_back(its_name, entry.text(its_name));
      copy.silent.insert(its_name);
    }
  }
  for (auto& copy : copies)
    for (const auto& other : copies) copy.listed.push_back(other.values.at(outer.values.size()).second);
  return copies;
}

/// Every combination of the values of a table's for_each, the first name slowest, each with the values of `outer`.
std::vector<Copy> copies_of(const toml::table& repeated, const std::string& where, const Copy& outer) {
  Keys keys(repeated, where, outer);
  std::vector<Copy> copies{outer};
  if (!keys.has("for_each")) return copies;
  if (keys.node("for_each").is_string()) return copies_of_rows(keys.text("for_each"), keys, outer);
  for (const auto& name : names_of(keys)) {
    Keys lists(*repeated.get("for_each")->as_table(), where + ", for_each", outer);
    if (name == "rows" && lists.node(name).is_string()) {
      std::vector<Copy> longer;
      for (const auto& copy : copies)
        for (auto& row : copies_of_rows(lists.text(name), keys, copy)) longer.push_back(std::move(row));
      copies = std::move(longer);
      continue;
    }
    check_name(keys, name);
    const auto values = lists.texts(name);
    if (std::count(values.begin(), values.end(), "") > 0) lists.refuse(fmt::format("the key '{}' lists an empty text", name));
    std::vector<Copy> longer;
    for (const auto& copy : copies)
      for (const auto& value : values) {
        longer.push_back(copy);
        longer.back().values.emplace_back(name, value);
        longer.back().listed.insert(longer.back().listed.end(), values.begin(), values.end());
      }
    copies = std::move(longer);
  }
  return copies;
}

void check_used(const toml::table& repeated, const std::string& where) {
  const toml::table* lists = repeated["for_each"].as_table();
  if (!lists) return;
  for (const auto& [key, list] : *lists) {
    const std::string name(key.str());
    if (name == "rows" && list.is_string()) continue;
    if (!holds(repeated, "{" + name + "}"))
      Keys(repeated, where)
          .refuse(fmt::format("the name '{}' of for_each is never used; write {{{}}} where its values belong", name, name));
  }
}

/// Reads a table once for every copy that its for_each asks for.
template <class Read>
void read_copies(const toml::table& table, const std::string& where, const Copy& outer, const Read& read) {
  for (const auto& copy : copies_of(table, where, outer)) {
    const std::string row = label(copy, outer.values.size());
    Keys keys(table, row.empty() ? where : fmt::format("{} ({})", where, row), copy);
    keys.has("for_each");
    read(keys);
    keys.no_others();
  }
  check_used(table, where);
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
template <class Read>
void read_entries(Keys& keys, const std::string& name, const Read& read) {
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
  claim.row = label(keys.copy());
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

toml::table parsed(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& reason) {
    throw UsageError(fmt::format("{}: line {}: {}", name, reason.source().begin.line, reason.description()), fix_hint);
  }
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
  const auto file = parsed(claims_toml, name);
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
  const auto file = parsed(claims_toml, name);
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
