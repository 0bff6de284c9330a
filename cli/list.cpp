#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "baselines/generators.h"
#include "baselines/translators.h"
#include "cli/cli.h"
#include "cli/run_options.h"
#include "experiments/dataset_list.h"
#include "experiments/metric_list.h"
#include "experiments/names.h"
#include "experiments/reporting.h"
#include "experiments/run/plan.h"
#include "experiments/run/results.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

struct ListOptions {
  std::string what, study;
  RunRequest request;
};

/// Lists the studies with their documents and profiles.
void list_studies(const Call& call) {
  json list = json::array();
  std::string text;
  for (const auto& study : call.studies) {
    json profiles = json::array();
    std::string names;
    for (const auto& [name, toml] : study.profiles) {
      profiles.push_back(name);
      names += (names.empty() ? "" : ", ") + name;
    }
    list.push_back({{"name", study.name},
                    {"title", study.title},
                    {"document", study.document},
                    {"profiles", profiles}});
    text +=
        fmt::format("{}: {} ({}); profiles {}\n", study.name, study.title, study.document, names);
  }
  call.answer({{"studies", list}}, text);
}

/// Lists baselines that belong to no study: any generator or translator can be compared with them.
std::vector<ListedMethod> shared_methods() {
  std::vector<ListedMethod> shared;
  for (const auto& method : baselines::generators())
    shared.push_back(
        {training::Contract::Generator, method.info,
         fmt::format("{}, {}{}", method.conditional ? "by class" : "of any class",
                     method.any_length ? "clips of any length" : "clips as long as the examples",
                     method.clips_only ? ", no pictures" : "")});
  for (const auto& method : baselines::translators())
    shared.push_back({training::Contract::Translator, method.info,
                      method.invertible ? "there and back again is the picture" : "no way back"});
  return shared;
}

/// Lists the methods of one study, or of all studies and the shared baselines.
void list_methods(const Call& call, const std::string& only_study) {
  if (!only_study.empty()) study_named(call.studies, only_study);
  json list = json::array();
  std::string text;
  const auto add = [&](const std::string& study, const std::vector<ListedMethod>& methods) {
    if (methods.empty()) return;
    text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", study);
    for (const auto& [contract, info, facts] : methods) {
      const auto kind = training::name_of(contract), role = training::name_of(info.role);
      list.push_back({{"study", study},
                      {"name", info.id},
                      {"title", info.title},
                      {"contract", kind},
                      {"role", role},
                      {"source", info.source},
                      {"cost", info.cost},
                      {"facts", facts}});
      text += fmt::format("  {:<28} {:<10} {:<8} {}\n{:33}{}; {}; costs {}\n", info.id, kind, role,
                          info.title, "", facts, info.source, info.cost);
    }
  };
  for (const auto& study : call.studies)
    if ((only_study.empty() || only_study == study.name) && study.methods)
      add(study.name, study.methods());
  if (only_study.empty()) add("for any study", shared_methods());
  call.answer({{"methods", list}}, text);
}

/// Describes where a data set comes from: "generated", or for a recorded one "there" or "missing"
/// below `data`, or "read" without such a folder.
std::string dataset_state(const NamedDataset& dataset, const std::filesystem::path& data) {
  if (!dataset.is_recorded()) return "generated";
  if (data.empty()) return "read";
  return std::filesystem::is_directory(data / dataset.name) ? "there" : "missing";
}

/// Lists the known data sets, and which of them are below `data`. `data` may be "".
void list_datasets(const Call& call, const std::filesystem::path& data) {
  json list = json::array();
  std::string text;
  for (const auto& dataset : dataset_list()) {
    const auto state = dataset_state(dataset, data);
    list.push_back(
        {{"name", dataset.name}, {"description", dataset.description}, {"state", state}});
    text += fmt::format("{:<16} {:<10} {}\n", dataset.name, state, dataset.description);
  }
  call.answer({{"datasets", list}}, text);
}

void list_metrics(const Call& call) {
  json list = json::array();
  std::string text;
  for (const auto& metric : metric_list()) {
    list.push_back(
        {{"name", metric.name}, {"description", metric.description}, {"unit", metric.unit}});
    text += fmt::format("{:<14} {}\n", metric.name, metric.description);
  }
  call.answer({{"metrics", list}}, text);
}

/// Returns "done", "failed", "running", or "planned" for a cell without a record.
std::string cell_status(const records::Store& store, const records::Cell& cell) {
  const auto record = store.find(cell);
  if (!record) return "planned";
  switch (record->status) {
    case records::Status::Done:
      return "done";
    case records::Status::Failed:
      return "failed";
    case records::Status::Running:
      return "running";
  }
  return "";
}

void note_unreadable(const records::Store& store, json& list, std::string& text) {
  for (auto& problem : unreadable_json(store.skipped_files())) list.push_back(std::move(problem));
  text += unreadable_text(store.skipped_files());
}

/// Throws a UsageError if the results are of another study, or hold a record of another study or
/// profile.
void expect_same_study(const std::string& study, const std::filesystem::path& results,
                       const records::Store& store) {
  const auto description = read_description(results);
  if (description.study != study)
    throw UsageError(
        fmt::format("{} is a run of {}, not of {}", results.string(), description.study, study),
        "give that study's results");
  for (const auto& record : store.all())
    if (record.cell.study != study || record.profile != description.profile)
      throw UsageError(fmt::format("{}: cell {} is of {} ({}), and the run is of {} ({})",
                                   results.string(), record.cell.id(), record.cell.study,
                                   record.profile, study, description.profile),
                       "remove the folder of that cell, which another run made");
}

/// Lists the cells of a study, or of all studies that have the profile.
void list_cells(const Call& call, const ListOptions& options) {
  json list = json::array(), unreadable = json::array();
  std::string text;
  for (const auto& name :
       options.study.empty() ? study_names(call.studies) : std::vector{options.study}) {
    const Study& study = study_named(call.studies, name);
    auto request = options.request;
    const auto results =
        request.results.empty() ? default_results(name, request.profile) : request.results;
    // Existing results: list the cells of their settings, not of --profile.
    if (std::filesystem::exists(results / "run.json")) request.from = read_description(results);
    const auto planned = planned_seeds(settings_of(study, request), request);
    auto plan = study.plan(planned.settings, request.data);
    // The plan is in the order of work; a reader looks for names.
    std::sort(plan.begin(), plan.end(),
              [](const PlannedCell& a, const PlannedCell& b) { return a.cell < b.cell; });
    // A damaged record must not hide the others; it is listed below them.
    const auto store = cells_in(results, records::Damage::Skip);
    const auto chosen = chosen_cells(plan, request.only, planned.chosen);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!chosen[i]) continue;
      const auto& cell = plan[i].cell;
      const std::string status = cell_status(store, cell);
      list.push_back({{"id", cell.id()},
                      {"study", cell.study},
                      {"table", cell.table},
                      {"method", cell.method},
                      {"dataset", cell.dataset},
                      {"seed", cell.seed},
                      {"profile", request.from ? request.from->profile : request.profile},
                      {"status", status}});
      text += fmt::format("{:<8} {} {}\n", status, cell.study, cell.id());
    }
    note_unreadable(store, unreadable, text);
  }
  call.answer({{"cells", list}, {"unreadable", unreadable}}, text);
}

/// Lists the claims of a study, or of all, with their verdicts on the results.
void list_claims(const Call& call, const ListOptions& options) {
  json list = json::array(), unreadable = json::array();
  std::string text;
  for (const auto& name :
       options.study.empty() ? study_names(call.studies) : std::vector{options.study}) {
    const Study& study = study_named(call.studies, name);
    const auto results = options.request.results.empty()
                             ? default_results(name, options.request.profile)
                             : options.request.results;
    const auto store = cells_in(results, records::Damage::Skip);
    // The default folder is named after the study, so only a named one can be of another.
    if (!options.request.results.empty()) expect_same_study(name, results, store);
    const auto claims =
        records::judge(study.claims, name + "/claims.toml", store, own_methods(study));
    for (auto& claim : claims_json(claims)) list.push_back(std::move(claim));
    text += claims_text(claims);
    note_unreadable(store, unreadable, text);
  }
  call.answer({{"claims", list}, {"unreadable", unreadable}}, text);
}

void list(const Call& call, const ListOptions& options) {
  if (options.what == "studies") return list_studies(call);
  if (options.what == "methods") return list_methods(call, options.study);
  if (options.what == "datasets") return list_datasets(call, options.request.data);
  if (options.what == "metrics") return list_metrics(call);
  if (options.what == "cells") return list_cells(call, options);
  if (options.what == "claims") return list_claims(call, options);
  throw unknown("list", options.what,
                {"studies", "methods", "datasets", "metrics", "cells", "claims"});
}

}  // namespace

void add_list(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "list",
      "List studies, methods, data sets, metrics, cells or claims. Cells come with their "
      "status, claims with their verdicts.",
      "reprise list studies\nreprise list claims prernn --results results/prernn");
  const auto options = std::make_shared<ListOptions>();
  verb->add_option("WHAT", options->what, "kind of entries")
      ->required()
      ->type_name("studies|methods|datasets|metrics|cells|claims");
  verb->add_option("STUDY", options->study, "study, for methods, cells and claims (default: all)");
  verb->add_option("--results", options->request.results,
                   "results folder (default: runs/STUDY/PROFILE)");
  verb->add_option("--profile", options->request.profile,
                   "settings whose cells are listed, if there are no results")
      ->type_name(profile_type)
      ->capture_default_str();
  verb->add_option("--data", options->request.data, "folder that holds the data sets");
  verb->callback([options, &call] { list(call, *options); });
}

}  // namespace reprise::reproduce
