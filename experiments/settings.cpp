#include "experiments/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <regex>

#include "core/error.h"
#include "core/json.h"
#include "core/printable.h"
#include "core/toml.h"
#include "experiments/names.h"
#include "records/old_names.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

constexpr const char* write_one =
    "write an integer, a number, true or false, a \"string\", or a list of one of these";
/// Keys of a setting's range (settings.h).
constexpr std::array<std::string_view, 6> range_keys{"min",   "max",    "above",
                                                     "below", "one_of", "min_items"};

json scalar(const toml::node& node) {
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  return nullptr;  // a date, a time, a list or a table: check_value() refuses it
}

/// The kind of value a key holds; an integer given where numbers are expected is a number.
std::string kind_text(const json& value) {
  if (value.is_number_integer()) return "an integer";
  if (value.is_number()) return "a number";
  if (value.is_boolean()) return "true or false";
  if (value.is_string()) return "a string";
  if (!value.is_array()) return "no setting's value";
  if (value.empty()) return "a list";
  return "a list, each item " + kind_text(value.front());
}

/// Converts a list with a fraction to numbers.
json as_numbers(json items) {
  if (std::any_of(items.begin(), items.end(),
                  [](const json& item) { return item.is_number_float(); }))
    for (auto& item : items)
      if (item.is_number_integer()) item = item.get<double>();
  return items;
}

/// The value, where it is of the kind that `like` is; an integer where a number is expected becomes
/// one.
std::optional<json> convert_to_kind(const json& like, json value) {
  if (like.is_number_float() && value.is_number_integer()) return value.get<double>();
  if (like.is_array() && value.is_array() && !like.empty() && like.front().is_number_float())
    for (auto& item : value)
      if (item.is_number_integer()) item = item.get<double>();
  const bool unlike_lists = like.is_array() && value.is_array() && !like.empty() &&
                            !value.empty() && kind_text(like) != kind_text(value);
  if (kind_text(like) != kind_text(value) &&
      !(like.is_array() && value.is_array() && !unlike_lists))
    return std::nullopt;
  return value;
}

/// Describes a fault of one value or item, whatever its key; "" without one.
std::string find_problem(const json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return fmt::format("is {}, expected a finite number", value.get<double>());
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return "is " + json_text(value) + ", which is larger than an integer of 64 bits";
  // A line break would start another setting in the shell scripts of a plan.
  if (value.is_string() && has_control_character(value.get_ref<const std::string&>()))
    return "holds a control character";
  if (!value.is_number() && !value.is_boolean() && !value.is_string())
    return "is no integer, number, true, false or string";
  return "";
}

/// Describes the range (settings.h) that a value violates; "" if it is in range.
std::string expected_in(const json& range, const json& value) {
  const auto bound = [&](const char* name, auto holds, const char* words) -> std::string {
    const auto limit = range.find(name);
    if (limit == range.end() ||
        (value.is_number() && holds(value.get<double>(), limit->get<double>())))
      return "";
    return words + json_text(*limit);
  };
  if (const auto count = range.find("min_items");
      count != range.end() && value.is_array() && value.size() < count->get<std::size_t>())
    return fmt::format("a list of at least {} item{}", count->get<std::size_t>(),
                       *count == 1 ? "" : "s");
  if (value.is_array()) {
    for (const auto& item : value)
      if (const auto expected = expected_in(range, item); !expected.empty())
        return "each item " + expected;
    return "";
  }
  if (const auto known = range.find("one_of");
      known != range.end() && std::find(known->begin(), known->end(), value) == known->end())
    return "one of " + json_text(*known);
  for (const auto& expected : {bound("min", std::greater_equal<>(), "at least "),
                               bound("max", std::less_equal<>(), "at most "),
                               bound("above", std::greater<>(), "more than "),
                               bound("below", std::less<>(), "less than ")})
    if (!expected.empty()) return expected;
  return "";
}

/// The one check of a setting's value, wherever it comes from: a profile, a file, --set, run.json,
/// a message. `where`: "mine.toml, line 3". `like`: the profile's own value, whose kind it must
/// have; null where no profile is known. An integer where a number is expected becomes one.
json check_value(const std::string& where, const std::string& key, json value,
                 const json* like = nullptr, const json& range = nullptr) {
  if (value.is_array()) value = as_numbers(std::move(value));
  for (const auto& item : value.is_array() ? value : json::array({value}))
    if (const auto problem = find_problem(item); !problem.empty())
      throw UsageError(where + ": " + key + " " + problem, write_one);
  if (value.is_array())
    for (const auto& item : value)
      // TOML allows lists of mixed kinds; no setting has one.
      if (kind_text(item) != kind_text(value.front()))
        throw UsageError(where + ": " + key + " is a list of items of different kinds", write_one);
  if (like == nullptr) return value;
  const auto same = convert_to_kind(*like, value);
  std::string expected;
  if (!same)
    expected = kind_text(*like);
  else if (!range.is_null())
    expected = expected_in(range, *same);
  if (!expected.empty())
    throw UsageError(
        fmt::format("{}: {} is {}, expected {}", where, key, json_text(value), expected),
        fmt::format("give such a value, as in {}={}", key, json_text(*like)));
  return *same;
}

/// A setting of a TOML text, and its place.
struct Given {
  json value;
  std::string where;     ///< "mine.toml, line 3"
  json range = nullptr;  ///< of `key = { default = value, min = 1 }`: {"min": 1}
};

json value_in(const toml::node& node) {
  const auto* array = node.as_array();
  if (array == nullptr) return scalar(node);
  json items = json::array();
  for (const auto& item : *array) items.push_back(scalar(item));
  return items;
}

/// UsageError: a key that no range has, or a bound of another kind.
json range_in(const toml::table& table, const std::string& key, const std::string& where) {
  json range = json::object();
  for (const auto& [title, node] : table) {
    const std::string name(title.str());
    if (name == "default") continue;
    if (std::ranges::find(range_keys, name) == range_keys.end())
      throw unknown("part of the range of " + key + " in " + where + ":", name,
                    {range_keys.begin(), range_keys.end()});
    range[name] = value_in(node);
    if (name == "one_of" ? !range[name].is_array() : !range[name].is_number())
      throw UsageError(fmt::format("{}: {} of {} is {}", where, name, key, json_text(range[name])),
                       "one_of is a list of values; each other bound is a number");
  }
  return range;
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& name,
             std::map<std::string, Given>& flat) {
  for (const auto& [title, node] : table) {
    const std::string key = prefix + std::string(title.str());
    const auto where = fmt::format("{}, line {}", name, node.source().begin.line);
    const auto* inner = node.as_table();
    // A table with the key "default" is one setting with its range; any other table is a section.
    if (inner != nullptr && inner->contains("default"))
      flat[key] = {.value = value_in(*inner->get("default")),
                   .where = where,
                   .range = range_in(*inner, key, where)};
    else if (inner != nullptr)
      flatten(*inner, key + ".", name, flat);
    else
      flat[key] = {.value = value_in(node), .where = where};
  }
}

std::map<std::string, Given> settings_in(std::string_view text, const std::string& name) {
  std::map<std::string, Given> flat;
  flatten(read_toml(text, name), "", name, flat);
  return flat;
}

/// ".1" as "0.1": TOML demands the zero.
std::string with_zeros(const std::string& text) {
  static const std::regex bare(R"((^|[\[,\s+-])\.(?=[0-9]))");
  return text.find('"') == text.npos ? std::regex_replace(text, bare, "$010.") : text;
}

/// `text` as a value of the kind that `like` is, and within its range. Strings need no quotes on a
/// command line.
json value_like(const json& like, const json& range, const std::string& key,
                const std::string& text) {
  const auto where = "--set " + key + "=" + utf8(text);
  const UsageError wrong(
      where + ": expected " + kind_text(like) + ", as in " + key + "=" + json_text(like),
      "give the value in that form");
  if (has_control_character(text) || utf8(text) != text) throw wrong;
  if (like.is_string() && !text.starts_with('"'))
    return check_value(where, key, text, &like, range);
  static const std::regex quoted(R"("[^"]*")");
  // TOML would treat the rest as a comment.
  if (std::regex_replace(text, quoted, "").find('#') != text.npos) throw wrong;
  Given given;
  try {
    given = settings_in("value = " + with_zeros(text), "--set").at("value");
  } catch (const std::exception&) {
    throw wrong;
  }
  if (!given.range.is_null()) throw wrong;
  return check_value(where, key, std::move(given.value), &like, range);
}

template <typename Accepts>
const json& expect_type(const json& value, const std::string& key, const char* expected,
                        Accepts accepts) {
  if (!accepts(value))
    throw UsageError("setting " + key + " is " + json_text(value) + ", expected " + expected,
                     "correct it in the profile");
  return value;
}

}  // namespace

Settings::Settings(std::string_view toml, const std::string& name) { add(toml, name); }

Settings::Settings(nlohmann::json flat) { lay_over_stored(flat, "the settings"); }

const json& Settings::find_value(const std::string& key, const std::string& where) const {
  const auto place = values_.find(key);
  if (place != values_.end()) return *place;
  // A cell's settings are only those that its plan names, so that its record states all that it
  // read.
  if (of_cell_)
    throw UsageError("the cell reads the setting " + key + ", which its plan does not name",
                     "name it, or its section, in PlannedCell::reads");
  std::vector<std::string> known;
  for (const auto& [name, value] : values_.items()) known.push_back(name);
  throw unknown(where.empty() ? "setting" : "setting in " + where + ":", key, known);
}

const json& Settings::find_range(const std::string& key) const {
  static const json none;
  const auto range = ranges_.find(key);
  return range == ranges_.end() ? none : *range;
}

void Settings::add(std::string_view toml, const std::string& name) {
  for (auto& [key, given] : settings_in(toml, name)) {
    if (!given.range.is_null()) ranges_[key] = std::move(given.range);
    const auto known = values_.find(key);
    const json like = known == values_.end() ? given.value : *known;
    values_[key] = check_value(given.where, key, std::move(given.value), &like, find_range(key));
  }
}

void Settings::set(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--set " + utf8(assignment) + ": expected key=value",
                     "write for example --set seeds=5");
  const std::string key = records::current_setting(assignment.substr(0, equals));
  values_[key] = value_like(find_value(key), find_range(key), key, assignment.substr(equals + 1));
}

void Settings::lay_over(std::string_view toml, const std::string& name) {
  for (auto& [written, given] : settings_in(toml, name)) {
    // The base was read before (own_profile.h); it is no setting.
    if (written == base_key) continue;
    const auto key = records::current_setting(written);
    given.value = records::current_value(key, given.value);
    const auto& like = find_value(key, given.where);
    if (!given.range.is_null())
      throw UsageError(
          fmt::format("{}: {} has a range, which its base profile states", given.where, key),
          fmt::format("write {} = {}", key, json_text(given.value)));
    values_[key] = check_value(given.where, key, std::move(given.value), &like, find_range(key));
  }
}

void Settings::lay_over_stored(const nlohmann::json& flat, const std::string& where) {
  if (!flat.is_object())
    throw UsageError(where + ": the settings are no object",
                     "take the file again from where it came");
  // By name: items() of a temporary would outlive it.
  const auto current = records::current_settings(flat);
  for (const auto& [key, value] : current.items()) {
    const auto like = values_.find(key);
    values_[key] =
        check_value(where, key, value, like == values_.end() ? nullptr : &*like, find_range(key));
  }
}

Settings Settings::for_cell(const nlohmann::json& options) const {
  Settings part;
  for (const auto& [key, value] : values_.items())
    if (options.contains(key) || key == "confirm.seeds" || key == "purpose" || key == "metrics")
      part.values_[key] = value;
  // Reading any other setting is from now on an error of the study.
  part.of_cell_ = true;
  return part;
}

std::int64_t Settings::integer(const std::string& key) const {
  return expect_type(find_value(key), key, "an integer",
                     [](const json& v) { return v.is_number_integer(); })
      .get<std::int64_t>();
}

double Settings::number(const std::string& key) const {
  return expect_type(find_value(key), key, "a number", [](const json& v) { return v.is_number(); })
      .get<double>();
}

bool Settings::flag(const std::string& key) const {
  return expect_type(find_value(key), key, "true or false",
                     [](const json& v) { return v.is_boolean(); })
      .get<bool>();
}

std::string Settings::text(const std::string& key) const {
  return expect_type(find_value(key), key, "a string", [](const json& v) { return v.is_string(); })
      .get<std::string>();
}

std::vector<double> Settings::numbers(const std::string& key) const {
  const auto accepts = [](const json& v) {
    return v.is_array() &&
           std::all_of(v.begin(), v.end(), [](const json& item) { return item.is_number(); });
  };
  return expect_type(find_value(key), key, "a list of numbers", accepts).get<std::vector<double>>();
}

std::vector<std::string> Settings::texts(const std::string& key) const {
  const auto accepts = [](const json& v) {
    return v.is_array() &&
           std::all_of(v.begin(), v.end(), [](const json& item) { return item.is_string(); });
  };
  return expect_type(find_value(key), key, "a list of strings", accepts)
      .get<std::vector<std::string>>();
}

}  // namespace reprise::reproduce
