#include "datasets/transforms/picture_scaling.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace reprise::datasets {

at::Tensor scale_pictures(const at::Tensor& images, std::int64_t side, std::int64_t channels) {
  const bool gray = images.dim() == 3;
  const bool colour = images.dim() == 4 && images.size(3) == 3;
  if (!(gray || colour) || images.scalar_type() != at::kByte)
    throw UsageError(fmt::format("pictures are {} [{}]", at::toString(images.scalar_type()),
                                 fmt::join(images.sizes(), ", ")),
                     "give bytes, [N, H, W] or [N, H, W, 3]");
  if (side < 1 || (channels != 1 && channels != 3))
    throw UsageError(
        fmt::format("pictures of {} pixels and {} channels were requested", side, channels),
        "request at least 1, and 1 or 3");
  auto x = (gray ? images.unsqueeze(1) : images.permute({0, 3, 1, 2})).to(at::kFloat) / 127.5 - 1;
  if (colour && channels == 1)
    x = (x * at::tensor({0.299F, 0.587F, 0.114F}).view({1, 3, 1, 1})).sum(1, true);
  if (x.size(2) != side || x.size(3) != side)
    x = at::_upsample_bilinear2d_aa(x.contiguous(), {side, side}, /*align_corners=*/false);
  return x.expand({-1, channels, -1, -1}).clamp(-1, 1).contiguous();
}

}  // namespace reprise::datasets
