// Generated heads in the frame of photographs: the synthetic half of a pair of domains whose other
// half is faces_300w.
#pragma once
#include <cstdint>
#include <vector>

#include "datasets/formats/images.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {

/// n heads as synthetic_stills() draws them, each cut out around its landmarks as read_faces_300w()
/// cuts photographs: with the same `crop` faces of both sets have one size and one place.
/// UsageError: as synthetic_stills() and crop_face().
HeadStills head_portraits(std::int64_t n, const FaceCrop& crop,
                          const std::vector<std::int64_t>& identities, std::uint64_t seed,
                          const HeadRange& range = {});

}  // namespace reprise::datasets
