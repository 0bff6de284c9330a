// Names that a user may mistype: every error about one lists the known ones, the nearest first.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace reprise::reproduce {

/// "unknown KIND 'NAME'", and as fix "did you mean 'X'? Known: X, ..." with the nearest few, or all
/// names where none is near. `kind` is "study", "method", ...
UsageError unknown(const std::string& kind, const std::string& name,
                   std::vector<std::string> known);

/// Where most registries have a name: a method's id (training/method_info.h), the name of anything
/// else.
template <typename Entry>
const std::string& usual_name(const Entry& entry) {
  if constexpr (requires { entry.info.id; })
    return entry.info.id;
  else
    return entry.name;
}

/// The entry of a registry with this name; name_of says where an entry has it. UsageError:
/// unknown(), with all names of the list.
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

/// What a word of a setting stands for. UsageError: as find_named().
template <typename Value>
Value named_value(const std::vector<std::pair<std::string, Value>>& words, const std::string& kind,
                  const std::string& word) {
  return find_named(words, kind, word, &std::pair<std::string, Value>::first).second;
}

}  // namespace reprise::reproduce
