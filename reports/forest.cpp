#include "reports/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/csv.h"
#include "core/text.h"
#include "reports/gnuplot.h"
#include "reports/page.h"
#include "reports/style.h"

namespace reprise::reports {
namespace {

using records::Verdict;

/// Finds the published value of a measured quantity in any table.
std::optional<double> find_published(const std::vector<Grid>& grids, const std::string& table,
                                     const std::string& dataset, const std::string& method,
                                     const std::string& metric) {
  for (const auto& grid : grids)
    for (const auto& row : grid.cells)
      for (const auto& cell : row)
        if (cell.entry && cell.published && cell.published->value && cell.entry->table == table &&
            cell.entry->dataset == dataset && cell.entry->method == method &&
            cell.entry->metric == metric)
          return cell.published->value;
  return {};
}

/// Finds a sample of a metric in any table. All samples of a metric share its unit and direction.
const records::Sample* find_measured(const std::vector<Grid>& grids, const std::string& table,
                                     const std::string& metric) {
  for (const auto& grid : grids)
    for (const auto& row : grid.cells)
      for (const auto& cell : row)
        if (cell.entry && cell.measured && cell.entry->table == table &&
            cell.entry->metric == metric)
          return &*cell.measured;
  return nullptr;
}

std::optional<bool> lower_is_better(const std::vector<Grid>& grids, const records::Comparison& c) {
  const auto* measured = find_measured(grids, c.table, c.metric);
  return measured ? std::optional(measured->direction == records::Direction::LowerIsBetter)
                  : std::nullopt;
}

/// "error" of "error_gaps", "epochs" of "epochs to the same validation_error".
std::string stem(const std::string& metric) { return metric.substr(0, metric.find_first_of("_ ")); }

/// Collects panels in the order of the comparisons. Metrics of one stem and unit share an axis.
class Panels {
 public:
  Panels(const Findings& findings, const std::vector<Grid>& grids)
      : findings_(findings), grids_(grids) {}
  ForestPanel& of(const std::string& table, const std::string& metric) {
    const auto* measured = find_measured(grids_, table, metric);
    const std::pair key{stem(metric), measured ? measured->unit : ""};
    const auto at = std::find(keys_.begin(), keys_.end(), key);
    if (at != keys_.end()) return panels[static_cast<std::size_t>(at - keys_.begin())];
    // Metrics of one stem in two units need longer titles to tell their panels apart.
    const bool another =
        std::ranges::any_of(keys_, [&](const auto& other) { return other.first == key.first; });
    keys_.push_back(key);
    return panels.emplace_back(ForestPanel{
        .title = findings_.word(another ? longer_name(metric) : key.first), .rows = {}});
  }
  std::vector<ForestPanel> panels;

 private:
  /// The longest beginning of the metric's name that the study has a word for: "error_3d" of
  /// "error_3d_gaps".
  std::string longer_name(const std::string& metric) const {
    for (auto end = metric.find_last_of("_ "); end != std::string::npos && end > 0;
         end = metric.find_last_of("_ ", end - 1))
      if (findings_.words.contains(metric.substr(0, end))) return metric.substr(0, end);
    return stem(metric);
  }
  const Findings& findings_;
  const std::vector<Grid>& grids_;
  std::vector<std::pair<std::string, std::string>> keys_;  ///< stem, unit
};

/// Shape of a forest plot, in pixels. The SVG and gnuplot's PDF are drawn from the same shapes.
struct ForestShape {
  enum class Kind { Line, Text, Dot, Diamond, Bar } kind;
  double x = 0, y = 0, x2 = 0, y2 = 0;
  std::string style{};  ///< class in the SVG
  std::string text{}, anchor{};
};
using Kind = ForestShape::Kind;

struct ForestPlan {
  double width = 0, height = 4;
  double axis_left = 0, axis_right = 0, label_left = 0, row_height = 0;
  bool narrow = false;
  std::vector<ForestShape> shapes{};
};

struct ForestAxis {
  double low = 0, high = 0, step = 1, left, right;
  ForestAxis(const ForestPanel& panel, const ForestPlan& plan)
      : left(plan.axis_left), right(plan.axis_right) {
    const auto take = [&](double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    };
    for (const auto& row : panel.rows) {
      for (const double value : {row.low, row.high, row.effect}) take(value);
      if (row.document) take(*row.document);
      // The margin is symmetric around 0.
      if (row.margin) {
        take(*row.margin);
        take(-*row.margin);
      }
    }
    // All effects are 0: any range shows them.
    if (!(high > low)) {
      low = -1;
      high = 1;
    }
    // 4 % at each end keeps dots and diamonds inside the axis.
    const double margin = 0.04 * (high - low);
    low -= margin;
    high += margin;
    // Ticks at 1, 2 or 5 times a power of ten, about five per axis (3.5 on a phone).
    step = round_step((high - low) / (plan.narrow ? 3.5 : 5));
  }
  /// Rounds a distance of ticks to 1, 2, 5 or 10 times a power of ten.
  static double round_step(double rough) {
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double digits = rough / power;
    if (digits < 1.5) return power;
    if (digits < 3.5) return power * 2;
    return power * (digits < 7.5 ? 5 : 10);
  }
  double x(double value) const { return left + (value - low) / (high - low) * (right - left); }
};

std::string ink_class(Verdict verdict) {
  if (verdict == Verdict::Reproduced) return "yes";
  return verdict == Verdict::Contradicted ? "no" : "open";
}

/// Counts letters, not bytes: bytes 10xxxxxx continue a letter of UTF-8.
std::size_t count_letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Shortens a text in its middle, because rows of one claim begin alike and end differently.
std::string shorten(const std::string& text, std::size_t most) {
  std::vector<std::size_t> starts;  // of its letters
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  if (starts.size() <= most) return text;
  const std::size_t tail = most / 2;
  return text.substr(0, starts[most - tail - 1]) + "…" + text.substr(starts[starts.size() - tail]);
}

std::string forest_numbers(const ForestRow& row) {
  std::string out = effect_text(row.effect);
  if (row.low < row.high) out += " [" + effect_text(row.low) + ", " + effect_text(row.high) + "]";
  return row.decides ? out + "  decides" : out;
}

/// Adds a comparison at height `y`. On a phone its label is above its bar, else left of it.
void add_forest_row(ForestPlan& plan, const ForestRow& row, const ForestAxis& axis, double y) {
  constexpr double numbers_gap = 20;
  const auto ink = ink_class(row.verdict);
  const double bar = plan.narrow ? y + 42 : y + plan.row_height / 2;
  // The margin comes first: later shapes are drawn over it.
  if (row.margin)
    plan.shapes.push_back({.kind = Kind::Bar,
                           .x = axis.x(-*row.margin),
                           .y = bar - 7,
                           .x2 = axis.x(*row.margin),
                           .y2 = bar + 7,
                           .style = "margin"});
  const auto label = [&](double x, double at, const std::string& style, const std::string& text,
                         const std::string& anchor) {
    plan.shapes.push_back(
        {.kind = Kind::Text, .x = x, .y = at, .style = style, .text = text, .anchor = anchor});
  };
  if (plan.narrow) {
    label(plan.label_left, y + 13, "fl", shorten(row.label, 58), "start");
    label(plan.label_left, y + 28, row.decides ? "fn no" : "fn", forest_numbers(row), "start");
  } else {
    label(plan.axis_left - 16, bar + 4, "fl", shorten(row.label, 72), "end");
    label(plan.axis_right + numbers_gap, bar + 4, row.decides ? "fn no" : "fn", forest_numbers(row),
          "start");
  }
  plan.shapes.push_back({.kind = Kind::Line,
                         .x = axis.x(row.low),
                         .y = bar,
                         .x2 = axis.x(row.high),
                         .y2 = bar,
                         .style = "i " + ink});
  plan.shapes.push_back(
      {.kind = Kind::Dot, .x = axis.x(row.effect), .y = bar, .style = "d " + ink});
  if (row.document)
    plan.shapes.push_back(
        {.kind = Kind::Diamond, .x = axis.x(*row.document), .y = bar, .style = "doc"});
}

void add_forest_axis(ForestPlan& plan, const ForestPanel& panel, const ForestAxis& axis, double top,
                     double bottom) {
  const auto last = std::lround(std::floor(axis.high / axis.step));
  for (auto tick = std::lround(std::ceil(axis.low / axis.step)); tick <= last; ++tick) {
    const double value = static_cast<double>(tick) * axis.step, x = axis.x(value);
    plan.shapes.push_back({.kind = Kind::Line,
                           .x = x,
                           .y = top,
                           .x2 = x,
                           .y2 = bottom,
                           .style = tick == 0 ? "zero" : "tick"});
    plan.shapes.push_back({.kind = Kind::Text,
                           .x = x,
                           .y = bottom + 15,
                           .style = "fk",
                           .text = tick == 0 ? "0" : fmt::format("{:.6g}", value),
                           .anchor = "middle"});
  }
  const std::string title =
      "difference in " + panel.title +
      (plan.narrow ? "" : "; right of 0: better than what it is compared with");
  plan.shapes.push_back({.kind = Kind::Text,
                         .x = plan.narrow ? plan.label_left : (axis.left + axis.right) / 2,
                         .y = bottom + 31,
                         .style = "fk",
                         .text = title,
                         .anchor = plan.narrow ? "start" : "middle"});
}

ForestPlan plan_forest(const std::vector<ForestPanel>& panels, bool narrow) {
  // Pixels, as wide as the PDF's letters are.
  constexpr double group_height = 24;
  constexpr double axis_height = 46;
  constexpr double letter = 7.8;
  constexpr double numbers_width = 330;
  ForestPlan plan{.width = narrow ? 400.0 : 1180.0,
                  .label_left = 4,
                  .row_height = narrow ? 54.0 : 20.0,
                  .narrow = narrow};
  std::size_t longest = 0;
  for (const auto& panel : panels)
    for (const auto& row : panel.rows)
      longest = std::max(longest, count_letters(shorten(row.label, 72)));
  plan.axis_left =
      narrow ? 12 : std::clamp(letter * static_cast<double>(longest) + 24, 160.0, 520.0);
  plan.axis_right = plan.width - (narrow ? 12 : numbers_width);
  for (const auto& panel : panels) {
    const ForestAxis axis(panel, plan);
    const double top = plan.height;
    double y = top;
    // The height of the axis is known only after the rows, but its lines are drawn below them. So
    // the shapes of the rows are collected first and appended last.
    ForestPlan rows = plan;
    rows.shapes.clear();
    std::string group;
    for (const auto& row : panel.rows) {
      if (row.group != group) {
        group = row.group;
        rows.shapes.push_back({.kind = Kind::Text,
                               .x = 0,
                               .y = y + 16,
                               .style = "fh",
                               .text = shorten(group, narrow ? 54 : 90),
                               .anchor = "start"});
        y += group_height;
      }
      add_forest_row(rows, row, axis, y);
      y += plan.row_height;
    }
    add_forest_axis(plan, panel, axis, top + 4, y + 2);
    plan.shapes.insert(plan.shapes.end(), rows.shapes.begin(), rows.shapes.end());
    plan.height = y + axis_height + 6;
  }
  return plan;
}

std::string shape_svg(const ForestShape& shape) {
  switch (shape.kind) {
    case Kind::Line:
      return fmt::format(
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", shape.x,
          shape.x2, shape.y, shape.y2, shape.style);
    case Kind::Text:
      return fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", shape.x,
          shape.y, shape.style, shape.anchor, Html(shape.text).bytes());
    case Kind::Dot:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"{}\"/>\n", shape.x,
                         shape.y, shape.style);
    case Kind::Diamond:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l5 5 -5 5 -5 -5z\" class=\"{}\"/>\n", shape.x,
                         shape.y - 5, shape.style);
    case Kind::Bar:
      break;
  }
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n",
      shape.x, shape.y, shape.x2 - shape.x, shape.y2 - shape.y, shape.style);
}

std::string_view pdf_ink(const std::string& style) {
  if (style.ends_with("yes")) return series_inks[2].light;
  if (style.ends_with("no")) return series_inks[1].light;
  if (style.ends_with("open")) return series_inks[4].light;
  if (style == "tick" || style == "margin") return grid_ink.light;
  return style == "zero" || style == "fk" ? axis_ink.light : text_ink.light;
}

/// Returns gnuplot's word for an anchor of SVG.
std::string_view gnuplot_anchor(const std::string& anchor) {
  if (anchor == "start") return "left";
  return anchor == "end" ? "right" : "center";
}

/// Returns the shape as a command of gnuplot, in the same coordinates.
std::string shape_gnuplot(const ForestShape& shape) {
  // From the baseline of an SVG's letters to their middle, where gnuplot sets them.
  constexpr double text_rise = 4;
  const auto ink = pdf_ink(shape.style);
  switch (shape.kind) {
    case Kind::Line:
      return fmt::format("set arrow from {},{} to {},{} nohead lw {} lc rgb '{}'{}\n", shape.x,
                         shape.y, shape.x2, shape.y2, shape.style.starts_with("i ") ? 2 : 1, ink,
                         shape.style.starts_with("i ") ? " front" : " back");
    case Kind::Text:
      return fmt::format("set label {} at {},{} {} front noenhanced tc rgb '{}'\n",
                         gnuplot_text(shape.text), shape.x, shape.y - text_rise,
                         gnuplot_anchor(shape.anchor), ink);
    case Kind::Dot:
      return fmt::format("set object circle at {},{} size 4 front fc rgb '{}' fs solid noborder\n",
                         shape.x, shape.y, ink);
    case Kind::Diamond:
      return fmt::format(
          "set object polygon from {0},{1} to {2},{3} to {0},{4} to {5},{3} to {0},{1} front fs "
          "empty border lc rgb '{6}'\n",
          shape.x, shape.y - 5, shape.x + 5, shape.y, shape.y + 5, shape.x - 5, ink);
    case Kind::Bar:
      break;
  }
  return fmt::format(
      "set object rectangle from {},{} to {},{} back fc rgb '{}' fs solid noborder\n", shape.x,
      shape.y, shape.x2, shape.y2, ink);
}

std::string forest_pdf(const std::vector<ForestPanel>& panels) {
  const auto plan = plan_forest(panels, false);
  std::string script = fmt::format(
      "set lmargin at screen 0\nset rmargin at screen 1\nset tmargin at screen 1\n"
      "set bmargin at screen 0\nunset border\nunset tics\n"
      "unset key\nset xrange [0:{}]\nset yrange [{}:0]\n",
      plan.width, plan.height);
  for (const auto& shape : plan.shapes) script += shape_gnuplot(shape);
  // The plotted line lies outside the sheet: only labels, arrows and objects are visible.
  return normalise_pdf(
      run_gnuplot(script + "plot -1", {static_cast<int>(plan.width), static_cast<int>(plan.height)})
          .pdf);
}

std::string forest_csv(const std::vector<ForestPanel>& panels) {
  std::string out = csv_line({"metric", "group", "comparison", "effect", "low_90", "high_90", "n",
                              "margin", "published_difference", "decides"}) +
                    "\n";
  for (const auto& panel : panels)
    for (const auto& row : panel.rows)
      out += csv_line({panel.title, row.group, row.label, number_text(row.effect),
                       number_text(row.low), number_text(row.high), std::to_string(row.n),
                       row.margin ? number_text(*row.margin) : "",
                       row.document ? number_text(*row.document) : "", row.decides ? "1" : "0"}) +
             "\n";
  return out;
}

/// Finds the comparison that contradicts its row most; null for any other verdict.
const records::Comparison* find_deciding(const records::Judgement& row) {
  if (row.verdict != Verdict::Contradicted || row.comparisons.empty()) return nullptr;
  return &*std::ranges::min_element(row.comparisons, {}, &records::Comparison::p_against_holm);
}

}  // namespace

std::optional<double> document_difference(const std::vector<Grid>& grids,
                                          const records::Judgement& row,
                                          const records::Effect& effect) {
  double sum = 0;
  int count = 0;
  for (const auto& c : row.comparisons) {
    if (c.table != effect.table || c.metric != effect.metric ||
        !(effect.than.empty() || c.than == effect.than))
      continue;
    // A method compared with itself on other data: no document prints such a pair.
    if (c.method == c.than) return {};
    const auto mine = find_published(grids, c.table, c.dataset, c.method, c.metric);
    const auto other = find_published(grids, c.table, c.dataset, c.than, c.metric);
    const auto lower = lower_is_better(grids, c);
    if (!mine || !other || !lower) return {};
    // Oriented like an effect: above 0 favours the method.
    sum += *lower ? *other - *mine : *mine - *other;
    ++count;
  }
  return count ? std::optional(sum / count) : std::nullopt;
}

std::vector<const records::Judgement*> judged_rows(const records::ClaimVerdict& claim) {
  auto rows = claim.counted_rows();
  if (rows.empty())
    for (const auto& row : claim.rows) rows.push_back(&row);
  return rows;
}

std::vector<ForestPanel> forest_panels(const Findings& findings, const records::ClaimVerdict& claim,
                                       const std::vector<Grid>& grids) {
  Panels panels(findings, grids);
  for (const auto* row : judged_rows(claim))
    for (const auto& c : row->comparisons) {
      if (c.n == 0 || !std::isfinite(c.effect)) continue;
      // Each comparison has its own colour, by its tests alone.
      auto verdict = Verdict::Undecided;
      if (c.p < records::claim_level) verdict = Verdict::Reproduced;
      if (c.p_against_holm < records::claim_level) verdict = Verdict::Contradicted;
      const auto mine = find_published(grids, c.table, c.dataset, c.method, c.metric);
      const auto other = find_published(grids, c.table, c.dataset, c.than, c.metric);
      const auto lower = lower_is_better(grids, c);
      const double sign = lower.value_or(false) ? -1 : 1;
      panels.of(c.table, c.metric)
          .rows.push_back({.group = findings.word(c.dataset) +
                                    (row->row.empty() ? "" : ", " + findings.word(row->row)),
                           .label = findings.word(c.method) + " against " + findings.word(c.than),
                           .verdict = verdict,
                           .effect = c.effect,
                           .low = std::isfinite(c.low) ? c.low : c.effect,
                           .high = std::isfinite(c.high) ? c.high : c.effect,
                           .n = c.n,
                           .margin = c.margin,
                           .document = mine && other && lower
                                           ? std::optional(sign * (*mine - *other))
                                           : std::nullopt,
                           .decides = &c == find_deciding(*row)});
    }
  return std::move(panels.panels);
}

std::string forest_svg(const std::vector<ForestPanel>& panels, bool narrow) {
  const auto plan = plan_forest(panels, narrow);
  std::string body;
  for (const auto& shape : plan.shapes) body += shape_svg(shape);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"forest\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"Effect of every comparison with its interval\">{2}\n{3}</svg>\n",
      plan.width, plan.height, forest_style, body);
}

ForestFiles draw_forest(const std::vector<ForestPanel>& panels) {
  return {.svg = forest_svg(panels),
          .narrow_svg = forest_svg(panels, true),
          .pdf = forest_pdf(panels),
          .csv = forest_csv(panels)};
}

}  // namespace reprise::reports
