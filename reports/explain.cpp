#include "reports/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "reports/palette.h"

namespace reprise::reports {
namespace {

/// What an axis over all values shows, from 0 to 1.
class Axis {
 public:
  explicit Axis(const Explained& explained) {
    const auto take = [&](double value) { low_ = std::min(low_, value), high_ = std::max(high_, value); };
    for (const auto& run : explained.runs)
      for (const double value : run.values) take(value);
    for (const auto& end : {explained.low, explained.high})
      if (end) take(*end);
    if (!(high_ > low_)) low_ -= std::max(1e-12, 0.01 * std::abs(low_)), high_ = low_ + 2 * (high_ - low_);
  }
  double place(double value) const { return (value - low_) / (high_ - low_); }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = INFINITY, high_ = -INFINITY;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::string escaped(const std::string& text) {
  std::string markup;
  for (const char c : text) {
    if (const auto entity = markup_entity(c); !entity.empty())
      markup += entity;
    else
      markup += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return markup;
}

}  // namespace

std::string explained_text(const Explained& explained, int width) {
  const Axis axis(explained);
  std::size_t longest = 4;
  for (const auto& run : explained.runs) longest = std::max(longest, run.label.size());
  const auto columns = std::max(20, width - static_cast<int>(longest) - 14);
  const auto column = [&](double value) { return static_cast<std::size_t>(std::lround(axis.place(value) * (columns - 1))); };
  std::string text = explained.title + "\n" + explained.verdict + "\n\n";
  for (const auto& run : explained.runs) {
    std::string line(static_cast<std::size_t>(columns), ' ');
    for (const double value : run.values) {
      char& mark = line[column(value)];
      mark = mark == ' ' ? 'o' : mark == 'o' ? '2' : mark < '9' ? static_cast<char>(mark + 1) : '9';
    }
    if (char& centre = line[column(mean_of(run.values))]; centre == ' ') centre = '|';
    text += fmt::format("{:<{}} {} {:.6g}\n", run.label, longest, line, mean_of(run.values));
  }
  if (explained.low && explained.high) {
    std::string line(static_cast<std::size_t>(columns), ' ');
    for (auto c = column(*explained.low); c <= column(*explained.high); ++c) line[c] = '-';
    line[column(*explained.low)] = '[', line[column(*explained.high)] = ']';
    text += fmt::format("{:<{}} {} {:.6g} to {:.6g}\n", "mean passes", longest, line, *explained.low, *explained.high);
  }
  return text + fmt::format("{:<{}} {:<{}.6g}{:>.6g}\n", "", longest + 1, axis.low(), columns - 8, axis.high());
}

std::string explained_svg(const Explained& explained) {
  constexpr double left = 170, right = 40, wide = 860, top = 78, row = 26;
  const Axis axis(explained);
  const auto x = [&](double value) { return left + axis.place(value) * (wide - left - right); };
  const double bottom = top + row * static_cast<double>(explained.runs.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"16\" y=\"26\" font-size=\"16\" fill=\"{2}\">{3}</text>\n<text x=\"16\" y=\"48\" fill=\"{4}\">{5}</text>\n",
      wide, bottom + 40, text_ink.light, escaped(explained.title), axis_ink.light, escaped(explained.verdict));
  if (explained.low && explained.high)
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", x(*explained.low), top - row / 2,
                       x(*explained.high) - x(*explained.low), bottom - top, grid_ink.light);
  double y = top;
  for (const auto& run : explained.runs) {
    const auto colour = series_inks[run.now ? 1 : 0].light;
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", left - 14, y + 4, text_ink.light,
                       escaped(run.label));
    for (const double value : run.values)
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.55\"/>\n", x(value), y, colour);
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\" stroke-width=\"2.5\"/>\n",
                       x(mean_of(run.values)), y - 9, y + 9, colour);
    y += row;
  }
  for (const double value : {axis.low(), axis.high()})
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{:.6g}</text>\n", x(value), bottom + 18,
                       axis_ink.light, value);
  return svg + "</svg>\n";
}

}  // namespace reprise::reports
