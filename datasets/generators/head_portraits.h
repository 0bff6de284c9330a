// Generated heads framed like photographs: the synthetic domain opposite to faces_300w.
#pragma once
#include <cstdint>
#include <vector>

#include "datasets/formats/images.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {

/// Renders n heads as render_head_stills() does, each cropped around its landmarks like the
/// photographs of read_faces_300w(). With the same `crop`, faces of both sets agree in size and
/// position. UsageError: as render_head_stills() and crop_face().
HeadStills render_head_portraits(std::int64_t n, const FaceCrop& crop,
                                 const std::vector<std::int64_t>& identities, std::uint64_t seed,
                                 const HeadRange& range = {});

}  // namespace reprise::datasets
