// Clips with gaps (scene/gaps.h): runs of badly visible frames among clear ones, in all modalities
// at once.
#pragma once
#include "core/random.h"
#include "datasets/clips.h"
#include "datasets/scene/gaps.h"

namespace reprise::datasets {

/// Damages the frames of each clip's gaps in place. Clip i draws from random.split("gaps", i), so
/// it depends on neither the number of threads nor the other clips. Flow stays as measured on the
/// clear frames. degradation: as in Gaps; 0 changes nothing. UsageError: frames are not square; a
/// degradation outside 0 to 1.
void damage_clips(LabelledClips& clips, double degradation, const GapOptions& options,
                  const Random& random);

}  // namespace reprise::datasets
