// A trained MoCoGAN in one safetensors file: the format of `reprise generate --model`.
//
//   - G.recurrent.weight_ih, ..., G.main.N: G_I and R_M, named as in mocogan_network.h.
//   - E.main.N: image encoder, if trained (image_encoder.h).
// The file's metadata hold the network sizes, the frames of training clips, the actions and the
// origin.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "models/adversarial/image_encoder.h"
#include "models/adversarial/mocogan_network.h"

namespace reprise::models {

struct MocoganMetadata {
  std::string data;          ///< training data: "shape_motion"
  std::string source;        ///< training run: "generated/shape_motion/mocogan/seed0"
  std::int64_t frames = 16;  ///< frames of a training clip
  /// A name for each of the d_A actions. Empty: actions have numbers only.
  std::vector<std::string> actions = {};
};

struct TrainedMocogan {
  MocoganMetadata metadata;
  MocoganNetwork G{nullptr};
  ImageEncoder E{nullptr};  ///< null: not trained
};

/// Writes the file. Error: the file cannot be written.
void save_mocogan(const TrainedMocogan& trained, const std::filesystem::path& path);
/// Loads in evaluation mode on `device`, without gradients. Metadata are compared with the tensors
/// before anything is built. UsageError: no such file; a damaged file; not a MoCoGAN (expected and
/// found are named); metadata that contradict the tensors; weights that are not finite.
TrainedMocogan load_mocogan(const std::filesystem::path& path, at::Device device = at::kCPU);

/// Finds the number of an action by its name or number.
/// UsageError: an unknown action (the known ones are listed), or a network without actions.
std::int64_t find_action(const TrainedMocogan& trained, const std::string& name);
/// Name of an action, or its number if actions have no names.
std::string action_name(const TrainedMocogan& trained, std::int64_t action);

}  // namespace reprise::models
