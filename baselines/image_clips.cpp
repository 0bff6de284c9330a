#include "baselines/image_clips.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"

namespace reprise::baselines {

at::Tensor repeat_frames(const at::Tensor& images, std::int64_t frames) {
  return images.unsqueeze(1).expand({-1, frames, -1, -1, -1}).contiguous();
}

at::Tensor find_nearest_clips(const at::Tensor& images, const at::Tensor& clips) {
  if (images.dim() != 4 || clips.dim() != 5 || clips.size(0) == 0 ||
      images.sizes().slice(1) != clips.sizes().slice(2))
    throw UsageError(
        fmt::format("images {} and clips {}", c10::str(images.sizes()), c10::str(clips.sizes())),
        "give [N, C, H, W] and one clip or more, [M, T, C, H, W]");
  const auto distance = at::cdist(images.flatten(1), clips.select(1, 0).flatten(1), 1);
  return clips.index_select(0, distance.argmin(1));
}

}  // namespace reprise::baselines
