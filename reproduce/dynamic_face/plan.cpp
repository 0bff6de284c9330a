#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "experiments/published_weights.h"
#include "experiments/replicates.h"
#include "experiments/sequence_training.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/external.h"
#include "reproduce/dynamic_face/photographs.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

void check(const Settings& settings) {
  datasets::degradation_named(settings.text("clips.kind"));
  const auto kinds = settings.texts("test.kinds");
  for (const auto& kind : kinds)
    if (kind != recorded_kind) datasets::degradation_named(kind);
  const auto tested = [&](const std::string& kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  for (const auto& kind : settings.texts("strength.kinds"))
    if (!tested(kind) || !tested("clean"))
      throw UsageError(
          fmt::format("strength.kinds has \"{}\", and test.kinds lacks it or \"clean\"", kind),
          "add both to test.kinds");
  const auto source = settings.text("tracks.source");
  if (source == "biwi_tracks" && tests_recorded(settings))
    throw UsageError("all tracks are recorded, and test.kinds has \"recorded\" too",
                     "take it out of test.kinds");
}

/// What a cell of the scenes lacks: recorded tracks where it films, and what VGG16 needs.
std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data) {
  const bool of_method = cell.table == "pose" || cell.table == "search";
  const bool films =
      !of_method ||
      method_named(records::parse_trial(cell.method).method).sees == Method::Sees::Frames ||
      std::find(tracks_shown.begin(), tracks_shown.end(), cell.method) != tracks_shown.end();
  if (films) need_tracks(settings, data);
  if (starts_from_vgg16(settings)) need_published("vgg16", data, "--profile desk");
  if (settings.integer("image.size") >= 224)
    need_cuda(data, "fc6 alone has 103 million weights", "--profile desk");
  return data.take_missing();
}

/// The methods that run: those whose name matches one of the globs, what they filter, and whose
/// learning rate they have.
std::vector<Method> chosen_methods(const Settings& settings) {
  const auto globs = settings.texts("methods");
  const auto asked = [&](const std::string& name) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return matches_glob(name, glob); });
  };
  const auto needed = [&](const Method& method) {
    return std::any_of(methods().begin(), methods().end(), [&](const Method& m) {
      return ((m.filter && m.filter->of == method.info.id) || m.searched_as == method.info.id) &&
             asked(m.info.id);
    });
  };
  std::vector<Method> chosen;
  for (const auto& method : methods())
    if (asked(method.info.id) || needed(method)) chosen.push_back(method);
  return chosen;
}

/// What a cell of this table, or of this method, reads.
std::vector<std::string> reads(const records::Cell& cell, const Method* method = nullptr) {
  std::vector<std::string> reads{"replicates", "methods", "tracks", "heads",
                                 "image",      "clips",   "test",   "cnn"};
  const auto add = [&](std::initializer_list<const char*> more) {
    reads.insert(reads.end(), more.begin(), more.end());
  };
  if (method && method->sees == Method::Sees::Frames)
    add({"strength", "end_to_end", "search_end_to_end"});
  if (method && method->sees != Method::Sees::Frames) add({"strength", "sequence", "search"});
  if (method && method->filter) add({"filter"});
  if (cell.table == "size") add({"size"});
  if (cell.table == "clips") add({"strength"});
  return reads;
}

/// The cells that train these per-frame networks; none where their weights come with the project.
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

std::vector<PlannedCell> cells_of(const Method& method, const Settings& settings) {
  std::vector<PlannedCell> cells;
  const auto search = search_for(method, settings);
  const auto clips = [&](const std::string& network, std::int64_t seed) {
    return cell("clips", network, data_seed(settings, seed));
  };
  const auto networks = [&](std::int64_t seed) {
    return training_cells({method.network}, settings, data_seed(settings, seed));
  };
  const NeedsOfSeed trial_needs = [&](std::int64_t seed) {
    auto needs = networks(seed);
    needs.insert(needs.begin(), clips(method.network, seed));
    return needs;
  };
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
  if (method.make && method.searched_as.empty()) plan_trials(search, trial_needs, cells);
  plan_seeds(cell("pose", method.info.id, 0), method.make ? std::optional(search) : std::nullopt,
             needs, settings, cells);
  for (auto& planned : cells) planned.reads = reads(planned.cell, &method);
  return cells;
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  const auto methods = chosen_methods(settings);
  auto networks = fold_networks();
  networks.insert(networks.begin(), "pose");
  for (const auto& method : methods)
    if (std::find(networks.begin(), networks.end(), method.network) == networks.end())
      networks.push_back(method.network);
  for (const auto& network : networks)
    kept_network(settings, network, data);  // a file that is not there is told now
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    for (const auto& network : networks) {
      cells.push_back({.cell = cell("cnn", network, seed)});
      if (!has_clips(frame_network(network))) continue;
      std::vector<std::string> seen{network};
      if (frame_network(network).fitted_crosswise())
        seen.insert(seen.end(), fold_networks().begin(), fold_networks().end());
      cells.push_back(
          {.cell = cell("clips", network, seed), .needs = training_cells(seen, settings, seed)});
    }
    for (const auto heads : settings.numbers("size.heads"))
      cells.push_back({.cell = cell("size", size_name(static_cast<std::int64_t>(heads)), seed)});
  }
  for (auto& planned : cells) planned.reads = reads(planned.cell);
  for (const auto& method : methods) {
    const auto own = cells_of(method, settings);
    cells.insert(cells.end(), own.begin(), own.end());
  }
  for (auto& planned : cells) planned.missing = missing_for(planned.cell, settings, data);
  const auto photographs = plan_photographs(settings, data);
  cells.insert(cells.end(), photographs.begin(), photographs.end());
  return cells;
}

}  // namespace reprise::reproduce::dynamic_face_study
