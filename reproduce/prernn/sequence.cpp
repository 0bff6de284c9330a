// One method on one set of clips: train, choose the epoch on validation, score the test clips once, record the gates.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "datasets/draw.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/outside.h"
#include "training/fit.h"
#include "training/module_state.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

/// A cell's method, and the rate when the cell is a trial of the search (else 0).
struct Choice {
  models::Method method;
  double learning_rate = 0;
};

const models::Method& method_named(const std::string& name, const std::vector<models::Method>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const models::Method& m) { return m.name == name; });
  if (found == all.end()) throw UsageError(fmt::format("there is no method \"{}\"", name), "./reprise list methods");
  return *found;
}

/// The rate of the trial with the least validation error; the trials are cells of their own, done before this one.
double best_rate(const CellContext& context, const std::string& method) {
  double best = 0, least = INFINITY;
  for (const auto rate : context.settings.numbers("search.learning_rates")) {
    auto cell = context.record.cell;
    cell.table = "search";
    cell.method = trial_name(method, rate);
    cell.seed = 0;
    const auto record = context.store.find(cell);
    const auto error = record ? record->metric("validation_error") : std::nullopt;
    if (!error)
      throw Error("the search trial " + cell.id() + " has no validation error", "run it: ./reprise run prernn --only '" + cell.id() + "'");
    if (*error < least) {
      least = *error;
      best = rate;
    }
  }
  return best;
}

Choice choose(const CellContext& context) {
  const auto& name = context.record.cell.method;
  const auto at = name.find("+lr=");
  const auto plain = name.substr(0, at);
  const bool outside = !context.method_file.empty();
  return {outside ? scripted_method(plain, context.method_file) : method_named(plain, all_methods()),
          at == std::string::npos ? 0 : std::stod(name.substr(at + 4))};
}

/// Those of `all` that learn, without `some`.
std::vector<torch::Tensor> without(const std::vector<torch::Tensor>& all, const std::vector<torch::Tensor>& some) {
  std::vector<torch::Tensor> rest;
  for (const auto& p : all)
    if (p.requires_grad() && std::none_of(some.begin(), some.end(), [&](const torch::Tensor& q) { return q.is_same(p); }))
      rest.push_back(p);
  return rest;
}

/// `batch`: clips a step. The order of the clips belongs to the seed, so all methods of a seed see the same.
training::FitReport train(training::SequenceNetwork& network, const ClipSet& train_set, const ClipSet& validation, std::int64_t size,
                          std::int64_t batch, double learning_rate, CellContext& context) {
  const auto& settings = context.settings;
  const bool search = context.record.cell.table == "search";
  const auto target = target_of(train_set.landmarks, size);
  const auto count = train_set.features.size(0);
  training::Task task;
  task.batches_per_epoch = std::max<std::int64_t>(1, count / batch);
  const auto seed = seed_of({"prernn", "order", context.record.cell.dataset, std::to_string(context.record.cell.seed)});
  std::int64_t ordered_epoch = -1;
  at::Tensor order;
  task.batch = [&, seed](std::int64_t epoch, std::int64_t index, Random&) -> training::Batch {
    if (epoch != ordered_epoch) {
      order = torch::tensor(Random(seed).split("epoch", epoch).permutation(count));
      ordered_epoch = epoch;
    }
    const auto rows = order.narrow(0, index * batch, std::min(batch, count));
    const auto device = device_of(network);
    return {train_set.features.index_select(0, rows).to(device), target.index_select(0, rows).to(device)};
  };
  task.forward = [&](const torch::Tensor& x) { return network.forward(x); };
  task.loss = point_distance;
  task.validate = [&] {
    const auto predicted = predict(network, validation.features, size);
    return metrics::mean_error(metrics::landmark_error(predicted.flatten(0, 1), validation.landmarks.flatten(0, 1)));
  };
  training::FitOptions options{.epochs = settings.integer(search ? "search.epochs" : "sequence.epochs"),
                               .warmup_steps = settings.integer("sequence.warmup_steps"),
                               .clip_norm = settings.number("sequence.clip_norm"),
                               .patience = settings.integer("sequence.patience"),
                               .seed = seed};
  const auto fresh = network.fresh();
  const auto pretrained = without(network.parameters(), fresh);
  std::vector<training::ParameterGroup> groups;
  if (!pretrained.empty()) groups.push_back({pretrained, learning_rate * settings.number("sequence.pretrained_rate")});
  if (!fresh.empty()) groups.push_back({fresh, learning_rate});
  return training::fit(network, groups, task, options, context.progress);
}

void note_training(const training::FitReport& report, double learning_rate, records::Record& record, records::Curves& curves) {
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] = seconds;
  const auto protocol = fmt::format("{}/validation", record.cell.dataset);
  record.metrics.push_back({"validation_error", report.validation_error.at(report.best_epoch), "", Direction::LowerIsBetter, protocol});
  record.metrics.push_back({"learning_rate", learning_rate, "", Direction::Neither, ""});
  record.metrics.push_back({"best_epoch", static_cast<double>(report.best_epoch + 1), "", Direction::Neither, ""});
  curves["validation_error"] = report.validation_error;
  curves["train_loss"] = report.train_loss;
}

/// Which pictures a cell leaves: those that the report's gallery shows.
bool draws_pictures(const records::Cell& cell) {
  return cell.table == "table1" && cell.seed == 0 && (cell.method == "cnn" || cell.method == "pre_lstm_fc6");
}

void draw_clips(const CellContext& context, const ClipSets& sets, const at::Tensor& predicted, const at::Tensor& error) {
  const auto by_clip = error.view({predicted.size(0), predicted.size(1)}).mean(1).argsort();
  const auto count = by_clip.size(0);
  for (const auto& [name, rank] :
       std::vector<std::pair<std::string, std::int64_t>>{{"best", 0}, {"median", count / 2}, {"worst", count - 1}}) {
    const auto clip = by_clip[rank].item<std::int64_t>();
    datasets::write_landmark_strip(context.folder / (name + ".png"), sets.test_frames[clip], predicted[clip], sets.test.landmarks[clip]);
  }
}

}  // namespace

void run_sequence(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  const auto choice = choose(context);
  auto cnn_cell = cell;
  cnn_cell.table = "cnn", cnn_cell.dataset = "stills", cnn_cell.method = "cnn";
  auto features_cell = cell;
  features_cell.table = "features", features_cell.method = "cnn";

  const auto sets = read_clips(context.store.folder(features_cell) / "clips.safetensors");
  Random random(seed_of({"prernn", "weights", choice.method.name, std::to_string(cell.seed)}));
  auto cnn = face_network(context.settings, cell.seed);
  training::load_weights(*cnn, context.store.folder(cnn_cell) / "weights.safetensors");
  const auto network = choice.method.make(cnn, random);
  network->to(at::Device(context.device));
  const bool memory = cell.table != "nomemory";
  const auto shaped = [&](const ClipSet& set) { return memory ? set : without_memory(set); };
  const auto train_set = shaped(sets.train), validation = shaped(sets.validation), test = shaped(sets.test);

  records::Curves curves;
  if (cell.table != "search") measure_gates(*network, validation.features, "start.", record, curves);
  // without memory a clip is one frame: the batch holds as many frames, an epoch as many steps
  const auto batch = context.settings.integer("sequence.batch") * sets.train.features.size(1) / train_set.features.size(1);
  if (!network->parameters().empty()) {  // a script without any is only measured
    const auto rate = cell.table == "search" ? choice.learning_rate : best_rate(context, cell.method);
    note_training(train(*network, train_set, validation, sets.size, batch, rate, context), rate, record, curves);
  }
  if (cell.table == "search") return context.store.write_curves(cell, curves);

  const auto predicted = predict(*network, test.features, sets.size).view_as(sets.test.landmarks);
  const auto error = metrics::landmark_error(predicted.flatten(0, 1), sets.test.landmarks.flatten(0, 1));
  measure_error(error, cell.dataset, "", record);
  measure_curves(error, sets.test.landmarks.size(1), curves);
  measure_gates(*network, validation.features, "", record, curves);
  count_parameters(*network, sets.train.features.size(2), context.settings.integer("cnn.width"), record);
  if (!context.method_file.empty())  // which of a script's weights are recurrent, it does not say
    for (const auto* unknown : {"recurrent", "recurrent_vgg16"}) record.parameters.erase(unknown);
  if (draws_pictures(cell)) draw_clips(context, sets, predicted, error);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
