// A trained diffusion model with what it was trained on, in one safetensors file: what `reprise
// sample`, `invert` and `generate` take.
//
// The file's metadata says what a user may ask of it: items of which shape, conditioned on which
// classes or words, and the levels of noise that training saw. Outside these levels a network
// answers with numbers that mean nothing.
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
  Videos,  ///< frames side by side in the channels: [T C, H, W]
  Sounds   ///< spectrograms
};
/// "images", "videos", "sounds".
const std::string& name_of(ItemKind kind);

struct PriorFacts {
  std::string data;  ///< "mnist"
  ItemKind kind = ItemKind::Images;
  std::vector<std::int64_t> item;         ///< [C, H, W]
  std::vector<std::string> classes = {};  ///< name of each label
  std::vector<std::string> words = {};    ///< the vocabulary, word 0 is ""
  std::map<std::string, double> measures =
      {};  ///< what the items are: "rate" of sounds, "frames" of videos
  double sigma_data = 0.5;
  TrainingNoise noise = {};
};

struct Prior {
  PriorFacts facts;
  UNetOptions options;
  std::shared_ptr<PreconditionedDenoiser> D;

  /// sigma_low to sigma_high: all but a thousandth of the levels of training lie below the one,
  /// above the other.
  double sigma_low() const;
  double sigma_high() const;
};

/// A prior that knows nothing yet but the mean mu of the data ([C, H, W]) and their standard
/// deviation about it, facts.sigma_data.
Prior new_prior(const PriorFacts& facts, UNetOptions options, const at::Tensor& mu, Random& random);
/// Error: the file cannot be written.
void save_prior(const Prior& prior, const std::filesystem::path& path);
/// In evaluation mode, on `device`. UsageError: no such file, damaged, or not a prior (what was
/// found, what is expected); metadata that do not agree with the tensors, before anything is built
/// by them (prior_checks.h).
Prior load_prior(const std::filesystem::path& path, at::Device device = at::kCPU);
/// For use, not for training: in evaluation mode on `device`, weights without gradients and in the
/// order that its kernels are fastest with.
void make_ready(Denoiser& D, at::Device device);

/// UsageError: sigma outside the levels of training (the range is named).
void check_level(const Prior& prior, double sigma);
/// UsageError: x is not [N, C, H, W] of the prior's items (both shapes named).
void check_items(const Prior& prior, const at::Tensor& x);
/// UsageError: the prior was trained on other data.
void check_data(const Prior& prior, const std::string& data, const std::filesystem::path& path);

/// For sampling and churning: D + (w - 1) (D - D without a label), D itself at w = 1; on a GPU in
/// bfloat16, as a CUDA graph and without gradients. UsageError: w is not finite.
std::shared_ptr<Denoiser> guided(const Prior& prior, double w);

/// Sampling over all levels of training, as far down as EDM goes.
SamplerOptions sampler_over(const Prior& prior, std::int64_t steps);

/// The number of a class by its name or number, or the tokens of a text: one row of labels, [1] or
/// [1, words]. Empty: not defined. UsageError: a class or a word that the prior does not know (the
/// known ones are listed).
at::Tensor label_of(const Prior& prior, const std::string& asked);

}  // namespace reprise::models
