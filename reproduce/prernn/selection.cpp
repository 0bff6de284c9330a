#include "reproduce/prernn/selection.h"

#include <algorithm>

#include "core/error.h"
#include "reproduce/prernn/video_tasks.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

double value_of(const records::Record& record, const std::string& metric) {
  const auto value = record.metric(metric);
  if (!value) throw Error("the candidate " + record.cell.id() + " has no " + metric, "remove its folder and run again");
  return *value;
}

struct Candidate {
  std::string method;
  double score = 0, validation_error = 0;
};

}  // namespace

std::vector<std::string> selection_candidates(const std::string& method) {
  const auto at = method.find('_');
  const auto pre = "pre_" + method.substr(0, at) + "_";
  if (method.substr(at + 1) == "conv") return {"cnn", pre + "conv"};
  return {"cnn", pre + "fc6", pre + "fc7", pre + "fc67"};
}

std::string select_layers(CellContext& context, const std::string& kind, const std::string& part) {
  auto& record = context.record;
  const bool faces = part.empty();
  const std::string score = faces ? "auc" : "accuracy";
  const auto names = selection_candidates(record.cell.method);
  std::vector<Candidate> candidates;
  records::Record all_layers;
  for (const auto& name : names) {
    auto cell = record.cell;
    cell.table = faces ? "table1" : task_of(cell.dataset, context.settings).name + "_" + kind;
    cell.method = name;
    const auto found = context.store.find(cell);
    if (!found) throw Error("there is no record of the candidate " + cell.id(), "run it: ./reprise run prernn --only '" + cell.id() + "'");
    candidates.push_back({name, value_of(*found, of_part(score, part)), value_of(*found, of_part("validation_error", part))});
    all_layers = *found;
  }
  const std::vector<std::string> layers = kind == "conv" ? std::vector<std::string>{"conv"} : std::vector<std::string>{"fc6", "fc7"};
  const std::vector<std::string> ordinals{"first", "second"};
  std::string kept;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const bool keeps = value_of(all_layers, of_part("kept_" + ordinals[l], part)) > 0;
    record.metrics.push_back({of_part("kept_" + layers[l], part), keeps ? 1.0 : 0.0, "", Direction::Neither, ""});
    if (keeps) kept += kept.empty() ? layers[l] : layers[l].substr(2);  // fc6 and fc7 together are fc67
  }
  const auto pick_name = kept.empty() ? names.front() : names.back().substr(0, names.back().find_last_of('_') + 1) + kept;
  const auto pick = *std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.method == pick_name; });
  const auto best = *std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  const auto validated = *std::min_element(candidates.begin(), candidates.end(),
                                           [](const auto& a, const auto& b) { return a.validation_error < b.validation_error; });
  double sum = 0;
  for (const auto& candidate : candidates) sum += candidate.score;
  const auto note = [&](const std::string& name, double value, Direction direction) {
    record.metrics.push_back({of_part(name, part), value, "", direction, "candidates/" + record.cell.dataset});
  };
  note("pick_" + score, pick.score, Direction::HigherIsBetter);
  note("best_" + score, best.score, Direction::Neither);
  note("mean_" + score, sum / static_cast<double>(candidates.size()), Direction::Neither);
  note("agrees", pick.score == best.score ? 1 : 0, Direction::Neither);
  note("validation_" + score, validated.score, Direction::Neither);
  note("validation_agrees", validated.score == best.score ? 1 : 0, Direction::Neither);
  return pick.method;
}

}  // namespace reprise::reproduce::prernn_study
