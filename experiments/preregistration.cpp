#include "experiments/preregistration.h"

#include <set>

#include "core/environment.h"
#include "experiments/run/runner.h"
#include "experiments/seeds.h"
#include "records/claims/registry.h"

namespace reprise::reproduce {
namespace {

void register_comparisons(const Study& study, const std::filesystem::path& results,
                          const RunDescription& description, const std::vector<PlannedCell>& plan) {
  auto registry = records::read_registry(results).value_or(records::Registry{});
  // Seeds that have finished by now count as seen for comparisons registered below.
  registry.note_finished(cells_in(results).all());
  registry.confirm = confirmation_seeds(Settings(description.settings));
  std::set<records::ClaimRecords::Key> methods;
  for (const auto& planned : plan)
    methods.insert({planned.cell.table, planned.cell.dataset, planned.cell.method});
  const auto tree = source_state(project_folder());
  const records::Registration now{.commit = tree.commit.substr(0, 8), .dirty = tree.dirty};
  const auto own = own_methods(study);
  for (const auto& row : records::read_claims(study.claims, study.name + "/claims.toml"))
    registry.add(row, methods, own, now);
  records::write_registry(results, registry);
}

}  // namespace

RunResult run_preregistered(const Study& study, RunRequest request) {
  const auto results = results_folder(study, request);
  request.starts = [&](const RunDescription& description, const std::vector<PlannedCell>& plan) {
    register_comparisons(study, results, description, plan);
  };
  auto result = run(study, request);
  if (request.dry_run) return result;
  // Other runs of this folder update the same file.
  const FolderLock lock(results);
  if (auto registry = records::read_registry(results)) {
    registry->note_finished(cells_in(results).all());
    records::write_registry(results, *registry);
  }
  return result;
}

}  // namespace reprise::reproduce
