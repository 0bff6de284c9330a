#include "datasets/generators/head_portraits.h"

#include <ATen/ATen.h>

namespace reprise::datasets {

// A face takes about half of a still's side: stills of twice the size are cut without enlarging
// them.
HeadStills render_head_portraits(std::int64_t n, const FaceCrop& crop,
                                 const std::vector<std::int64_t>& identities, std::uint64_t seed,
                                 const HeadRange& range) {
  auto heads = render_head_stills(n, static_cast<int>(2 * crop.size), identities, seed, range);
  const auto stills = heads.images;
  heads.images = at::empty({n, crop.size, crop.size, 3}, at::kByte);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto face = crop_face(stills[i], heads.landmarks[i], crop);
    heads.images[i].copy_(face.image);
    heads.landmarks[i].copy_(face.landmarks);
  }
  return heads;
}

}  // namespace reprise::datasets
