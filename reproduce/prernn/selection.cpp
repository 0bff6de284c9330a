#include "reproduce/prernn/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "reproduce/prernn/cells.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

double require_metric(const records::Record& record, const std::string& metric) {
  const auto value = record.metric(metric);
  if (!value)
    throw Error("the candidate " + record.cell.id() + " has no " + metric,
                "remove its folder and run again");
  return *value;
}

struct Candidate {
  models::Method method;
  double score = 0, validation_error = 0;
};

/// Returns the plain network and the PreRNN methods of a cell type.
std::vector<models::Method> candidates_among(const std::vector<models::Method>& methods,
                                             models::RecurrentCell cell) {
  using Kind = models::MethodTraits::Kind;
  std::vector<models::Method> candidates;
  for (const auto& method : methods) {
    const models::MethodTraits pre_rnn{
        .kind = Kind::PreRnn, .cell = cell, .layers = method.traits.layers};
    if (method.traits.kind == Kind::Plain || method.traits == pre_rnn) candidates.push_back(method);
  }
  return candidates;
}

std::vector<LayerSelection> selections_for(NetworkKind kind) {
  std::vector<LayerSelection> selections;
  for (const auto cell : models::document_cells())
    if (models::sigmoid_gates(cell) > 0) selections.push_back({cell, kind});
  return selections;
}

/// Returns each candidate with its test score and validation error, and the record of the one with
/// all layers.
std::pair<std::vector<Candidate>, records::Record> read_candidates(const CellContext& context,
                                                                   const LayerSelection& selection,
                                                                   const std::string& score,
                                                                   const std::string& part) {
  std::vector<Candidate> candidates;
  records::Record last;
  for (const auto& method : layer_candidates(selection)) {
    auto cell = context.record.cell;
    // Faces have one table of candidates; a modality has that of its task and network.
    cell.table =
        part.empty()
            ? "table1"
            : VideoTable{&find_task(cell.dataset, context.settings), selection.kind}.name();
    cell.method = method.info.id;
    const auto found = context.store.find(cell);
    if (!found)
      throw Error("there is no record of the candidate " + cell.id(),
                  "run it: ./reprise run prernn --only '" + cell.id() + "'");
    candidates.push_back({method, require_metric(*found, name_with_part(score, part)),
                          require_metric(*found, name_with_part("validation_error", part))});
    last = *found;
  }
  return {candidates, last};
}

}  // namespace

std::string LayerSelection::name() const {
  return fmt::format("{}_{}", models::cell_name(cell), network_traits(kind).name);
}

std::vector<LayerSelection> selections_among(const std::vector<models::Method>& methods,
                                             NetworkKind kind) {
  auto selections = selections_for(kind);
  std::erase_if(selections, [&](const LayerSelection& selection) {
    // Settings may leave out methods: without all candidates nothing can be selected.
    return candidates_among(methods, selection.cell).size() < layer_candidates(selection).size();
  });
  return selections;
}

LayerSelection selection_named(const std::string& name) {
  std::vector<LayerSelection> all;
  for (const auto& traits : network_kinds())
    for (const auto& selection : selections_for(traits.kind)) all.push_back(selection);
  return find_named(all, "selection of layers", name, &LayerSelection::name);
}

std::vector<models::Method> layer_candidates(const LayerSelection& selection) {
  return candidates_among(methods_for(selection.kind), selection.cell);
}

void plan_selection(const std::vector<LayerSelection>& selections, const std::string& table,
                    const std::string& prepared, const std::string& dataset,
                    const Settings& settings, std::vector<PlannedCell>& cells) {
  for (const auto& selection : selections)
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      std::vector<records::Cell> needs{cell(prepared, dataset, "cnn", data_seed(settings, seed))};
      for (const auto& candidate : layer_candidates(selection))
        needs.push_back(cell(table, dataset, candidate.info.id, seed));
      cells.push_back(
          {.cell = cell(selection_table, dataset, selection.name(), seed), .needs = needs});
    }
}

std::string select_layers(CellContext& context, const std::string& part) {
  auto& record = context.record;
  const std::string score = part.empty() ? "auc" : "accuracy";
  const auto [candidates, all_layers] =
      read_candidates(context, selection_named(record.cell.method), score, part);
  // The network with all layers transformed decides per layer (measure_gates in measure.h).
  const std::vector<std::string> ordinals{"first", "second"};
  const auto& layers = candidates.back().method.traits.layers;
  std::vector<models::Layer> kept;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const bool keeps =
        require_metric(all_layers, name_with_part("kept_" + ordinals.at(l), part)) > 0;
    record.metrics.push_back(
        {.name = name_with_part(fmt::format("kept_{}", name_of(layers[l])), part),
         .value = keeps ? 1.0 : 0.0,
         .unit = "",
         .direction = Direction::Neither,
         .protocol = ""});
    if (keeps) kept.push_back(layers[l]);
  }
  // The candidate with exactly the kept layers; the plain network if none is kept.
  const auto pick = *std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.method.traits.layers == kept;
  });
  // The rule never sees test scores. They rate its choice afterwards.
  const auto best =
      *std::max_element(candidates.begin(), candidates.end(),
                        [](const auto& a, const auto& b) { return a.score < b.score; });
  const auto validated = *std::min_element(
      candidates.begin(), candidates.end(),
      [](const auto& a, const auto& b) { return a.validation_error < b.validation_error; });
  // A random recurrent candidate has this mean as expected score.
  double recurrent_sum = 0;
  double recurrent = 0;  // number of recurrent candidates
  for (const auto& candidate : candidates)
    if (candidate.method.traits.recurs()) {
      recurrent_sum += candidate.score;
      ++recurrent;
    }
  const auto record_value = [&](const std::string& name, double value, Direction direction) {
    record.metrics.push_back({.name = name_with_part(name, part),
                              .value = value,
                              .unit = "",
                              .direction = direction,
                              .protocol = "candidates/" + record.cell.dataset});
  };
  record_value("pick_" + score, pick.score, Direction::HigherIsBetter);
  record_value("best_" + score, best.score, Direction::Neither);
  record_value("recurrent_" + score, recurrent_sum / recurrent, Direction::Neither);
  record_value("agrees", pick.score == best.score ? 1 : 0, Direction::Neither);
  record_value("validation_" + score, validated.score, Direction::Neither);
  record_value("validation_agrees", validated.score == best.score ? 1 : 0, Direction::Neither);
  return pick.method.info.id;
}

}  // namespace reprise::reproduce::prernn_study
