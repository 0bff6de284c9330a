#include "reproduce/settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <sstream>

#include "core/error.h"
#include "core/json.h"
#include "reproduce/names.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

UsageError bad(const std::string& name, const std::string& key, const std::string& what) {
  return {name + ": " + key + " " + what, "write an integer, a number, true or false, a \"string\", or a list of one of these"};
}

json scalar(const toml::node& node, const std::string& name, const std::string& key) {
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  throw bad(name, key, "is a date, a time or a list of lists");
}

/// The kind of value a key holds; an integer given where numbers are expected is a number.
std::string kind_of(const json& value) {
  if (value.is_number_integer()) return "an integer";
  if (value.is_number()) return "a number";
  if (value.is_boolean()) return "true or false";
  if (value.is_string()) return "a string";
  if (value.empty()) return "a list";
  return "a list, each item " + kind_of(value.front());
}

json list(const toml::array& array, const std::string& name, const std::string& key) {
  json items = json::array();
  bool fractions = false;
  for (const auto& item : array) {
    items.push_back(scalar(item, name, key));
    fractions = fractions || items.back().is_number_float();
  }
  if (fractions)
    for (auto& item : items)
      if (item.is_number_integer()) item = item.get<double>();
  for (const auto& item : items)
    if (kind_of(item) != kind_of(items.front())) throw bad(name, key, "is a list of unlike items");
  return items;
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& name, json& flat) {
  for (const auto& [title, node] : table) {
    const std::string key = prefix + std::string(title.str());
    if (const auto* inner = node.as_table())
      flatten(*inner, key + ".", name, flat);
    else if (const auto* array = node.as_array())
      flat[key] = list(*array, name, key);
    else
      flat[key] = scalar(node, name, key);
  }
}

toml::table parsed(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << name << ", line " << error.source().begin.line << ": " << error.description();
    throw UsageError(where.str(), "correct that line; the format is TOML (https://toml.io)");
  }
}

/// The value, where it is of the kind that `like` is; an integer where a number is expected becomes one.
std::optional<json> as_kind_of(const json& like, json value) {
  if (like.is_number_float() && value.is_number_integer()) return value.get<double>();
  if (like.is_array() && value.is_array() && !like.empty() && like.front().is_number_float())
    for (auto& item : value)
      if (item.is_number_integer()) item = item.get<double>();
  const bool unlike_lists = like.is_array() && value.is_array() && !like.empty() && !value.empty() && kind_of(like) != kind_of(value);
  if (kind_of(like) != kind_of(value) && !(like.is_array() && value.is_array() && !unlike_lists)) return std::nullopt;
  return value;
}

/// ".1" as "0.1": TOML demands the zero.
std::string with_zeros(const std::string& text) {
  static const std::regex bare(R"((^|[\[,\s+-])\.(?=[0-9]))");
  return text.find('"') == text.npos ? std::regex_replace(text, bare, "$010.") : text;
}

/// `text` as a value of the kind that `like` is. Strings need no quotes on a command line.
json value_like(const json& like, const std::string& key, const std::string& text) {
  const UsageError wrong("--set " + key + "=" + utf8(text) + ": expected " + kind_of(like) + ", as in " + key + "=" + like.dump(),
                         "give the value in that form");
  // A line break would begin another setting.
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }) || utf8(text) != text) throw wrong;
  if (like.is_string() && !text.starts_with('"')) return text;
  json value;
  try {
    value = json::object();
    flatten(toml::parse("value = " + with_zeros(text)), "", "--set", value);
    value = value.at("value");
    for (const auto& item : value.is_array() ? value : json::array({value}))
      if (item.is_number_float() && !std::isfinite(item.get<double>())) throw wrong;
  } catch (const std::exception&) {
    throw wrong;
  }
  const auto same = as_kind_of(like, value);
  if (!same) throw wrong;
  return *same;
}

const json& found(const json& values, const std::string& key) {
  const auto place = values.find(key);
  if (place != values.end()) return *place;
  std::vector<std::string> known;
  for (const auto& [name, value] : values.items()) known.push_back(name);
  throw unknown("setting", key, known);
}

template <typename Accepts>
const json& typed(const json& values, const std::string& key, const char* expected, Accepts accepts) {
  const json& value = found(values, key);
  if (!accepts(value))
    throw UsageError("setting " + key + " is " + json_text(value) + ", expected " + expected, "correct it in the profile");
  return value;
}

}  // namespace

Settings::Settings(std::string_view toml, const std::string& name) { flatten(parsed(toml, name), "", name, values_); }

Settings::Settings(nlohmann::json flat) : values_(std::move(flat)) {}

void Settings::set(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--set " + utf8(assignment) + ": expected key=value", "write for example --set seeds=5");
  const std::string key = assignment.substr(0, equals);
  values_[key] = value_like(found(values_, key), key, assignment.substr(equals + 1));
}

void Settings::lay_over(std::string_view toml, const std::string& name) {
  json values = json::object();
  flatten(parsed(toml, name), "", name, values);
  for (const auto& [key, value] : values.items()) {
    const auto& like = found(values_, key);
    const auto same = as_kind_of(like, value);
    if (!same)
      throw UsageError(fmt::format("{}: {} is {}, expected {}, as in {} = {}", name, key, value.dump(), kind_of(like), key, like.dump()),
                       "give the value in that form");
    values_[key] = *same;
  }
}

std::int64_t Settings::integer(const std::string& key) const {
  return typed(values_, key, "an integer", [](const json& v) { return v.is_number_integer(); }).get<std::int64_t>();
}

double Settings::number(const std::string& key) const {
  return typed(values_, key, "a number", [](const json& v) { return v.is_number(); }).get<double>();
}

bool Settings::flag(const std::string& key) const {
  return typed(values_, key, "true or false", [](const json& v) { return v.is_boolean(); }).get<bool>();
}

std::string Settings::text(const std::string& key) const {
  return typed(values_, key, "a string", [](const json& v) { return v.is_string(); }).get<std::string>();
}

std::vector<double> Settings::numbers(const std::string& key) const {
  const auto accepts = [](const json& v) {
    return v.is_array() && std::all_of(v.begin(), v.end(), [](const json& item) { return item.is_number(); });
  };
  return typed(values_, key, "a list of numbers", accepts).get<std::vector<double>>();
}

std::vector<std::string> Settings::texts(const std::string& key) const {
  const auto accepts = [](const json& v) {
    return v.is_array() && std::all_of(v.begin(), v.end(), [](const json& item) { return item.is_string(); });
  };
  return typed(values_, key, "a list of strings", accepts).get<std::vector<std::string>>();
}

void Settings::at_least(std::initializer_list<const char*> keys, std::int64_t low) const {
  for (const std::string key : keys)
    if (const auto value = integer(key); value < low)
      throw UsageError(fmt::format("{} is {}, expected at least {}", key, value, low), fmt::format("--set {}={}", key, low));
}

}  // namespace reprise::reproduce
