#include "records/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "records/fields.h"
#include "records/outside.h"

namespace reprise::records {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using Key = ClaimRecords::Key;
using SeedSet = std::set<std::int64_t>;

constexpr int asked_schema = 1;
constexpr const char* asked_fix =
    "restore the file, or remove it: then it is unknown when each claim was asked, until the study is run again in this folder";

template <class Item, class ToJson>
std::string lines_of(const std::vector<Item>& items, const ToJson& item_json) {
  std::vector<std::string> lines;
  for (const auto& item : items) lines.push_back("  " + json_text(item_json(item)));
  return lines.empty() ? "[]" : "[\n" + join(lines, ",\n") + "\n ]";
}

json look_json(const Look& look) { return {{"seeds", look.seeds}, {"done", look.done}}; }

json plan_json(const LookPlan& plan) {
  json looks = json::array();
  for (const auto& look : plan.looks) looks.push_back(look_json(look));
  return {
      {"claim", plan.claim}, {"definition", plan.definition}, {"most", plan.most}, {"judged_before", plan.judged_before}, {"looks", looks}};
}

json question_json(const Question& question) {
  return {{"claim", question.claim},   {"definition", question.definition}, {"settings", question.settings}, {"program", question.program},
          {"commit", question.commit}, {"dirty", question.dirty},           {"seen", question.seen}};
}

std::vector<std::int64_t> seeds_from(const Fields& fields, const char* key) {
  std::vector<std::int64_t> seeds;
  for (const auto& seed : fields.array(key)) {
    if (!seed.is_number_integer() || seed < 0) fields.refuse(fmt::format("the field \"{}\" must list seeds, from 0 on", key));
    seeds.push_back(seed.get<std::int64_t>());
  }
  return seeds;
}

SeedSet seed_set(const Fields& fields, const char* key) {
  const auto seeds = seeds_from(fields, key);
  return {seeds.begin(), seeds.end()};
}

LookPlan plan_from(const Fields& fields, const std::string& where) {
  LookPlan plan{.claim = fields.text("claim"),
                .definition = fields.text("definition"),
                .most = static_cast<int>(fields.integer("most", 2, 1'000'000)),
                .judged_before = fields.flag("judged_before")};
  std::size_t planned = 0;
  for (const auto& item : fields.array("looks")) {
    const Fields look(item, where, asked_fix);
    plan.looks.push_back({.seeds = seeds_from(look, "seeds"), .done = look.flag("done")});
    planned += plan.looks.back().seeds.size();
    if (plan.looks.back().seeds.empty() || planned > static_cast<std::size_t>(plan.most))
      look.refuse(fmt::format("a look must add seeds, and all together no more than {}", plan.most));
  }
  return plan;
}

bool done(const ClaimRecords::Seeds& seeds, std::int64_t seed) {
  const auto found = seeds.find(seed);
  return found != seeds.end() && found->second->status == Status::Done;
}

/// Seeds at which both cells have finished.
SeedSet common_seeds(const ClaimRecords::Seeds& a, const ClaimRecords::Seeds& b) {
  SeedSet common;
  for (const auto& [seed, record] : a)
    if (done(a, seed) && done(b, seed)) common.insert(seed);
  return common;
}

std::string commit_of(const Question& question) {
  return question.commit.empty() ? "" : question.commit + (question.dirty ? " with changes" : "");
}

std::string seeds_text_of(const std::vector<std::int64_t>& seeds) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; begin < seeds.size(); begin = end) {
    while (end < seeds.size() && seeds[end] == seeds[begin] + static_cast<std::int64_t>(end - begin)) ++end;
    parts.push_back(end - begin > 1 ? fmt::format("{} to {}", seeds[begin], seeds[end - 1]) : fmt::format("{}", seeds[begin]));
  }
  return join(parts, ", ");
}

template <class Plans>
auto plan_of(Plans& plans, const std::string& definition) {
  const auto found = std::find_if(plans.begin(), plans.end(), [&](const LookPlan& plan) { return plan.definition == definition; });
  return found == plans.end() ? nullptr : &*found;
}

/// The methods that a claim compares, with what each seed of theirs is worth.
class ClaimSeeds {
 public:
  ClaimSeeds(const Claim& claim, const Registration& registration, const ClaimRecords& records)
      : definition_(claim.definition), registration_(registration), without_(claim.without_seeds) {
    for (const auto& [key, other] : compared(claim, records.methods(), records.own()))
      pairs_.emplace_back(&records.seeds(key), &records.seeds(other));
    if (const auto* plan = registration.looks_at(claim.definition); plan && !plan->seeds().empty())
      allowed_ = plan->seeds();
    else if (!registration.confirm.empty())
      allowed_ = {registration.confirm.begin(), registration.confirm.end()};
  }

  /// Of any of its cells, finished or not.
  SeedSet present() const {
    SeedSet all;
    for (const auto& [a, b] : pairs_)
      for (const auto* seeds : {a, b})
        for (const auto& [seed, record] : *seeds) all.insert(seed);
    return all;
  }
  SeedSet finished() const {
    SeedSet all;
    for (const auto& [a, b] : pairs_) all.merge(common_seeds(*a, *b));
    return all;
  }
  bool allowed(std::int64_t seed) const { return !without_.contains(seed) && (!allowed_ || allowed_->contains(seed)); }
  /// In every comparison that has it.
  bool fresh(std::int64_t seed) const {
    return std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
      return !done(*pair.first, seed) || !done(*pair.second, seed) || (fresh(*pair.first->at(seed)) && fresh(*pair.second->at(seed)));
    });
  }
  /// Whether every comparison that has seeds has two of these.
  bool enough(const SeedSet& seeds) const {
    return std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
      const auto common = common_seeds(*pair.first, *pair.second);
      return common.empty() || std::count_if(common.begin(), common.end(), [&](auto seed) { return seeds.contains(seed); }) >= 2;
    });
  }

 private:
  bool fresh(const Record& record) const {
    const auto* question = registration_.asked(definition_, record.environment->program);
    return question && !question->seen.contains(record.cell.seed);
  }

  const std::string& definition_;
  const Registration& registration_;
  const SeedSet& without_;
  std::vector<std::pair<const ClaimRecords::Seeds*, const ClaimRecords::Seeds*>> pairs_;
  std::optional<SeedSet> allowed_;
};

}  // namespace

const Question* Registration::asked(const std::string& definition) const {
  const auto found = std::find_if(questions.rbegin(), questions.rend(), [&](const Question& q) { return q.definition == definition; });
  return found == questions.rend() ? nullptr : &*found;
}

const Question* Registration::asked(const std::string& definition, const std::string& program) const {
  const auto found = std::find_if(questions.rbegin(), questions.rend(),
                                  [&](const Question& q) { return q.definition == definition && q.program == program; });
  return found == questions.rend() ? nullptr : &*found;
}

const LookPlan* Registration::looks_at(const std::string& definition) const { return plan_of(looks, definition); }
LookPlan* Registration::looks_at(const std::string& definition) { return plan_of(looks, definition); }

void Registration::note_finished(const std::vector<Record>& records) {
  for (const auto& record : records)
    if (record.status == Status::Done && !from_outside(record))
      finished[{record.cell.table, record.cell.dataset, record.cell.method}].insert(record.cell.seed);
}

void Registration::ask(const Claim& claim, Question question, const std::set<std::string>& own) {
  question.claim = claim.id;
  question.definition = claim.definition;
  const auto* before = asked(question.definition, question.program);
  if (before && before->settings == question.settings) return;
  std::set<Key> methods;
  for (const auto& [key, seeds] : finished) methods.insert(key);
  for (const auto& [key, other] : compared(claim, methods, own))
    if (const auto theirs = finished.find(other); theirs != finished.end())
      for (const auto seed : finished.at(key))
        if (theirs->second.contains(seed)) question.seen.insert(seed);
  questions.push_back(std::move(question));
}

std::optional<Registration> read_registration(const fs::path& results) {
  const fs::path file = results / "asked.json";
  if (!fs::exists(file)) return std::nullopt;
  const auto where = file.string();
  const auto stored = parse_json(read_file(file), where, asked_fix);
  const Fields fields(stored, where, asked_fix);
  fields.integer("schema", asked_schema, asked_schema);
  Registration registration{.confirm = seeds_from(fields, "confirm")};
  for (const auto& item : fields.array("questions")) {
    const Fields question(item, where + ", questions", asked_fix);
    registration.questions.push_back({.claim = question.text("claim"),
                                      .definition = question.text("definition"),
                                      .settings = question.text("settings"),
                                      .program = question.text("program"),
                                      .commit = question.text("commit"),
                                      .dirty = question.flag("dirty"),
                                      .seen = seed_set(question, "seen")});
  }
  for (const auto& item : fields.array("finished")) {
    const Fields cells(item, where + ", finished", asked_fix);
    registration.finished[{cells.text("table"), cells.text("dataset"), cells.text("method")}] = seed_set(cells, "seeds");
  }
  for (const auto& item : fields.array("looks"))
    registration.looks.push_back(plan_from(Fields(item, where + ", looks", asked_fix), where + ", looks"));
  return registration;
}

void write_registration(const fs::path& results, const Registration& registration) {
  const std::vector<std::pair<Key, SeedSet>> finished(registration.finished.begin(), registration.finished.end());
  const auto cells_json = [](const std::pair<Key, SeedSet>& cells) -> json {
    const auto& [table, dataset, method] = cells.first;
    return {{"table", table}, {"dataset", dataset}, {"method", method}, {"seeds", cells.second}};
  };
  write_file(results / "asked.json",
             fmt::format("{{\n \"schema\": {},\n \"confirm\": {},\n \"questions\": {},\n \"finished\": {},\n \"looks\": {}\n}}\n",
                         asked_schema, json_text(registration.confirm), lines_of(registration.questions, question_json),
                         lines_of(finished, cells_json), lines_of(registration.looks, plan_json)));
}

std::vector<std::pair<Key, Key>> compared(const Claim& claim, const std::set<Key>& methods, const std::set<std::string>& own) {
  std::vector<std::pair<Key, Key>> pairs;
  for (const auto& test : claim.tests) {
    if (test.kind == ClaimKind::None) continue;
    if (test.kind == ClaimKind::Parameters) {
      for (const auto* side : {&test.left, &test.right})
        if (const Key key{side->table, side->dataset, side->method}; !side->given && methods.contains(key)) pairs.emplace_back(key, key);
      continue;
    }
    for (const auto& key : methods)
      if (const auto other = other_of(key, test.table, test.dataset, test.methods, test.than_table, test.than, own))
        if (*other != key || test.than_metric != test.metric) pairs.emplace_back(key, *other);
  }
  return pairs;
}

UsedSeeds used_seeds(const Claim& claim, const std::optional<Registration>& registration, const ClaimRecords& records) {
  UsedSeeds used{.left_out = claim.without_seeds, .level = claim.level};
  if (!registration) return used;
  const ClaimSeeds seeds(claim, *registration, records);
  const auto finished = seeds.finished();
  SeedSet seen;
  for (const auto seed : finished)
    if (seeds.allowed(seed)) (seeds.fresh(seed) ? used.fresh : seen).insert(seed);
  for (const auto seed : seeds.present())
    if (!seeds.allowed(seed)) used.left_out.insert(seed);
  const auto* question = registration->asked(claim.definition);
  if (question) used.commit = commit_of(*question);
  const bool confirmed = !used.fresh.empty() && seeds.enough(used.fresh);
  if (!seen.empty() && confirmed) used.left_out.insert(seen.begin(), seen.end());
  if (question || !finished.empty()) used.asked = seen.empty() || confirmed ? Asked::Before : Asked::PostHoc;
  std::set_intersection(finished.begin(), finished.end(), used.left_out.begin(), used.left_out.end(), std::back_inserter(used.set_aside));
  std::erase_if(used.set_aside, [&](auto seed) { return claim.without_seeds.contains(seed); });
  if (const auto* plan = registration->looks_at(claim.definition)) {
    used.looks = looks_taken(*plan, claim.level);
    used.level = level_of(*plan, claim.level);
  }
  return used;
}

std::string text_of(const UsedSeeds& used) {
  std::vector<std::string> parts;
  if (used.asked == Asked::PostHoc)
    parts.push_back(used.commit.empty() ? "post hoc: no run has started since it was made or changed"
                                        : fmt::format("post hoc: asked at commit {} when its seeds had been seen", used.commit));
  if (!used.set_aside.empty())
    parts.push_back(fmt::format("seeds {} are not for this verdict: seen before it was asked, or not among those that confirm",
                                seeds_text_of(used.set_aside)));
  if (used.looks && !used.looks->seeds.empty())
    parts.push_back(fmt::format("look {} of its seeds, of at most {}: level {} of {} over all looks{}", used.looks->seeds.size(),
                                used.looks->most, number_text(used.level), number_text(used.looks->level),
                                used.looks->judged_before ? ", which an earlier verdict had spent once before" : ""));
  return join(parts, "; ");
}

}  // namespace reprise::records
