// Runs gnuplot as a child process, and removes from its output everything that differs between
// runs.
#pragma once
#include <string>
#include <string_view>

namespace reprise::reports {

/// Returns a literal string of gnuplot without escapes, commands in backquotes or line ends.
std::string gnuplot_text(std::string_view text);

struct Canvas {
  int width = 0, height = 0;  ///< CSS pixels; 96 to the inch in the PDF
};

struct PlotFiles {
  std::string svg, pdf;
};

/// Runs `script` once for each format. The script sets no terminal and ends with a plot command.
/// Error: gnuplot is missing (names the package) or fails (quotes its message).
PlotFiles run_gnuplot(const std::string& script, Canvas canvas);

/// Prepares gnuplot's SVG for a page: ids begin with `id`, colours follow the light or dark
/// setting, the font is the reader's.
std::string normalise_svg(const std::string& svg, const std::string& id, const std::string& title,
                          Canvas canvas);

/// Replaces the creation date of gnuplot's PDF by a fixed one. Error: the date is in an unknown
/// place.
std::string normalise_pdf(std::string pdf);

}  // namespace reprise::reports
