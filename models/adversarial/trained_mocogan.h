// A trained MoCoGAN in one safetensors file: what `reprise generate --model` takes.
//
//     G.recurrent.weight_ih, ..., G.main.N     G_I and R_M, below the names of the release (models/adversarial/mocogan_network.h)
//     E.main.N                                 the image encoder, where one was trained (models/adversarial/image_encoder.h)
// Its metadata say how large the networks are, how many frames the clips of training had, which
// actions it may be asked for, and where it comes from.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "models/adversarial/image_encoder.h"
#include "models/adversarial/mocogan_network.h"

namespace reprise::models {

struct MocoganFacts {
  std::string data;    ///< what it learned from: "shape_motion"
  std::string source;  ///< where it was trained: "generated/shape_motion/mocogan/seed0"
  std::int64_t frames = 16;
  std::vector<std::string> actions =
      {};  ///< a name for each of the d_A, or none: then they have numbers alone
};

struct TrainedMocogan {
  MocoganFacts facts;
  MocoganNetwork G{nullptr};
  ImageEncoder E{nullptr};  ///< null: none was trained
};

/// Error: the file cannot be written.
void save_mocogan(const TrainedMocogan& trained, const std::filesystem::path& path);
/// In evaluation mode on `device`, without gradients. UsageError: no such file, damaged, or not a
/// MoCoGAN (what was found, what is expected); metadata that do not agree with the tensors, before
/// anything is built by them; weights that are not finite.
TrainedMocogan load_mocogan(const std::filesystem::path& path, at::Device device = at::kCPU);

/// The number of an action by its name or number. UsageError: an action that it does not know (the
/// known ones are listed), or it has none.
std::int64_t action_of(const TrainedMocogan& trained, const std::string& asked);
/// Its name, or its number where actions have no names.
std::string action_name(const TrainedMocogan& trained, std::int64_t action);

}  // namespace reprise::models
