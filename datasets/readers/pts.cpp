#include "datasets/readers/pts.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "datasets/landmarks.h"

namespace reprise::datasets {
namespace {

constexpr std::string_view blank = " \t\r\v\f";

/// Splits a line at spaces and tabs.
std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = line.find_first_not_of(blank);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(blank), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

class Lines {
 public:
  Lines(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool at_end() const { return rest_.empty(); }

  std::vector<std::string_view> next(const std::string& expected) {
    if (at_end())
      throw UsageError(
          fmt::format("{}: the file ends after line {}; expected {}", name_, line_, expected),
          "fetch the file again: it is cut short");
    // The last line may lack its line end.
    const auto end = rest_.find('\n');
    current_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return split_words(current_);
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw UsageError(
        fmt::format("{}: line {} is '{}'; expected {}", name_, line_,
                    split_words(current_).empty() ? "" : current_.substr(0, 60), expected),
        "repair the annotation file, or remove the item");
  }

 private:
  std::string_view rest_;
  std::string_view current_;
  const std::string& name_;
  std::size_t line_ = 0;
};

/// "KEY: VALUE" or "KEY:VALUE".
void expect_header(Lines& lines, std::string_view key, std::string_view value,
                   const std::string& expected) {
  std::string joined;
  // Blanks around the colon are optional.
  for (const auto word : lines.next(expected)) joined += word;
  if (joined != fmt::format("{}:{}", key, value)) lines.refuse(expected);
}

/// Parses a finite number that fills the whole word.
bool parse_coordinate(std::string_view word, float& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
}

}  // namespace

at::Tensor parse_pts(std::string_view text, const std::string& name) {
  Lines lines(text, name);
  expect_header(lines, "version", "1", "'version: 1'");
  expect_header(lines, "n_points", "68", "'n_points: 68' (the 68-point scheme of 300-W)");
  if (lines.next("'{'") != std::vector<std::string_view>{"{"}) lines.refuse("'{'");
  auto points = at::empty({face_points, 2}, at::kFloat);
  auto* xy = points.data_ptr<float>();
  for (std::int64_t k = 0; k < face_points; ++k, xy += 2) {
    const auto expected =
        fmt::format("x and y of point {} of {}, two finite numbers", k + 1, face_points);
    const auto words = lines.next(expected);
    if (words.size() != 2 || !parse_coordinate(words[0], xy[0]) ||
        !parse_coordinate(words[1], xy[1]))
      lines.refuse(expected);
  }
  if (lines.next("'}'") != std::vector<std::string_view>{"}"})
    lines.refuse(fmt::format("'}}' after {} points", face_points));
  // Blank lines may follow.
  while (!lines.at_end())
    if (!lines.next("").empty()) lines.refuse("nothing after '}'");
  // A face without extent has no size to divide errors by.
  if ((points.amax(0) == points.amin(0)).all().item<bool>())
    throw UsageError(name + ": all points are equal; expected a face",
                     "repair the annotation file, or remove the item");
  return points;
}

at::Tensor read_pts(const std::filesystem::path& path) {
  return parse_pts(read_file(path), path.string());
}

}  // namespace reprise::datasets
