#include "reports/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/replace.h"
#include "core/text.h"
#include "reports/page.h"
#include "reports/toml_file.h"

namespace reprise::reports {
namespace {

using Is = FindingQuantity::Is;

/// Matches {gain}, {gain.interval}, {gain.n} and {gain.p}.
const std::regex& placeholder() {
  static const std::regex found(R"(\{([a-z][a-z0-9_]*)(?:\.(interval|n|p))?\})");
  return found;
}

Is read_is(const TomlFile& file, const toml::table& table) {
  if (!table.contains("claim")) return Is::Value;
  const auto text = file.text(table, "is");
  if (text == "better") return Is::Better;
  if (text == "worse") return Is::Worse;
  if (text == "undecided") return Is::Undecided;
  throw UsageError(file.where(*table.get("is")) + ": is = \"" + text + "\"",
                   "use \"better\", \"worse\" or \"undecided\"");
}

FindingQuantity read_quantity(const TomlFile& file, const toml::table& table) {
  file.expect_keys(table, {"claim", "row", "table", "dataset", "method", "metric", "than", "is",
                           "at_least", "at_most", "digits", "unit", "times"});
  FindingQuantity out{.where = file.where(table),
                      .claim = file.text_or(table, "claim", ""),
                      .row = file.text_or(table, "row", ""),
                      .table = file.text_or(table, "table", ""),
                      .dataset = file.text_or(table, "dataset", ""),
                      .method = file.text_or(table, "method", ""),
                      .metric = file.text_or(table, "metric", ""),
                      .than = file.text_or(table, "than", ""),
                      .is = read_is(file, table),
                      .at_least = {},
                      .at_most = {},
                      .unit = file.text_or(table, "unit", "")};
  // Without a claim only these four keys together name a value; text() refuses a missing one.
  if (out.claim.empty())
    for (const char* key : {"table", "dataset", "method", "metric"}) file.text(table, key);
  if (table.contains("at_least")) out.at_least = file.number(table, "at_least");
  if (table.contains("at_most")) out.at_most = file.number(table, "at_most");
  if (table.contains("digits")) out.digits = static_cast<int>(file.number(table, "digits"));
  if (table.contains("times")) out.times = file.number(table, "times");
  return out;
}

/// Reads a sentence and its quantities. `others`: keys of the table that are no quantities.
Findings::Finding read_finding(const TomlFile& file, const toml::table& table,
                               const std::set<std::string_view>& others = {}) {
  Findings::Finding out{
      .where = file.where(table), .statement = file.text(table, "statement"), .quantities = {}};
  for (const auto& [key, node] : table) {
    if (key.str() == "statement" || others.contains(key.str())) continue;
    if (!node.is_table())
      throw UsageError(file.where(node) + ": " + std::string(key.str()) + " is not a quantity",
                       "write NAME = { claim = \"...\", ... }");
    out.quantities.emplace(key.str(), read_quantity(file, *node.as_table()));
  }
  std::set<std::string> named;
  for (std::sregex_iterator at(out.statement.begin(), out.statement.end(), placeholder()), end;
       at != end; ++at)
    named.insert((*at)[1]);
  for (const auto& name : named)
    if (!out.quantities.contains(name))
      throw UsageError(
          out.where + ": the sentence names {" + name + "}, which is no quantity of it",
          "add " + name + " = { ... }");
  for (const auto& [name, quantity] : out.quantities)
    // A quantity that the sentence does not name guards it: by its direction, or by bounds.
    if (!named.contains(name) && quantity.is == Is::Value && !quantity.at_least &&
        !quantity.at_most)
      throw UsageError(quantity.where + ": the sentence does not name {" + name + "}",
                       "name it, give it at_least or at_most, or remove it");
  return out;
}

records::Verdict read_verdict(const TomlFile& file, const toml::table& table) {
  using enum records::Verdict;
  const auto text = file.text(table, "verdict");
  std::vector<std::string> known;
  for (const auto verdict : {Reproduced, InPart, Contradicted, NoEffect, Undecided, NotTestable,
                             NotComparable, NotRun}) {
    if (text == records::verdict_text(verdict)) return verdict;
    known.emplace_back(records::verdict_text(verdict));
  }
  throw UsageError(file.where(*table.get("verdict")) + ": unknown verdict \"" + text + "\"",
                   "use one of " + join(known, ", "));
}

std::vector<std::pair<std::string, std::string>> read_pairs(const TomlFile& file,
                                                            const std::string& key) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto* table = file.root()[key].as_table();
  if (!table) return out;
  for (const auto& [name, node] : *table)
    out.emplace_back(name.str(), file.text(*table, std::string(name.str())));
  return out;
}

std::map<std::string, std::string> as_map(
    const std::vector<std::pair<std::string, std::string>>& pairs) {
  return {pairs.begin(), pairs.end()};
}

/// Reads a list of at most `most` texts.
std::vector<std::string> read_list(const TomlFile& file, const toml::table& table,
                                   const std::string& key, std::size_t most) {
  auto out = file.texts(table, key);
  if (out.size() > most)
    throw UsageError(
        fmt::format("{}: {} has {} entries", file.where(*table.get(key)), key, out.size()),
        fmt::format("keep {}", most));
  return out;
}

Findings::Item read_item(const TomlFile& file, const toml::table& table) {
  file.expect_keys(table, {"item", "title", "shows", "why"});
  Findings::Item out{.item = file.text(table, "item"),
                     .title = file.text(table, "title"),
                     .explanation = file.text_or(table, "why", ""),
                     .shows = file.texts(table, "shows")};
  if (out.shows.empty() && out.explanation.empty())
    throw UsageError(file.where(table) + ": " + out.item + " has neither shows nor why",
                     "name its counterpart, or say why it has none");
  return out;
}

/// Value of a quantity in the records. An effect above 0 favours the claim.
struct Value {
  double value = 0, low = 0, high = 0, p_for = 1, p_against = 1;
  int n = 0;
};

/// Finds the comparison of a row that a quantity names; nothing if it has no common seed.
std::optional<Value> find_comparison(const FindingQuantity& quantity,
                                     const records::Judgement& claim) {
  const auto fits = [](const std::string& asked_for, const std::string& has) {
    return asked_for.empty() || asked_for == has;
  };
  std::optional<Value> found;
  for (const auto& c : claim.comparisons) {
    if (!(fits(quantity.method, c.method) && fits(quantity.than, c.than) &&
          fits(quantity.dataset, c.dataset) && fits(quantity.metric, c.metric) &&
          fits(quantity.table, c.table)))
      continue;
    if (found)
      throw UsageError(quantity.where + ": several comparisons of claim " + claim.id + " fit",
                       "name method, than, dataset and metric");
    if (c.n > 0)
      found = Value{.value = c.effect,
                    .low = c.low,
                    .high = c.high,
                    .p_for = c.p,
                    .p_against = c.p_against_holm,
                    .n = c.n};
  }
  return found;
}

/// Finds the effect of a row that a quantity names; nothing if it has no common seed.
std::optional<Value> find_effect(const FindingQuantity& quantity, const records::Judgement& claim) {
  std::optional<Value> found;
  for (const auto& effect : claim.effects) {
    if (effect.n == 0 || !(quantity.than.empty() || quantity.than == effect.than) ||
        !(quantity.metric.empty() || quantity.metric == effect.metric) ||
        !(quantity.table.empty() || quantity.table == effect.table))
      continue;
    if (found)
      throw UsageError(quantity.where + ": several effects of claim " + claim.id + " fit",
                       "name the metric, the table, and than");
    found = Value{.value = effect.effect,
                  .low = effect.low,
                  .high = effect.high,
                  .p_for = claim.p,
                  .p_against = claim.p_against,
                  .n = effect.n};
  }
  // A ratio is exact in every seed: it has neither an interval nor a test.
  if (!found && claim.ratio)
    found = Value{.value = *claim.ratio, .low = *claim.ratio, .high = *claim.ratio};
  return found;
}

/// Finds the row of a claim that a quantity names.
const records::Judgement& find_row(const FindingQuantity& quantity,
                                   const std::vector<records::Judgement>& claims) {
  std::vector<const records::Judgement*> rows;
  for (const auto& claim : claims)
    if (claim.claim_id == quantity.claim) rows.push_back(&claim);
  if (rows.empty())
    throw UsageError(quantity.where + ": there is no claim \"" + quantity.claim + "\"",
                     "list them: ./reprise list claims");
  if (quantity.row.empty() && rows.size() == 1) return *rows.front();
  std::vector<std::string> known;
  for (const auto* row : rows) {
    if (!quantity.row.empty() && row->row == quantity.row) return *row;
    known.push_back(row->row);
  }
  const std::string problem =
      quantity.row.empty() ? " has several rows" : " has no row \"" + quantity.row + "\"";
  throw UsageError(quantity.where + ": claim " + quantity.claim + problem,
                   "use row = one of " + join(known, "; "));
}

std::optional<Value> find_value(const FindingQuantity& quantity,
                                const std::vector<records::Judgement>& claims,
                                const Measured& measured) {
  if (quantity.claim.empty()) {
    const auto* sample =
        measured.sample({quantity.table, quantity.dataset, quantity.method, quantity.metric});
    if (!sample) return {};
    // A plain mean has no claimed direction, so it has no p-value.
    const double half = sample->half_width.value_or(0);
    return Value{.value = sample->mean,
                 .low = sample->mean - half,
                 .high = sample->mean + half,
                 .n = sample->n()};
  }
  const auto& row = find_row(quantity, claims);
  // `than` alone may name one of several effects; with a method or a data set it names a
  // comparison.
  const auto is_of_effect = [&](const records::Effect& effect) {
    return effect.than == quantity.than;
  };
  const bool effect =
      quantity.method.empty() && quantity.dataset.empty() &&
      (quantity.than.empty() || std::any_of(row.effects.begin(), row.effects.end(), is_of_effect));
  return effect ? find_effect(quantity, row) : find_comparison(quantity, row);
}

/// Converts a value for its sentence: "worse" states the size of the loss.
Value orient(const FindingQuantity& quantity, Value value) {
  if (quantity.is == Is::Worse) {
    // The ends of the interval change places with the sign, and so do the two p-values.
    value = {.value = -value.value,
             .low = -value.high,
             .high = -value.low,
             .p_for = value.p_against,
             .p_against = value.p_for,
             .n = value.n};
  }
  for (double* number : {&value.value, &value.low, &value.high}) *number *= quantity.times;
  return value;
}

/// Whether an oriented value lies on the side of 0 that the sentence states.
bool is_on_stated_side(Is is, const Value& value) {
  switch (is) {
    case Is::Value:
      return true;
    case Is::Undecided:
      return value.low <= 0 && value.high >= 0;
    case Is::Better:
    case Is::Worse:
      break;
  }
  // A ratio (n 0) has no interval.
  return value.low > 0 || (value.n == 0 && value.value > 0);
}

/// Whether the records support a quantity of a sentence.
bool holds(const FindingQuantity& quantity, const Value& value) {
  return is_on_stated_side(quantity.is, value) &&
         !(quantity.at_least && value.value < *quantity.at_least) &&
         !(quantity.at_most && value.value > *quantity.at_most);
}

std::string quantity_text(const FindingQuantity& quantity, double value) {
  // The words "better" and "worse" state the sign already.
  const bool with_sign = quantity.is == Is::Undecided && value > 0;
  return (with_sign ? "+" : "") + format_fixed(value, quantity.digits);
}

/// Renders a placeholder. `what`: the part after its point, "" for the value itself.
Html render_placeholder(const FindingQuantity& quantity, const Value& value,
                        const std::string& what) {
  if (what == "interval")
    return element("span", {{"class", "interval"}},
                   Html("[") + number(value.low, quantity_text(quantity, value.low)) + Html(", ") +
                       number(value.high, quantity_text(quantity, value.high)) + Html("]"));
  if (what == "n") return std::to_string(value.n);
  if (what == "p") return number(value.p_for, p_text(value.p_for));
  return element("b",
                 number(value.value, quantity_text(quantity, value.value)) + Html(quantity.unit));
}

std::string_view is_text(Is is) {
  switch (is) {
    case Is::Better:
      return "better";
    case Is::Worse:
      return "worse";
    case Is::Undecided:
      return "undecided";
    case Is::Value:
      break;
  }
  return "within its bounds";
}

}  // namespace

Findings::Findings(std::string_view toml, const std::string& name) {
  const TomlFile file(toml, name);
  const auto& root = file.root();
  if (root.empty()) return;
  file.expect_keys(root, {"profile", "document", "picture", "forest", "limits", "answer", "card",
                          "finding", "why", "item", "message", "words", "glossary", "facts"});
  profile = file.text_or(root, "profile", "");
  document = file.text_or(root, "document", "");
  picture = file.text_or(root, "picture", "");
  forest = file.text_or(root, "forest", "");
  limits = read_list(file, root, "limits", 6);
  if (const auto* table = root.get_as<toml::table>("answer")) answer = read_finding(file, *table);
  if (const auto* table = root.get_as<toml::table>("card")) {
    file.expect_keys(*table, {"table", "rows", "columns"});
    card = Card{.table = file.text(*table, "table"),
                .rows = read_list(file, *table, "rows", 5),
                .columns = read_list(file, *table, "columns", 4)};
  }
  // More would push the table of claims off the first screens.
  constexpr std::size_t most_findings = 8;
  for (const auto* table : file.tables("finding")) findings.push_back(read_finding(file, *table));
  if (findings.size() > most_findings)
    throw UsageError(findings[most_findings].where + ": more than eight findings",
                     "keep those that a reader needs first");
  for (const auto* table : file.tables("message"))
    if (!messages.emplace(file.text(*table, "figure"), read_finding(file, *table, {"figure"}))
             .second)
      throw UsageError(
          file.where(*table) + ": a second message of figure " + file.text(*table, "figure"),
          "keep one");
  for (const auto* table : file.tables("why")) {
    explanations.push_back({.claim = file.text(*table, "claim"),
                            .verdict = read_verdict(file, *table),
                            .finding = read_finding(file, *table, {"claim", "verdict"})});
    const auto& last = explanations.back();
    if (std::count_if(
            explanations.begin(), explanations.end(), [&](const Explanation& explanation) {
              return explanation.claim == last.claim && explanation.verdict == last.verdict;
            }) > 1)
      throw UsageError(
          last.finding.where + ": a second sentence for this verdict of claim " + last.claim,
          "keep one");
  }
  for (const auto* table : file.tables("item")) items.push_back(read_item(file, *table));
  words = as_map(read_pairs(file, "words"));
  glossary = read_pairs(file, "glossary");
  facts = read_pairs(file, "facts");
}

std::string Findings::word(const std::string& id) const {
  const auto at = words.find(id);
  if (at != words.end()) return at->second;
  // A row of for_each has several values in its id, "faces lstm": each has its own word.
  std::vector<std::string> named;
  std::istringstream values(id);
  for (std::string value; values >> value;) {
    const auto found = words.find(value);
    if (found == words.end()) return id;
    named.push_back(found->second);
  }
  return join(named, ", ");
}

const Findings::Explanation* Findings::explanation(const records::ClaimVerdict& claim) const {
  for (const auto& explanation : explanations)
    if (explanation.claim == claim.id && explanation.verdict == claim.verdict) return &explanation;
  return nullptr;
}

Html finding_html(const RenderedFinding& found) {
  if (found.stale.empty()) return found.text;
  return element("span", {{"class", "stale"}}, "These records do not support this: ") + found.text;
}

RenderedFinding render_finding(const Findings::Finding& finding,
                               const std::vector<records::Judgement>& claims,
                               const Measured& measured) {
  RenderedFinding out;
  std::map<std::string, Value> values;
  for (const auto& [name, quantity] : finding.quantities) {
    const auto value = find_value(quantity, claims, measured);
    // Without one of its numbers a sentence cannot be shown, but its other numbers are checked.
    if (!value) {
      out.waits = true;
      continue;
    }
    values[name] = orient(quantity, *value);
    if (!holds(quantity, values[name]))
      out.stale.push_back(fmt::format("{}: {} is not {}: {:.4g} [{:.4g}, {:.4g}]", quantity.where,
                                      name, is_text(quantity.is), values[name].value,
                                      values[name].low, values[name].high));
  }
  if (out.waits) return out;
  // Text and numbers alternate: each placeholder is replaced by its number.
  auto rest = finding.statement.begin();
  for (std::sregex_iterator at(finding.statement.begin(), finding.statement.end(), placeholder()),
       end;
       at != end; ++at) {
    out.text += Html(std::string(rest, (*at)[0].first)) +
                render_placeholder(finding.quantities.at((*at)[1]), values.at((*at)[1]), (*at)[2]);
    rest = (*at)[0].second;
  }
  out.text += Html(std::string(rest, finding.statement.end()));
  return out;
}

std::string fact_text(const std::string& fact, const std::map<std::string, std::string>& settings) {
  static const std::regex key(R"(\{([a-z0-9_.]+)\})");
  return replace_matches(fact, key, [&](const std::smatch& name) {
    const auto found = settings.find(name[1]);
    if (found == settings.end())
      throw UsageError("findings.toml: a fact names the setting " + name[1].str() +
                           ", which the run does not have",
                       "name one of run.json");
    return found->second;
  });
}

std::vector<std::string> stale_explanations(const Findings& findings,
                                            std::span<const records::ClaimVerdict> claims) {
  using enum records::Verdict;
  std::vector<std::string> out;
  for (const auto& claim : claims)
    if (claim.verdict != Reproduced && claim.verdict != NotRun && !findings.explanation(claim))
      out.push_back(fmt::format("claim {} is {}, and findings.toml does not say why", claim.id,
                                records::verdict_text(claim.verdict)));
  for (const auto& explanation : findings.explanations) {
    const auto has_verdict = [&](const auto& claim) {
      return claim.id == explanation.claim && claim.verdict == explanation.verdict;
    };
    if (std::none_of(claims.begin(), claims.end(), has_verdict))
      out.push_back(fmt::format("{}: claim {} is not {}", explanation.finding.where,
                                explanation.claim, records::verdict_text(explanation.verdict)));
  }
  return out;
}

}  // namespace reprise::reports
