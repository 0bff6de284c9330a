// Curves of values measured during training, kept in a JSON file.
#include "reproduce/unit/training_curves.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"

namespace reprise::reproduce::unit_study {

TrainingCurves::TrainingCurves(std::filesystem::path file) : file_(std::move(file)) {
  if (!std::filesystem::exists(file_)) return;
  const auto stored =
      parse_json(read_file(file_), file_.string(), "remove it and run the cell again");
  // Keys of a JSON object are texts.
  for (const auto& [iteration, values] : stored.items())
    points_[std::stoll(iteration)] = values.get<std::map<std::string, double>>();
}

void TrainingCurves::add(std::int64_t iteration, const std::map<std::string, double>& values) {
  points_[iteration] = values;
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [at, point] : points_) all[std::to_string(at)] = point;
  // The file is written after every point, since a run may be killed at any time.
  write_file(file_, json_text(all));
}

records::Curves TrainingCurves::curves() const {
  records::Curves curves;
  for (const auto& [iteration, values] : points_) {
    curves["iteration"].push_back(static_cast<double>(iteration));
    for (const auto& [name, value] : values) curves[name].push_back(value);
  }
  return curves;
}

double TrainingCurves::value_at_maximum(const std::string& by, const std::string& wanted) const {
  if (points_.empty()) throw Error("nothing was measured during training", "lower evaluate_every");
  const auto best =
      std::ranges::max_element(points_, {}, [&](const auto& point) { return point.second.at(by); });
  return best->second.at(wanted);
}

std::optional<double> TrainingCurves::value_at(std::int64_t iteration,
                                               const std::string& wanted) const {
  const auto point = points_.find(iteration);
  if (point == points_.end()) return std::nullopt;
  return point->second.at(wanted);
}

void TrainingCurves::remove_file() const { std::filesystem::remove(file_); }

}  // namespace reprise::reproduce::unit_study
