// The gnuplot script of a figure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/text.h"
#include "reports/figures.h"
#include "reports/gnuplot.h"
#include "reports/style.h"

namespace reprise::reports {
namespace {

struct LineStyle {
  std::size_t colour = 0, dash = 0;
};

/// Chooses a colour and a dash for each series. Series with the same names share them.
std::vector<LineStyle> line_styles(const std::vector<SeriesData>& series) {
  std::map<std::string, std::size_t> colours, named_dashes;
  std::map<std::size_t, std::size_t> used;  // colour -> series that have it
  std::vector<LineStyle> out;
  // Series without a colour name take the colours in turn; after the last colour the dash changes.
  std::size_t unnamed = 0;
  for (const auto& [described, x, y, low, high, seeds] : series) {
    LineStyle look;
    if (described.colour.empty()) {
      look = {.colour = unnamed % series_inks.size(), .dash = unnamed / series_inks.size()};
      ++unnamed;
    } else {
      look.colour =
          colours.try_emplace(described.colour, colours.size()).first->second % series_inks.size();
      look.dash = used[look.colour];
    }
    if (!described.dash.empty())
      look.dash = named_dashes.try_emplace(described.dash, named_dashes.size()).first->second;
    look.dash %= dashes.size();
    ++used[look.colour];
    out.push_back(look);
  }
  return out;
}

/// Width of a legend text in the SVG's 13-pixel letters: a little more than a proportional font
/// needs.
double text_width(const std::string& text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  // Pixels per letter, measured at DejaVu Sans 13.
  return 8.1 * static_cast<double>(letters);
}

struct Layout {
  Canvas canvas;
  double left = 102, right = 0, top = 16, bottom = 64;  ///< of the axes, pixels
};

/// Returns the number of classes of a matrix; 0 for another figure.
std::size_t matrix_side(const Drawing& drawing) {
  if (drawing.figure.mark != Mark::Matrix) return 0;
  return static_cast<std::size_t>(
      std::lround(std::sqrt(static_cast<double>(drawing.series.front().y.size()))));
}

/// Lays out a square of equal cells with the names of the classes left of it and, turned, below it.
Layout lay_out_matrix(const Drawing& drawing) {
  const auto side = static_cast<double>(matrix_side(drawing));
  double names = 20;
  for (const auto& name : drawing.figure.x_names) names = std::max(names, text_width(name));
  Layout out;
  out.left = 40 + names;
  // 38 pixels hold a percentage; the sheet is never wider than a line figure.
  const double cells = std::clamp(side * 38, 160.0, 640.0);
  out.right = out.left + cells;
  out.bottom = 44 + names;
  out.canvas = {static_cast<int>(out.right + 24), static_cast<int>(out.top + cells + out.bottom)};
  return out;
}

Layout lay_out(const Drawing& drawing) {
  if (drawing.figure.mark == Mark::Matrix) return lay_out_matrix(drawing);
  double legend = 0;
  std::size_t lines = 0;
  for (const auto& series : drawing.series) {
    if (series.seeds.empty()) continue;
    ++lines;
    // Pixels of a line's sample and the gaps beside it; the PDF's letters need 12 more than the
    // SVG's.
    constexpr double sample = 78;
    legend = std::max(legend, text_width(series.described.label) + sample);
  }
  Layout out;
  const bool is_square = drawing.figure.mark == Mark::Points;
  // A point cloud is square; lines and bars are wide.
  out.right = out.left + (is_square ? 430 : 640);
  out.canvas = {static_cast<int>(out.right + std::min(legend, 520.0) + 34),
                static_cast<int>(
                    std::max(is_square ? 490.0 : 420.0, 92 + 21.0 * static_cast<double>(lines)))};
  return out;
}

std::string range(const std::optional<double>& low, const std::optional<double>& high) {
  return "[" + (low ? number_text(*low) : "") + ":" + (high ? number_text(*high) : "") + "]";
}

std::string frame(const Drawing& drawing, const Layout& layout) {
  const auto& figure = drawing.figure;
  const double w = layout.canvas.width, h = layout.canvas.height;
  std::string out;
  out += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\n", layout.left / w,
                     layout.right / w);
  out += fmt::format("set bmargin at screen {}\nset tmargin at screen {}\n", layout.bottom / h,
                     1 - layout.top / h);
  out += fmt::format(
      "set border 3 lc rgb '{}'\nset tics nomirror out scale 0.6 textcolor rgb '{}'\n"
      "set grid {}ytics lt 1 lc rgb '{}' lw 1\n",
      axis_ink.light, text_ink.light, figure.mark == Mark::Bars ? "" : "xtics ", grid_ink.light);
  // Below the turned names of a matrix gnuplot would put the label off the sheet.
  if (figure.mark == Mark::Matrix)
    out += fmt::format("set label {} at graph 0.5, screen {} center noenhanced tc rgb '{}'\n",
                       gnuplot_text(figure.x_label), 12 / h, text_ink.light);
  else
    out += fmt::format("set xlabel {} offset 0,0.3 noenhanced tc rgb '{}'\n",
                       gnuplot_text(figure.x_label), text_ink.light);
  // gnuplot's own ylabel stands left of the tick names, as far as these are wide: in the PDF that
  // may be off the sheet.
  if (!figure.y_label.empty())
    out += fmt::format(
        "set label {} at screen {}, graph 0.5 center rotate by 90 noenhanced tc rgb '{}'\n",
        gnuplot_text(figure.y_label), 14 / w, text_ink.light);
  out += fmt::format(
      "set key at screen {}, screen {} left top vertical maxcols 1 Left reverse samplen 2.4 "
      "spacing 1 noenhanced tc rgb '{}'\n",
      (layout.right + 6) / w, 1 - (layout.top - 6) / h, text_ink.light);
  // No gap at the left and right end; 3 % of the height above and below.
  out += "set autoscale xfix\nset offsets graph 0.0, graph 0.0, graph 0.03, graph 0.0\n";
  if (figure.mark == Mark::Bars && !figure.y_min) out += "set yrange [0:]\nset offsets 0,0,0,0\n";
  if (figure.mark == Mark::Points)
    out += "set offsets graph 0.02, graph 0.02, graph 0.02, graph 0.02\n";
  if (figure.x_min || figure.x_max) out += "set xrange " + range(figure.x_min, figure.x_max) + "\n";
  if (figure.y_min || figure.y_max) out += "set yrange " + range(figure.y_min, figure.y_max) + "\n";
  return out;
}

struct Script {
  std::string blocks;
  std::vector<std::string> bands, marks;
};

/// Names the classes along both axes, the first row on top.
std::string matrix_ticks(const Figure& figure, std::size_t side) {
  std::string names;
  for (std::size_t i = 0; i < side; ++i)
    names += fmt::format(
        "{}{} {}", i ? ", " : "",
        gnuplot_text(i < figure.x_names.size() ? figure.x_names[i] : std::to_string(i + 1)), i + 1);
  const auto end = static_cast<double>(side) + 0.5;
  return fmt::format(
      "unset key\nset xrange [0.5:{0}]\nset yrange [{0}:0.5]\nset offsets 0,0,0,0\nunset grid\n"
      "set border 0\nset xtics noenhanced rotate by 90 right scale 0 ({1})\n"
      "set ytics noenhanced scale 0 ({1})\n",
      end, names);
}

/// Draws a square for each fraction, darker for a larger one, with its percentage from 5 % on.
/// Large matrices have no numbers.
Script draw_matrix(const Drawing& drawing) {
  const auto side = matrix_side(drawing);
  const auto& series = drawing.series.front();
  Script script;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    const auto row = i / side;
    const double x = static_cast<double>(i % side + 1);
    const double y = static_cast<double>(row + 1);
    const double fraction = series.y[i];
    // Fractions that round to 0 % stay empty.
    if (!(fraction >= 0.005)) continue;
    // At most 85 % opaque, so that a number on the darkest square stays readable.
    const auto transparency =
        static_cast<int>(std::lround(255 * (1 - 0.85 * std::min(1.0, fraction))));
    script.blocks += fmt::format(
        "set object rectangle from {},{} to {},{} fc rgb '#{:02x}{}' fs solid noborder behind\n",
        x - 0.48, y - 0.48, x + 0.48, y + 0.48, transparency, series_inks[0].light.substr(1));
    if (fraction >= 0.05 && side <= 20)
      script.blocks +=
          fmt::format("set label {} at {},{} center front noenhanced tc rgb '{}'\n",
                      gnuplot_text(fmt::format("{:.0f}", 100 * fraction)), x, y, text_ink.light);
  }
  // gnuplot draws objects and labels only with a plot; an invisible point is one.
  script.blocks += "$corners << END_OF_DATA\n1 1\nEND_OF_DATA\n";
  script.marks.push_back("$corners using 1:2 with dots lc rgb '#ff000000' notitle");
  return script;
}

std::string tick_names(const Figure& figure) {
  if (figure.x_names.empty()) return "";
  std::string out = fmt::format("set xrange [0.4:{}]\nset xtics noenhanced (",
                                static_cast<double>(figure.x_names.size()) + 0.6);
  for (std::size_t i = 0; i < figure.x_names.size(); ++i) {
    std::string name;  // gnuplot reads a tick name as a format
    for (const char c : figure.x_names[i]) name += c == '%' ? "%%" : std::string(1, c);
    out += fmt::format("{}{} {}", i ? ", " : "", gnuplot_text(name), i + 1);
  }
  return out + ")\n";
}

/// Sets whole numbers as ticks of steps 1, 2, 3, ...; gnuplot would add ticks between them.
std::string integer_ticks(const Drawing& drawing) {
  std::size_t longest = 0;
  for (const auto& series : drawing.series) {
    if (!series.described.x.empty()) return "";
    longest = std::max(longest, series.y.size());
  }
  // Longer curves have enough ticks for gnuplot to choose whole numbers.
  if (longest > 24) return "";
  return fmt::format("set xtics {}\n", longest <= 12 ? 1 : 2);
}

/// Writes the points of a series, one of those closer than a thousandth of the axes. The eye cannot
/// tell these apart, and the file stays small. The CSV has all points.
std::string point_block(const SeriesData& series) {
  struct Span {
    double low = INFINITY, high = -INFINITY;
    void take(double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    long place(double value) const {
      return high > low ? std::lround((value - low) / (high - low) * 1000) : 0;
    }
  } across, up;
  const auto drawn = [&](std::size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.y[i]);
  };
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (!drawn(i)) continue;
    across.take(series.x[i]);
    up.take(series.y[i]);
  }
  // Cells of a grid of a thousandth of each axis that have a point already.
  std::set<std::pair<long, long>> seen;
  std::string out;
  for (std::size_t i = 0; i < series.y.size(); ++i)
    if (drawn(i) && seen.emplace(across.place(series.x[i]), up.place(series.y[i])).second)
      out += fmt::format("{} {}\n", series.x[i], series.y[i]);
  return out;
}

std::string line_block(const SeriesData& series, double shift) {
  std::string out;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    const bool band = !series.low.empty();
    out += fmt::format("{} {} {} {}\n", series.x[i] + shift, series.y[i],
                       band ? series.low[i] : series.y[i], band ? series.high[i] : series.y[i]);
  }
  return out;
}

/// Adds a line with its band. `entry`: its title in the legend.
void add_line(Script& script, const std::string& block, const SeriesData& series, LineStyle look,
              double band_opacity, const std::string& entry) {
  const auto colour = series_inks[look.colour].light;
  if (series.y.size() == 1) {  // a point makes no line, and no band
    if (!series.low.empty())
      script.bands.push_back(
          fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb '{}' notitle",
                      block, colour));
    script.marks.push_back(fmt::format("{} using 1:2 with points pt {} ps {} lc rgb '{}' {}", block,
                                       series.described.star ? star : points[look.dash],
                                       series.described.star ? 1.6 : 0.8, colour, entry));
    return;
  }
  if (!series.low.empty())
    script.bands.push_back(fmt::format(
        "{} using 1:3:4 with filledcurves lc rgb '{}' fs transparent solid {} noborder notitle",
        block, colour, band_opacity));
  script.marks.push_back(fmt::format("{} using 1:2 with lines lw 2 dt {} lc rgb '{}' {}", block,
                                     dashes[look.dash], colour, entry));
}

void add_bars(Script& script, const std::string& block, const SeriesData& series, LineStyle look,
              double width) {
  script.bands.push_back(fmt::format(
      "{} using 1:2:({}) with boxes lc rgb '{}' fs solid {} noborder title {}", block, width,
      series_inks[look.colour].light, 0.9 - 0.3 * static_cast<double>(look.dash % 3),
      gnuplot_text(series.described.label)));
  if (!series.low.empty())
    script.marks.push_back(
        fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb '{}' notitle",
                    block, text_ink.light));
}

/// Returns the distance between groups of bars.
double bar_step(const Drawing& drawing) {
  for (const auto& series : drawing.series)
    if (series.x.size() > 1) return series.x[1] - series.x[0];
  return 1;
}

/// Returns the order of the legend. Lines are sorted by their last value, the highest first, so
/// that a name is near the end of its line. Other figures keep their order.
std::vector<std::size_t> legend_order(const Drawing& drawing) {
  std::vector<std::size_t> order(drawing.series.size());
  std::iota(order.begin(), order.end(), 0U);
  if (drawing.figure.mark != Mark::Line) return order;
  const auto end = [&](std::size_t i) {
    const auto& y = drawing.series[i].y;
    return y.empty() || !std::isfinite(y.back()) ? -INFINITY : y.back();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return end(a) > end(b); });
  return order;
}

/// Draws all series of a figure that is no matrix.
Script draw_series(const Drawing& drawing) {
  const auto look = line_styles(drawing.series);
  const auto filled =
      static_cast<double>(std::count_if(drawing.series.begin(), drawing.series.end(),
                                        [](const auto& s) { return !s.seeds.empty(); }));
  // Bars of one group fill 84 % of the distance between groups.
  const double width = 0.84 * bar_step(drawing) / filled;
  Script script;
  double nth = 0;                 // number of series drawn so far
  std::set<std::string> entered;  // labels in the legend
  for (const std::size_t i : legend_order(drawing)) {
    const auto& series = drawing.series[i];
    if (series.seeds.empty()) continue;
    const std::string block = "$s" + std::to_string(i);
    // The bars of a group are next to each other, centred on their x.
    const double shift = drawing.figure.mark == Mark::Bars ? (nth - (filled - 1) / 2) * width : 0;
    script.blocks +=
        block + " << END_OF_DATA\n" +
        (drawing.figure.mark == Mark::Points ? point_block(series) : line_block(series, shift)) +
        "END_OF_DATA\n";
    switch (drawing.figure.mark) {
      case Mark::Line:
        // The more bands overlap, the more transparent each is. A label appears once in the legend.
        add_line(script, block, series, look[i], std::clamp(0.9 / filled, 0.06, 0.18),
                 entered.insert(series.described.label).second
                     ? "title " + gnuplot_text(series.described.label)
                     : "notitle");
        break;
      case Mark::Bars:
        add_bars(script, block, series, look[i], width * 0.94);
        break;
      case Mark::Matrix:
        break;  // draw_matrix
      case Mark::Points: {
        // Many points are small and transparent, so that their density shows.
        const bool cloud = series.y.size() > 3;
        script.marks.push_back(fmt::format(
            "{} using 1:2 with points pt {} ps {} lc rgb '#{}{}' title {}", block,
            points[look[i].dash], cloud ? 0.55 : 1.1, cloud ? "70" : "10",
            series_inks[look[i].colour].light.substr(1), gnuplot_text(series.described.label)));
      }
    }
    ++nth;
  }
  for (const double step : drawing.shaded)
    script.blocks += fmt::format(
        "set object rectangle from {}, graph 0 to {}, graph 1 fc rgb '{}' fs solid noborder "
        "behind\n",
        step - 0.5, step + 0.5, grid_ink.light);
  if (drawing.figure.diagonal) {
    script.blocks += "$diagonal << END_OF_DATA\n0 1\n1 0\nEND_OF_DATA\n";
    script.bands.push_back(fmt::format(
        "$diagonal using 1:2 with lines lw 1 dt (4,4) lc rgb '{}' notitle", axis_ink.light));
  }
  return script;
}

}  // namespace

FigureFiles draw(const Drawing& drawing) {
  const Layout layout = lay_out(drawing);
  const auto side = matrix_side(drawing);
  // Bands are drawn first, so that lines and points lie above them.
  Script script = side ? draw_matrix(drawing) : draw_series(drawing);
  auto parts = std::move(script.bands);
  parts.insert(parts.end(), script.marks.begin(), script.marks.end());
  const auto plotted =
      run_gnuplot(frame(drawing, layout) +
                      (side ? matrix_ticks(drawing.figure, side)
                            : integer_ticks(drawing) + tick_names(drawing.figure)) +
                      script.blocks + "plot " + join(parts, ", \\\n  "),
                  layout.canvas);
  return {.svg = normalise_svg(plotted.svg, "figure-" + drawing.figure.id, drawing.figure.title,
                               layout.canvas),
          .pdf = normalise_pdf(plotted.pdf)};
}

}  // namespace reprise::reports
