// Cells of one method on labelled clips: one network per modality, trained and scored, and late
// fusion.
#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "experiments/external.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/classification.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"
#include "training/module_state.h"
#include "weights/state_dict.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Prefix of curves with one number per test item: 1 if it is right. All methods of a seed share
/// the order of items (docs/records.md).
constexpr const char* item_curve_prefix = "items/";

using records::Direction;

/// Returns the kind of network of a cell: by its table, in table selection by its method.
NetworkKind network_kind(const records::Cell& cell) {
  const auto& table = study_table(cell.table);
  return table.network ? *table.network : selection_named(cell.method).kind;
}

/// Training and scoring of one modality's network.
class ModalityRun {
 public:
  ModalityRun(CellContext& context, NetworkKind kind, const std::string& name,
              const models::Method& method)
      : context_(context),
        kind_(kind),
        trial_(records::is_trial(context.record.cell)),
        name_(name),
        method_(method),
        folder_(context.store.folder(networks_cell(context.record.cell, kind, context.settings))),
        sets_(read_video_features(folder_, name)) {
    // Convolutions take maps [C, H, W]; other networks and scripts take vectors.
    if (network_traits(kind).convolutional) return;
    for (auto* part : {&sets_.train, &sets_.validation, &sets_.test}) part->x = part->x.flatten(2);
  }

  /// Trains the network and returns its scores of the test clips; none for a trial. UsageError: as
  /// Method::make.
  at::Tensor train_and_score(std::int64_t channels, std::int64_t classes, records::Curves& curves) {
    auto& record = context_.record;
    const auto& cell = record.cell;
    const bool shown = is_shown(context_.settings, cell.seed);
    // The first weights do not matter: the trained ones are loaded next.
    Random untrained(0);
    auto trained =
        video_network(kind_, channels, classes, context_.settings, context_.data, untrained);
    training::load_weights(*trained, folder_ / ("weights_" + name_ + ".safetensors"));
    Random random(seed_of({"prernn", "weights", cell.table, method_.info.id, cell.dataset, name_,
                           std::to_string(cell.seed)}));
    const auto network = method_.make(
        trained, method_start(cell.table, "video_sequence", context_.settings), random);
    network->to(at::Device(context_.device));
    if (!trial_)
      measure_gates(*network, sets_.validation.x, "start.", name_, shown, record, curves);
    // A script without parameters is only measured.
    if (!network->parameters().empty()) train(*network, curves);
    if (trial_) return {};
    measure_gates(*network, sets_.validation.x, "", name_, shown, record, curves);
    count_parameters(*network, trained, name_, record);
    // A script does not state which of its weights are recurrent.
    if (!context_.method_file.empty()) record.parameters.erase(name_with_part("recurrent", name_));
    record_input(sets_.test.x, name_, record);
    return clip_scores(*network, sets_.test.x);
  }

  const at::Tensor& test_labels() const { return sets_.test.labels; }

 private:
  void train(training::SequenceNetwork& network, records::Curves& curves) {
    auto& record = context_.record;
    // Every step of a clip is trained on the clip's class.
    const auto steps = sets_.train.x.size(1);
    const SequenceTask task{
        .clip_sets = {{sets_.train.x, sets_.train.labels.unsqueeze(1).expand({-1, steps})}},
        .loss =
            [](const torch::Tensor& y, const torch::Tensor& labels) {
              return torch::cross_entropy_loss(y.flatten(0, 1), labels.flatten());
            },
        .validate =
            [&] {
              return clip_loss(clip_scores(network, sets_.validation.x), sets_.validation.labels);
            },
        .settings = "video_sequence",
        .search = "video_search",
        .trial = trial_,
        .batch = context_.settings.integer("video_sequence.batch"),
        .validate_start = true};
    // A trial states its rate; otherwise the search chose one per modality.
    const auto chosen = trial_ ? records::parse_trial(record.cell.method)
                               : best_trial(rate_search(search_table(kind_), record.cell.dataset,
                                                        method_.info.id, context_.settings),
                                            context_.store, name_);
    const auto rate = chosen.value("lr");
    record_training(train_sequence(network, task, rate, context_), rate, name_,
                    record.cell.dataset + "/validation clips/cross-entropy", record, curves);
    measure_convergence(curves, name_, record);
  }

  CellContext& context_;
  NetworkKind kind_;
  bool trial_;
  std::string name_;
  const models::Method& method_;
  std::filesystem::path folder_;
  VideoFeatureSets sets_;
};

/// Records the accuracy, and which clips are right.
void measure_accuracy(const at::Tensor& scores, const at::Tensor& labels, const std::string& part,
                      CellContext& context, records::Curves& curves) {
  auto& record = context.record;
  const auto right = scores.argmax(1).eq(labels).to(at::kDouble).contiguous();
  curves[item_curve_prefix + name_with_part("accuracy", part)] = {
      right.const_data_ptr<double>(), right.const_data_ptr<double>() + right.numel()};
  record.metrics.push_back(
      {.name = name_with_part("accuracy", part),
       .value = metrics::accuracy(scores.argmax(1), labels),
       .unit = "",
       .direction = Direction::HigherIsBetter,
       .protocol = fmt::format("{}/{}", metrics::accuracy_protocol, record.cell.dataset),
       .items = labels.numel()});
  add_named_metrics(MetricInput::Labels, {.predicted = scores.argmax(1), .truth = labels}, part,
                    record.cell.dataset, context.settings, record);
}

/// Records, for classes in pairs of opposite temporal order, how often the pair is right, and how
/// often the order within a right pair.
void measure_directions(const at::Tensor& scores, const at::Tensor& labels,
                        const std::vector<std::int64_t>& opposite, const std::string& part,
                        records::Record& record, records::Curves& curves) {
  if (opposite.empty()) return;
  // Two classes of a pair have the same frames: only memory of their order tells them apart.
  const auto paired = metrics::paired_accuracy(scores.argmax(1), labels, opposite);
  record.metrics.push_back({.name = name_with_part("pair_accuracy", part),
                            .value = paired.pair,
                            .unit = "",
                            .direction = Direction::HigherIsBetter,
                            .protocol = "opposite classes as one/" + record.cell.dataset,
                            .items = labels.numel()});
  // Without a right pair there is no order to be right or wrong about.
  if (paired.in_pairs == 0) return;
  curves[name_with_part("pair_and_direction", part)] = {paired.pair, paired.direction};
  record.metrics.push_back({.name = name_with_part("direction_accuracy", part),
                            .value = paired.direction,
                            .unit = "",
                            .direction = Direction::HigherIsBetter,
                            .protocol = "order within pairs that were found/" + record.cell.dataset,
                            .items = paired.in_pairs});
}

/// Records the confusion matrix of late fusion, rows as fractions of the clips of a class, and the
/// recall of each class.
void measure_classes(const at::Tensor& scores, const at::Tensor& labels,
                     const std::vector<std::string>& classes, records::Record& record,
                     records::Curves& curves) {
  const auto counts =
      metrics::confusion(scores.argmax(1), labels, static_cast<std::int64_t>(classes.size()))
          .to(at::kDouble);
  const auto fractions = (counts / counts.sum(1, true).clamp_min(1)).contiguous();
  const auto* value = fractions.data_ptr<double>();
  curves["confusion"] = {value, value + fractions.numel()};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto row = static_cast<std::int64_t>(c);
    const auto clips = counts[row].sum().to(at::kLong).item<std::int64_t>();
    // A class without test clips has no recall.
    if (clips == 0) continue;
    record.metrics.push_back({.name = "accuracy_of_" + classes[c],
                              .value = fractions[row][row].item<double>(),
                              .unit = "",
                              .direction = Direction::HigherIsBetter,
                              .protocol = fmt::format("recall/{}", record.cell.dataset),
                              .items = clips});
  }
}

}  // namespace

void run_video_method(CellContext& context) {
  if (holds_predictions(context)) return measure_label_predictions(context);
  auto& record = context.record;
  const auto& cell = record.cell;
  const auto kind = network_kind(cell);
  const bool trial = records::is_trial(cell);
  const auto& modalities = find_task(cell.dataset, context.settings).modalities;
  const auto classes = read_classes(context.store.folder(clips_cell(cell, context.settings)));
  const auto& methods = methods_for(kind);
  const auto& opposite = study_dataset(cell.dataset).opposite;
  records::Curves curves;
  at::Tensor sum, labels;
  for (const auto& name : modalities) {
    // In table selection the rule may choose other layers for each modality.
    const auto chosen = cell.table == selection_table ? select_layers(context, name)
                                                      : records::parse_trial(cell.method).method;
    const auto method = context.method_file.empty() ? method_named(chosen, methods)
                                                    : scripted_method(chosen, context.method_file);
    ModalityRun modality(context, kind, name, method);
    const auto scores = modality.train_and_score(modality_channels(name),
                                                 static_cast<std::int64_t>(classes.size()), curves);
    if (trial) continue;
    labels = modality.test_labels();
    measure_accuracy(scores, labels, name, context, curves);
    measure_directions(scores, labels, opposite, name, record, curves);
    // Late fusion: the sum ranks classes as the mean of both modalities does.
    sum = sum.defined() ? sum + scores : scores;
  }
  if (!trial) {
    measure_accuracy(sum, labels, "", context, curves);
    measure_directions(sum, labels, opposite, "", record, curves);
    measure_classes(sum, labels, classes, record, curves);
  }
  context.store.write_curves(cell, curves);
}

void measure_label_predictions(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  const auto folder = context.store.folder(clips_cell(cell, context.settings));
  at::Tensor labels;
  for (const auto& [name, tensor] : weights::read_weights(folder / "clips.safetensors"))
    if (name == "test.labels") labels = tensor;
  TestItems truth{.item = {}, .values = labels};
  for (const auto& item : read_test_items(folder)) truth.item.push_back(clip_item(cell.seed, item));
  const auto predicted = read_paired(context, datasets::PredictionKind::Labels, truth);
  const auto classes = read_classes(folder);
  const auto count = static_cast<std::int64_t>(classes.size());
  // A label of no class would be counted as wrong; it is an error of the file.
  const auto outside = ((predicted < 0) | (predicted >= count)).nonzero();
  if (outside.size(0) > 0) {
    const auto row = outside[0][0].item<std::int64_t>();
    throw UsageError(
        fmt::format("{}: the label of {} is {}", context.method_file.string(),
                    truth.item[static_cast<std::size_t>(row)], predicted[row].item<std::int64_t>()),
        fmt::format("labels of {} are 0 to {}", cell.dataset, count - 1));
  }
  // A predicted label is a score of 1 for its class.
  const auto scores = torch::one_hot(predicted, count).to(at::kFloat);
  records::Curves curves;
  measure_accuracy(scores, labels, "", context, curves);
  measure_classes(scores, labels, classes, record, curves);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
