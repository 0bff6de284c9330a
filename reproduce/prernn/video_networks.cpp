// The cells before anything recurrent: the clips of a replicate, and a network for each modality, trained on single frames.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "experiments/base_network.h"
#include "experiments/replicates.h"
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

struct Steps {
  at::Tensor x;       ///< [N, S, C, ...] uint8
  at::Tensor labels;  ///< [N]
};

/// Network input of single steps, and a small shift of the whole batch that the network is to learn not to mind.
at::Tensor shifted(const at::Tensor& x, std::int64_t most, Random& random) {
  if (most == 0) return x;
  const auto height = x.size(-2), width = x.size(-1);
  const auto lines = x.flatten(1, -3);  // [M, lines, H, W]
  const auto padded = torch::replication_pad2d(lines, {most, most, most, most});
  const auto top = random.below(2 * most + 1), left = random.below(2 * most + 1);
  return padded.narrow(-2, top, height).narrow(-1, left, width).reshape(x.sizes());
}

/// Outputs for all steps, one after another: [N S, K].
at::Tensor outputs_of(models::Backbone& network, const at::Tensor& steps, const std::string& trunk) {
  const c10::InferenceMode inference;
  network->eval();
  std::vector<at::Tensor> out;
  for (const auto& piece : steps.flatten(0, 1).split(128)) out.push_back(network(video_input(piece.to(device_of(*network)), trunk)).cpu());
  return at::cat(out);
}

at::Tensor label_of_each_step(const Steps& set) { return set.labels.repeat_interleave(set.x.size(1)); }

BaseTraining train_network(models::Backbone& network, const Steps& train, const Steps& validation, const std::string& trunk,
                           const std::string& modality, std::int64_t draw, CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  const auto steps = train.x.flatten(0, 1), labels = label_of_each_step(train);
  const auto epoch_steps = std::min(settings.integer("video_networks.steps_an_epoch"), steps.size(0));
  const auto batch = std::min(settings.integer("video_networks.batch"), epoch_steps);
  const auto seed = seed_of_draw(seed_of({"prernn", cell.table, cell.dataset, modality, std::to_string(cell.seed)}), draw);
  const auto shift = settings.integer("video_networks.shift");
  std::int64_t ordered_epoch = -1;
  at::Tensor order;
  training::Task task;
  task.batches_per_epoch = epoch_steps / batch;
  task.batch = [&](std::int64_t epoch, std::int64_t index, Random& random) -> training::Batch {
    if (epoch != ordered_epoch) {
      order = torch::tensor(Random(seed).split("epoch", epoch).permutation(steps.size(0)));
      ordered_epoch = epoch;
    }
    const auto rows = order.narrow(0, index * batch, batch);
    const auto device = device_of(*network);
    return {shifted(video_input(steps.index_select(0, rows).to(device), trunk), shift, random), labels.index_select(0, rows).to(device)};
  };
  task.forward = [&](const torch::Tensor& x) { return network(x); };
  task.loss = [](const torch::Tensor& y, const torch::Tensor& label) { return torch::cross_entropy_loss(y, label); };
  task.validate = [&] {
    return torch::cross_entropy_loss(outputs_of(network, validation.x, trunk), label_of_each_step(validation)).item<double>();
  };
  const auto options = fit_options(settings, "video_networks", settings.integer("video_networks.epochs"), seed,
                                   context.folder / ("checkpoint_" + modality + ".safetensors"));
  const auto rate = settings.number("video_networks.learning_rate");
  return {.report = training::fit(*network, {{network->parameters(), rate}}, task, options, context.progress),
          .trivial_error = trivial_cross_entropy(label_of_each_step(validation)),
          .live_units = least_live_fraction(network, validation.x.flatten(0, 1), [&](const auto& x) { return video_input(x, trunk); })};
}

/// Half precision: what the features lose is far below what separates two seeds, and they are by far the largest files of a run.
at::Tensor features_of(models::Backbone& network, const at::Tensor& steps, const std::string& trunk) {
  const c10::InferenceMode inference;
  network->eval();
  const auto layer = models::features_layer(network);
  std::vector<at::Tensor> out;
  for (const auto& piece : steps.flatten(0, 1).split(128))
    out.push_back(network->features(video_input(piece.to(device_of(*network)), trunk), layer).contiguous().to(at::kHalf).cpu());
  return at::cat(out).unflatten(0, {steps.size(0), steps.size(1)});
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// Test clips of the first classes, one each, every modality, for the report's gallery.
void draw_examples(const std::filesystem::path& path, const datasets::LabelledClips& clips) {
  std::vector<std::int64_t> shown;
  for (std::int64_t c = 0; c < std::min<std::int64_t>(4, static_cast<std::int64_t>(clips.classes.size())); ++c) {
    const auto of_class = (clips.labels == c).nonzero();
    if (of_class.size(0) > 0) shown.push_back(of_class[0][0].item<std::int64_t>());
  }
  if (!shown.empty()) datasets::write_png(path, datasets::clip_sheet(clips, shown).repeat_interleave(2, 0).repeat_interleave(2, 1));
}

}  // namespace

void run_video_clips(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto parts = make_video_clips(cell.dataset, cell.seed, context.settings, context.data);
  weights::StateDict state;
  for (const auto& [name, part] : {std::pair{"train", &parts.train}, {"validation", &parts.validation}, {"test", &parts.test}}) {
    for (const auto& modality : task_of(cell.dataset, context.settings).modalities)
      state.emplace_back(fmt::format("{}.{}", name, modality), frames_of(*part, modality));
    state.emplace_back(fmt::format("{}.labels", name), part->labels);
    context.record.parameters[fmt::format("clips_{}", name)] = part->size();
  }
  weights::write_safetensors(context.folder / "clips.safetensors", state);
  if (is_shown(context.settings, cell.seed)) draw_examples(context.folder / "examples.png", parts.test);
  write_file(context.folder / "test_items.txt", join(parts.test.item, "\n") + "\n");
  write_file(context.folder / "classes.txt", join(parts.train.classes, "\n") + "\n");
}

std::vector<std::string> read_classes(const std::filesystem::path& folder) { return read_lines(folder / "classes.txt"); }

std::vector<std::string> read_test_items(const std::filesystem::path& folder) { return read_lines(folder / "test_items.txt"); }

void run_video_networks(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  const auto& settings = context.settings;
  const auto kind = study_table(cell.table).network.value();
  const auto& facts = facts_of(kind);
  const auto trunk = settings.text("video_networks.trunk_" + facts.name);
  const auto clips_folder = context.store.folder(clips_cell(cell, settings));
  const auto classes = static_cast<std::int64_t>(read_classes(clips_folder).size());
  std::map<std::string, at::Tensor> clips;
  for (const auto& [name, tensor] : weights::read_weights(clips_folder / "clips.safetensors")) clips[name] = tensor;
  const bool generated = study_dataset(cell.dataset).generated();
  const auto kept = settings.text("video_networks.weights");
  const auto pool = generated && kept.empty() ? make_network_clips(cell.dataset, kind, cell.seed, settings) : datasets::LabelledClips{};
  records::Curves curves;
  for (const auto& modality : task_of(cell.dataset, settings).modalities) {
    const auto steps = [&](const std::string& part) -> Steps {
      return {steps_of(clips.at(part + "." + modality), kind, settings), clips.at(part + ".labels")};
    };
    const auto train = steps("train"), validation = steps("validation"), test = steps("test");
    const auto seed = seed_of({"prernn", "networks", facts.name, cell.dataset, modality, std::to_string(cell.seed)});
    const auto draw_network = [&](std::int64_t draw) {
      Random random(seed_of_draw(seed, draw));
      auto drawn = video_network(kind, train.x.size(2), classes, settings, context.data, random);
      drawn->to(at::Device(context.device));
      return drawn;
    };
    models::Backbone network(nullptr);
    if (!kept.empty()) {
      network = draw_network(0);
      training::load_weights(*network,
                             kept_weights(fmt::format("{}_{}_{}_{}.safetensors", kept, cell.dataset, facts.name, modality), context.data));
    } else {
      // a real set has no more than its training clips
      const Steps learning = generated ? Steps{steps_of(frames_of(pool, modality), kind, settings), pool.labels} : train;
      const auto report = train_base_network(context, modality, [&](std::int64_t draw) {
        network = draw_network(draw);
        return train_network(network, learning, validation, trunk, modality, draw, context);
      });
      const auto rate = settings.number("video_networks.learning_rate");
      note_training(report, rate, modality, cell.dataset + "/validation steps/cross-entropy", record, curves);
    }
    training::save_weights(*network, context.folder / ("weights_" + modality + ".safetensors"));
    weights::StateDict features;
    for (const auto& [name, part] : {std::pair{"train", &train}, {"validation", &validation}, {"test", &test}}) {
      features.emplace_back(std::string(name) + ".x", features_of(network, part->x, trunk));
      features.emplace_back(std::string(name) + ".labels", part->labels);
    }
    weights::write_safetensors(context.folder / ("features_" + modality + ".safetensors"), features);
    const auto predicted = outputs_of(network, test.x, trunk).argmax(1);
    record.metrics.push_back({of_part("step_accuracy", modality), metrics::accuracy(predicted, label_of_each_step(test)), "",
                              Direction::HigherIsBetter,
                              fmt::format("{}/{} {}", metrics::accuracy_protocol, cell.dataset, facts.snippets ? "snippets" : "frames")});
    std::int64_t all = 0;
    for (const auto& p : network->parameters()) all += p.numel();
    record.parameters["all_" + modality] = all;
    std::filesystem::remove(context.folder / ("checkpoint_" + modality + ".safetensors"));
  }
  context.store.write_curves(cell, curves);
}

VideoFeatureSets read_video_features(const std::filesystem::path& folder, const std::string& modality) {
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] : weights::read_weights(folder / ("features_" + modality + ".safetensors"))) state[name] = tensor;
  const auto part = [&](const std::string& name) -> VideoFeatures {
    return {state.at(name + ".x").to(at::kFloat), state.at(name + ".labels")};
  };
  return {.train = part("train"), .validation = part("validation"), .test = part("test")};
}

at::Tensor clip_scores(training::SequenceNetwork& network, const at::Tensor& x) {
  const c10::InferenceMode inference;
  network.eval();
  std::vector<at::Tensor> out;
  for (const auto& piece : x.split(64)) out.push_back(network.forward(piece.to(device_of(network))).softmax(-1).mean(1).cpu());
  return at::cat(out);
}

double clip_loss(const at::Tensor& scores, const at::Tensor& labels) {
  // a score that float32 rounds to zero costs much, not everything
  return -scores.gather(1, labels.unsqueeze(1)).clamp_min(1e-12).log().mean().item<double>();
}

}  // namespace reprise::reproduce::prernn_study
