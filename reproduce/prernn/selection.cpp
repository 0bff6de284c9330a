#include "reproduce/prernn/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "experiments/names.h"
#include "experiments/replicates.h"
#include "experiments/sequence_training.h"
#include "reproduce/prernn/cells.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

double value_of(const records::Record& record, const std::string& metric) {
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

/// PreRNN and the plain network: all that a cell of table selection can choose from.
std::vector<models::Method> candidates_among(const std::vector<models::Method>& methods,
                                             models::Cell cell) {
  using Kind = models::MethodFacts::Kind;
  std::vector<models::Method> candidates;
  for (const auto& method : methods) {
    const models::MethodFacts pre_rnn{
        .kind = Kind::PreRnn, .cell = cell, .layers = method.facts.layers};
    if (method.facts.kind == Kind::Plain || method.facts == pre_rnn) candidates.push_back(method);
  }
  return candidates;
}

std::vector<Choice> choices_for(NetworkKind kind) {
  std::vector<Choice> choices;
  for (const auto cell : models::document_cells())
    if (models::sigmoid_gates(cell) > 0) choices.push_back({cell, kind});
  return choices;
}

/// Each candidate with its test score and its validation error, and the record of the one with all
/// layers.
std::pair<std::vector<Candidate>, records::Record> measured(const CellContext& context,
                                                            const Choice& choice,
                                                            const std::string& score,
                                                            const std::string& part) {
  std::vector<Candidate> candidates;
  records::Record last;
  for (const auto& method : candidates_of(choice)) {
    auto cell = context.record.cell;
    cell.table = part.empty()
                     ? "table1"
                     : VideoTable{&task_of(cell.dataset, context.settings), choice.kind}.name();
    cell.method = method.info.id;
    const auto found = context.store.find(cell);
    if (!found)
      throw Error("there is no record of the candidate " + cell.id(),
                  "run it: ./reprise run prernn --only '" + cell.id() + "'");
    candidates.push_back({method, value_of(*found, of_part(score, part)),
                          value_of(*found, of_part("validation_error", part))});
    last = *found;
  }
  return {candidates, last};
}

}  // namespace

std::string Choice::name() const {
  return fmt::format("{}_{}", models::cell_name(cell), facts_of(kind).name);
}

std::vector<Choice> choices_among(const std::vector<models::Method>& methods, NetworkKind kind) {
  auto choices = choices_for(kind);
  std::erase_if(choices, [&](const Choice& choice) {
    return candidates_among(methods, choice.cell).size() < candidates_of(choice).size();
  });
  return choices;
}

Choice choice_named(const std::string& name) {
  std::vector<Choice> all;
  for (const auto& facts : network_kinds())
    for (const auto& choice : choices_for(facts.kind)) all.push_back(choice);
  return find_named(all, "choice of layers", name, &Choice::name);
}

std::vector<models::Method> candidates_of(const Choice& choice) {
  return candidates_among(methods_for(choice.kind), choice.cell);
}

void plan_selection(const std::vector<Choice>& choices, const std::string& table,
                    const std::string& prepared, const std::string& dataset,
                    const Settings& settings, std::vector<PlannedCell>& cells) {
  for (const auto& choice : choices)
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      std::vector<records::Cell> needs{cell(prepared, dataset, "cnn", data_seed(settings, seed))};
      for (const auto& candidate : candidates_of(choice))
        needs.push_back(cell(table, dataset, candidate.info.id, seed));
      cells.push_back(
          {.cell = cell(selection_table, dataset, choice.name(), seed), .needs = needs});
    }
}

std::string select_layers(CellContext& context, const std::string& part) {
  auto& record = context.record;
  const std::string score = part.empty() ? "auc" : "accuracy";
  const auto [candidates, all_layers] =
      measured(context, choice_named(record.cell.method), score, part);
  const std::vector<std::string> ordinals{"first", "second"};
  const auto& layers = candidates.back().method.facts.layers;
  std::vector<models::Layer> kept;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const bool keeps = value_of(all_layers, of_part("kept_" + ordinals.at(l), part)) > 0;
    record.metrics.push_back({of_part(fmt::format("kept_{}", name_of(layers[l])), part),
                              keeps ? 1.0 : 0.0, "", Direction::Neither, ""});
    if (keeps) kept.push_back(layers[l]);
  }
  const auto pick = *std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.method.facts.layers == kept;
  });
  const auto best =
      *std::max_element(candidates.begin(), candidates.end(),
                        [](const auto& a, const auto& b) { return a.score < b.score; });
  const auto validated = *std::min_element(
      candidates.begin(), candidates.end(),
      [](const auto& a, const auto& b) { return a.validation_error < b.validation_error; });
  double of_recurrent = 0, recurrent = 0;
  for (const auto& candidate : candidates)
    if (candidate.method.facts.recurs()) of_recurrent += candidate.score, ++recurrent;
  const auto note = [&](const std::string& name, double value, Direction direction) {
    record.metrics.push_back(
        {of_part(name, part), value, "", direction, "candidates/" + record.cell.dataset});
  };
  note("pick_" + score, pick.score, Direction::HigherIsBetter);
  note("best_" + score, best.score, Direction::Neither);
  note("recurrent_" + score, of_recurrent / recurrent, Direction::Neither);
  note("agrees", pick.score == best.score ? 1 : 0, Direction::Neither);
  note("validation_" + score, validated.score, Direction::Neither);
  note("validation_agrees", validated.score == best.score ? 1 : 0, Direction::Neither);
  return pick.method.info.id;
}

}  // namespace reprise::reproduce::prernn_study
