#include "reproduce/prernn/clips.h"

#include <torch/torch.h>

#include "reproduce/sequence_training.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::prernn_study {

void write_clips(const std::filesystem::path& path, const ClipSets& sets) {
  weights::write_safetensors(path, {{"train.features", sets.train.features},
                                    {"train.landmarks", sets.train.landmarks},
                                    {"validation.features", sets.validation.features},
                                    {"validation.landmarks", sets.validation.landmarks},
                                    {"test.features", sets.test.features},
                                    {"test.landmarks", sets.test.landmarks},
                                    {"test.frames", sets.test_frames}});
}

ClipSets read_clips(const std::filesystem::path& path) {
  std::map<std::string, at::Tensor> by_name;
  for (const auto& [name, tensor] : weights::read_weights(path)) by_name[name] = tensor;
  ClipSets sets{.train = {by_name.at("train.features"), by_name.at("train.landmarks")},
                .validation = {by_name.at("validation.features"), by_name.at("validation.landmarks")},
                .test = {by_name.at("test.features"), by_name.at("test.landmarks")},
                .test_frames = by_name.at("test.frames")};
  sets.size = sets.test_frames.size(-1);
  return sets;
}

ClipSet without_memory(const ClipSet& set) {
  return {.features = set.features.flatten(0, 1).unsqueeze(1), .landmarks = set.landmarks.flatten(0, 1).unsqueeze(1)};
}

at::Tensor target_of(const at::Tensor& landmarks, std::int64_t size) { return (landmarks / static_cast<double>(size) - 0.5).flatten(-2); }

at::Tensor landmarks_of(const at::Tensor& target, std::int64_t size) {
  return (target + 0.5).mul(static_cast<double>(size)).unflatten(-1, {68, 2});
}

at::Tensor point_distance(const at::Tensor& prediction, const at::Tensor& target) {
  // the small constant keeps the gradient finite where a point is exact
  return (prediction - target).unflatten(-1, {68, 2}).square().sum(-1).add(1e-8).sqrt().mean();
}

at::Tensor predict(training::SequenceNetwork& network, const at::Tensor& features, std::int64_t size) {
  const c10::InferenceMode inference;
  network.eval();
  std::vector<at::Tensor> pieces;
  const auto device = device_of(network);
  for (const auto& piece : features.split(64)) pieces.push_back(landmarks_of(network.forward(piece.to(device)).contiguous(), size).cpu());
  return at::cat(pieces);
}

}  // namespace reprise::reproduce::prernn_study
