#include "records/old_names.h"

#include <map>

namespace reprise::records {

namespace {

using Names = std::map<std::string, std::string>;

std::string look_up(const Names& renamed, const std::string& name) {
  const auto found = renamed.find(name);
  return found == renamed.end() ? name : found->second;
}

}  // namespace

std::string current_profile(const std::string& name) {
  static const Names renamed = {{"desk", "small"}, {"gate", "ci"}, {"quick", "smoke"}};
  return look_up(renamed, name);
}

std::string current_setting(const std::string& key) {
  static const Names top_level = {{"replicates", "resampled"}, {"worlds", "domains"}};
  static const Names sections = {
      {"judge", "evaluator"}, {"reader", "digit_classifier"}, {"worthless", "negative_controls"}};
  // Keys with these names exist in sections of several studies, always with the same meaning.
  static const Names names = {{"films", "versions"},
                              {"judge", "evaluator"},
                              {"judged", "evaluator_pictures"},
                              {"looks", "evaluations"},
                              {"watch_every", "evaluate_every"},
                              {"watched", "evaluated"}};
  const auto dot = key.rfind('.');
  if (dot == std::string::npos) return look_up(top_level, key);
  return look_up(sections, key.substr(0, dot)) + "." + look_up(names, key.substr(dot + 1));
}

nlohmann::json current_value(const std::string& key, const nlohmann::json& value) {
  static const Names purposes = {{"evidence", "full_experiment"}, {"wiring", "smoke_test"}};
  if (key != "purpose" || !value.is_string()) return value;
  return look_up(purposes, value.get<std::string>());
}

nlohmann::json current_settings(const nlohmann::json& flat) {
  if (!flat.is_object()) return flat;
  auto settings = nlohmann::json::object();
  for (const auto& [key, value] : flat.items()) {
    const auto current = current_setting(key);
    settings[current] = current_value(current, value);
  }
  return settings;
}

}  // namespace reprise::records
