#include "records/claims_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"

namespace reprise::records {
namespace {

constexpr const char* fix_hint = "correct the claims file; records/claims.h lists the keys of every kind";

/// One TOML table whose keys are read by name; what was never asked for is unknown.
class Keys {
 public:
  Keys(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  /// What messages call this table from now on.
  void call(std::string where) { where_ = std::move(where); }

  [[noreturn]] void refuse(const std::string& what) const { throw UsageError(where_ + ": " + what, fix_hint); }

  bool has(const std::string& key) {
    known_.insert(key);
    return table_.contains(key);
  }
  std::string text(const std::string& key) {
    const auto value = node(key).value<std::string>();
    if (!value) refuse(fmt::format("the key '{}' must be a text", key));
    return *value;
  }
  std::string text(const std::string& key, const std::string& otherwise) { return has(key) ? text(key) : otherwise; }
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
  void no_others() const {
    for (const auto& [key, value] : table_) {
      const std::string name(key.str());
      if (known_.count(name)) continue;
      refuse(fmt::format("the key '{}' is not known here; known: {}", name, join({known_.begin(), known_.end()}, ", ")));
    }
  }

 private:
  const toml::table& table_;
  std::string where_;
  std::set<std::string> known_;
};

ClaimKind read_kind(Keys& keys) {
  constexpr std::pair<const char*, ClaimKind> kinds[] = {{"better", ClaimKind::Better},
                                                         {"similar", ClaimKind::Similar},
                                                         {"sooner", ClaimKind::Sooner},
                                                         {"parameters", ClaimKind::Parameters},
                                                         {"none", ClaimKind::None}};
  const std::string given = keys.text("kind");
  for (const auto& [text, kind] : kinds)
    if (given == text) return kind;
  keys.refuse(fmt::format("the kind '{}' is not known; known: better, similar, sooner, parameters, none", given));
}

ParameterCount read_count(Keys& keys, const std::string& key, const std::string& where) {
  const toml::node& node = keys.node(key);
  if (const auto given = node.value_exact<std::int64_t>()) {
    if (*given < 1) keys.refuse(fmt::format("the key '{}' is {}; a count is at least 1", key, *given));
    return {.given = *given, .table = "", .dataset = "", .method = "", .count = ""};
  }
  const toml::table* table = node.as_table();
  if (!table) keys.refuse(fmt::format("the key '{}' must be a whole number or {{ table, dataset, method, count }}", key));
  Keys inner(*table, where + ", " + key);
  ParameterCount count{.given = {},
                       .table = inner.text("table"),
                       .dataset = inner.text("dataset"),
                       .method = inner.text("method"),
                       .count = inner.text("count")};
  inner.no_others();
  return count;
}

void read_comparison(Keys& keys, ClaimTest& test) {
  test.methods = keys.pattern("methods", keys.text("methods"));
  test.than = keys.text("than");
  test.table = keys.text("table");
  test.than_table = keys.text("than_table", test.table);
  test.dataset = keys.pattern("dataset", keys.text("dataset", ".*"));
  if (keys.has("comparisons")) test.comparisons = keys.count("comparisons");
  test.optional = keys.flag("optional", false);
  test.metric = keys.text(test.kind == ClaimKind::Sooner ? "curve" : "metric");
  test.than_metric = test.kind == ClaimKind::Sooner ? test.metric : keys.text("than_metric", test.metric);
  if (test.kind == ClaimKind::Similar) test.margin = keys.positive("margin");
  if (test.kind == ClaimKind::Sooner) test.higher = keys.flag("higher", false);
}

ClaimTest read_test(Keys& keys, const std::string& where) {
  ClaimTest test;
  test.kind = read_kind(keys);
  if (test.kind == ClaimKind::None) {
    test.because = keys.text("because");
  } else if (test.kind == ClaimKind::Parameters) {
    test.left = read_count(keys, "left", where);
    test.right = read_count(keys, "right", where);
    test.fraction = keys.positive("fraction");
    test.tolerance = keys.positive("tolerance");
  } else {
    read_comparison(keys, test);
  }
  return test;
}

Claim read_claim(const toml::table& table, const std::string& name, std::size_t number) {
  Keys keys(table, fmt::format("{}: claim {} of the file", name, number));
  Claim claim;
  claim.id = keys.text("id");
  const std::string where = fmt::format("{}: claim \"{}\"", name, claim.id);
  keys.call(where);
  claim.says = keys.text("says");
  claim.source = keys.text("source");
  // An own family's name cannot be written in a file by accident.
  claim.family = keys.text("family", "\n" + claim.id);
  if (keys.has("level")) claim.level = keys.positive("level");
  if (claim.level >= 1) keys.refuse(fmt::format("the key 'level' is {}; it must lie between 0 and 1", claim.level));
  if (!keys.has("test")) {
    claim.tests.push_back(read_test(keys, where));
  } else {
    const toml::array* tests = keys.node("test").as_array();
    if (!tests || tests->empty() || !tests->is_homogeneous<toml::table>()) keys.refuse("'test' must be written as [[claim.test]]");
    for (const auto& node : *tests) {
      const std::string which = fmt::format("{}, test {}", where, claim.tests.size() + 1);
      Keys inner(*node.as_table(), which);
      claim.tests.push_back(read_test(inner, which));
      inner.no_others();
    }
  }
  keys.no_others();
  return claim;
}

}  // namespace

std::vector<Claim> read_claims(std::string_view claims_toml, const std::string& name) {
  toml::table file;
  try {
    file = toml::parse(claims_toml, name);
  } catch (const toml::parse_error& reason) {
    throw UsageError(fmt::format("{}: line {}: {}", name, reason.source().begin.line, reason.description()), fix_hint);
  }
  Keys keys(file, name);
  std::vector<Claim> claims;
  if (keys.has("claim")) {
    const toml::array* list = keys.node("claim").as_array();
    if (!list || !list->is_homogeneous<toml::table>()) keys.refuse("'claim' must be written as [[claim]]");
    for (const auto& node : *list) {
      claims.push_back(read_claim(*node.as_table(), name, claims.size() + 1));
      const auto& id = claims.back().id;
      if (std::count_if(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.id == id; }) > 1)
        keys.refuse(fmt::format("two claims have the id \"{}\"", id));
    }
  }
  keys.no_others();
  return claims;
}

}  // namespace reprise::records
