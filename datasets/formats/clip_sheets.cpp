#include "datasets/formats/clip_sheets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <sstream>

#include "core/error.h"
#include "datasets/formats/images.h"

namespace reprise::datasets {
namespace {

/// Height of a line of text and margin of a label, pixels.
constexpr int line_height = 14;
constexpr int label_margin = 4;
/// Scale of OpenCV's Hershey font.
constexpr double letter_size = 0.38;
/// Gray level of the lines between frames.
constexpr std::int64_t between = 64;  // the gray of lines

std::vector<std::string> split_lines(const std::string& label) {
  std::vector<std::string> lines;
  std::istringstream text(label);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

int measure_text(const std::string& line) {
  return cv::getTextSize(line, cv::FONT_HERSHEY_SIMPLEX, letter_size, 1, nullptr).width;
}

/// Draws labels in light letters on black, `row` pixels high each: [rows, W, 3].
at::Tensor label_column(const std::vector<std::string>& labels, std::int64_t row) {
  int width = 0;
  for (const auto& label : labels)
    for (const auto& line : split_lines(label)) width = std::max(width, measure_text(line));
  auto column = at::zeros(
      {static_cast<std::int64_t>(labels.size()) * row, width + 2 * label_margin, 3}, at::kByte);
  cv::Mat picture(static_cast<int>(column.size(0)), static_cast<int>(column.size(1)), CV_8UC3,
                  column.data_ptr<std::uint8_t>());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto baseline = static_cast<int>(static_cast<std::int64_t>(i) * row) + line_height;
    for (const auto& line : split_lines(labels[i])) {
      cv::putText(picture, line, {label_margin, baseline}, cv::FONT_HERSHEY_SIMPLEX, letter_size,
                  {230, 230, 230}, 1, cv::LINE_AA);
      baseline += line_height;
    }
  }
  return column;
}

}  // namespace

at::Tensor enlarge(const at::Tensor& frames, std::int64_t least) {
  const auto shorter = std::min(frames.size(-3), frames.size(-2));
  const auto times = std::max<std::int64_t>(1, (least + shorter - 1) / shorter);
  return frames.repeat_interleave(times, -3).repeat_interleave(times, -2).contiguous();
}

at::Tensor draw_strips(const at::Tensor& clips, const std::vector<std::string>& labels) {
  if (clips.dim() != 5 || clips.size(4) != 3 || clips.scalar_type() != at::kByte ||
      clips.numel() == 0)
    throw UsageError(fmt::format("clips are {} of {}", c10::str(clips.sizes()),
                                 c10::toString(clips.scalar_type())),
                     "give bytes, [N, T, H, W, 3], at least one clip");
  if (!labels.empty() && static_cast<std::int64_t>(labels.size()) != clips.size(0))
    throw UsageError(fmt::format("{} labels for {} clips", labels.size(), clips.size(0)),
                     "give one label per clip, or none");
  // Append one gray column after each frame, then join frames into rows and rows into the sheet.
  const auto some = at::constant_pad_nd(enlarge(clips), {0, 0, 0, 1, 0, 1}, between);
  const auto sheet = some.permute({0, 2, 1, 3, 4}).flatten(2, 3).flatten(0, 1).contiguous();
  return labels.empty() ? sheet : at::cat({label_column(labels, some.size(2)), sheet}, 1);
}

at::Tensor draw_pairs(const at::Tensor& pictures, const at::Tensor& results) {
  constexpr std::int64_t shown = 16;
  constexpr std::int64_t a_row = 8;
  const auto n = std::min(shown, pictures.size(0));
  const auto colour = [n](const at::Tensor& x) { return x.slice(0, 0, n).expand({-1, 3, -1, -1}); };
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < n; i += a_row)
    for (const auto& x : {colour(pictures), colour(results)}) {
      auto row = x.slice(0, i, std::min(i + a_row, n));
      if (row.size(0) < a_row)
        row = at::cat(
            {row, -at::ones({a_row - row.size(0), 3, row.size(2), row.size(3)}, row.options())});
      rows.push_back(row);
    }
  return draw_strips(enlarge(to_pixels(at::stack(rows)).permute({0, 1, 3, 4, 2}).contiguous()));
}

}  // namespace reprise::datasets
