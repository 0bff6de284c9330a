#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "baselines/methods.h"
#include "core/error.h"
#include "core/text.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/outside.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"
#include "reproduce/replicates.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::prernn_study {

std::vector<models::Method> all_methods() {
  auto all = baselines::methods();
  const auto& own = models::methods();
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::vector<models::Method> chosen(std::vector<models::Method> all, const std::vector<std::string>& globs) {
  std::erase_if(all, [&](const models::Method& method) {
    return std::none_of(globs.begin(), globs.end(), [&](const std::string& glob) { return matches_glob(method.name, glob); });
  });
  return all;
}

std::vector<models::Method> face_methods(const Settings& settings) { return chosen(all_methods(), settings.texts("clips.methods")); }

bool has_control(const std::string& method) { return method != "cnn" && !method.starts_with("wh_"); }

namespace {

void check(const Settings& settings) {
  const auto at_least = [&](const std::string& key, std::int64_t low) {
    if (settings.integer(key) < low)
      throw UsageError(fmt::format("{} is {}, expected at least {}", key, settings.integer(key), low),
                       fmt::format("--set {}={}", key, low));
  };
  for (const auto* key : {"seeds", "camera.frames", "clips.training", "clips.validation", "clips.test", "cnn.epochs", "cnn.width",
                          "cnn.batch", "cnn.frames_an_epoch", "sequence.epochs", "sequence.batch", "search.epochs"})
    at_least(key, 1);
  at_least("image.size", 16);
  if (settings.numbers("search.learning_rates").empty())
    throw UsageError("search.learning_rates is empty", "give at least one rate, as --set 'search.learning_rates=[1e-3]'");
  for (const auto& dataset : settings.texts("clips.datasets"))
    if (dataset != motion && dataset != bursts && dataset != videos)
      throw UsageError(fmt::format("clips.datasets names \"{}\"", dataset), fmt::format("name {}, {} or {}", motion, bursts, videos));
  const auto source = settings.text("stills.source");
  if (source != "real" && source != "synthetic_head" && source != "300vw")
    throw UsageError(fmt::format("stills.source is \"{}\"", source), "set it to synthetic_head, real or 300vw");
  for (const auto& dataset : settings.texts("clips.datasets"))
    if (dataset != motion && (dataset == videos) != (source == "300vw"))
      throw UsageError(fmt::format("clips of {} cannot be made of stills.source = \"{}\"", dataset, source),
                       fmt::format("{} needs the source 300vw, {} the source real", videos, bursts));
}

void check_data(const Settings& settings, const std::filesystem::path& data) {
  std::vector<std::string> missing;
  const auto need = [&](const std::string& name, const std::string& layout) {
    if (data.empty() || !std::filesystem::is_directory(data / name)) missing.push_back(fmt::format("{}/ ({})", name, layout));
  };
  if (settings.text("stills.source") == "real") {
    need("faces_300w", "300-W: NAME.jpg with NAME.pts, in any folder below");
    need("ytf_keypoints", "YouTube Faces keypoints: training/*.jpg and training_frames_keypoints.csv");
  }
  if (settings.text("stills.source") == "300vw") need(videos, "300-VW: NNN/vid.avi with NNN/annot/FFFFFF.pts");
  if (!missing.empty())
    throw UsageError(fmt::format("this profile needs real faces; missing below --data {}: {}", data.empty() ? "(not given)" : data.string(),
                                 join(missing, "; ")),
                     "give the folder that holds them with --data DIR, or run the quick profile, which generates its faces");
}

std::vector<PlannedCell> plan_faces(const Settings& settings) {
  const auto rates = settings.numbers("search.learning_rates");
  const auto seeds = settings.integer("seeds");
  const auto beneath = [&](const std::string& table, const std::string& dataset, std::int64_t seed) {
    return cell(table, dataset, "cnn", data_seed(settings, seed));
  };
  const double sequence_cost = 4e-4 * static_cast<double>(settings.integer("clips.training") * settings.integer("sequence.epochs"));
  const double cnn_cost = 1e-3 * static_cast<double>(settings.integer("cnn.epochs") * settings.integer("cnn.frames_an_epoch"));
  const auto share = static_cast<double>(settings.integer("search.epochs")) / static_cast<double>(settings.integer("sequence.epochs"));
  const bool kept = !kept_weights(settings.text("cnn.weights")).empty();
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    if (settings.texts("clips.datasets").empty()) break;
    cells.push_back({.cell = cell("cnn", "stills", "cnn", seed), .cost = cnn_cost});
    for (const auto& dataset : settings.texts("clips.datasets"))
      cells.push_back({.cell = cell("features", dataset, "cnn", seed),
                       .needs = kept ? std::vector<records::Cell>{} : std::vector<records::Cell>{cell("cnn", "stills", "cnn", seed)},
                       .cost = sequence_cost});
  }
  for (const auto& dataset : settings.texts("clips.datasets")) {
    const auto methods = face_methods(settings);
    for (const auto& method : methods) {
      std::vector<records::Cell> trials;
      for (const auto rate : rates) {
        if (rates.size() == 1) break;  // nothing to choose
        trials.push_back(cell("search", dataset, trial_name(method.name, rate), 0));
        cells.push_back({.cell = trials.back(), .needs = {cell("features", dataset, "cnn", 0)}, .cost = sequence_cost * share});
      }
      for (std::int64_t seed = 0; seed < seeds; ++seed) {
        auto needs = trials;
        needs.push_back(beneath("features", dataset, seed));
        cells.push_back({.cell = cell("table1", dataset, method.name, seed), .needs = needs, .cost = sequence_cost});
        if (has_control(method.name) && settings.flag("controls.no_memory"))
          cells.push_back({.cell = cell("nomemory", dataset, method.name, seed), .needs = needs, .cost = sequence_cost});
      }
    }
    plan_selection(selecting({"lstm_fc", "gru_fc"}, methods), "table1", "features", dataset, settings, sequence_cost, cells);
  }
  for (auto& planned : cells) planned.apart = video_sections();
  return cells;
}

}  // namespace

std::vector<std::string> selecting(const std::vector<std::string>& names, const std::vector<models::Method>& methods) {
  std::vector<std::string> possible;
  for (const auto& name : names) {
    const auto candidates = selection_candidates(name);
    if (std::all_of(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
          return std::any_of(methods.begin(), methods.end(), [&](const models::Method& method) { return method.name == candidate; });
        }))
      possible.push_back(name);
  }
  return possible;
}

void plan_selection(const std::vector<std::string>& names, const std::string& table, const std::string& prepared,
                    const std::string& dataset, const Settings& settings, double cost, std::vector<PlannedCell>& cells) {
  for (const auto& name : names)
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      std::vector<records::Cell> needs{cell(prepared, dataset, "cnn", data_seed(settings, seed))};
      for (const auto& candidate : selection_candidates(name)) needs.push_back(cell(table, dataset, candidate, seed));
      cells.push_back({.cell = cell("selection", dataset, name, seed), .needs = needs, .cost = cost});
    }
}

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data) {
  check(settings);
  if (settings.flag("paper.full_size")) {
    const auto missing = missing_for_paper(settings, data);
    if (!missing.empty())
      throw UsageError("the paper profile cannot run here; missing: " + join(missing, "; "),
                       "provide these, or run the desk profile (./reprise run prernn --profile desk --data DIR)");
  }
  check_data(settings, data);
  auto cells = plan_faces(settings);
  const auto videos = plan_videos(settings, data);
  cells.insert(cells.end(), videos.begin(), videos.end());
  return cells;
}

void run(CellContext& context) {
  const auto& [study, table, dataset, method, seed] = context.record.cell;
  if (context.record.options.value("method.kind", "") == "predictions") return run_predictions(context);
  if (table == "selection") {
    const auto faces = context.settings.texts("clips.datasets");
    return std::find(faces.begin(), faces.end(), dataset) != faces.end() ? run_sequence(context) : run_video_method(context);
  }
  static const Runs runs = [] {
    Runs all{{"cnn", run_cnn},         {"features", run_features}, {"clips", run_video_clips},
             {"table1", run_sequence}, {"nomemory", run_sequence}, {"search", run_sequence}};
    for (const auto& kind : network_kinds()) {
      all["networks_" + kind] = run_video_networks;
      all["search_" + kind] = run_video_method;
      for (const auto& task : video_tasks()) all[task.name + "_" + kind] = run_video_method;
    }
    return all;
  }();
  run_table(runs, table, context);
}

}  // namespace reprise::reproduce::prernn_study
