// External methods in a study with tiny settings: planned, run in a temporary results folder, and
// read from records and page.
#pragma once
#include <torch/script.h>

#include <functional>
#include <string>
#include <vector>

#include "core/files.h"
#include "experiments/external.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "tests/support.h"

namespace reprise::reproduce {

inline constexpr auto as_script = ExternalMethod::Kind::TorchScript;
inline constexpr auto as_predictions = ExternalMethod::Kind::Predictions;

/// Fixture; a suite defines study() and set().
class ExternalRun : public testing::Test {
 protected:
  using Changes = std::vector<std::string>;
  ExternalRun(Study study, Changes set) : study_(std::move(study)), set_(std::move(set)) {}

  RunRequest request(const Changes& changes = {}) const {
    RunRequest request;
    request.set = set_;
    request.set.insert(request.set.end(), changes.begin(), changes.end());
    request.seeds = Seeds(2);
    request.results = results;
    request.device = "cpu";
    request.jobs = 2;
    request.progress = nullptr;
    return request;
  }
  Settings settings(const Changes& changes = {}) const {
    return settings_of(study_, request(changes));
  }
  std::vector<PlannedCell> plan(const ExternalMethod& method, const Changes& changes = {},
                                const Changes& only = {"*"}) const {
    return plan_external(study_, method, settings(changes), "", only);
  }
  /// Also runs cells of the study that match these globs.
  RunResult go(const Changes& only, std::vector<ExternalMethod> methods,
               const Changes& changes = {}) const {
    auto adapted = request(changes);
    adapted.only = only;
    adapted.external = std::move(methods);
    return run(study_, adapted);
  }
  /// Runs them; no cell may fail.
  void done(const Changes& only, std::vector<ExternalMethod> methods) const {
    for (const auto& cell : go(only, std::move(methods)).cells)
      EXPECT_NE(cell.outcome, Outcome::Failed) << cell.cell.id() << ": " << cell.error;
  }
  /// Returns the error of the method's cell; "" if it did not fail.
  std::string run_and_get_error(const std::string& only, const ExternalMethod& method) const {
    for (const auto& cell : go({only}, {method}).cells)
      if (cell.cell.method == method.name) return cell.error;
    return "not run";
  }
  records::Record record(const std::string& table, const std::string& dataset,
                         const std::string& method, std::int64_t seed) const {
    return cells_in(results).find({study_.name, table, dataset, method, seed}).value();
  }
  template <typename Set>
  ExportedSet<Set> exported(const std::string& dataset, std::int64_t seed,
                            const Changes& changes = {}) const {
    return std::get<ExportedSet<Set>>(
        study_.external.exported(dataset, seed, settings(changes), ""));
  }
  /// Returns a table of the page in Markdown.
  std::string page_table(const std::string& id) const {
    make_report({study_}, results, results);
    return read_file(results / "tables" / (id + ".md"));
  }
  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
  std::filesystem::path script(const std::string& forward,
                               const std::function<void(torch::jit::Module&)>& add = {},
                               const std::string& name = "method.pt") const {
    torch::jit::Module module("Example");
    if (add) add(module);
    module.define(forward);
    module.save(file(name).string());
    return file(name);
  }

  TemporaryFolder folder;
  const std::filesystem::path results = folder.path() / "results";
  const Study study_;
  const Changes set_;
};

}  // namespace reprise::reproduce
