// Who judges translations, trained on real pictures that are labelled: the classifier of both domains of photographs in whose features
// distances are measured, and for each set of digits one that reads it.
#pragma once
#include "models/backbones/judge.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {

/// The judge of this set, trained by cell judge/SET/picture_judge.
class PictureJudge : public models::Judge {
 public:
  PictureJudge(const CellContext& context, const PictureSet& set);
};

/// The reader of this set of digits, trained by cell reader/SET/digit_reader. It has no part in any method: UNIT's own classifier has learned
/// to name what UNIT's generator makes.
class DigitReader : public models::Judge {
 public:
  DigitReader(const CellContext& context, const std::string& set);
  /// The fraction of x that it calls `labels`. x: [N, 1 or 3, H, W].
  double reads(const at::Tensor& x, const at::Tensor& labels) const;
};

}  // namespace reprise::reproduce::unit_study
