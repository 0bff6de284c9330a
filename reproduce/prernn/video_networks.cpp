// Cells without recurrence: the clips of a seed, and a network per modality, trained on single
// frames.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "experiments/base_network.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/classification.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/video_tasks.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

/// Steps of all clips of a part, and the classes of the clips.
struct Steps {
  at::Tensor x;       ///< [N, S, C, ...] uint8
  at::Tensor labels;  ///< [N]
};

/// Shifts a batch of network input by up to `most` pixels, as augmentation. Borders are repeated.
at::Tensor shift_frames(const at::Tensor& x, std::int64_t most, Random& random) {
  if (most == 0) return x;
  // Padding takes images [M, lines, H, W]; snippets have a dimension of frames in between.
  const auto height = x.size(-2);
  const auto width = x.size(-1);
  const auto lines = x.flatten(1, -3);
  const auto padded = torch::replication_pad2d(lines, {most, most, most, most});
  // One shift for the whole batch.
  const auto top = random.below(2 * most + 1);
  const auto left = random.below(2 * most + 1);
  return padded.narrow(-2, top, height).narrow(-1, left, width).reshape(x.sizes());
}

constexpr std::int64_t steps_at_once = 128;  ///< limits memory, not results

/// Returns the outputs for all steps of all clips: [N S, K].
at::Tensor predict_steps(models::Backbone& network, const at::Tensor& steps,
                         const std::string& trunk) {
  return run_in_pieces(*network, steps.flatten(0, 1), steps_at_once,
                       [&](const at::Tensor& piece) { return network(video_input(piece, trunk)); });
}

/// Returns the label of each step's clip: [N S].
at::Tensor label_of_each_step(const Steps& set) {
  return set.labels.repeat_interleave(set.x.size(1));
}

BaseTraining train_network(models::Backbone& network, const Steps& train, const Steps& validation,
                           const std::string& trunk, const std::string& modality, std::int64_t draw,
                           CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  const auto steps = train.x.flatten(0, 1);
  const auto labels = label_of_each_step(train);
  const auto validation_labels = label_of_each_step(validation);
  // A small data set may have fewer steps than an epoch or batch of the settings.
  const auto epoch_steps =
      std::min(settings.integer("video_networks.steps_an_epoch"), steps.size(0));
  const auto batch = std::min(settings.integer("video_networks.batch"), epoch_steps);
  const auto seed = seed_of_draw(
      seed_of({"prernn", cell.table, cell.dataset, modality, std::to_string(cell.seed)}), draw);
  const auto shift = settings.integer("video_networks.shift");
  BatchOrder order(seed, steps.size(0));
  training::Task task;
  task.batches_per_epoch = epoch_steps / batch;
  task.batch = [&](std::int64_t epoch, std::int64_t index, Random& random) -> training::Batch {
    const auto rows = order.batch(epoch, index, batch);
    const auto device = device_of(*network);
    const auto x = video_input(steps.index_select(0, rows).to(device), trunk);
    return {.x = shift_frames(x, shift, random), .y = labels.index_select(0, rows).to(device)};
  };
  task.loss = [](const torch::Tensor& y, const torch::Tensor& label) {
    return torch::cross_entropy_loss(y, label);
  };
  task.validate = [&] {
    return torch::cross_entropy_loss(predict_steps(network, validation.x, trunk), validation_labels)
        .item<double>();
  };
  return {.report = train_on_frames(network, "video_networks", task, seed, context,
                                    "checkpoint_" + modality + ".safetensors"),
          .trivial_error = trivial_cross_entropy(validation_labels),
          .live_units = least_live_fraction(network, validation.x.flatten(0, 1),
                                            [&](const auto& x) { return video_input(x, trunk); })};
}

/// Returns the features of the trunk in half precision. They are the largest files of a run, and
/// the rounding is far below the difference between seeds.
at::Tensor encode_steps(models::Backbone& network, const at::Tensor& steps,
                        const std::string& trunk) {
  const auto layer = models::features_layer(network);
  const auto features =
      run_in_pieces(*network, steps.flatten(0, 1), steps_at_once, [&](const at::Tensor& piece) {
        return network->features(video_input(piece, trunk), layer).contiguous().to(at::kHalf);
      });
  return features.unflatten(0, {steps.size(0), steps.size(1)});
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// Draws one test clip of each of the first classes in every modality, for the gallery.
void draw_examples(const std::filesystem::path& path, const datasets::LabelledClips& clips) {
  std::vector<std::int64_t> shown;
  constexpr std::int64_t most = 4;  // classes; example_clips() in video_report.cpp names as many
  for (std::int64_t c = 0;
       c < std::min<std::int64_t>(most, static_cast<std::int64_t>(clips.classes.size())); ++c) {
    const auto of_class = (clips.labels == c).nonzero();
    if (of_class.size(0) > 0) shown.push_back(of_class[0][0].item<std::int64_t>());
  }
  if (shown.empty()) return;
  // Frames are small: the sheet shows them at twice their size.
  const auto sheet = datasets::draw_clip_sheet(clips, shown);
  datasets::write_png(path, sheet.repeat_interleave(2, 0).repeat_interleave(2, 1));
}

}  // namespace

void run_video_clips(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto parts = make_video_clips(cell.dataset, cell.seed, context.settings, context.data);
  weights::StateDict state;
  for (const auto& [name, part] : {std::pair{"train", &parts.train},
                                   {"validation", &parts.validation},
                                   {"test", &parts.test}}) {
    // Each modality has a tensor of its own: networks see one modality each.
    for (const auto& modality : find_task(cell.dataset, context.settings).modalities)
      state.emplace_back(fmt::format("{}.{}", name, modality), modality_frames(*part, modality));
    state.emplace_back(fmt::format("{}.labels", name), part->labels);
    context.record.parameters[fmt::format("clips_{}", name)] = part->size();
  }
  weights::write_safetensors(context.folder / "clips.safetensors", state);
  if (is_shown(context.settings, cell.seed))
    draw_examples(context.folder / "examples.png", parts.test);
  write_file(context.folder / "test_items.txt", join(parts.test.item, "\n") + "\n");
  write_file(context.folder / "classes.txt", join(parts.train.classes, "\n") + "\n");
}

std::vector<std::string> read_classes(const std::filesystem::path& folder) {
  return read_lines(folder / "classes.txt");
}

std::vector<std::string> read_test_items(const std::filesystem::path& folder) {
  return read_lines(folder / "test_items.txt");
}

namespace {

/// Data that the networks of all modalities of a cell share.
struct NetworkCell {
  NetworkKind kind;
  std::string trunk;
  std::int64_t classes = 0;
  bool generated = false;  ///< the data set is generated: more clips exist for the networks
  /// Start of the file names of committed weights; "": the networks are trained.
  std::string committed = {};
  std::map<std::string, at::Tensor> clips = {};  ///< "train.colour", "train.labels", ...
  datasets::LabelledClips pool = {};             ///< generated sets: more clips for the networks
};

NetworkCell load_network_cell(const CellContext& context) {
  const auto& cell = context.record.cell;
  const auto& settings = context.settings;
  const auto kind = study_table(cell.table).network.value();
  const auto folder = context.store.folder(clips_cell(cell, settings));
  NetworkCell own{.kind = kind,
                  .trunk = settings.text("video_networks.trunk_" + network_traits(kind).name),
                  .classes = static_cast<std::int64_t>(read_classes(folder).size()),
                  .generated = study_dataset(cell.dataset).generated(),
                  .committed = settings.text("video_networks.weights")};
  for (const auto& [name, tensor] : weights::read_weights(folder / "clips.safetensors"))
    own.clips[name] = tensor;
  if (own.generated && own.committed.empty())
    own.pool = make_network_clips(cell.dataset, kind, cell.seed, settings);
  return own;
}

Steps steps_of_part(const NetworkCell& own, const std::string& part, const std::string& modality,
                    const Settings& settings) {
  return {.x = make_steps(own.clips.at(part + "." + modality), own.kind, settings),
          .labels = own.clips.at(part + ".labels")};
}

/// Creates a network with random weights of this draw.
models::Backbone draw_network(const NetworkCell& own, const std::string& modality,
                              std::int64_t channels, std::int64_t draw,
                              const CellContext& context) {
  const auto& cell = context.record.cell;
  const auto seed = seed_of({"prernn", "networks", network_traits(own.kind).name, cell.dataset,
                             modality, std::to_string(cell.seed)});
  Random random(seed_of_draw(seed, draw));
  auto network =
      video_network(own.kind, channels, own.classes, context.settings, context.data, random);
  network->to(at::Device(context.device));
  return network;
}

/// Returns the network of a modality: with its committed weights, or trained and checked.
models::Backbone make_modality_network(const NetworkCell& own, const std::string& modality,
                                       const Steps& train, const Steps& validation,
                                       CellContext& context, records::Curves& curves) {
  const auto& dataset = context.record.cell.dataset;
  const auto& settings = context.settings;
  const auto channels = train.x.size(2);
  // Committed weights replace training. The random ones only give the network its shape.
  if (!own.committed.empty()) {
    auto network = draw_network(own, modality, channels, 0, context);
    const auto file = fmt::format("{}_{}_{}_{}.safetensors", own.committed, dataset,
                                  network_traits(own.kind).name, modality);
    training::load_weights(*network, committed_weights(file, context.data));
    return network;
  }
  // Recorded sets have only their training clips.
  auto learning = train;
  if (own.generated)
    learning = {.x = make_steps(modality_frames(own.pool, modality), own.kind, settings),
                .labels = own.pool.labels};
  models::Backbone network(nullptr);
  // A network that fails the health check (base_network.h) is trained again with the next draw.
  const auto report = train_base_network(context, modality, [&](std::int64_t draw) {
    network = draw_network(own, modality, channels, draw, context);
    return train_network(network, learning, validation, own.trunk, modality, draw, context);
  });
  record_training(report, settings.number("video_networks.learning_rate"), modality,
                  dataset + "/validation steps/cross-entropy", context.record, curves);
  return network;
}

/// Trains the network of a modality, encodes all clips by its trunk, and measures it on single
/// steps.
void run_modality(const NetworkCell& own, const std::string& modality, CellContext& context,
                  records::Curves& curves) {
  auto& record = context.record;
  const auto part = [&](const std::string& name) {
    return steps_of_part(own, name, modality, context.settings);
  };
  const auto train = part("train");
  const auto validation = part("validation");
  const auto test = part("test");
  auto network = make_modality_network(own, modality, train, validation, context, curves);
  training::save_weights(*network, context.folder / ("weights_" + modality + ".safetensors"));
  weights::StateDict features;
  for (const auto& [name, steps] :
       {std::pair{"train", &train}, {"validation", &validation}, {"test", &test}}) {
    features.emplace_back(fmt::format("{}.x", name), encode_steps(network, steps->x, own.trunk));
    features.emplace_back(fmt::format("{}.labels", name), steps->labels);
  }
  weights::write_safetensors(context.folder / ("features_" + modality + ".safetensors"), features);
  // The accuracy on single steps is the baseline that any memory starts from.
  const auto predicted = predict_steps(network, test.x, own.trunk).argmax(1);
  record.metrics.push_back(
      {.name = name_with_part("step_accuracy", modality),
       .value = metrics::accuracy(predicted, label_of_each_step(test)),
       .unit = "",
       .direction = Direction::HigherIsBetter,
       .protocol = fmt::format("{}/{} {}", metrics::accuracy_protocol, record.cell.dataset,
                               network_traits(own.kind).snippets ? "snippets" : "frames")});
  record.parameters["all_" + modality] = count_weights(*network);
  // The checkpoint only serves to continue an interrupted training.
  std::filesystem::remove(context.folder / ("checkpoint_" + modality + ".safetensors"));
}

}  // namespace

void run_video_networks(CellContext& context) {
  const auto own = load_network_cell(context);
  records::Curves curves;
  for (const auto& modality : find_task(context.record.cell.dataset, context.settings).modalities)
    run_modality(own, modality, context, curves);
  context.store.write_curves(context.record.cell, curves);
}

VideoFeatureSets read_video_features(const std::filesystem::path& folder,
                                     const std::string& modality) {
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] :
       weights::read_weights(folder / ("features_" + modality + ".safetensors")))
    state[name] = tensor;
  const auto part = [&](const std::string& name) -> VideoFeatures {
    return {.x = state.at(name + ".x").to(at::kFloat), .labels = state.at(name + ".labels")};
  };
  return {.train = part("train"), .validation = part("validation"), .test = part("test")};
}

at::Tensor clip_scores(training::SequenceNetwork& network, const at::Tensor& x) {
  constexpr std::int64_t clips_at_once = 64;  // limits memory, not results
  return run_in_pieces(network, x, clips_at_once, [&](const at::Tensor& piece) {
    // The document's score of a clip: the mean softmax output over its steps.
    return network.forward(piece).softmax(-1).mean(1);
  });
}

double clip_loss(const at::Tensor& scores, const at::Tensor& labels) {
  // 1e-12: a score that float32 rounds to 0 gives a finite loss.
  return -scores.gather(1, labels.unsqueeze(1)).clamp_min(1e-12).log().mean().item<double>();
}

}  // namespace reprise::reproduce::prernn_study
