// A trained diffusion model with its metadata in one safetensors file: the format of `reprise
// sample`, `invert` and `generate`.
//
// The metadata hold the shape of items, the classes or words that condition them, and the training
// range of noise levels. Outside this range the network's output is meaningless.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/diffusion/unet.h"

namespace reprise::models {

enum class ItemKind {
  Images,
  Videos,  ///< frames stacked in the channels: [T C, H, W]
  Sounds   ///< spectrograms
};
/// "images", "videos", "sounds".
const std::string& name_of(ItemKind kind);

struct PriorMetadata {
  std::string data;  ///< training data: "mnist"
  ItemKind kind = ItemKind::Images;
  std::vector<std::int64_t> item;         ///< [C, H, W]
  std::vector<std::string> classes = {};  ///< name of each label
  std::vector<std::string> words = {};    ///< vocabulary; word 0 is ""
  /// Properties of items: "rate" of sounds (Hz), "frames" of videos.
  std::map<std::string, double> measures = {};
  double sigma_data = 0.5;
  TrainingNoise noise = {};
};

struct Prior {
  PriorMetadata metadata;
  UNetOptions options;
  std::shared_ptr<PreconditionedDenoiser> D;

  /// Bounds of the training levels: a thousandth of them lies below sigma_low, another above
  /// sigma_high.
  double sigma_low() const;
  double sigma_high() const;
};

/// Makes an untrained prior. mu: mean of the data, [C, H, W]; metadata.sigma_data: their standard
/// deviation about it.
Prior new_prior(const PriorMetadata& metadata, UNetOptions options, const at::Tensor& mu,
                Random& random);
/// Writes the file. Error: the file cannot be written.
void save_prior(const Prior& prior, const std::filesystem::path& path);
/// Loads in evaluation mode on `device`. Metadata are compared with the tensors before anything is
/// built (prior_checks.h). UsageError: no such file; a damaged file; not a prior (expected and
/// found are named); metadata that contradict the tensors.
Prior load_prior(const std::filesystem::path& path, at::Device device = at::kCPU);
/// Moves D to `device` in evaluation mode, without gradients, in the memory order that is fastest
/// there.
void prepare_for_inference(Denoiser& D, at::Device device);

/// UsageError: sigma outside the levels of training (the range is named).
void check_level(const Prior& prior, double sigma);
/// UsageError: x is not [N, C, H, W] of the prior's items (both shapes named).
void check_items(const Prior& prior, const at::Tensor& x);
/// UsageError: the prior was trained on other data.
void check_data(const Prior& prior, const std::string& data, const std::filesystem::path& path);

/// Makes the denoiser of sampling and churning: D + (w - 1) (D - D without a label), D itself at w
/// = 1. On a GPU it runs in bfloat16 as a CUDA graph. Without gradients. UsageError: w is not
/// finite.
std::shared_ptr<Denoiser> make_guided_denoiser(const Prior& prior, double w);

/// Options to sample over all training levels, down to EDM's lowest level.
SamplerOptions make_sampler_options(const Prior& prior, std::int64_t steps);

/// Parses a class (name or number) or a text: one row of labels, [1] or [1, words]. Empty text:
/// undefined. UsageError: an unknown class or word (the known ones are listed).
at::Tensor parse_label(const Prior& prior, const std::string& text);

}  // namespace reprise::models
