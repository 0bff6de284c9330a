#include "reproduce/until_decided.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "core/environment.h"
#include "core/error.h"
#include "core/say.h"
#include "core/text.h"
#include "records/statistics.h"
#include "reproduce/asking.h"
#include "reproduce/run/runner.h"

namespace reprise::reproduce {
namespace {

using Steady = std::chrono::steady_clock;
using Key = records::ClaimRecords::Key;
using records::Judgement;
using records::LookPlan;
using records::Verdict;
using Round = UntilResult::Round;

constexpr double an_hour = 3600;

void refuse_conflicts(const UntilRequest& request) {
  const auto refuse = [](const std::string& option, const std::string& why) {
    throw UsageError("--until-decided and " + option + " do not go together: " + why, "leave one of them out");
  };
  if (request.run.seeds) refuse("--seeds", "it chooses the seeds itself");
  if (!request.run.redo.empty()) refuse("--redo", "a seed that was seen is not made anew until it pleases");
  if (!request.run.outside.empty()) refuse("methods from outside", "claims are of the study's own methods");
}

bool compares(const records::Claim& claim) {
  return std::any_of(claim.tests.begin(), claim.tests.end(), [](const records::ClaimTest& test) {
    return test.kind != records::ClaimKind::None && test.kind != records::ClaimKind::Parameters;
  });
}

Key key_of(const records::Cell& cell) { return {cell.table, cell.dataset, cell.method}; }

class UntilDecided {
 public:
  UntilDecided(const Study& study, const UntilRequest& request)
      : study_(study),
        request_(request),
        own_(own_methods(study)),
        claims_(records::read_claims(study.claims, study.name + "/claims.toml")),
        start_(Steady::now()) {
    refuse_conflicts(request);
    const auto description = describe(study, request.run);
    if (!judges_claims({study}, description))
      throw UsageError("--until-decided: " + why_not_judged(description), "name a profile that judges: --profile desk");
    result_.results = results_folder(study, request.run);
    const auto settings = settings_of(study, request.run);
    const auto seeds = planned_seeds(settings, request.run);
    first_ = static_cast<int>(seeds.confirm.empty() ? settings.integer("seeds") : static_cast<std::int64_t>(seeds.confirm.size()));
    next_seed_ = seeds.settings.integer("seeds");
    for (const auto& planned : study.plan(seeds.settings, request.run.data)) planned_.insert(key_of(planned.cell));
    if (request_.hours)
      deadline_ = start_ + std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(*request_.hours * an_hour));
    registration_ = records::read_registration(result_.results).value_or(records::Registration{});
    registration_.confirm = seeds.confirm;
    set_most();
  }

  UntilResult go() {
    if (base_runs()) {
      take_first_looks();
      judge();
      result_.outlook = outlook();
      tell(result_.outlook);
      while (result_.stopped.empty()) next_round();
    }
    judge();
    result_.last = outlook();
    result_.claims = judgements_;
    result_.seconds = std::chrono::duration<double>(Steady::now() - start_).count();
    return std::move(result_);
  }

 private:
  void set_most() {
    const auto planned = registration_.looks.empty() ? 0 : registration_.looks.front().most;
    most_ = request_.most.value_or(planned > 0 ? planned : 4 * first_);
    if (planned > 0 && most_ != planned)
      throw UsageError(fmt::format("looks in {} were planned for at most {} seeds, not {}", result_.results.string(), planned, most_),
                       fmt::format("leave out --most, or say --most {}: what looks spend is fixed before the first of them", planned));
    if (most_ < first_ || most_ < 2)
      throw UsageError(fmt::format("--most {} is below the {} seeds of the profile", most_, first_), fmt::format("--most {}", 4 * first_));
  }

  /// The profile's own seeds. Returns whether all of them are done.
  bool base_runs() {
    auto request = request_.run;
    request.until = deadline_;
    if (request.dry_run) return base_is_there();
    const auto result = run_asked(study_, request, [&](records::Registration& registration) {
      std::set<Key> finished;
      for (const auto& [key, seeds] : registration.finished) finished.insert(key);
      for (const auto& claim : claims_)
        if (compares(claim) && !registration.looks_at(claim.definition) && !methods_of(claim, planned_).empty() &&
            methods_of(claim, finished).empty())
          registration.looks.push_back({.claim = claim.id, .definition = claim.definition, .most = most_});
    });
    return ran(result, "the profile's own seeds");
  }

  bool base_is_there() {
    Round base;
    expect(base, request_.run);
    if (base.cells > 0)
      result_.stopped = fmt::format(
          "a dry run: first {} cells of the profile's own seeds run, about {:.2g} h, and from them it is known what claims need",
          base.cells, base.expected_hours);
    return base.cells == 0;
  }

  /// Takes in what ran. Returns whether all of it did.
  bool ran(const RunResult& result, const std::string& what) {
    if (const auto registration = records::read_registration(result_.results)) registration_ = *registration;
    std::size_t open = 0;
    for (const auto& cell : result.cells) {
      result_.failed += cell.outcome == Outcome::Failed;
      open += cell.outcome == Outcome::Planned;
    }
    result_.interrupted = result.interrupted;
    if (result.interrupted)
      result_.stopped = "interrupted; what is done is kept: the same command goes on from here";
    else if (open > 0)
      result_.stopped = fmt::format("the hours are over, and {} cells of {} have not run: the same command goes on with them", open, what);
    return result_.stopped.empty();
  }

  /// What a claim has before the first look that adds seeds: those of the profile, or for a claim that was judged before those it was asked
  /// before.
  void take_first_looks() {
    judge();
    const auto store = cells_in(result_.results);
    const records::ClaimRecords records(store, own_, {});
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      const auto& claim = claims_[i];
      auto* plan = registration_.looks_at(claim.definition);
      if (!compares(claim) || (!plan && judgements_[i].verdict != Verdict::Undecided)) continue;
      const auto usable = records::used_seeds(claim, registration_, records).fresh;
      if (!plan) {
        if (static_cast<int>(usable.size()) >= most_) continue;
        registration_.looks.push_back(
            {.claim = claim.id, .definition = claim.definition, .most = most_, .judged_before = usable.size() >= 2});
        plan = &registration_.looks.back();
      }
      if (plan->looks.empty() && usable.size() >= 2 && static_cast<int>(usable.size()) <= most_)
        plan->looks.push_back({{usable.begin(), usable.end()}, true});
    }
    keep();
  }

  void keep() const {
    if (request_.run.dry_run) return;
    const FolderLock lock(result_.results);
    records::write_registration(result_.results, registration_);
  }

  void judge() {
    judgements_ = records::judge(study_.claims, study_.name + "/claims.toml", cells_in(result_.results, records::Damage::PassOver), own_);
  }

  /// Why a claim gets no more seeds; "" where it gets some.
  std::string closed(const records::Claim& claim, const Judgement& judgement, const LookPlan* plan) const {
    if (methods_of(claim, planned_).empty()) return "this profile has no cells of it";
    if (judgement.verdict == Verdict::NotTestable) return "not testable: more seeds of its methods do not mend what it requires";
    if (judgement.verdict != Verdict::Undecided && !(plan && judgement.verdict == Verdict::NotRun))
      return fmt::format("{}", records::verdict_text(judgement.verdict));
    if (!plan) return fmt::format("it has as many seeds as it may get, {}", most_);
    if (plan->next() == 0) return fmt::format("undecided at the last look: all {} seeds that it may get are there", plan->most);
    if (const auto failed = failed_cells(claim); failed > 0) return fmt::format("{} of its cells failed: run them again first", failed);
    if (!matches_only(claim)) return "--only leaves out cells that it compares";
    const auto tested = [](const records::Comparison& comparison) { return comparison.n >= 2; };
    if (judgement.comparisons.empty() || !std::all_of(judgement.comparisons.begin(), judgement.comparisons.end(), tested)) return "";
    if (records::expected_seeds(judgement, *plan)) return "";
    return fmt::format("were its effects the true ones, {} seeds would not decide it (power 0.8)", plan->most);
  }

  std::set<Key> methods_of(const records::Claim& claim, const std::set<Key>& all) const {
    std::set<Key> keys;
    for (const auto& [key, other] : records::compared(claim, all, own_)) keys.insert({key, other});
    return keys;
  }

  std::size_t failed_cells(const records::Claim& claim) const {
    std::set<Key> failed;
    for (const auto& record : cells_in(result_.results, records::Damage::PassOver).all())
      if (record.status == records::Status::Failed) failed.insert(key_of(record.cell));
    return methods_of(claim, failed).size();
  }

  bool matches_only(const records::Claim& claim) const {
    const auto keys = methods_of(claim, planned_);
    return std::all_of(keys.begin(), keys.end(), [&](const Key& key) {
      const auto id = records::Cell{study_.name, std::get<0>(key), std::get<1>(key), std::get<2>(key), next_seed_}.id();
      return std::any_of(request_.run.only.begin(), request_.run.only.end(), [&](const auto& glob) { return matches_glob(id, glob); });
    });
  }

  std::vector<ClaimOutlook> outlook() const {
    std::vector<ClaimOutlook> all;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (!compares(claims_[i])) continue;
      const auto* plan = registration_.looks_at(claims_[i].definition);
      const auto& judgement = judgements_[i];
      ClaimOutlook one{.claim = claims_[i].id, .seeds = judgement.n, .closed = closed(claims_[i], judgement, plan)};
      if (one.closed.empty() && plan) one.expected = records::expected_seeds(judgement, *plan);
      double seconds = 0;
      for (const auto& comparison : judgement.comparisons) seconds += comparison.seconds;
      if (one.expected) one.hours = (*one.expected - static_cast<int>(plan->seeds().size())) * seconds / an_hour;
      all.push_back(std::move(one));
    }
    return all;
  }

  void tell(const std::vector<ClaimOutlook>& all) const {
    if (!request_.run.progress) return;
    for (const auto& one : all) {
      if (!one.closed.empty()) continue;
      const auto need = one.expected ? fmt::format("about {} would decide it, {:.1f} h more of one core", *one.expected, one.hours)
                                     : std::string("too few to say how many decide it");
      say(fmt::format("{}: claim {}: {} seeds now, {}\n", study_.name, one.claim, one.seeds, need), request_.run.progress);
    }
  }

  /// Gives every open claim a look that is not done, unless one is there from a run that was ended.
  void plan_looks() {
    const auto pending = [](const LookPlan& plan) { return !plan.looks.empty() && !plan.looks.back().done; };
    if (std::any_of(registration_.looks.begin(), registration_.looks.end(), pending)) return;
    const auto from = first_free_seed();
    const auto store = cells_in(result_.results, records::Damage::PassOver);
    const records::ClaimRecords records(store, own_, {});
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      auto* plan = registration_.looks_at(claims_[i].definition);
      if (!plan || !compares(claims_[i]) || !closed(claims_[i], judgements_[i], plan).empty()) continue;
      records::Look look;
      if (plan->looks.empty())
        for (const auto seed : records::used_seeds(claims_[i], registration_, records).fresh) look.seeds.push_back(seed);
      const int more = std::max(plan->next() - static_cast<int>(look.seeds.size()), 1);
      for (int k = 0; k < more; ++k) look.seeds.push_back(from + k);
      if (look.seeds.back() < most_seeds) plan->looks.push_back(look);
    }
  }

  std::int64_t first_free_seed() const {
    auto free = next_seed_;
    for (const auto& [key, seeds] : registration_.finished)
      if (!seeds.empty()) free = std::max(free, *seeds.rbegin() + 1);
    for (const auto& record : cells_in(result_.results, records::Damage::PassOver).all()) free = std::max(free, record.cell.seed + 1);
    for (const auto& plan : registration_.looks)
      for (const auto& look : plan.looks)
        for (const auto seed : look.seeds) free = std::max(free, seed + 1);
    return free;
  }

  /// The cells of all looks that are not done, as a run of their own.
  RunRequest request_of_looks(Round& round) const {
    std::map<Key, std::set<std::int64_t>> wanted;
    std::set<std::int64_t> seeds;
    auto request = request_.run;
    std::erase_if(request.set, [](const auto& assignment) { return assignment.starts_with("seeds="); });
    for (const auto& plan : registration_.looks)
      if (!plan.looks.empty() && !plan.looks.back().done) seeds.insert(plan.looks.back().seeds.begin(), plan.looks.back().seeds.end());
    request.seeds = Seeds(*seeds.rbegin() + 1);
    request.seeds->chosen.assign(seeds.begin(), seeds.end());
    const auto plan = study_.plan(planned_seeds(settings_of(study_, request), request).settings, request.data);
    for (const auto& claim : claims_) {
      const auto* looks = registration_.looks_at(claim.definition);
      if (!looks || looks->looks.empty() || looks->looks.back().done) continue;
      round.claims.push_back(claim.id);
      for (const auto& key : methods_of(claim, planned_))
        wanted[key].insert(looks->looks.back().seeds.begin(), looks->looks.back().seeds.end());
    }
    request.only.clear();
    for (const auto& planned : plan)
      if (const auto found = wanted.find(key_of(planned.cell)); found != wanted.end() && found->second.contains(planned.cell.seed))
        request.only.push_back(planned.cell.id());
    round.seeds = request.seeds->chosen;
    return request;
  }

  /// Cells that would run, and hours that they take with the workers there are: as long as those of the same method did with other seeds.
  void expect(Round& round, RunRequest request) const {
    request.dry_run = true;
    std::map<Key, std::vector<double>> took;
    for (const auto& record : cells_in(result_.results).all())
      if (const auto total = record.seconds.find("total"); record.status == records::Status::Done && total != record.seconds.end())
        took[key_of(record.cell)].push_back(total->second);
    double seconds = 0;
    for (const auto& cell : run(study_, request).cells) {
      if (cell.outcome != Outcome::Planned) continue;
      ++round.cells;
      const auto found = took.find(key_of(cell.cell));
      seconds += found == took.end() ? cell.seconds : records::mean(found->second);
    }
    round.expected_hours = seconds / an_hour / (request_.run.jobs > 0 ? request_.run.jobs : cores());
  }

  void next_round() {
    plan_looks();
    Round round;
    const auto pending = [](const LookPlan& plan) { return !plan.looks.empty() && !plan.looks.back().done; };
    if (std::none_of(registration_.looks.begin(), registration_.looks.end(), pending)) {
      result_.stopped = nothing_to_add();
      return;
    }
    auto request = request_of_looks(round);
    if (request.only.empty()) {
      result_.stopped = "nothing to add: the study has no more seeds for the cells of " + join(round.claims, ", ");
      return;
    }
    expect(round, request);
    const double left = deadline_ ? std::chrono::duration<double>(*deadline_ - Steady::now()).count() / an_hour : 0;
    if (deadline_ && round.expected_hours > left) {
      result_.stopped = fmt::format("the next look needs about {:.2g} h, and {:.2g} h of {:g} are left", round.expected_hours,
                                    std::max(0.0, left), request_.hours.value_or(0));
      return;
    }
    result_.rounds.push_back(round);
    if (request.dry_run) {
      result_.stopped = "a dry run: nothing was written";
      return;
    }
    keep();
    if (request.progress)
      say(fmt::format("{}: {} cells with seeds {} to {}, about {:.2g} h\n", study_.name, round.cells, round.seeds.front(),
                      round.seeds.back(), round.expected_hours),
          request.progress);
    request.until = deadline_;
    if (!ran(run_asked(study_, request), "this look")) return;
    for (auto& plan : registration_.looks)
      if (pending(plan)) plan.looks.back().done = true;
    keep();
    judge();
  }

  std::string nothing_to_add() const {
    std::map<std::string, std::vector<std::string>> why;
    for (const auto& one : outlook()) why[one.closed].push_back(one.claim);
    std::vector<std::string> parts;
    for (const auto& [reason, claims] : why) parts.push_back(fmt::format("{}: {}", reason, first_few(claims)));
    return fmt::format("{}: {}", result_.rounds.empty() ? "nothing to add" : "nothing more to add",
                       parts.empty() ? "no claim compares methods" : join(parts, "; "));
  }

  const Study& study_;
  const UntilRequest& request_;
  const std::set<std::string> own_;
  const std::vector<records::Claim> claims_;
  const Steady::time_point start_;
  std::optional<Steady::time_point> deadline_;
  std::set<Key> planned_;  ///< methods of the study's plan
  int first_ = 0, most_ = 0;
  std::int64_t next_seed_ = 0;
  records::Registration registration_;
  std::vector<Judgement> judgements_;
  UntilResult result_;
};

}  // namespace

UntilResult run_until_decided(const Study& study, const UntilRequest& request) { return UntilDecided(study, request).go(); }

}  // namespace reprise::reproduce
