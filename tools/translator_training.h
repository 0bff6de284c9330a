// A UNIT of a user's own two folders of pictures: what `reprise translate --train` does.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>

#include "models/translation/trained_unit.h"

namespace reprise::reproduce {

struct TranslatorTraining {
  std::filesystem::path a,
      b;  ///< folders of pictures, of any size and in any depth; the domains have their names
  std::filesystem::path
      model;  ///< the file that is made; beside it, until it is there: MODEL.checkpoint and MODEL.training.json
  double minutes =
      10;  ///< of training; how many iterations that is, is measured when it begins, and kept when it goes on
  std::int64_t side = 64;        ///< of the squares that are cut out of the pictures
  double between_previews = 60;  ///< seconds
};

/// Learns eq 1, with progress, and shows every minute in MODEL.png what squares of both folders
/// become. One that was interrupted goes on where it was when it is called again. UsageError,
/// before anything is learned: fewer than two pictures in a folder, or ones that are damaged; one
/// folder for both; a model whose name ends as that of another format; a side that does not halve
/// twice; a model that is there already, or that another process trains; one that was begun with
/// other folders or another side.
models::TrainedUnit train_translator(const TranslatorTraining& asked, at::Device device);

}  // namespace reprise::reproduce
