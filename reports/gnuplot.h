// gnuplot as a child process, and what makes its output the same bytes in every run.
#pragma once
#include <string>
#include <string_view>

namespace reprise::reports {

/// A gnuplot string literal that gnuplot takes letter by letter: no escape, no shell command in
/// backquotes, no line end.
std::string gnuplot_text(std::string_view text);

struct Canvas {
  int width = 0, height = 0;  ///< CSS pixels; 96 to the inch in the PDF
};

struct Plotted {
  std::string svg, pdf;
};

/// Runs `script`, which sets no terminal and ends in a plot command, once for each format. Error:
/// gnuplot is not installed (the package is named), or its own message.
Plotted run_gnuplot(const std::string& script, Canvas canvas);

/// The SVG that gnuplot wrote, made fit for a page: ids that begin with `id`, colours that follow
/// the reader's light or dark setting, the reader's font, no name and version of a program.
std::string normal_svg(const std::string& svg, const std::string& id, const std::string& title,
                       Canvas canvas);

/// The PDF without the time at which it was made. Error: it holds no such time where cairo writes
/// one.
std::string normal_pdf(std::string pdf);

}  // namespace reprise::reports
