#include "reproduce/asking.h"

#include <map>
#include <set>

#include "core/environment.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "reproduce/program.h"
#include "reproduce/run/runner.h"

namespace reprise::reproduce {
namespace {

using Key = records::ClaimRecords::Key;

/// The settings of a claim's cells, as hashes: those that have no part in them may change.
class ClaimSettings {
 public:
  ClaimSettings(const RunDescription& description, const std::vector<PlannedCell>& plan, std::set<std::string> own)
      : description_(description), own_(std::move(own)) {
    for (const auto& planned : plan) {
      const Key key{planned.cell.table, planned.cell.dataset, planned.cell.method};
      methods_.insert(key);
      apart_[key].insert(planned.apart);
    }
  }

  std::string hash(const records::Claim& claim) {
    std::set<std::string> texts;
    for (const auto& [key, other] : records::compared(claim, methods_, own_))
      for (const auto& method : {key, other})
        for (const auto& apart : apart_[method]) texts.insert(options_without(apart));
    return sha256(join({texts.begin(), texts.end()}, "\n") + "\n" + description_.settings.value("confirm.seeds", ""));
  }

 private:
  const std::string& options_without(const std::vector<std::string>& apart) {
    auto& text = texts_[apart];
    if (text.empty()) text = json_text(description_.options(apart));
    return text;
  }

  const RunDescription& description_;
  const std::set<std::string> own_;
  std::set<Key> methods_;
  std::map<Key, std::set<std::vector<std::string>>> apart_;
  std::map<std::vector<std::string>, std::string> texts_;
};

void write_questions(const Study& study, const std::filesystem::path& results, const RunDescription& description,
                     const std::vector<PlannedCell>& plan, const std::function<void(records::Registration&)>& add) {
  auto registration = records::read_registration(results).value_or(records::Registration{});
  registration.note_finished(cells_in(results).all());
  registration.confirm = confirmation_seeds(Settings(description.settings));
  const auto own = own_methods(study);
  const auto tree = source_state(project_folder());
  ClaimSettings settings(description, plan, own);
  for (const auto& claim : records::read_claims(study.claims, study.name + "/claims.toml"))
    registration.ask(
        claim,
        {.settings = settings.hash(claim), .program = program_of(study.name), .commit = tree.commit.substr(0, 8), .dirty = tree.dirty},
        own);
  if (add) add(registration);
  records::write_registration(results, registration);
}

}  // namespace

RunResult run_asked(const Study& study, RunRequest request, const std::function<void(records::Registration&)>& add) {
  const auto results = results_folder(study, request);
  request.starts = [&](const RunDescription& description, const std::vector<PlannedCell>& plan) {
    write_questions(study, results, description, plan, add);
  };
  auto result = run(study, request);
  if (request.dry_run) return result;
  const FolderLock lock(results);
  if (auto registration = records::read_registration(results)) {
    registration->note_finished(cells_in(results).all());
    records::write_registration(results, *registration);
  }
  return result;
}

}  // namespace reprise::reproduce
