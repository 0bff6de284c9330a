#include "records/claims/claims_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/replace.h"
#include "core/text.h"

namespace reprise::records {
namespace {

/// Whether a text of a table or list holds this.
bool holds(const toml::node& node, const std::string& part) {
  if (const auto* text = node.as_string()) return text->get().find(part) != std::string::npos;
  if (const auto* list = node.as_array())
    return std::any_of(list->begin(), list->end(),
                       [&](const toml::node& item) { return holds(item, part); });
  if (const auto* table = node.as_table())
    return std::any_of(table->begin(), table->end(),
                       [&](const auto& entry) { return holds(entry.second, part); });
  return false;
}

/// Names of a for_each in the order of the file. The TOML table sorts them alphabetically.
std::vector<std::string> list_names(Keys& keys) {
  const toml::table* lists = keys.node("for_each").as_table();
  if (!lists || lists->empty())
    keys.refuse(
        "the key 'for_each' must be { name = [\"value\", ...] }, or the name of a list of [lists]");
  std::vector<const toml::key*> found;
  for (const auto& [key, list] : *lists) found.push_back(&key);
  // The first name varies slowest, so the order in the file matters.
  std::sort(found.begin(), found.end(),
            [](const auto* a, const auto* b) { return a->source().begin < b->source().begin; });
  std::vector<std::string> names;
  for (const auto* key : found) names.emplace_back(key->str());
  return names;
}

void check_name(const Keys& keys, const std::string& name) {
  static const std::regex allowed("[A-Za-z_][A-Za-z0-9_]*");
  if (!std::regex_match(name, allowed))
    keys.refuse(fmt::format(
        "the name '{}' of for_each cannot be written in braces: use letters, digits and _, no digit first",
        name));
  // An inner name would hide the outer one.
  if (keys.copy().find(name))
    keys.refuse(
        fmt::format("the name '{}' of for_each is one of the row's for_each already", name));
}

/// One for each entry of a list of [lists].
std::vector<Copy> make_list_copies(const std::string& name, Keys& keys, const Copy& outer) {
  const auto found = outer.lists ? outer.lists->find(name) : ValueLists::const_iterator{};
  if (!outer.lists || found == outer.lists->end()) {
    std::vector<std::string> known;
    for (const auto& [other, list] : outer.lists ? *outer.lists : ValueLists{})
      known.push_back(other);
    keys.refuse(fmt::format("for_each is \"{}\", and [lists] has no such list; known: {}", name,
                            known.empty() ? "none" : join(known, ", ")));
  }
  std::vector<Copy> copies;
  for (const auto& node : *found->second) {
    Keys entry(*node.as_table(),
               fmt::format("{}, entry {} of lists.{}", keys.where(), copies.size() + 1, name),
               outer);
    auto& copy = copies.emplace_back(outer);
    copy.values.emplace_back("row", entry.text("row"));
    for (const auto& [key, value] : *node.as_table()) {
      const std::string its_name(key.str());
      check_name(keys, its_name);
      // "row" is the label; the other values only fill placeholders.
      if (its_name == "row") continue;
      if (outer.find(its_name))
        keys.refuse(fmt::format(
            "the list '{}' has '{}', which is another name of the same for_each", name, its_name));
      copy.values.emplace_back(its_name, entry.text(its_name));
      copy.silent.insert(its_name);
    }
  }
  return copies;
}

void check_used(const toml::table& repeated, const std::string& where,
                const toml::table* defaults) {
  const toml::table* lists = repeated["for_each"].as_table();
  if (!lists) return;
  for (const auto& [key, list] : *lists) {
    const std::string name(key.str());
    // A named list need not be used completely: it serves several rows.
    if (name == "rows" && list.is_string()) continue;
    const auto is_in_defaults = [&](const std::string_view inherited_key) {
      const auto* node = defaults ? defaults->get(inherited_key) : nullptr;
      return node && !repeated.contains(inherited_key) && holds(*node, "{" + name + "}");
    };
    if (!holds(repeated, "{" + name + "}") && std::ranges::none_of(inherited, is_in_defaults))
      Keys(repeated, where)
          .refuse(fmt::format(
              "the name '{}' of for_each is never used; write {{{}}} where its values belong", name,
              name));
  }
}

std::vector<Copy> make_copies(const toml::table& repeated, const std::string& where,
                              const Copy& outer) {
  Keys keys(repeated, where, outer);
  std::vector<Copy> copies{outer};
  if (!keys.has("for_each")) return copies;
  if (keys.node("for_each").is_string())
    return make_list_copies(keys.text("for_each"), keys, outer);
  for (const auto& name : list_names(keys)) {
    Keys lists(*repeated.get("for_each")->as_table(), where + ", for_each", outer);
    // { rows = "videos", ... }: the named list is one factor of the combinations.
    if (name == "rows" && lists.node(name).is_string()) {
      std::vector<Copy> longer;
      for (const auto& copy : copies)
        for (auto& row : make_list_copies(lists.text(name), keys, copy))
          longer.push_back(std::move(row));
      copies = std::move(longer);
      continue;
    }
    check_name(keys, name);
    if (copies.front().find(name))
      keys.refuse(fmt::format("the name '{}' of for_each is one of the list's already", name));
    const auto values = lists.texts(name);
    if (std::count(values.begin(), values.end(), "") > 0)
      lists.refuse(fmt::format("the key '{}' lists an empty text", name));
    std::vector<Copy> longer;
    for (const auto& copy : copies)
      for (const auto& value : values) {
        longer.push_back(copy);
        longer.back().values.emplace_back(name, value);
      }
    copies = std::move(longer);
  }
  return copies;
}

}  // namespace

const std::string* Copy::find(const std::string& name) const {
  for (const auto& [known, value] : values)
    if (known == name) return &value;
  return nullptr;
}

std::string Copy::label(std::size_t from) const {
  std::vector<std::string> shown;
  for (std::size_t i = from; i < values.size(); ++i)
    if (!silent.contains(values[i].first)) shown.push_back(values[i].second);
  return join(shown, " ");
}

void Keys::refuse(const std::string& what) const {
  throw UsageError(where_ + ": " + what, claims_fix);
}

bool Keys::has(const std::string& key) {
  // Keys that were never looked up are unknown: no_others() refuses them.
  known_.insert(key);
  // Only these keys of the claim are defaults of its rows.
  const bool inherits = defaults_ && std::ranges::find(inherited, key) != inherited.end();
  return table_.contains(key) || (inherits && defaults_->contains(key));
}

std::string Keys::text(const std::string& key) { return fill(key, raw_text(key)); }

std::vector<std::string> Keys::texts(const std::string& key) {
  const toml::array* list = node(key).as_array();
  if (!list) return {text(key)};
  if (list->empty()) refuse(fmt::format("the key '{}' is an empty list; name at least one", key));
  std::vector<std::string> texts;
  for (const auto& item : *list) {
    const auto value = item.value<std::string>();
    if (!value) refuse(fmt::format("the key '{}' must be a text or a list of texts", key));
    // Placeholders are filled first, because two entries can become equal by that.
    texts.push_back(fill(key, *value));
    if (std::count(texts.begin(), texts.end(), texts.back()) > 1)
      refuse(fmt::format("the key '{}' lists '{}' twice", key, texts.back()));
  }
  return texts;
}

double Keys::number(const std::string& key) {
  const auto value = node(key).value<double>();
  if (!value || !std::isfinite(*value))
    refuse(fmt::format("the key '{}' must be a finite number", key));
  return *value;
}

double Keys::positive(const std::string& key) {
  const double value = number(key);
  if (!(value > 0)) refuse(fmt::format("the key '{}' is {}; it must be above 0", key, value));
  return value;
}

bool Keys::flag(const std::string& key, bool otherwise) {
  if (!has(key)) return otherwise;
  const auto value = node(key).value<bool>();
  if (!value) refuse(fmt::format("the key '{}' must be true or false", key));
  return *value;
}

std::regex Keys::pattern(const std::string& key, const std::string& text) const {
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& reason) {
    refuse(fmt::format("the key '{}' is not a regular expression: '{}': {}", key, text,
                       reason.what()));
  }
}

const toml::node& Keys::node(const std::string& key) {
  if (!has(key)) refuse(fmt::format("the key '{}' is missing", key));
  // The row's own value takes precedence over the claim's.
  const auto* own = table_.get(key);
  return own ? *own : *defaults_->get(key);
}

void Keys::no_others() const {
  for (const auto& [key, value] : table_) {
    const std::string name(key.str());
    if (known_.count(name)) continue;
    refuse(fmt::format("the key '{}' is not known here; known: {}", name,
                       join({known_.begin(), known_.end()}, ", ")));
  }
}

std::string Keys::raw_text(const std::string& key) {
  const auto value = node(key).value<std::string>();
  if (!value) refuse(fmt::format("the key '{}' must be a text", key));
  return *value;
}

/// {name} becomes its value. Numbers in braces are left alone: in a regular expression they count.
std::string Keys::fill(const std::string& key, const std::string& text) const {
  static const std::regex placeholder("\\{([A-Za-z_][A-Za-z0-9_]*)\\}");
  return replace_matches(text, placeholder, [&](const std::smatch& found) {
    const std::string* value = copy_.find(found[1]);
    if (!value) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : copy_.values) names.push_back("{" + name + "}");
      refuse(fmt::format("the key '{}' holds {}, which no for_each gives values; known: {}", key,
                         found.str(), names.empty() ? "none here" : join(names, ", ")));
    }
    return *value;
  });
}

void read_copies(const toml::table& table, const std::string& where, const Copy& outer,
                 const std::function<void(Keys&)>& read, const toml::table* defaults) {
  for (const auto& copy : make_copies(table, where, outer)) {
    const std::string row = copy.label(outer.values.size());
    Keys keys(table, row.empty() ? where : fmt::format("{} ({})", where, row), copy, defaults);
    // for_each was read before; this marks it as known.
    keys.has("for_each");
    read(keys);
    keys.no_others();
  }
  check_used(table, where, defaults);
}

}  // namespace reprise::records
