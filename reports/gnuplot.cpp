#include "reports/gnuplot.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <regex>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "reports/html.h"
#include "reports/style.h"

namespace reprise::reports {
namespace {

/// A file without a name, in memory. gnuplot inherits it and opens it by its number. However the
/// program ends, no file is left.
class MemoryFile {
 public:
  MemoryFile() : number_(::memfd_create("figure", 0)) {
    if (number_ < 0)
      throw Error(std::string("no file in memory for gnuplot: ") + std::strerror(errno),
                  "close some open files, or free some memory");
  }
  ~MemoryFile() { ::close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }
  void write(const std::string& bytes) const {
    if (!(std::ofstream(path(), std::ios::binary) << bytes << std::flush))
      throw Error("a figure's commands do not fit in memory",
                  "free some memory, or raise the limit on the size of files (ulimit -f)");
  }

 private:
  int number_;
};

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// Rewrites colours: "rgb(  0, 114, 178)" -> "#0072b2". The rules of the style sheet match these.
std::string use_hex_colours(const std::string& svg) {
  static const std::regex rgb(R"(rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\))");
  std::string out;
  auto from = svg.cbegin();
  for (std::sregex_iterator at(svg.begin(), svg.end(), rgb), end; at != end; ++at) {
    out.append(from, (*at)[0].first);
    out += fmt::format("#{:02x}{:02x}{:02x}", std::stoi((*at)[1]), std::stoi((*at)[2]),
                       std::stoi((*at)[3]));
    from = (*at)[0].second;
  }
  return out.append(from, svg.cend());
}

/// Removes the point symbols that the figure does not use; gnuplot writes all of them. It begins
/// with the last, because a symbol may refer to an earlier one.
std::string remove_unused_symbols(std::string svg) {
  static const std::regex symbol(R"(\n\s*<[a-z]+ [^>]*\bid='(gp(?:Pt\d+|Dot))'[^>]*/>)");
  const auto symbols = svg.substr(0, svg.find("</defs>"));
  const std::vector<std::smatch> found(std::sregex_iterator(symbols.begin(), symbols.end(), symbol),
                                       {});
  for (auto at = found.rbegin(); at != found.rend(); ++at)
    if (svg.find("'#" + (*at)[1].str() + "'") == std::string::npos)
      svg.erase(at->position(), at->length());
  return svg;
}

/// Rounds numbers to a tenth and joins spaces: "102.00,16.01" -> "102,16".
std::string shorten_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] >= '0' && text[i] <= '9') {
      double value = 0;
      const auto read = std::from_chars(text.data() + i, text.data() + text.size(), value,
                                        std::chars_format::fixed);
      auto tenths = fmt::format("{:.1f}", value);
      if (tenths.ends_with(".0")) tenths.resize(tenths.size() - 2);
      out += tenths;
      i = static_cast<std::size_t>(read.ptr - text.data());
    } else {
      if (text[i] != ' ' || !out.ends_with(' ')) out += text[i];
      ++i;
    }
  }
  return out;
}

/// Rounds paths and polygons to a tenth of a pixel. That is invisible, and paths are half of a
/// page's bytes. Symbols in <defs> keep their digits, because they are scaled.
std::string shorten_paths(const std::string& svg) {
  auto at = svg.find("</defs>");
  if (at == std::string::npos) at = 0;
  std::string out = svg.substr(0, at);
  for (;;) {
    const auto found = std::min(svg.find(" d='", at), svg.find("points = '", at));
    if (found == std::string::npos) return out.append(svg, at);
    const auto begin = svg.find('\'', found) + 1, end = svg.find('\'', begin);
    out.append(svg, at, begin - at)
        .append(shorten_numbers(std::string_view(svg).substr(begin, end - begin)));
    at = end;
  }
}

/// Returns rules that replace the light colours of attributes in dark mode. A viewer without rules
/// shows the light colours.
std::string colour_rules(const std::string& id) {
  const auto rules = [&](const Ink& ink) {
    return fmt::format(
        "#{0} [fill='{1}']{{fill:{2}}}#{0} [stroke='{1}']{{stroke:{2}}}#{0} "
        "[color='{1}']{{color:{2}}}\n",
        id, ink.light, ink.dark);
  };
  std::string out =
      "#" + id +
      "{color-scheme:light dark;font-family:system-ui,-apple-system,'Segoe UI','Helvetica "
      "Neue',Arial,sans-serif}\n";
  out +=
      "@media (prefers-color-scheme:dark){\n" + rules(text_ink) + rules(axis_ink) + rules(grid_ink);
  for (const auto& ink : series_inks) out += rules(ink);
  return out + "}\n";
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + "'";
}

PlotFiles run_gnuplot(const std::string& script, Canvas canvas) {
  const MemoryFile commands, svg, pdf;
  commands.write(fmt::format(
      "set encoding utf8\nset terminal svg size {0},{1} dynamic font 'DejaVu Sans,13'\n"
      "set output {2}\n{5}\nset output\n"
      "set terminal pdfcairo size {3}in,{4}in font 'DejaVu Sans,9.75' fontscale 1 linewidth 2 "
      "dashlength 1.4 pointscale 1.3\n"
      "set output {6}\nreplot\nset output\n",
      canvas.width, canvas.height, gnuplot_text(svg.path()), canvas.width / 96.0,
      canvas.height / 96.0, script, gnuplot_text(pdf.path())));
  // A fixed locale and no start-up file (-d), so that the user's settings change nothing.
  const std::string command = "LC_ALL=C.UTF-8 gnuplot -d " + commands.path() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe)
    throw Error("gnuplot could not be started: the system gives no process or memory",
                "close other programs and try again");
  std::string said;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    said.append(buffer.data(), got);
  // The shell exits with 127 if it does not find the program.
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw Error("figures need gnuplot, which is not installed", "apt-get install gnuplot-nox");
  PlotFiles out{read_file(svg.path()), read_file(pdf.path())};
  if (status != 0 || out.svg.empty() || out.pdf.empty())
    throw Error("gnuplot did not draw a figure; it said: " + said,
                "see that gnuplot 5.4 or later with svg and pdfcairo is installed: apt-get install "
                "gnuplot-nox");
  // gnuplot does not check whether its output could be written, so its end is looked for here.
  if (out.svg.find("</svg>") == std::string::npos || out.pdf.find("%%EOF") == std::string::npos)
    throw Error("gnuplot's figure was cut short: there is no room for it in memory",
                "free some memory, or raise the limit on the size of files (ulimit -f)");
  return out;
}

std::string normalise_svg(const std::string& svg, const std::string& id, const std::string& title,
                          Canvas canvas) {
  const auto begin = svg.find("<g id=\"gnuplot_canvas\">");
  if (begin == std::string::npos)
    throw Error("gnuplot wrote an SVG of an unknown form",
                "install gnuplot 5.4 or later: apt-get install gnuplot-nox");
  std::string body = shorten_paths(remove_unused_symbols(use_hex_colours(svg.substr(begin))));
  // Filters, fonts and empty groups of gnuplot have no effect on a page.
  static const std::regex filters(R"(\s*<filter[\s\S]*?</filter>)"),
      fonts(R"( font-family="[^"]*")"), blank(R"(<g [^>]*>\s*</g>\n)");
  body = std::regex_replace(body, filters, "");
  body = std::regex_replace(body, fonts, "");
  body = std::regex_replace(body, blank, "");
  replace_all(body, "'black'", fmt::format("'{}'", text_ink.light));
  replace_all(body, "\"black\"", fmt::format("\"{}\"", text_ink.light));
  // Ids of several figures on one page must differ.
  for (const char* name : {"gnuplot_canvas", "gnuplot_plot_", "gpDot", "gpPt"}) {
    replace_all(body, fmt::format("id=\"{}", name), fmt::format("id=\"{}-{}", id, name));
    replace_all(body, fmt::format("id='{}", name), fmt::format("id='{}-{}", id, name));
    replace_all(body, fmt::format("'#{}", name), fmt::format("'#{}-{}", id, name));
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "xmlns:xlink=\"http://www.w3.org/1999/xlink\" id=\"{0}\" viewBox=\"0 0 {1} {2}\" "
             "width=\"{1}\" height=\"{2}\" role=\"img\" aria-labelledby=\"{0}-title\">\n"
             "<title id=\"{0}-title\">{3}</title>\n<style>\n",
             id, canvas.width, canvas.height, Html(title).bytes()) +
         colour_rules(id) + "</style>\n" + body;
}

std::string normalise_pdf(std::string pdf) {
  // A fixed date of the same length keeps every offset in the file right.
  const std::string_view key = "/CreationDate (D:";
  const auto at = pdf.rfind(key);
  const auto end = at == std::string::npos ? at : pdf.find(')', at);
  if (end == std::string::npos)
    throw Error("the PDF that gnuplot wrote holds its date in an unknown place",
                "install gnuplot 5.4 with cairo 1.16: apt-get install gnuplot-nox");
  const std::string_view date = "20000101000000Z";
  for (std::size_t i = at + key.size(), j = 0; i < end; ++i, ++j)
    pdf[i] = j < date.size() ? date[j] : pdf[i];
  return pdf;
}

}  // namespace reprise::reports
