#include "reports/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::Verdict;

constexpr double wide = 1180, axis_left = 520, axis_right = 930, numbers_left = 950, row_height = 18, group_height = 22, axis_height = 44;

/// What a document prints for a measured quantity, where some table has both.
std::optional<double> published_of(const std::vector<Grid>& grids, const std::string& table, const std::string& dataset,
                                   const std::string& method, const std::string& metric) {
  for (const auto& grid : grids)
    for (const auto& row : grid.cells)
      for (const auto& cell : row)
        if (cell.entry && cell.published && cell.published->value && cell.entry->table == table && cell.entry->dataset == dataset &&
            cell.entry->method == method && cell.entry->metric == metric)
          return cell.published->value;
  return {};
}

/// One value of a metric, where some table has it: for what all of them share, unit and direction.
const records::Sample* measured_of(const std::vector<Grid>& grids, const std::string& table, const std::string& metric) {
  for (const auto& grid : grids)
    for (const auto& row : grid.cells)
      for (const auto& cell : row)
        if (cell.entry && cell.measured && cell.entry->table == table && cell.entry->metric == metric) return &*cell.measured;
  return nullptr;
}

std::optional<bool> lower_is_better(const std::vector<Grid>& grids, const records::Comparison& c) {
  const auto* measured = measured_of(grids, c.table, c.metric);
  return measured ? std::optional(measured->direction == records::Direction::LowerIsBetter) : std::nullopt;
}

/// The mean over all comparisons of an effect, where the document prints both sides of each of them.
std::optional<double> document_difference(const std::vector<Grid>& grids, const records::Judgement& claim, const records::Effect& effect) {
  double sum = 0;
  int count = 0;
  for (const auto& c : claim.comparisons) {
    if (c.table != effect.table || c.metric != effect.metric || !(effect.than.empty() || c.than == effect.than)) continue;
    if (c.method == c.than) return {};  // with itself elsewhere: no document prints that
    const auto mine = published_of(grids, c.table, c.dataset, c.method, c.metric);
    const auto other = published_of(grids, c.table, c.dataset, c.than, c.metric);
    const auto lower = lower_is_better(grids, c);
    if (!mine || !other || !lower) return {};
    sum += *lower ? *other - *mine : *mine - *other;
    ++count;
  }
  return count ? std::optional(sum / count) : std::nullopt;
}

/// "error" of "error_gaps", "epochs" of "epochs to the same validation_error".
std::string stem(const std::string& metric) { return metric.substr(0, metric.find_first_of("_ ")); }

/// Panels in the order in which they come: metrics of one stem and unit share an axis.
class Panels {
 public:
  Panels(const Findings& findings, const std::vector<Grid>& grids) : findings_(findings), grids_(grids) {}
  ForestPanel& of(const std::string& table, const std::string& metric) {
    const auto* measured = measured_of(grids_, table, metric);
    const std::pair key{stem(metric), measured ? measured->unit : ""};
    const auto at = std::find(keys_.begin(), keys_.end(), key);
    if (at != keys_.end()) return panels[static_cast<std::size_t>(at - keys_.begin())];
    const bool another = std::ranges::any_of(keys_, [&](const auto& other) { return other.first == key.first; });
    keys_.push_back(key);
    return panels.emplace_back(ForestPanel{findings_.word(another ? longer_name(metric) : key.first), {}});
  }
  std::vector<ForestPanel> panels;

 private:
  /// The longest beginning of the metric's name that the study has a word for: "error_3d" of "error_3d_gaps".
  std::string longer_name(const std::string& metric) const {
    for (auto end = metric.find_last_of("_ "); end != std::string::npos && end > 0; end = metric.find_last_of("_ ", end - 1))
      if (findings_.words.contains(metric.substr(0, end))) return metric.substr(0, end);
    return stem(metric);
  }
  const Findings& findings_;
  const std::vector<Grid>& grids_;
  std::vector<std::pair<std::string, std::string>> keys_;  ///< stem, unit
};

std::string group_of(const Findings& findings, const std::string& claim) {
  for (const auto& group : findings.groups)
    if (std::count(group.ids.begin(), group.ids.end(), claim)) return group.title;
  return "Other claims";
}

/// Of the effects against several others the one that speaks least for the claim: all must hold.
bool is_least(const records::Effect& effect, const records::Judgement& claim) {
  return std::ranges::none_of(claim.effects, [&](const records::Effect& other) {
    return other.table == effect.table && other.metric == effect.metric && other.n > 0 && other.effect < effect.effect;
  });
}

std::string label_of(const Findings& findings, const records::Judgement& claim, const records::Effect& effect) {
  const auto at = findings.short_names.find(claim.claim_id);
  std::string label = at == findings.short_names.end() ? "claim " + claim.claim_id : at->second;
  if (!claim.row.empty()) label += ", " + findings.word(claim.row);
  return claim.effects.size() > 1 ? label + ": " + effect_name(claim, effect, [&](const std::string& id) { return findings.word(id); })
                                  : label;
}

struct ForestAxis {
  double low = 0, high = 0, step = 1;
  explicit ForestAxis(const ForestPanel& panel) {
    const auto take = [&](double value) { low = std::min(low, value), high = std::max(high, value); };
    for (const auto& row : panel.rows) {
      take(row.low), take(row.high), take(row.effect);
      if (row.document) take(*row.document);
      if (row.margin) take(*row.margin), take(-*row.margin);
    }
    if (!(high > low)) low = -1, high = 1;
    const double margin = 0.04 * (high - low);
    low -= margin, high += margin;
    const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
  }
  double x(double value) const { return axis_left + (value - low) / (high - low) * (axis_right - axis_left); }
};

std::string_view ink_of(Verdict verdict) {
  return verdict == Verdict::Reproduced                                  ? "yes"
         : verdict == Verdict::Contradicted                              ? "no"
         : verdict == Verdict::Undecided || verdict == Verdict::NoEffect ? "open"
                                                                         : "other";
}

std::string in_markup(const std::string& text) { return Html(text).bytes(); }

std::string text_at(double x, double y, std::string_view style, const std::string& text, std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, style, anchor, in_markup(text));
}

/// Cut in the middle: rows of one claim begin alike and end differently.
std::string shortened(const std::string& text, std::size_t most) {
  std::vector<std::size_t> starts;  // of its letters
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  if (starts.size() <= most) return text;
  const std::size_t tail = most / 2;
  return text.substr(0, starts[most - tail - 1]) + "…" + text.substr(starts[starts.size() - tail]);
}

std::string row_svg(const ForestRow& row, const ForestAxis& axis, double y, bool links) {
  const auto ink = ink_of(row.verdict);
  std::string out;
  if (row.margin)
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\" class=\"margin\"/>\n", axis.x(-*row.margin), y - 7,
                       axis.x(*row.margin) - axis.x(-*row.margin));
  out += text_at(axis_left - 16, y + 4, "fl", shortened(row.label, 72), "end") +
         fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"i {}\"/>\n", axis.x(row.low), axis.x(row.high),
                     y, y, ink) +
         fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"d {}\"/>\n", axis.x(row.effect), y, ink);
  if (row.document) {
    const double x = axis.x(*row.document);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}l5 5 -5 5 -5 -5z\" class=\"doc\"/>\n", x, y - 5);
  }
  std::string numbers = effect_text(row.effect);
  if (row.low < row.high) numbers += " [" + effect_text(row.low) + ", " + effect_text(row.high) + "]";
  out += text_at(numbers_left, y + 4, "fn", numbers);
  if (!links) return out;
  return fmt::format("<a href=\"#{}\"><title>{}: {}</title>\n{}</a>\n", in_markup(row.anchor), in_markup(row.label),
                     records::verdict_text(row.verdict), out);
}

std::string axis_svg(const ForestPanel& panel, const ForestAxis& axis, double top, double bottom) {
  std::string out;
  const auto last = std::lround(std::floor(axis.high / axis.step));
  for (auto tick = std::lround(std::ceil(axis.low / axis.step)); tick <= last; ++tick) {
    const double value = static_cast<double>(tick) * axis.step;
    out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"{3}\"/>\n", axis.x(value), top, bottom,
                       value == 0 ? "zero" : "tick");
    out += text_at(axis.x(value), bottom + 15, "fk", value == 0 ? "0" : fmt::format("{:.6g}", value), "middle");
  }
  return out + text_at((axis_left + axis_right) / 2, bottom + 31, "fk",
                       "difference in " + panel.title + "; right of 0: better than what it is compared with", "middle");
}

std::string panel_svg(const ForestPanel& panel, double& y, bool links) {
  const ForestAxis axis(panel);
  std::string rows, group;
  const double top = y;
  for (const auto& row : panel.rows) {
    if (row.group != group) {
      group = row.group;
      rows += text_at(0, y + 15, "fh", shortened(group, 90));
      y += group_height;
    }
    rows += row_svg(row, axis, y + row_height / 2, links);
    y += row_height;
  }
  std::string out = axis_svg(panel, axis, top + 4, y + 2) + rows;
  y += axis_height + 6;
  return out;
}

constexpr std::string_view style =
    "<style>.forest{--ink:#1f2328;--soft:#59626d;--line:#dfe3e8;--yes:#1a6e3c;--no:#a3271d;--open:#8a6500;--other:#4a5260}"
    "@media (prefers-color-scheme:dark){.forest{--ink:#e6e8eb;--soft:#a3abb5;--line:#31363d;--yes:#7fd9a0;--no:#f5a097;--open:#ecc565;"
    "--other:#b6bec9}}.forest text{font:12.5px system-ui,sans-serif;fill:var(--ink)}.forest .fh{font-weight:600}"
    ".forest .fk{fill:var(--soft);font-size:12px}.forest .fn{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px}"
    ".forest .tick{stroke:var(--line)}.forest .zero{stroke:var(--soft);stroke-width:1.5}.forest .i{stroke-width:2.5}"
    ".forest .i.yes{stroke:var(--yes)}.forest .d.yes{fill:var(--yes)}.forest .i.no{stroke:var(--no)}.forest .d.no{fill:var(--no)}"
    ".forest .i.open{stroke:var(--open)}.forest .d.open{fill:var(--open)}.forest .i.other{stroke:var(--other)}"
    ".forest .d.other{fill:var(--other)}.forest .doc{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".forest .margin{fill:var(--line)}"
    ".forest a:hover .fl{text-decoration:underline}</style>";

}  // namespace

std::vector<ForestPanel> forest(const Findings& findings, const std::vector<records::Judgement>& claims, const std::vector<Grid>& grids) {
  Panels panels(findings, grids);
  for (const auto& claim : claims)
    for (const auto& effect : claim.effects) {
      if (effect.n == 0 || !std::isfinite(effect.effect) || !is_least(effect, claim) || claim.verdict == Verdict::NotTestable) continue;
      panels.of(effect.table, effect.metric)
          .rows.push_back({group_of(findings, claim.claim_id), label_of(findings, claim, effect), claim_anchor(claim.claim_id),
                           claim.verdict, effect.effect, std::isfinite(effect.low) ? effect.low : effect.effect,
                           std::isfinite(effect.high) ? effect.high : effect.effect, effect.margin,
                           document_difference(grids, claim, effect)});
    }
  const auto place = [&](const ForestRow& row) {
    return std::find_if(findings.groups.begin(), findings.groups.end(), [&](const auto& group) { return group.title == row.group; });
  };
  for (auto& panel : panels.panels)
    std::stable_sort(panel.rows.begin(), panel.rows.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return std::move(panels.panels);
}

std::vector<ForestPanel> forest_of(const Findings& findings, std::span<const records::Judgement> rows, const std::vector<Grid>& grids) {
  Panels panels(findings, grids);
  for (const auto& claim : rows)
    for (const auto& c : claim.comparisons) {
      if (c.n == 0 || !std::isfinite(c.effect)) continue;
      const auto verdict = c.p_holm < claim.level           ? Verdict::Reproduced
                           : c.p_against_holm < claim.level ? Verdict::Contradicted
                                                            : Verdict::Undecided;
      const std::string where = findings.word(c.dataset) + (claim.row.empty() ? "" : ", " + findings.word(claim.row));
      const auto mine = published_of(grids, c.table, c.dataset, c.method, c.metric);
      const auto other = published_of(grids, c.table, c.dataset, c.than, c.metric);
      const auto lower = lower_is_better(grids, c);
      panels.of(c.table, c.metric)
          .rows.push_back({where, findings.word(c.method) + " against " + findings.word(c.than), claim_anchor(claim.claim_id), verdict,
                           c.effect, std::isfinite(c.low) ? c.low : c.effect, std::isfinite(c.high) ? c.high : c.effect, c.margin,
                           mine && other && lower ? std::optional((*lower ? -1 : 1) * (*mine - *other)) : std::nullopt});
    }
  return std::move(panels.panels);
}

std::string forest_svg(const std::vector<ForestPanel>& panels, bool links) {
  double y = 4;
  std::string body;
  for (const auto& panel : panels) body += panel_svg(panel, y, links);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"forest\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"Effect of every claim with its interval\">{}\n{}</svg>\n",
      wide, y, style, body);
}

}  // namespace reprise::reports
