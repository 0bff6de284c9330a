// `reprise translate --train`: trains a UNIT on two folders of a user's pictures.
//
// Two files next to the model hold the state of the training: MODEL.training.json its settings,
// MODEL.checkpoint its weights and those of its optimisers. An interrupted training resumes from
// them. They stay when the model is finished, so that it can be trained further.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "models/translation/trained_unit.h"

namespace reprise::reproduce {

/// Settings of a training. Those that are not given are those of the training that is resumed, else
/// default_shape() and the values here.
struct TranslatorShape {
  std::optional<std::int64_t> side;   ///< side of the training crops, pixels
  std::optional<std::int64_t> width;  ///< channels of the first layer
  std::optional<std::int64_t> batch;  ///< crops per domain and iteration
  std::optional<std::int64_t> seed;   ///< of the first weights and of all draws; else 0
  std::optional<models::Upsampling> upsampling;
  std::optional<std::int64_t> scales;  ///< discriminators per domain (scales_D); else 1
};

struct TranslatorTraining {
  /// Folders of pictures, searched in all depths. The domains take the folders' names.
  std::filesystem::path a, b;
  std::filesystem::path model;  ///< file to write
  /// Time of training over all resumed runs, minutes. The learning rates fall in its second half.
  double minutes = 10;
  /// Further time for a finished model, minutes; 0: none.
  double more_minutes = 0;
  /// Ends the training after so many iterations instead, for equal results; 0: by the clock.
  std::int64_t iterations = 0;
  TranslatorShape shape = {};
  double between_previews = 60;  ///< time between previews, seconds
};

/// Side, width and batch that suit a device: small networks for CPUs.
TranslatorShape default_shape(at::Device device);

/// Trains a UNIT (eq 1) and writes it. MODEL.png shows translations of held-out crops of both
/// domains. The same call resumes an interrupted training. Throws a UsageError before the training
/// begins:
///
/// - a folder has fewer than two pictures or a damaged one, or both folders are the same;
/// - the model's name has the ending of another format, or the side is not a multiple of 4;
/// - the model exists without `more_minutes`, or there is nothing that these could continue;
/// - another process trains the model;
/// - the training that is resumed has other folders or another shape.
models::TrainedUnit train_translator(const TranslatorTraining& request, at::Device device);

}  // namespace reprise::reproduce
