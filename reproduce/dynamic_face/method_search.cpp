// Search of the hyperparameters of methods, and the values of a trial.
#include "experiments/search.h"
#include "experiments/sequence_training.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/methods.h"

namespace reprise::reproduce::dynamic_face_study {

Search search_for(const Method& method, const Settings& settings) {
  constexpr double greatest_dropout = 0.9;  // a widened search stops here: hardly a unit is left
  // An ablation uses the search of the method that it changes.
  const auto& searched = method.searched_as.empty() ? method : method_named(method.searched_as);
  const auto section = searched.search_section();
  Search search{.trials = cell("search", searched.info.id, 0),
                .grid = {{axis("lr", settings.numbers(section + ".learning_rates"))}},
                .seeds = settings.integer(section + ".seeds"),
                .rules = {{.metric = "validation_error"}},
                .widen = widen_setting(settings)};
  if (searched.drops_out) {
    auto dropouts = axis("dropout", settings.numbers(section + ".dropouts"));
    dropouts.greatest = greatest_dropout;
    search.grid.push_back({dropouts});
  }
  if (searched.output() == Output::Joint)
    search.grid.push_back({axis("weight", settings.numbers("search.joint_weights"))});
  // The document's rate replaces the searched one; the learning rate still follows the search.
  if (method.documents_dropout) search.fixed = {"dropout"};
  return search;
}

double dropout_rate(const Method& method, const records::Trial& trial, const Settings& settings) {
  if (method.documents_dropout) return settings.number("sequence.dropout");
  return trial.find("dropout").value_or(0);
}

double landmark_loss_weight(const records::Trial& trial) {
  return trial.find("weight").value_or(1);
}

}  // namespace reprise::reproduce::dynamic_face_study
