// Settings, machine, times and failures of a run.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::Status;

/// Metadata of all records.
struct RunFacts {
  std::map<Status, int> cells;
  std::set<std::int64_t> seeds;
  std::set<std::string> datasets, machines, commits, builds;
  std::map<std::string, double> seconds;
  std::int64_t peak_memory = 0;
};

/// Collects the metadata of all records. Cells may have run on several machines and commits.
RunFacts collect_run_facts(const Measured& measured) {
  RunFacts facts;
  for (const auto& record : measured.records()) {
    ++facts.cells[record.status];
    facts.seeds.insert(record.cell.seed);
    facts.datasets.insert(record.cell.dataset);
    const auto& environment = *record.environment;
    // Records without a machine's name have at least its CPU.
    std::string machine = environment.machine.empty() ? environment.cpu : environment.machine;
    if (environment.threads > 0)
      machine += fmt::format(", {} thread{} per cell", environment.threads,
                             environment.threads == 1 ? "" : "s");
    if (!machine.empty()) facts.machines.insert(machine);
    if (!environment.commit.empty())
      facts.commits.insert(environment.commit.substr(0, 12) +
                           (environment.dirty ? " with uncommitted changes" : ""));
    std::string build = environment.compiler;
    if (!environment.torch.empty())
      build += (build.empty() ? "LibTorch " : ", LibTorch ") + environment.torch;
    if (!build.empty()) facts.builds.insert(build);
    for (const auto& [phase, seconds] : record.seconds) facts.seconds[phase] += seconds;
    facts.peak_memory = std::max(facts.peak_memory, record.peak_memory_bytes);
  }
  return facts;
}

std::string join_items(const std::set<std::string>& items) {
  return items.empty() ? "not recorded" : join({items.begin(), items.end()}, "; ");
}

std::string seeds_text(const std::set<std::int64_t>& seeds) {
  std::vector<std::string> list;
  for (const auto seed : seeds) list.push_back(std::to_string(seed));
  // Three or more seeds without a gap are a range.
  const bool run = seeds.size() > 2 &&
                   *seeds.rbegin() - *seeds.begin() == static_cast<std::int64_t>(seeds.size()) - 1;
  const std::string which = run ? list.front() + " to " + list.back() : join(list, ", ");
  return fmt::format("{} ({})", seeds.size(), which);
}

/// States what the seeds of the compared cells resample.
std::string resampled_parts(const std::vector<records::Judgement>& judgements) {
  std::set<records::Resampling> found;
  for (const auto& judgement : judgements)
    for (const auto& comparison : judgement.comparisons) found.insert(comparison.resampling);
  std::vector<std::string> out;
  if (found.contains(records::Resampling::Data))
    out.push_back("data and the networks trained on them");
  if (found.contains(records::Resampling::Split))
    out.push_back("the split of one finite set, and everything after it");
  if (found.contains(records::Resampling::Weights))
    out.push_back("networks and noise, with the same test items");
  return join(out, "; in other tables: ");
}

std::string_view registration_word(records::Preregistration preregistration) {
  switch (preregistration) {
    case records::Preregistration::Before:
      return "preregistered";
    case records::Preregistration::PostHoc:
      return "post hoc";
    case records::Preregistration::Unknown:
      break;
  }
  return "not registered before the run";
}

/// Counts the rows by their registration: "12 preregistered; 2 post hoc".
std::string registration_text(const std::vector<records::Judgement>& judgements) {
  std::map<records::Preregistration, int> counts;
  for (const auto& judgement : judgements)
    if (judgement.n > 0) ++counts[judgement.preregistration];
  std::vector<std::string> out;
  for (const auto& [preregistration, count] : counts)
    out.push_back(fmt::format("{} {}", count, registration_word(preregistration)));
  return join(out, "; ");
}

Html fact(const std::string& title, const Html& value) {
  return element("div", element("dt", title) + element("dd", value));
}

/// Lists the times by phase: the phases of a training step in their order, then all others.
std::vector<std::pair<std::string, double>> list_phases(const RunFacts& facts) {
  std::vector<std::pair<std::string, double>> out;
  for (const char* phase : {"data", "forward", "backward", "step"})
    if (const auto at = facts.seconds.find(phase); at != facts.seconds.end()) out.push_back(*at);
  for (const auto& [phase, seconds] : facts.seconds) {
    const bool known = phase == "data" || phase == "forward" || phase == "backward" ||
                       phase == "step" || phase == "total" || phase == "cpu";
    if (!known) out.emplace_back(phase, seconds);
  }
  return out;
}

/// States CPU time, wall time by phase and peak memory, as far as the records have them.
Html time_facts(const RunFacts& facts) {
  Html out;
  const auto total = facts.seconds.find("total");
  const auto cpu = facts.seconds.find("cpu");
  if (cpu != facts.seconds.end())
    out += fact("CPU time", number(cpu->second, duration_text(cpu->second)));
  Html parts;
  double named = 0;
  auto listed_phases = list_phases(facts);
  for (const auto& [phase, seconds] : listed_phases) named += seconds;
  // The rest of the wall time, which no phase covers, so that the fractions sum to 100 %.
  if (total != facts.seconds.end() && !listed_phases.empty() && total->second > named)
    listed_phases.emplace_back("other", total->second - named);
  for (const auto& [phase, seconds] : listed_phases) {
    const std::string share = total != facts.seconds.end() && total->second > 0
                                  ? fmt::format(" ({:.0f} %)", 100 * seconds / total->second)
                                  : "";
    parts +=
        Html(parts.empty() ? "" : " · ") +
        element("span", Html(phase + " ") + number(seconds, duration_text(seconds)) + Html(share));
  }
  if (!parts.empty()) out += fact("Wall time by phase", parts);
  if (facts.peak_memory > 0)
    out += fact("Peak memory of a cell", fmt::format("{} MiB", facts.peak_memory / (1 << 20)));
  return out;
}

}  // namespace

std::string duration_text(double seconds) {
  // Limits lie half of the last digit below the unit, so that no text reads "1000 ms" or "10.0 s".
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  const auto m = std::llround(seconds / 60);
  return fmt::format("{} h {} min", m / 60, m % 60);
}

Html setting_section(const PageContent& content) {
  const RunFacts facts = collect_run_facts(content.measured);
  const auto count = [&](Status status) {
    const auto at = facts.cells.find(status);
    return at == facts.cells.end() ? 0 : at->second;
  };
  const auto all = content.measured.records().size();
  std::string cells = fmt::format("{} of {} done", count(Status::Done), all);
  if (count(Status::Failed)) cells += fmt::format(", {} failed", count(Status::Failed));
  if (count(Status::Running)) cells += fmt::format(", {} not finished", count(Status::Running));
  if (const auto damaged = content.measured.store().skipped_files().size(); damaged > 0)
    cells += fmt::format(", {} damaged line{} or file{} skipped", damaged, damaged == 1 ? "" : "s",
                         damaged == 1 ? "" : "s");
  // Before the first cell there is nothing else to state.
  Html list = fact("Cells", all ? Html(cells) : Html("none has run"));
  if (all) {
    if (const auto total = facts.seconds.find("total"); total != facts.seconds.end())
      list +=
          fact("Time, all cells in sequence", number(total->second, duration_text(total->second)));
    list += fact("Seeds", seeds_text(facts.seeds));
    std::set<std::string> datasets;
    for (const auto& id : facts.datasets) datasets.insert(content.findings.word(id));
    list += fact("Data", join_items(datasets));
    for (const auto& [title, text] : content.findings.facts)
      list += fact(title, fact_text(text, content.view.settings));
    list += fact("Machine", join_items(facts.machines));
  }
  return element(
      "section", {{"id", "setting"}},
      element("h2", "How it was measured") + element("dl", {{"class", "facts-list"}}, list));
}

Html more_setting_section(const PageContent& content) {
  const RunFacts facts = collect_run_facts(content.measured);
  Html list = fact("Profile", content.view.profile);
  if (const auto renewed = resampled_parts(content.claims); !renewed.empty())
    list += fact("A seed resamples", renewed);
  if (const auto preregistration = registration_text(content.claims);
      !preregistration.empty() && content.view.evidence)
    list += fact("Rows of claims", preregistration);
  list += fact("Commit", join_items(facts.commits)) + fact("Build", join_items(facts.builds)) +
          time_facts(facts);
  return element(
      "section", {{"id", "more-setting"}},
      element("h2", "Measurement details") + element("dl", {{"class", "facts-list"}}, list));
}

Html cells_section(const PageContent& content) {
  Html rows;
  for (const auto& record : content.measured.records()) {
    if (record.status == Status::Done) continue;
    const bool failed = record.status == Status::Failed;
    std::string error = record.error;
    if (!failed) error.clear();
    if (failed && error.empty()) error = "no reason was recorded";
    rows += element("tr", element("th", {{"scope", "row"}}, record.cell.id()) +
                              element("td", failed ? "failed" : "not finished") +
                              element("td", {{"class", "error"}}, error)) +
            Html::markup("\n");
  }
  if (rows.empty()) return {};
  const Html head =
      element("tr", element("th", "cell") + element("th", "status") + element("th", "error"));
  return element("section", {{"id", "failed"}},
                 element("h2", "Cells without a result") +
                     element("p", {{"class", "lead"}}, "No table, figure or claim uses them.") +
                     copyable(element("table", {{"class", "plain"}},
                                      element("thead", head) + element("tbody", rows))));
}

Html unreadable_section(const PageContent& content) {
  Html items;
  for (const auto& error : content.measured.store().skipped_files())
    items += element("li", error.problem()) + Html::markup("\n");
  if (items.empty()) return {};
  return element(
      "section", {{"id", "unreadable"}},
      element("h2", "Files that could not be read") +
          element("p", {{"class", "lead"}},
                  "These lines and files are damaged. No table, figure or claim uses them.") +
          element("ul", {{"class", "remarks"}}, items));
}

}  // namespace reprise::reports
