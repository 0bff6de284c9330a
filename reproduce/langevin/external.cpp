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
#include "experiments/replicates.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/scripted_denoiser.h"

namespace reprise::reproduce::langevin_study {
namespace {

namespace fs = std::filesystem;

std::int64_t side_of(const Domain& domain, const Settings& settings) {
  return settings.integer(domain.name + "." + domain.height);
}

/// Samples, and the class that was asked for of each.
struct Samples {
  at::Tensor pictures;  ///< uint8 [N, H, W, 3]
  at::Tensor labels;    ///< int64 [N]
};

/// The pictures that labels.csv lists, in its order.
Samples read_labelled(const fs::path& folder) {
  const auto asked =
      datasets::read_predictions(folder / "labels.csv", datasets::PredictionKind::Labels);
  std::vector<at::Tensor> pictures;
  for (const auto& item : asked.item) {
    if (!fs::exists(folder / item))
      throw UsageError(fmt::format("{}: there is no picture {} beside it",
                                   (folder / "labels.csv").string(), item),
                       "name files of this folder, with their endings");
    const auto picture = datasets::read_image(folder / item);
    pictures.push_back(picture.dim() == 2 ? picture.unsqueeze(2).expand({-1, -1, 3}) : picture);
    if (pictures.back().sizes() != pictures.front().sizes())
      throw UsageError(
          fmt::format("{}: {} x {} pixels, and {} has others", (folder / item).string(),
                      picture.size(1), picture.size(0), asked.item.front()),
          "give all pictures one size");
  }
  return {at::stack(pictures), asked.values};
}

constexpr std::int64_t classes = 10;

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
                       "name the class that was asked for");
  return samples;
}

using Columns = std::vector<reports::Column>;

/// What a table is compared in, the first column above all.
Columns columns_of(const std::string& table, const Settings& settings) {
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
  // Of inversions, the content at every level.
  Columns columns;
  for (const auto sigma : settings.numbers("inversion.sigmas"))
    for (const auto& [where, title] : {std::pair{"off", "damaged"}, std::pair{"on", "clean"}})
      columns.push_back({fmt::format("content, {}, σ = {}", title, number_text(sigma)),
                         fmt::format("psnr_{}_{}", where, number_text(sigma))});
  return columns;
}

/// Samples are rows of table quality.
ExternalTable samples_table(const Domain& domain, const Settings& settings,
                            const DataFolder& data) {
  const auto n = settings.integer("quality.samples"), side = side_of(domain, settings);
  ExternalTable table{
      .table = quality_table,
      .dataset = domain.name,
      .title = quality_table,
      .columns = columns_of(quality_table, settings),
      .own_rows = {{name_of(Network::Main), "D, guided"}},
      .predictions = fmt::format(
          "{} samples of {} x {} pixels: a folder of images, or a .npy, uint8 [N, H, W] or [N, H, W, 3]; "
          "the k-th is of class k mod {}, or as labels.csv in the folder says (item,label)",
          n, side, side, classes),
      .cells = plan_samples("", domain, settings),
      .mismatch = [=](const auto& path) {
        return shape_mismatch(path, read_samples(path).pictures, {n, side, side, 3});
      }};
  for (auto& planned : table.cells) planned.missing = missing_for(planned.cell, settings, data);
  return table;
}

/// A denoiser is D' in the tables that take one.
ExternalTable denoiser_table(const MethodTable& method_table, const Domain& domain,
                             const Settings& settings) {
  ExternalTable table{
      .table = method_table.name,
      .dataset = domain.name,
      .title = method_table.name,
      .columns = columns_of(method_table.name, settings),
      .forward =
          "forward(x [N, C, H, W] float32, sigma [N] float32) -> D(x; sigma), like x and differentiable in it",
      .check_script =
          [side = side_of(domain, settings)](const auto& file, bool call) {
            training::ScriptedDenoiser denoiser(file);
            if (call) denoiser.check_items({1, side, side});
            return ScriptCheck{.learns = true};  // it is searched
          },
      .script_cells =
          [settings, name = method_table.name](const auto& method, const auto& file) {
            auto cells = plan_method(scripted_method(method, file), settings);
            std::erase_if(cells, [&](const PlannedCell& planned) {
              return searched_table(planned.cell.table) != name;
            });
            return cells;
          }};
  for (const auto& method : settings.texts("methods." + method_table.name))
    table.own_rows.emplace_back(method, title_of(method, method_table.name));
  return table;
}

}  // namespace

std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data) {
  std::vector<ExternalTable> tables;
  for (const auto& name : settings.texts("worlds")) {
    const auto& domain = domain_named(name);
    if (!domain.judged) continue;
    tables.push_back(samples_table(domain, settings, data));
    for (const auto& table : method_tables())
      if (table.takes_script && !settings.texts("methods." + table.name).empty())
        tables.push_back(denoiser_table(table, domain, settings));
  }
  return tables;
}

ExportedData exported_pictures(const std::string& name, std::int64_t seed, const Settings& settings,
                               const DataFolder& data) {
  const auto& info = domain_named(name);
  if (info.kind != models::ItemKind::Images) {
    std::vector<std::string> known;
    for (const auto& domain : domains())
      if (domain.kind == models::ItemKind::Images) known.push_back(domain.name);
    throw UsageError(fmt::format("domain {} is of {}, and pictures are exported", name,
                                 models::name_of(info.kind)),
                     "take one of " + join(known, ", "));
  }
  require_present(
      {{.cell = {}, .missing = missing_for(cell(prior_table, name, "", seed), settings, data)}},
      data);
  const auto domain = load_domain(name, settings, data, data_seed(settings, seed));
  ExportedSet<datasets::NamedPictures> exported{.set = {.classes = class_names(domain)}};
  std::vector<at::Tensor> images, labels;
  std::int64_t next = 0;
  for (const auto& [part, indices] : {std::pair{&domain.prior, &exported.split.train},
                                      std::pair{&domain.validation, &exported.split.validation},
                                      std::pair{&domain.test, &exported.split.test}}) {
    const auto pixels = pictures_of(part->x_0);
    images.push_back(domain.facts.item[0] == 1 ? pixels.select(3, 0).contiguous() : pixels);
    labels.push_back(classes_of(domain, part->labels));
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
  const auto domain = domain_data(context);
  const auto samples = read_samples(context.method_file);
  auto x = items_of(samples.pictures);
  if (domain.facts.item[0] == 1) x = x.mean(1, /*keepdim=*/true);
  x = x.to(device_of_context(context));
  const auto evaluator = trained_evaluator(context, domain);
  const auto real = evaluator.features(domain.test.x_0.slice(0, 0, x.size(0)).to(x.device()));
  note_agreement(evaluator, "agreement", evaluator.probabilities(x), samples.labels, true, record);
  note_distances(evaluator, evaluator.features(x), real, "", context);
  write_sheet(context.folder / "samples.png", x, 4 * class_count(domain), class_count(domain));
}

}  // namespace reprise::reproduce::langevin_study
