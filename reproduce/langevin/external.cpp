// External denoisers and samples in study langevin.
#include "reproduce/langevin/external.h"

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
#include "experiments/external.h"
#include "experiments/resampling.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/measures.h"
#include "training/scripted_denoiser.h"

namespace reprise::reproduce::langevin_study {
namespace {

namespace fs = std::filesystem;

/// Returns the side of an item in pixels.
std::int64_t item_side(const Domain& domain, const Settings& settings) {
  return settings.integer(domain.name + "." + domain.height);
}

/// Samples with their requested classes.
struct Samples {
  at::Tensor pictures;  ///< uint8 [N, H, W, 3]
  at::Tensor labels;    ///< int64 [N]
};

/// Reads the pictures that labels.csv lists, in its order.
Samples read_labelled(const fs::path& folder) {
  const auto requested =
      datasets::read_predictions(folder / "labels.csv", datasets::PredictionKind::Labels);
  std::vector<at::Tensor> pictures;
  for (const auto& item : requested.item) {
    if (!fs::exists(folder / item))
      throw UsageError(fmt::format("{} lists {}, which is not in its folder",
                                   (folder / "labels.csv").string(), item),
                       "list files of this folder, with their endings");
    const auto picture = datasets::read_image(folder / item);
    // Grey pictures get three channels.
    pictures.push_back(picture.dim() == 2 ? picture.unsqueeze(2).expand({-1, -1, 3}) : picture);
    if (pictures.back().sizes() != pictures.front().sizes())
      throw UsageError(
          fmt::format("{} has {} x {} pixels, but {} has another size", (folder / item).string(),
                      picture.size(1), picture.size(0), requested.item.front()),
          "give all pictures one size");
  }
  return {at::stack(pictures), requested.values};
}

constexpr std::int64_t classes = 10;

/// Reads samples of a folder or a .npy file. Without labels.csv, sample k has class k mod 10.
Samples read_samples(const fs::path& path) {
  auto samples = fs::exists(path / "labels.csv")
                     ? read_labelled(path)
                     : Samples{datasets::read_predicted_pictures(path), {}};
  const auto n = samples.pictures.size(0);
  if (!samples.labels.defined()) samples.labels = torch::arange(n, at::kLong).remainder(classes);
  for (std::int64_t i = 0; i < n; ++i)
    if (const auto label = samples.labels[i].item<std::int64_t>(); label < 0 || label >= classes)
      throw UsageError(fmt::format("{}: the label of row {} is {}, expected 0 to {}",
                                   (path / "labels.csv").string(), i + 1, label, classes - 1),
                       "state the requested class");
  return samples;
}

using Columns = std::vector<reports::Column>;

/// Returns the columns of a comparison, the main one first.
Columns external_columns(const std::string& table, const Settings& settings) {
  static const std::map<std::string, Columns> known{{"churn",
                                                     {{"energy", "energy_end"},
                                                      {"confidence", "confidence_end"},
                                                      {"Fréchet", "frechet_end"},
                                                      {"content", "content"},
                                                      {"level", "level_churned"}}},
                                                    {"steering",
                                                     {{"target reached", "target_reached"},
                                                      {"content", "content"},
                                                      {"energy", "energy"},
                                                      {"Fréchet", "frechet"}}},
                                                    {"completion",
                                                     {{"label right", "label_right"},
                                                      {"PSNR of the unknown half", "psnr_unknown"},
                                                      {"energy", "energy"},
                                                      {"Fréchet", "frechet"}}},
                                                    {quality_table,
                                                     {{"Fréchet distance", "frechet"},
                                                      {"kernel distance", "kernel"},
                                                      {"agreement", "agreement"}}}};
  if (const auto found = known.find(table); found != known.end()) return found->second;
  // Inversions: the content at every level.
  Columns columns;
  for (const auto sigma : settings.numbers("inversion.sigmas"))
    for (const auto& [where, title] : {std::pair{"off", "damaged"}, std::pair{"on", "clean"}})
      columns.push_back({fmt::format("content, {}, σ = {}", title, number_text(sigma)),
                         fmt::format("psnr_{}_{}", where, number_text(sigma))});
  return columns;
}

/// Describes table quality for external samples.
ExternalTable samples_table(const Domain& domain, const Settings& settings,
                            const DataFolder& data) {
  const auto n = settings.integer("quality.samples");
  const auto side = item_side(domain, settings);
  ExternalTable table{
      .table = quality_table,
      .dataset = domain.name,
      .title = quality_table,
      .columns = external_columns(quality_table, settings),
      .own_rows = {{network_name(Network::Main), "D, guided"}},
      .predictions = fmt::format(
          "{} samples of {} x {} pixels: a folder of images, or a .npy, uint8 [N, H, W] or [N, "
          "H, W, 3]; "
          "sample k has class k mod {}, unless labels.csv in the folder states another "
          "(item,label)",
          n, side, side, classes),
      .cells = plan_samples("", domain, settings),
      .mismatch = [=](const auto& path) {
        return shape_mismatch(path, read_samples(path).pictures, {n, side, side, 3});
      }};
  for (auto& planned : table.cells) planned.missing = find_missing(planned.cell, settings, data);
  return table;
}

/// Describes a table that takes an external denoiser as D'.
ExternalTable denoiser_table(const MethodTable& method_table, const Domain& domain,
                             const Settings& settings) {
  ExternalTable table{
      .table = method_table.name,
      .dataset = domain.name,
      .title = method_table.name,
      .columns = external_columns(method_table.name, settings),
      .forward =
          "forward(x [N, C, H, W] float32, sigma [N] float32) -> D(x; sigma), like x and "
          "differentiable in it",
      .check_script =
          [side = item_side(domain, settings)](const auto& file, bool call) {
            training::ScriptedDenoiser denoiser(file);
            if (call) denoiser.check_items({1, side, side});
            // Its hyperparameters are searched, as those of other methods.
            return ScriptCheck{.learns = true};
          },
      .script_cells =
          [settings, name = method_table.name](const auto& method, const auto& file) {
            auto cells = plan_method(make_scripted_method(method, file), settings);
            // A script is planned for this table and its search only.
            std::erase_if(cells, [&](const PlannedCell& planned) {
              return base_table(planned.cell.table) != name;
            });
            return cells;
          }};
  for (const auto& method : settings.texts("methods." + method_table.name))
    table.own_rows.emplace_back(method, method_title(method, method_table.name));
  return table;
}

}  // namespace

std::vector<ExternalTable> list_external_tables(const Settings& settings, const DataFolder& data) {
  std::vector<ExternalTable> tables;
  for (const auto& name : settings.texts("domains")) {
    const auto& domain = find_domain(name);
    // Only domains with D'' compare external methods.
    if (!domain.has_likelihood_network) continue;
    tables.push_back(samples_table(domain, settings, data));
    for (const auto& table : method_tables())
      if (table.takes_script && !settings.texts("methods." + table.name).empty())
        tables.push_back(denoiser_table(table, domain, settings));
  }
  return tables;
}

ExportedData export_pictures(const std::string& name, std::int64_t seed, const Settings& settings,
                             const DataFolder& data) {
  const auto& info = find_domain(name);
  if (info.kind != models::ItemKind::Images) {
    std::vector<std::string> known;
    for (const auto& domain : domains())
      if (domain.kind == models::ItemKind::Images) known.push_back(domain.name);
    throw UsageError(fmt::format("domain {} has {}, but only pictures are exported", name,
                                 models::name_of(info.kind)),
                     "choose one of " + join(known, ", "));
  }
  require_present(
      {{.cell = {}, .missing = find_missing(cell(prior_table, name, "", seed), settings, data)}},
      data);
  const auto domain = load_domain(name, settings, data, data_seed(settings, seed));
  ExportedSet<datasets::NamedPictures> exported{.set = {.classes = class_names(domain)}};
  std::vector<at::Tensor> images;
  std::vector<at::Tensor> labels;
  // Items are numbered over all splits.
  std::int64_t next = 0;
  for (const auto& [part, indices] : {std::pair{&domain.prior, &exported.split.train},
                                      std::pair{&domain.validation, &exported.split.validation},
                                      std::pair{&domain.test, &exported.split.test}}) {
    const auto pixels = to_pictures(part->x_0);
    images.push_back(domain.metadata.item[0] == 1 ? pixels.select(3, 0).contiguous() : pixels);
    labels.push_back(class_indices(domain, part->labels));
    for (std::int64_t i = 0; i < pixels.size(0); ++i) {
      exported.set.item.push_back(fmt::format("seed{}/{:05}", seed, next));
      indices->push_back(next++);
    }
  }
  exported.set.images = at::cat(images);
  exported.set.labels = at::cat(labels);
  return exported;
}

void run_samples(CellContext& context) {
  auto& record = context.record;
  const auto domain = load_cell_domain(context);
  const auto samples = read_samples(context.method_file);
  auto x = to_items(samples.pictures);
  // Grey domains take the mean of the channels.
  if (domain.metadata.item[0] == 1) x = x.mean(1, /*keepdim=*/true);
  x = x.to(cell_device(context));
  const auto evaluator = load_trained_evaluator(context, domain);
  const auto real = evaluator.features(domain.test.x_0.slice(0, 0, x.size(0)).to(x.device()));
  record_agreement(evaluator, "agreement", evaluator.probabilities(x), samples.labels, true,
                   record);
  record_distances(evaluator, evaluator.features(x), real, "", context);
  write_sheet(context.folder / "samples.png", x, 4 * class_count(domain), class_count(domain));
}

}  // namespace reprise::reproduce::langevin_study
