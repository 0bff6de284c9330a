// Look-up of names that a user may mistype. Errors list the known names, the nearest first.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace reprise::reproduce {

/// Returns "unknown KIND 'NAME'" with the fix "did you mean 'X'? Known: X, ...": the nearest few
/// names, or all if none is near. `kind` is "study", "method", ...
UsageError unknown(const std::string& kind, const std::string& name,
                   std::vector<std::string> known);

/// Returns the name of a registry's entry: a method's id (training/method_info.h), or the field
/// `name`.
template <typename Entry>
const std::string& usual_name(const Entry& entry) {
  if constexpr (requires { entry.info.id; })
    return entry.info.id;
  else
    return entry.name;
}

/// Finds the entry with this name; name_of returns an entry's name. UsageError: unknown(), with all
/// names of the list.
template <typename Entry, typename NameOf = const std::string& (*)(const Entry&)>
const Entry& find_named(const std::vector<Entry>& list, const std::string& kind,
                        const std::string& name, NameOf name_of = &usual_name<Entry>) {
  std::vector<std::string> known;
  for (const auto& entry : list) {
    known.push_back(std::invoke(name_of, entry));
    if (known.back() == name) return entry;
  }
  throw unknown(kind, name, std::move(known));
}

/// Returns the value of a setting's word. UsageError: as find_named().
template <typename Value>
Value named_value(const std::vector<std::pair<std::string, Value>>& words, const std::string& kind,
                  const std::string& word) {
  return find_named(words, kind, word, &std::pair<std::string, Value>::first).second;
}

}  // namespace reprise::reproduce
