#include "reproduce/langevin/outside.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/predicted_pictures.h"
#include "datasets/predictions.h"
#include "experiments/replicates.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/judge.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/scripted_denoiser.h"

namespace reprise::reproduce::langevin_study {
namespace {

namespace fs = std::filesystem;

/// The world of this profile that methods from outside take part in. UsageError: the profile leaves it out.
const WorldInfo& open_world(const Settings& settings) {
  for (const auto& name : settings.texts("worlds"))
    if (world_info(name).judged) return world_info(name);
  throw UsageError("methods from outside take part on digits, and this profile leaves them out", "--set 'worlds=[\"digits\"]'");
}

std::int64_t side_of(const WorldInfo& world, const Settings& settings) { return settings.integer(world.name + "." + world.height); }

std::vector<PlannedCell> plan_script(const OutsideMethod& method, const Settings& settings) {
  const auto& world = open_world(settings);
  const auto file = method_file(method, method.file);
  training::ScriptedDenoiser denoiser(file.path);
  if (method.call) denoiser.check_items({1, side_of(world, settings), side_of(world, settings)});
  auto cells = plan_method(scripted_method(method.name, file.path), settings);
  if (cells.empty())
    throw UsageError("this profile has no table for " + method.name,
                     "name a method in methods.inversion, methods.churn, methods.steering or "
                     "methods.completion");
  for (auto& planned : cells) planned.file = file;
  return cells;
}

/// Samples, and the class that was asked for of each.
struct Samples {
  at::Tensor pictures;  ///< uint8 [N, H, W, 3]
  at::Tensor labels;    ///< int64 [N]
};

/// The pictures that labels.csv lists, in its order.
Samples read_labelled(const fs::path& folder) {
  const auto asked = datasets::read_predictions(folder / "labels.csv", datasets::PredictionKind::Labels);
  std::vector<at::Tensor> pictures;
  for (const auto& item : asked.item) {
    if (!fs::exists(folder / item))
      throw UsageError(fmt::format("{}: there is no picture {} beside it", (folder / "labels.csv").string(), item),
                       "name files of this folder, with their endings");
    const auto picture = datasets::read_image(folder / item);
    pictures.push_back(picture.dim() == 2 ? picture.unsqueeze(2).expand({-1, -1, 3}) : picture);
    if (pictures.back().sizes() != pictures.front().sizes())
      throw UsageError(fmt::format("{}: {} x {} pixels, and {} has others", (folder / item).string(), picture.size(1), picture.size(0),
                                   asked.item.front()),
                       "give all pictures one size");
  }
  return {at::stack(pictures), asked.values};
}

/// UsageError: pictures of another size or number than the study's samples, or labels that are no class; names file, item and what was
/// expected.
Samples read_samples(const fs::path& path, const WorldInfo& world, const Settings& settings) {
  constexpr std::int64_t classes = 10;
  const auto side = side_of(world, settings), n = settings.integer("quality.samples");
  auto samples = fs::exists(path / "labels.csv") ? read_labelled(path) : Samples{datasets::read_predicted_pictures(path), {}};
  const std::vector<std::int64_t> expected{n, side, side, 3};
  if (samples.pictures.sizes() != at::IntArrayRef(expected))
    throw UsageError(fmt::format("{}: {} pictures of {} x {} pixels, expected {} of {} x {}", path.string(), samples.pictures.size(0),
                                 samples.pictures.size(2), samples.pictures.size(1), n, side, side),
                     "distances depend on the number and the size: give as many as quality.samples, as large as digits.size, or set these");
  if (!samples.labels.defined()) samples.labels = torch::arange(n, at::kLong).remainder(classes);
  for (std::int64_t i = 0; i < n; ++i)
    if (const auto label = samples.labels[i].item<std::int64_t>(); label < 0 || label >= classes)
      throw UsageError(
          fmt::format("{}: the label of row {} is {}, expected 0 to {}", (path / "labels.csv").string(), i + 1, label, classes - 1),
          "name the class that was asked for");
  return samples;
}

std::vector<PlannedCell> plan_predictions(const OutsideMethod& method, const Settings& settings) {
  const auto& world = open_world(settings);
  std::vector<PlannedCell> found;
  std::vector<std::string> looked_for;
  for (auto& planned : plan_samples(method.name, world, settings)) {
    const auto path = file_of(method, planned.cell);
    if (path.empty()) continue;
    looked_for.push_back(path.string());
    if (!fs::exists(path)) continue;
    read_samples(path, world, settings);  // what is wrong is told before anything runs
    planned.file = method_file(method, path);
    found.push_back(std::move(planned));
  }
  if (found.empty())
    throw UsageError("method " + method.name + ": there is no file or folder " + first_few(looked_for),
                     "correct the path after " + method.name + "=");
  return found;
}

using Columns = std::vector<reports::Column>;

/// What a table is compared in, the first column above all.
Columns columns_of(const std::string& table, const Settings& settings) {
  static const std::map<std::string, Columns> known{
      {"churn",
       {{"energy", "energy_end"},
        {"confidence", "confidence_end"},
        {"Fréchet", "frechet_end"},
        {"content", "content"},
        {"level", "level_churned"}}},
      {"steering", {{"target reached", "target_reached"}, {"content", "content"}, {"energy", "energy"}, {"Fréchet", "frechet"}}},
      {"completion",
       {{"label right", "label_right"}, {"PSNR of the unknown half", "psnr_unknown"}, {"energy", "energy"}, {"Fréchet", "frechet"}}},
      {quality_table, {{"Fréchet distance", "frechet"}, {"kernel distance", "kernel"}, {"agreement", "agreement"}}}};
  if (const auto found = known.find(table); found != known.end()) return found->second;
  // Of inversions, the content at every level.
  Columns columns;
  for (const auto sigma : settings.numbers("inversion.sigmas"))
    for (const auto& [where, title] : {std::pair{"off", "damaged"}, std::pair{"on", "clean"}})
      columns.push_back(
          {fmt::format("content, {}, σ = {}", title, number_text(sigma)), fmt::format("psnr_{}_{}", where, number_text(sigma))});
  return columns;
}

/// Methods (id, title) of one table.
reports::Table beside(const std::string& cells, const std::string& world, const std::vector<std::pair<std::string, std::string>>& methods,
                      const Settings& settings) {
  reports::Table table{.id = "your_methods_" + cells,
                       .title = "Your methods beside all others: " + cells,
                       .caption = "Rows of the study's table of this name: the same items and the same classifiers.",
                       .corner = "method",
                       .digits = 3};
  const auto columns = columns_of(cells, settings);
  table.add_columns(columns);
  for (const auto& [id, title] : methods) table.add_row(title, cells, world, id, columns);
  return table;
}

}  // namespace

std::vector<PlannedCell> plan_outside(const OutsideMethod& method, const Settings& settings, const DataFolder& /*data*/) {
  return method.kind == OutsideMethod::Kind::TorchScript ? plan_script(method, settings) : plan_predictions(method, settings);
}

std::vector<reports::Table> outside_tables(const std::vector<std::string>& names, const Settings& settings) {
  const auto& world = open_world(settings);
  std::vector<std::pair<std::string, std::string>> own;
  for (const auto& name : names) own.emplace_back(name, name);
  auto samplers = own;
  samplers.emplace_back(name_of(Network::Main), "D, guided");
  std::vector<reports::Table> tables{beside(quality_table, world.name, samplers, settings)};
  for (const auto& table : method_tables()) {
    if (!table.takes_script) continue;
    auto methods = own;
    for (const auto& method : settings.texts("methods." + table.name)) methods.emplace_back(method, title_of(method, table.name));
    if (methods.size() > own.size()) tables.push_back(beside(table.name, world.name, methods, settings));
  }
  return tables;
}

ExportedData exported_pictures(const std::string& name, std::int64_t seed, const Settings& settings, const DataFolder& data) {
  const auto& info = world_info(name);
  if (info.kind != models::ItemKind::Images) {
    std::vector<std::string> known;
    for (const auto& world : worlds())
      if (world.kind == models::ItemKind::Images) known.push_back(world.name);
    throw UsageError(fmt::format("world {} is of {}, and pictures are exported", name, models::name_of(info.kind)),
                     "take one of " + join(known, ", "));
  }
  need_data(name, settings, data);
  data.expect_needs();
  const auto world = world_named(name, settings, data, data_seed(settings, seed));
  ExportedSet<datasets::NamedPictures> exported{.set = {.classes = class_names(world)}};
  std::vector<at::Tensor> images, labels;
  std::int64_t next = 0;
  for (const auto& [part, indices] :
       {std::pair{&world.prior, &exported.split.train}, std::pair{&world.validation, &exported.split.validation},
        std::pair{&world.test, &exported.split.test}}) {
    const auto pixels = pictures_of(part->x_0);
    images.push_back(world.facts.item[0] == 1 ? pixels.select(3, 0).contiguous() : pixels);
    labels.push_back(classes_of(world, part->labels));
    for (std::int64_t i = 0; i < pixels.size(0); ++i) {
      exported.set.item.push_back(fmt::format("seed{}/{:05}", seed, next));
      indices->push_back(next++);
    }
  }
  exported.set.images = at::cat(images), exported.set.labels = at::cat(labels);
  return exported;
}

void run_samples(CellContext& context) {
  auto& record = context.record;
  const auto world = world_of(context);
  const auto samples = read_samples(context.method_file, world_info(record.cell.dataset), context.settings);
  auto x = items_of(samples.pictures);
  if (world.facts.item[0] == 1) x = x.mean(1, /*keepdim=*/true);
  x = x.to(device_of_context(context));
  Judge judge(context, world);
  const auto real = judge.features(world.test.x_0.slice(0, 0, x.size(0)).to(x.device()));
  note_agreement(judge, "agreement", judge.probabilities(x), samples.labels, true, record);
  note_distances(judge, judge.features(x), real, "", context);
  write_sheet(context.folder / "samples.png", x, 4 * class_count(world), class_count(world));
}

}  // namespace reprise::reproduce::langevin_study
