#include "experiments/run/expected_seconds.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "experiments/run/own_profile.h"
#include "experiments/run/request.h"
#include "experiments/run/results.h"
#include "records/trial.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

/// Name of a cell's method within its table, "table/method". A trial, METHOD+..., counts for its
/// method.
std::string method_key(const records::Cell& cell) {
  return cell.table + "/" + records::base_method(cell.method);
}

const TableSeconds* find_table_seconds(const Study& study, const records::Cell& cell) {
  const auto found = std::ranges::find_if(study.seconds, [&](const TableSeconds& line) {
    return matches_glob(cell.table, line.tables) || matches_glob(method_key(cell), line.tables);
  });
  return found == study.seconds.end() ? nullptr : &*found;
}

/// Settings of the profile without a base, for which Study::seconds are stated.
json base_settings(const Study& study) {
  for (const auto& [name, text] : study.profiles)
    if (!base_in(text, name)) return profile_settings(study, name).all();
  return json::object();
}

/// Returns the work relative to the base profile: the product over `per` of the settings in
/// `options`, relative to `base`.
double work(const TableSeconds& line, const json& options, const json& base) {
  double product = 1;
  for (const auto& key : line.per)
    // Work is proportional to each of these settings.
    if (options.contains(key) && base.contains(key))
      product *= options[key].get<double>() / base[key].get<double>();
  return product;
}

/// Seconds of finished cells, and their work.
struct MeasuredWork {
  double seconds = 0, work = 0;
};

/// Measured work by table, and by method_key().
using Measured = std::map<std::string, MeasuredWork>;

Measured measured_in(const std::filesystem::path& results, const Study& study, const json& base) {
  Measured measured;
  if (!std::filesystem::exists(results)) return measured;
  for (const auto& record : cells_in(results, records::Damage::Skip).all()) {
    const auto* line = find_table_seconds(study, record.cell);
    const auto seconds = records::total_seconds(record);
    if (record.status != records::Status::Done || line == nullptr || seconds <= 0) continue;
    for (const auto& key : {record.cell.table, method_key(record.cell)}) {
      measured[key].seconds += seconds;
      measured[key].work += work(*line, *record.options, base);
    }
  }
  return measured;
}

}  // namespace

void expect_seconds(const Study& study, const Settings& settings,
                    const std::filesystem::path& results, std::vector<PlannedCell>& plan) {
  if (study.seconds.empty()) return;
  const auto base = base_settings(study);
  const auto here = measured_in(results, study, base);
  const auto unmeasured = [&](const PlannedCell& planned) {
    return !here.contains(planned.cell.table);
  };
  const auto committed = std::ranges::any_of(plan, unmeasured)
                             ? measured_in(committed_results(study.name), study, base)
                             : Measured();
  const RunDescription described{.settings = settings.all()};
  for (auto& planned : plan) {
    const auto* line = find_table_seconds(study, planned.cell);
    if (line == nullptr) continue;
    planned.measured = !unmeasured(planned);
    auto per_work = line->seconds;
    // The method's own seconds come last and take precedence.
    for (const auto& key : {planned.cell.table, method_key(planned.cell)})
      if (const auto& source = planned.measured ? here : committed; source.contains(key))
        per_work = source.at(key).seconds / source.at(key).work;
    planned.cost = per_work * work(*line, described.options(planned.reads), base);
  }
}

}  // namespace reprise::reproduce
