// Clips in which some frames cannot be seen well: gaps (scene/gaps.h) among clear frames, in all
// modalities at once.
#pragma once
#include "core/random.h"
#include "datasets/clips.h"
#include "datasets/scene/gaps.h"

namespace reprise::datasets {

/// Changes the frames of the clips' gaps where they lie. Clip i draws from random.split("gaps", i):
/// the same for any number of threads, and whatever other clips there are. Motion that flow shows
/// was measured before. degradation: as Gaps takes it; 0 changes nothing. UsageError:
/// pictures that are not square; a degradation outside 0 to 1.
void damage_clips(LabelledClips& clips, double degradation, const GapOptions& options,
                  const Random& random);

}  // namespace reprise::datasets
