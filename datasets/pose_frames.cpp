#include "datasets/pose_frames.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace reprise::datasets {

PoseFrames PoseFrames::at(const std::vector<std::int64_t>& indices) const {
  const auto rows = at::tensor(indices, at::kLong);
  PoseFrames some{.images = {},
                  .pose = pose.index_select(0, rows),
                  .landmarks = landmarks.index_select(0, rows),
                  .sequence = {},
                  .frame = {}};
  for (const auto index : indices) {
    const auto i = static_cast<std::size_t>(index);
    some.images.push_back(images.at(i));
    some.sequence.push_back(sequence.at(i));
    some.frame.push_back(frame.at(i));
  }
  return some;
}

std::vector<std::int64_t> PoseFrames::add(const std::string& name, const at::Tensor& clips,
                                          const at::Tensor& poses, const at::Tensor& points) {
  std::vector<std::int64_t> added;
  for (std::int64_t n = 0; n < clips.size(0); ++n)
    for (std::int64_t t = 0; t < clips.size(1); ++t) {
      added.push_back(size());
      images.push_back(clips[n][t]);
      // Each clip is one sequence, with frames counted from 0.
      sequence.push_back(fmt::format("{}/{:05}", name, n));
      frame.push_back(t);
    }
  const auto joined = [](const at::Tensor& before, const at::Tensor& more) {
    // [M, T, ...] becomes [M T, ...], in the order of the loop above.
    const auto flat = more.flatten(0, 1);
    return before.defined() ? at::cat({before, flat}) : flat;
  };
  pose = joined(pose, poses);
  landmarks = joined(landmarks, points);
  return added;
}

}  // namespace reprise::datasets
