// The classifier of both domains of photographs in whose features translations are compared.
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

}  // namespace reprise::reproduce::unit_study
