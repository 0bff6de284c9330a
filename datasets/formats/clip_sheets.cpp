#include "datasets/formats/clip_sheets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <sstream>

#include "core/error.h"

namespace reprise::datasets {
namespace {

constexpr int line_height = 14, label_margin = 4;
constexpr double letter_size = 0.38;
constexpr std::int64_t between = 64;  // the gray of lines

std::vector<std::string> lines_of(const std::string& label) {
  std::vector<std::string> lines;
  std::istringstream text(label);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

int width_of(const std::string& line) { return cv::getTextSize(line, cv::FONT_HERSHEY_SIMPLEX, letter_size, 1, nullptr).width; }

/// Light letters on black, a part of `row` pixels for each label: [rows, W, 3].
at::Tensor label_column(const std::vector<std::string>& labels, std::int64_t row) {
  int width = 0;
  for (const auto& label : labels)
    for (const auto& line : lines_of(label)) width = std::max(width, width_of(line));
  auto column = at::zeros({static_cast<std::int64_t>(labels.size()) * row, width + 2 * label_margin, 3}, at::kByte);
  cv::Mat picture(static_cast<int>(column.size(0)), static_cast<int>(column.size(1)), CV_8UC3, column.data_ptr<std::uint8_t>());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto baseline = static_cast<int>(static_cast<std::int64_t>(i) * row) + line_height;
    for (const auto& line : lines_of(labels[i])) {
      cv::putText(picture, line, {label_margin, baseline}, cv::FONT_HERSHEY_SIMPLEX, letter_size, {230, 230, 230}, 1, cv::LINE_AA);
      baseline += line_height;
    }
  }
  return column;
}

}  // namespace

at::Tensor enlarged(const at::Tensor& frames, std::int64_t least) {
  const auto shorter = std::min(frames.size(-3), frames.size(-2)), times = std::max<std::int64_t>(1, (least + shorter - 1) / shorter);
  return frames.repeat_interleave(times, -3).repeat_interleave(times, -2).contiguous();
}

at::Tensor strips(const at::Tensor& clips, const std::vector<std::string>& labels) {
  if (clips.dim() != 5 || clips.size(4) != 3 || clips.scalar_type() != at::kByte || clips.numel() == 0)
    throw UsageError(fmt::format("clips are {} of {}", c10::str(clips.sizes()), c10::toString(clips.scalar_type())),
                     "give bytes, [N, T, H, W, 3], at least one clip");
  if (!labels.empty() && static_cast<std::int64_t>(labels.size()) != clips.size(0))
    throw UsageError(fmt::format("{} labels for {} clips", labels.size(), clips.size(0)), "give one label per clip, or none");
  const auto some = at::constant_pad_nd(enlarged(clips), {0, 0, 0, 1, 0, 1}, between);
  const auto sheet = some.permute({0, 2, 1, 3, 4}).flatten(2, 3).flatten(0, 1).contiguous();
  return labels.empty() ? sheet : at::cat({label_column(labels, some.size(2)), sheet}, 1);
}

}  // namespace reprise::datasets
