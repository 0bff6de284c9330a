#include "records/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/text.h"

namespace reprise::records {
namespace {

constexpr auto trial_form = "name a trial as METHOD+NAME=NUMBER, such as gru+lr=0.001+dropout=0.25";

}  // namespace

Hyperparameter hyperparameter(const std::string& name, double value) {
  auto text = number_text(value);
  // In a name, '+' begins the next hyperparameter: 1e+20 becomes 1e20, the same number.
  if (const auto plus = text.find('+'); plus != std::string::npos) text.erase(plus, 1);
  return hyperparameter(name, text);
}

Hyperparameter hyperparameter(const std::string& name, const std::string& text) {
  double value = 0;
  const auto* end = text.data() + text.size();
  // from_chars does not depend on the locale, unlike strtod.
  const auto read = std::from_chars(text.data(), end, value);
  if (name.empty() || read.ec != std::errc{} || read.ptr != end || !std::isfinite(value))
    throw UsageError(fmt::format("\"{}={}\" is no hyperparameter with a number", name, text),
                     trial_form);
  return {.name = name, .text = text, .value = value};
}

std::optional<double> Trial::find(const std::string& hyperparameter) const {
  for (const auto& own : hyperparameters)
    if (own.name == hyperparameter) return own.value;
  return std::nullopt;
}

double Trial::value(const std::string& hyperparameter) const {
  if (const auto found = find(hyperparameter)) return *found;
  throw UsageError(trial_name(*this) + " has no hyperparameter " + hyperparameter, trial_form);
}

std::string trial_name(const Trial& trial) {
  auto name = trial.method;
  for (const auto& [key, text, value] : trial.hyperparameters) name += "+" + key + "=" + text;
  return name;
}

std::string base_method(const std::string& name) { return name.substr(0, name.find('+')); }

Trial parse_trial(const std::string& name) {
  // Each part after a '+' is NAME=NUMBER.
  auto at = name.find('+');
  Trial trial{.method = base_method(name)};
  while (at != std::string::npos) {
    const auto next = name.find('+', at + 1);
    const auto part = name.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      throw UsageError(name + ": \"" + part + "\" is not NAME=NUMBER", trial_form);
    auto read = hyperparameter(part.substr(0, equals), part.substr(equals + 1));
    if (trial.find(read.name))
      throw UsageError(name + ": " + read.name + " is there twice", trial_form);
    trial.hyperparameters.push_back(std::move(read));
    at = next;
  }
  return trial;
}

bool is_trial(const Cell& cell) { return cell.table.starts_with("search"); }

bool holds_hyperparameter(const std::string& metric, const std::string& hyperparameter) {
  // Short names in trials, full names in metrics.
  static const std::map<std::string, std::string> written_out{{"lr", "learning_rate"},
                                                              {"weight", "landmark_weight"}};
  const auto found = written_out.find(hyperparameter);
  const auto& plain = found == written_out.end() ? hyperparameter : found->second;
  return metric == "with_" + hyperparameter || metric == plain || metric.starts_with(plain + "_");
}

}  // namespace reprise::records
