#include "reproduce/prernn/clips.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "experiments/landmark_task.h"
#include "experiments/sequence_training.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::prernn_study {

void write_clips(const std::filesystem::path& path, const ClipSets& sets) {
  weights::StateDict all{{"validation.features", sets.validation.features},
                         {"validation.landmarks", sets.validation.landmarks},
                         {"test.features", sets.test.features},
                         {"test.landmarks", sets.test.landmarks},
                         {"test.damaged", sets.test_damaged.to(at::kByte)},
                         {"test.frames", sets.test_frames}};
  for (std::size_t f = 0; f < sets.train.size(); ++f) {
    all.emplace_back(fmt::format("train{}.features", f), sets.train[f].features);
    all.emplace_back(fmt::format("train{}.landmarks", f), sets.train[f].landmarks);
  }
  weights::write_safetensors(path, all);
}

ClipSets read_clips(const std::filesystem::path& path) {
  std::map<std::string, at::Tensor> by_name;
  for (const auto& [name, tensor] : weights::read_weights(path)) by_name[name] = tensor;
  ClipSets sets{
      .train = {},
      .validation = {.features = by_name.at("validation.features"),
                     .landmarks = by_name.at("validation.landmarks")},
      .test = {.features = by_name.at("test.features"), .landmarks = by_name.at("test.landmarks")},
      .test_damaged = by_name.at("test.damaged").to(at::kBool),
      .test_frames = by_name.at("test.frames")};
  // The file holds any number of versions of the training clips.
  for (std::size_t f = 0; by_name.contains(fmt::format("train{}.features", f)); ++f)
    sets.train.push_back({.features = by_name.at(fmt::format("train{}.features", f)),
                          .landmarks = by_name.at(fmt::format("train{}.landmarks", f))});
  sets.size = sets.test_frames.size(2);
  return sets;
}

ClipSet split_into_frames(const ClipSet& set) {
  return {.features = set.features.flatten(0, 1).unsqueeze(1),
          .landmarks = set.landmarks.flatten(0, 1).unsqueeze(1)};
}

at::Tensor point_distance(const at::Tensor& prediction, const at::Tensor& target) {
  // 1e-8: the gradient of the root stays finite if a point is exact.
  return (prediction - target).unflatten(-1, {68, 2}).square().sum(-1).add(1e-8).sqrt().mean();
}

at::Tensor bridge_gaps(const at::Tensor& predicted, const at::Tensor& damaged, bool causal) {
  // Damaged frames are replaced one by one; only clear frames of `predicted` are read.
  auto bridged = predicted.clone();
  const auto clips = predicted.size(0);
  const auto frames = predicted.size(1);
  const auto flags = damaged.contiguous();
  const auto* bad = flags.const_data_ptr<bool>();
  for (std::int64_t i = 0; i < clips; ++i) {
    const auto clear = [&](std::int64_t t) { return t >= 0 && t < frames && !bad[i * frames + t]; };
    for (std::int64_t t = 0; t < frames; ++t) {
      if (clear(t)) continue;
      // Find the nearest clear frames on both sides.
      auto before = t - 1;
      auto after = t + 1;
      while (before >= 0 && !clear(before)) --before;
      while (after < frames && !clear(after)) ++after;
      const bool any_before = before >= 0;
      const bool any_after = !causal && after < frames;
      if (any_before && any_after) {
        const auto fraction = static_cast<double>(t - before) / static_cast<double>(after - before);
        bridged[i][t] = predicted[i][before] * (1 - fraction) + predicted[i][after] * fraction;
      } else if (any_before) {
        // Constant velocity needs two clear frames in a row; with one the face stands still.
        const auto step = clear(before - 1) ? predicted[i][before] - predicted[i][before - 1]
                                            : at::zeros_like(predicted[i][before]);
        bridged[i][t] = predicted[i][before] + step * static_cast<double>(t - before);
      } else if (any_after) {
        bridged[i][t] = predicted[i][after];
      }
    }
  }
  return bridged;
}

at::Tensor predict_landmarks(training::SequenceNetwork& network, const at::Tensor& features,
                             std::int64_t size) {
  constexpr std::int64_t clips_at_once = 64;  // limits memory, not results
  return run_in_pieces(network, features, clips_at_once, [&](const at::Tensor& piece) {
    return decode_landmarks(network.forward(piece.to(at::kFloat)).contiguous(), size);
  });
}

}  // namespace reprise::reproduce::prernn_study
