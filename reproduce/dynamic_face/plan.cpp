#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/outside.h"
#include "reproduce/dynamic_face/photographs.h"
#include "reproduce/published_weights.h"
#include "reproduce/replicates.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

void check(const Settings& settings, const DataFolder& data) {
  settings.at_least({"seeds",
                     "heads.count",
                     "clips.frames",
                     "clips.training",
                     "clips.validation",
                     "test.frames",
                     "test.sequences",
                     "cnn.epochs",
                     "cnn.width",
                     "cnn.batch",
                     "cnn.frames_an_epoch",
                     "cnn.validation_frames",
                     "sequence.epochs",
                     "sequence.batch",
                     "search.epochs",
                     "search.seeds",
                     "end_to_end.epochs",
                     "end_to_end.batch",
                     "search_end_to_end.epochs",
                     "search_end_to_end.seeds",
                     "filter.particles"},
                    1);
  for (const auto* key : {"search.learning_rates", "search.dropouts", "search.joint_weights", "search_end_to_end.learning_rates",
                          "search_end_to_end.dropouts"})
    if (settings.numbers(key).empty()) throw UsageError(fmt::format("{} is empty", key), fmt::format("--set '{}=[1e-3]'", key));
  datasets::degradation_named(settings.text("clips.kind"));
  const auto kinds = settings.texts("test.kinds");
  for (const auto& kind : kinds)
    if (kind != recorded_kind) datasets::degradation_named(kind);
  const auto tested = [&](const std::string& kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
  for (const auto& kind : settings.texts("strength.kinds"))
    if (!tested(kind) || !tested("clean"))
      throw UsageError(fmt::format("strength.kinds has \"{}\", and test.kinds lacks it or \"clean\"", kind), "add both to test.kinds");
  for (const auto value : settings.numbers("strength.values"))
    if (!(value > 0 && value < 1))
      throw UsageError(fmt::format("strength.values has {}; 0 and 1 are tested anyway", value), "give values between them");
  if (settings.integer("test.frames") < 3) throw UsageError("test.frames is below 3: jitter needs two steps", "--set test.frames=3");
  const auto source = settings.text("tracks.source");
  if (source != "biwi_tracks" && source != "generated")
    throw UsageError(fmt::format("tracks.source is \"{}\"", source), "set it to biwi_tracks or generated");
  if (source == "biwi_tracks" && tests_recorded(settings))
    throw UsageError("all tracks are recorded, and test.kinds has \"recorded\" too", "take it out of test.kinds");
  if ((source == "biwi_tracks" || tests_recorded(settings)) && !data.has("biwi_tracks/biwi_plus.csv"))
    throw UsageError(fmt::format("this profile needs recorded tracks; missing: biwi_tracks/biwi_plus.csv below --data {}", data.shown()),
                     "give the folder that holds it with --data DIR, or run with --set tracks.source=generated, without \"recorded\" in "
                     "test.kinds");
}

/// The paper profile needs what this machine may lack: every missing thing is listed.
void check_vgg16(const Settings& settings, const DataFolder& data) {
  std::vector<std::string> missing;
  if (published_file("vgg16", data).empty())
    missing.emplace_back("vgg16.pth or vgg16.safetensors below --data (torchvision's VGG16 weights, trained on ImageNet)");
  if (settings.integer("image.size") >= 224 && !torch::cuda::is_available())
    missing.emplace_back("a CUDA device (fc6 alone has 103 million weights; a cell would take days on a CPU)");
  if (!missing.empty())
    throw UsageError("the paper profile cannot run here; missing: " + join(missing, "; "),
                     "provide these, or run the desk profile (./reprise run dynamic_face --profile desk --data DIR)");
}

/// The methods that run: those whose name matches one of the globs, what they filter, and whose learning rate they have.
std::vector<Method> chosen_methods(const Settings& settings) {
  const auto globs = settings.texts("methods");
  const auto asked = [&](const std::string& name) {
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return matches_glob(name, glob); });
  };
  const auto needed = [&](const Method& method) {
    return std::any_of(methods().begin(), methods().end(), [&](const Method& m) {
      return ((m.filter && m.filter->of == method.info.id) || m.knobs_of == method.info.id) && asked(m.info.id);
    });
  };
  std::vector<Method> chosen;
  for (const auto& method : methods())
    if (asked(method.info.id) || needed(method)) chosen.push_back(method);
  return chosen;
}

/// Sections that do not matter to a cell: of its method, or of its table where it is not a method's.
std::vector<std::string> without_part(const records::Cell& cell, const Method* method = nullptr) {
  using Sections = std::set<std::string>;
  static const Sections features{"strength", "sequence", "search"}, frames{"strength", "end_to_end", "search_end_to_end"};
  static const std::map<std::string, Sections> of_table{{"cnn", {}}, {"size", {"size"}}, {"clips", {"strength"}}};
  auto used = method ? method->sees == Method::Sees::Frames ? frames : features : of_table.at(cell.table);
  if (method && method->filter) used.insert("filter");
  std::vector<std::string> apart;
  for (const auto* section : {"size", "filter", "strength", "sequence", "search", "end_to_end", "search_end_to_end", "photographs"})
    if (!used.contains(section)) apart.emplace_back(section);
  return apart;
}

struct Costs {
  double cnn, clips, sequence, end_to_end;
  explicit Costs(const Settings& settings) {
    const auto number = [&](const char* key) { return static_cast<double>(settings.integer(key)); };
    cnn = 1.2e-3 * number("cnn.epochs") * number("cnn.frames_an_epoch");
    const auto test = number("test.frames") * number("test.sequences") * static_cast<double>(settings.texts("test.kinds").size());
    clips = 1e-3 * (number("clips.training") * number("clips.frames") * 2 + test * 2);
    const auto frames = number("clips.training") * number("clips.frames");
    sequence = 4e-5 * frames * number("sequence.epochs");
    end_to_end = 2e-3 * frames * number("end_to_end.epochs");
  }
};

/// The cells that train these per-frame networks; none where their weights come with the project.
std::vector<records::Cell> trained(const std::vector<std::string>& networks, const Settings& settings, std::int64_t seed) {
  std::vector<records::Cell> cells;
  if (settings.text("cnn.weights").empty())
    for (const auto& network : networks) cells.push_back(cell("cnn", network, seed));
  return cells;
}

/// Tables search and pose.
void run_method(CellContext& context) {
  if (!context.method_file.empty()) return run_outside(context);
  const auto& method = method_named(trial_of(context.record.cell.method).method);
  return method.filter ? run_filter(context) : run_network(method, context);
}

}  // namespace

std::vector<PlannedCell> cells_of(const Method& method, const Settings& settings) {
  const Costs costs(settings);
  std::vector<PlannedCell> cells;
  const auto cost = method.sees == Method::Sees::Frames ? costs.end_to_end : costs.sequence;
  const auto search = method.search(), section = method.section();
  const auto seeds = settings.integer(search + ".seeds");
  const auto trials_of = [&](const Method& searched) {
    const auto points = points_of(searched, settings);
    std::vector<records::Cell> trials;
    for (std::int64_t seed = 0; seed < seeds && points.size() > 1; ++seed)  // of one there is nothing to search
      for (const auto& knobs : points) trials.push_back(cell("search", trial_name({searched.info.id, knobs}), seed));
    return trials;
  };
  std::vector<records::Cell> trials;
  if (method.make) trials = trials_of(method.knobs_of.empty() ? method : method_named(method.knobs_of));
  if (method.knobs_of.empty())
    for (const auto& trial : trials) {
      const auto share =
          static_cast<double>(settings.integer(search + ".epochs")) / static_cast<double>(settings.integer(section + ".epochs"));
      const auto of_data = data_seed(settings, trial.seed);
      auto needs = trained({method.network}, settings, of_data);
      needs.insert(needs.begin(), cell("clips", method.network, of_data));
      cells.push_back({.cell = trial, .needs = needs, .cost = cost * share});
    }
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    const auto of_data = data_seed(settings, seed);
    auto needs = trials;
    if (has_clips(frame_network(method.network))) needs.push_back(cell("clips", method.network, of_data));
    needs.push_back(cell("clips", "pose", of_data));  // its truth
    for (const auto& network : trained({method.network}, settings, of_data)) needs.push_back(network);
    if (method.filter)
      needs = {cell("pose", method.filter->of, seed), cell("clips", "pose", of_data), cell("clips", method.network, of_data)};
    cells.push_back({.cell = cell("pose", method.info.id, seed), .needs = needs, .cost = method.make ? cost : 2});
  }
  for (auto& planned : cells) planned.apart = without_part(planned.cell, &method);
  return cells;
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings, data);
  if (starts_from_vgg16(settings)) check_vgg16(settings, data);
  const auto methods = chosen_methods(settings);
  const Costs costs(settings);
  auto networks = fold_networks();
  networks.insert(networks.begin(), "pose");
  for (const auto& method : methods)
    if (std::find(networks.begin(), networks.end(), method.network) == networks.end()) networks.push_back(method.network);
  for (const auto& network : networks) kept_network(settings, network, data);  // a file that is not there is told now
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    for (const auto& network : networks) {
      cells.push_back({.cell = cell("cnn", network, seed), .cost = costs.cnn});
      if (!has_clips(frame_network(network))) continue;
      std::vector<std::string> seen{network};
      if (frame_network(network).fitted_crosswise()) seen.insert(seen.end(), fold_networks().begin(), fold_networks().end());
      cells.push_back({.cell = cell("clips", network, seed), .needs = trained(seen, settings, seed), .cost = costs.clips});
    }
    for (const auto heads : settings.numbers("size.heads"))
      cells.push_back({.cell = cell("size", size_name(static_cast<std::int64_t>(heads)), seed), .cost = costs.cnn});
  }
  for (auto& planned : cells) planned.apart = without_part(planned.cell);
  for (const auto& method : methods) {
    const auto own = cells_of(method, settings);
    cells.insert(cells.end(), own.begin(), own.end());
  }
  const auto photographs = plan_photographs(settings, data);
  cells.insert(cells.end(), photographs.begin(), photographs.end());
  return cells;
}

void run(CellContext& context) {
  static const Runs runs{{"cnn", run_cnn},     {"size", run_cnn},      {"clips", run_clips},
                         {"pose", run_method}, {"search", run_method}, {"photographs", run_photographs}};
  run_table(runs, context.record.cell.table, context);
}

}  // namespace reprise::reproduce::dynamic_face_study
