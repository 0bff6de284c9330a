// Options of `reprise generate --prior`, checked and prepared for a run.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/diffusion/prior.h"
#include "tools/generate_prior.h"
#include "tools/resumable_synthesis.h"

namespace reprise::reproduce {

enum class Shape { Picture, Panorama, Painting, Field, Video, Sound };

/// A form of result (--representation), the options that it takes, and their defaults.
struct Form {
  std::string name;
  Shape shape;
  models::ItemKind kind;             ///< kind of the priors that fit
  std::vector<std::string> endings;  ///< endings of --out
  bool length = false;               ///< takes --length
  bool from = false;                 ///< takes --from
  bool known = false;                ///< takes --known
  /// Default sigma of the last round. Fitted networks (mlp, nerf) cannot represent finer noise.
  double last = 0.05;
  /// Default sigma of the first round. At higher levels overlapping windows disagree and average
  /// to a blank result; in videos that stays so in later rounds.
  double first = 5;
  /// Default guidance with a label. Without guidance the views of a nerf average to a blob.
  double guidance = 1;
};

/// Inputs of a run, read and checked.
struct PreparedRun {
  const Form& form;
  models::Prior prior;
  std::optional<models::Prior> aux;
  std::shared_ptr<models::Denoiser> D;
  std::int64_t length = 1;  ///< length of the result, items of the prior
  at::Tensor from;          ///< [1, C, H, W]
  at::Tensor known;         ///< bool, true for pixels to keep
  Generation generation;

  models::Denoiser& D_aux() const { return aux ? *aux->D : *prior.D; }
  const std::vector<std::int64_t>& item() const { return prior.metadata.item; }
};

/// Reads the priors and pictures that the options name, and checks all options.
/// UsageError: an option that does not fit the representation, the prior or another option.
PreparedRun prepare_run(const PriorOptions& options);

}  // namespace reprise::reproduce
