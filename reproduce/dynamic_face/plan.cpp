#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "experiments/published_weights.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/external.h"
#include "reproduce/dynamic_face/photographs.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

/// Checks the settings before anything runs. UsageError: an unknown degradation, or kinds that
/// contradict each other.
void check(const Settings& settings) {
  datasets::find_degradation(settings.text("clips.kind"));
  const auto kinds = settings.texts("test.kinds");
  for (const auto& kind : kinds)
    if (kind != recorded_kind) datasets::find_degradation(kind);
  // The curve of a strength ends at the kind itself and begins at "clean": both must be tested.
  const auto tested = [&](const std::string& kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  for (const auto& kind : settings.texts("strength.kinds"))
    if (!tested(kind) || !tested("clean"))
      throw UsageError(
          fmt::format("strength.kinds has \"{}\", but test.kinds lacks it or \"clean\"", kind),
          "add both to test.kinds");
  // With recorded tracks everywhere the kind "recorded" would repeat "gaps".
  const auto source = settings.text("tracks.source");
  if (source == "biwi_tracks" && tests_recorded(settings))
    throw UsageError("tracks.source is biwi_tracks, so test.kinds must not have \"recorded\"",
                     "remove it from test.kinds");
}

/// Returns what a cell lacks: recorded tracks if it renders them, and the weights and GPU of VGG16.
std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data) {
  // Cells of methods read stored features, unless the method sees frames or leaves an animation.
  const bool of_method = cell.table == "pose" || cell.table == "search";
  const bool renders =
      !of_method ||
      method_named(records::parse_trial(cell.method).method).sees == Method::Sees::Frames ||
      std::find(animated_methods.begin(), animated_methods.end(), cell.method) !=
          animated_methods.end();
  if (renders) need_tracks(settings, data);
  if (starts_from_vgg16(settings)) need_published("vgg16", data, "--profile small");
  // 224 pixels: the input of VGG16. Its fc6 has 25088 x 4096 weights.
  if (settings.integer("image.size") >= 224)
    need_cuda(data, "fc6 alone has 103 million weights", "--profile small");
  return data.take_missing();
}

/// Returns the methods that run: those of setting `methods` (globs), the methods that they filter,
/// and those whose learning rate they use.
std::vector<Method> select_methods(const Settings& settings) {
  const auto globs = settings.texts("methods");
  const auto matches = [&](const std::string& name) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return matches_glob(name, glob); });
  };
  const auto needed = [&](const Method& method) {
    return std::any_of(methods().begin(), methods().end(), [&](const Method& m) {
      return ((m.filter && m.filter->of == method.info.id) || m.searched_as == method.info.id) &&
             matches(m.info.id);
    });
  };
  std::vector<Method> chosen;
  for (const auto& method : methods())
    if (matches(method.info.id) || needed(method)) chosen.push_back(method);
  return chosen;
}

/// Returns the sections of the settings that a cell reads.
std::vector<std::string> settings_read(const records::Cell& cell, const Method* method = nullptr) {
  std::vector<std::string> reads{"resampled", "methods", "tracks", "heads",
                                 "image",     "clips",   "test",   "cnn"};
  const auto add = [&](std::initializer_list<const char*> more) {
    reads.insert(reads.end(), more.begin(), more.end());
  };
  // End-to-end methods train on images, the others on stored features or estimates.
  if (method && method->sees == Method::Sees::Frames)
    add({"strength", "end_to_end", "search_end_to_end"});
  if (method && method->sees != Method::Sees::Frames) add({"strength", "sequence", "search"});
  if (method && method->filter) add({"filter"});
  if (cell.table == "size") add({"size"});
  if (cell.table == "clips") add({"strength"});
  return reads;
}

/// Returns the cells that train these per-frame networks; none if their weights are committed.
std::vector<records::Cell> training_cells(const std::vector<std::string>& networks,
                                          const Settings& settings, std::int64_t seed) {
  std::vector<records::Cell> cells;
  if (settings.text("cnn.weights").empty())
    for (const auto& network : networks) cells.push_back(cell("cnn", network, seed));
  return cells;
}

}  // namespace

void run_method(CellContext& context) {
  const auto& method = method_named(records::parse_trial(context.record.cell.method).method);
  return method.filter ? run_filter(context) : run_network(method, context);
}

std::vector<PlannedCell> plan_method(const Method& method, const Settings& settings) {
  std::vector<PlannedCell> cells;
  const auto search = search_for(method, settings);
  const auto clips = [&](const std::string& network, std::int64_t seed) {
    return cell("clips", network, data_seed(settings, seed));
  };
  const auto networks = [&](std::int64_t seed) {
    return training_cells({method.network}, settings, data_seed(settings, seed));
  };
  // Trials need the clips of their network, which has been trained before.
  const NeedsOfSeed trial_needs = [&](std::int64_t seed) {
    auto needs = networks(seed);
    needs.insert(needs.begin(), clips(method.network, seed));
    return needs;
  };
  // Every cell is measured against the ground truth in the clips of network "pose". A filter also
  // needs the estimates that it filters; a network needs its own features.
  const NeedsOfSeed needs = [&](std::int64_t seed) {
    const auto truth = clips("pose", seed);
    if (method.filter)
      return std::vector{cell("pose", method.filter->of, seed), truth, clips(method.network, seed)};
    auto own = networks(seed);
    own.insert(own.begin(), truth);
    if (has_clips(frame_network(method.network)))
      own.insert(own.begin(), clips(method.network, seed));
    return own;
  };
  // Methods that use the hyperparameters of another one have no trials.
  if (method.make && method.searched_as.empty()) plan_trials(search, trial_needs, cells);
  plan_seeds(cell("pose", method.info.id, 0), method.make ? std::optional(search) : std::nullopt,
             needs, settings, cells);
  for (auto& planned : cells) planned.reads = settings_read(planned.cell, &method);
  return cells;
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  const auto methods = select_methods(settings);
  // Network "pose" holds the ground truth of all cells, and the fold networks its crossfit clips.
  auto networks = fold_networks();
  networks.insert(networks.begin(), "pose");
  for (const auto& method : methods)
    if (std::find(networks.begin(), networks.end(), method.network) == networks.end())
      networks.push_back(method.network);
  // A missing file of weights is an error now, not hours later in its cell.
  for (const auto& network : networks) committed_network(settings, network, data);
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    for (const auto& network : networks) {
      cells.push_back({.cell = cell("cnn", network, seed)});
      if (!has_clips(frame_network(network))) continue;
      // Clips need their network; with crossfit clips also the networks of all folds.
      std::vector<std::string> encoders{network};
      if (frame_network(network).fitted_crosswise())
        encoders.insert(encoders.end(), fold_networks().begin(), fold_networks().end());
      cells.push_back({.cell = cell("clips", network, seed),
                       .needs = training_cells(encoders, settings, seed)});
    }
    // Table size measures how accuracy depends on the number of training heads.
    for (const auto heads : settings.numbers("size.heads"))
      cells.push_back({.cell = cell("size", size_name(static_cast<std::int64_t>(heads)), seed)});
  }
  for (auto& planned : cells) planned.reads = settings_read(planned.cell);
  for (const auto& method : methods) {
    const auto own = plan_method(method, settings);
    cells.insert(cells.end(), own.begin(), own.end());
  }
  for (auto& planned : cells) planned.missing = missing_for(planned.cell, settings, data);
  // Photographs have their own settings, data and requirements.
  const auto photographs = plan_photographs(settings, data);
  cells.insert(cells.end(), photographs.begin(), photographs.end());
  return cells;
}

}  // namespace reprise::reproduce::dynamic_face_study
