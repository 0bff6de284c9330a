// `reprise translate --train`: trains a UNIT on two folders of a user's pictures.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>

#include "models/translation/trained_unit.h"

namespace reprise::reproduce {

struct TranslatorTraining {
  /// Folders of pictures, searched in all depths. The domains take the folders' names.
  std::filesystem::path a, b;
  /// File to write. MODEL.checkpoint and MODEL.training.json exist until it is written.
  std::filesystem::path model;
  /// Training time, minutes. It is converted to iterations once, when the training begins.
  double minutes = 10;
  std::int64_t side = 64;        ///< side of the training crops, pixels
  double between_previews = 60;  ///< time between previews, seconds
};

/// Trains a UNIT (eq 1) and writes it. MODEL.png previews translations of both domains.
/// The same call resumes an interrupted training. Throws a UsageError before the training begins:
///
/// - a folder has fewer than two pictures or a damaged one, or both folders are the same;
/// - the model's name has the ending of another format, or the side is not a multiple of 4;
/// - the model exists, or another process trains it;
/// - the interrupted training has other folders or another side.
models::TrainedUnit train_translator(const TranslatorTraining& request, at::Device device);

}  // namespace reprise::reproduce
