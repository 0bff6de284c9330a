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

/// Returns a metric of a candidate. Error: its record lacks it.
double require_metric(const records::Record& record, const std::string& metric) {
  const auto value = record.metric(metric);
  if (!value)
    throw Error("the candidate " + record.cell.id() + " has no " + metric,
                "remove its folder and run again");
  return *value;
}

/// A network among which the rule chooses, with what its record states.
struct LayerCandidate {
  models::Method method;
  double score = 0;  ///< of test clips
  double validation_error = 0;
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
    // The rule reads gates; a VRNN has none.
    if (models::sigmoid_gates(cell) > 0) selections.push_back({.cell = cell, .kind = kind});
  return selections;
}

/// Returns each candidate with its test score and validation error, and the record of the one with
/// all layers.
std::pair<std::vector<LayerCandidate>, records::Record> read_candidates(
    const CellContext& context, const LayerSelection& selection, const std::string& score,
    const std::string& part) {
  std::vector<LayerCandidate> candidates;
  records::Record last;
  for (const auto& method : layer_candidates(selection)) {
    auto cell = context.record.cell;
    // Faces have one table of candidates; a modality has that of its task and network.
    cell.table = "table1";
    if (!part.empty())
      cell.table =
          VideoTable{.task = &find_task(cell.dataset, context.settings), .kind = selection.kind}
              .name();
    cell.method = method.info.id;
    const auto found = context.store.find(cell);
    if (!found)
      throw Error("there is no record of the candidate " + cell.id(),
                  "run it: ./reprise run prernn --only '" + cell.id() + "'");
    candidates.push_back(
        {.method = method,
         .score = require_metric(*found, name_with_part(score, part)),
         .validation_error = require_metric(*found, name_with_part("validation_error", part))});
    last = *found;  // layer_candidates() has the network with all layers last
  }
  return {candidates, last};
}

/// Applies the rule to the gates of the network with all layers transformed. Records kept_LAYER and
/// returns the kept layers.
std::vector<models::Layer> keep_layers(const LayerCandidate& all_layers,
                                       const records::Record& its_record, const std::string& part,
                                       records::Record& record) {
  // measure_gates() stored one decision per recurrent layer, in order.
  const std::vector<std::string> ordinals{"first", "second"};
  const auto& layers = all_layers.method.traits.layers;
  std::vector<models::Layer> kept;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const bool keeps =
        require_metric(its_record, name_with_part("kept_" + ordinals.at(l), part)) > 0;
    record.metrics.push_back(
        {.name = name_with_part(fmt::format("kept_{}", name_of(layers[l])), part),
         .value = keeps ? 1.0 : 0.0,
         .unit = "",
         .direction = Direction::Neither,
         .protocol = ""});
    if (keeps) kept.push_back(layers[l]);
  }
  return kept;
}

/// Returns the mean score of the recurrent candidates: the expected score of a random one.
double mean_recurrent_score(const std::vector<LayerCandidate>& candidates) {
  double sum = 0;
  double count = 0;
  for (const auto& candidate : candidates) {
    if (!candidate.method.traits.recurs()) continue;
    sum += candidate.score;
    ++count;
  }
  return sum / count;
}

/// Records how the picked candidate compares with the best, a random and the validated one. The
/// rule never sees test scores; they rate its choice afterwards.
void rate_selection(const LayerCandidate& pick, const std::vector<LayerCandidate>& candidates,
                    const std::string& score, const std::string& part, records::Record& record) {
  const auto best = *std::ranges::max_element(candidates, {}, &LayerCandidate::score);
  const auto validated =
      *std::ranges::min_element(candidates, {}, &LayerCandidate::validation_error);
  const auto record_score = [&](const std::string& name, double value, Direction direction) {
    record.metrics.push_back({.name = name_with_part(name, part),
                              .value = value,
                              .unit = "",
                              .direction = direction,
                              .protocol = "candidates/" + record.cell.dataset});
  };
  record_score("pick_" + score, pick.score, Direction::HigherIsBetter);
  record_score("best_" + score, best.score, Direction::Neither);
  record_score("recurrent_" + score, mean_recurrent_score(candidates), Direction::Neither);
  record_score("agrees", pick.score == best.score ? 1 : 0, Direction::Neither);
  record_score("validation_" + score, validated.score, Direction::Neither);
  record_score("validation_agrees", validated.score == best.score ? 1 : 0, Direction::Neither);
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
  const auto kept = keep_layers(candidates.back(), all_layers, part, record);
  // The candidate with exactly the kept layers; the plain network if none is kept.
  const auto pick = *std::ranges::find_if(candidates, [&](const LayerCandidate& candidate) {
    return candidate.method.traits.layers == kept;
  });
  rate_selection(pick, candidates, score, part, record);
  return pick.method.info.id;
}

}  // namespace reprise::reproduce::prernn_study
