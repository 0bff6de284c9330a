#include "reproduce/mocogan/external.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "datasets/formats/images.h"
#include "datasets/predicted_pictures.h"
#include "datasets/predictions.h"
#include "experiments/external.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "training/scripted_pictures.h"

namespace reprise::reproduce::mocogan_study {
namespace {

namespace fs = std::filesystem;

/// Returns the shape of n clips, [n, T, 3, S, S].
std::vector<std::int64_t> clip_shape(std::int64_t n, const Settings& settings) {
  const auto side = settings.integer("clips.size");
  return {n, settings.integer("clips.frames"), 3, side, side};
}

/// Returns the requested class of each clip of a folder, in the order of read_predicted_clips().
at::Tensor read_requested(const fs::path& folder, std::int64_t clips, std::int64_t classes) {
  const auto file = folder / "labels.csv";
  const auto requested = datasets::read_predictions(file, datasets::PredictionKind::Labels);
  if (std::ssize(requested.item) != clips)
    throw UsageError(fmt::format("{} has {} rows, but the folder has {} clips", file.string(),
                                 requested.item.size(), clips),
                     "write a row item,label for each clip");
  std::vector<std::int64_t> order(requested.item.size());
  std::iota(order.begin(), order.end(), 0);
  // Clips are read in the order of their names.
  std::ranges::sort(order, {},
                    [&](std::int64_t i) { return requested.item[static_cast<std::size_t>(i)]; });
  for (const auto i : order) {
    const auto& item = requested.item[static_cast<std::size_t>(i)];
    if (!fs::exists(folder / item))
      throw UsageError(fmt::format("{} lists {}, which is not in its folder", file.string(), item),
                       "list files or folders of this folder");
    if (const auto label = requested.values[i].item<std::int64_t>(); label < 0 || label >= classes)
      throw UsageError(fmt::format("{}: the label of {} is {}, expected 0 to {}", file.string(),
                                   item, label, classes - 1),
                       "state the requested class");
  }
  return requested.values.index_select(0, at::tensor(order, at::kLong));
}

/// Returns why a file does not fit this table; "": it fits.
std::string mismatch(const fs::path& file, bool actions, const std::string& dataset,
                     const Settings& settings, const DataFolder& data) {
  if (const bool labelled = fs::exists(file / "labels.csv"); labelled != actions)
    return fmt::format("{} has {}labels.csv: its clips belong into table {}", file.string(),
                       labelled ? "a " : "no ", labelled ? actions_table : generated_table);
  const auto clips = datasets::read_predicted_clips(file);
  auto shape = clip_shape(settings.integer("clips.test"), settings);
  // Files have the channels last.
  std::rotate(shape.begin() + 2, shape.begin() + 3, shape.end());
  if (auto reason = shape_mismatch(file, clips, shape); !reason.empty()) return reason;
  if (actions) read_requested(file, clips.size(0), std::ssize(class_names(dataset, data)));
  return "";
}

/// Checks the arguments of a script. With `call` it also makes two clips.
ScriptCheck check_generator(const fs::path& file, bool actions, const Settings& settings,
                            bool call) {
  training::ScriptedPictures script(file);
  const std::size_t expected = actions ? 2 : 1;
  if (const auto found = script.arguments(); found != expected)
    throw UsageError(
        fmt::format("{}: forward takes {} arguments, but a generator {} labels takes {}",
                    file.filename().string(), found, actions ? "with" : "without", expected),
        "define forward(n: int), or forward(n: int, labels) for table actions");
  std::vector<c10::IValue> inputs{std::int64_t{2}};
  if (actions) inputs.emplace_back(torch::zeros({2}, at::kLong));
  if (call) script(inputs, clip_shape(2, settings));
  return {.learns = false};
}

/// Describes table generated or actions of one data set for external methods.
ExternalTable clips_table(const std::string& name, const std::string& dataset,
                          const Settings& settings, const DataFolder& data) {
  const bool actions = name == actions_table;
  const auto n = settings.integer("clips.test");
  const auto T = settings.integer("clips.frames");
  const auto side = settings.integer("clips.size");
  ExternalTable table{
      .table = name,
      .dataset = dataset,
      .title = fmt::format("{} ({})", dataset_title(dataset), name),
      .columns = {{"Fréchet", "frechet", 2}},
      .mismatch =
          [=](const auto& file) { return mismatch(file, actions, dataset, settings, data); },
      .check_script = [=](const auto& file,
                          bool call) { return check_generator(file, actions, settings, call); }};
  if (actions) table.columns.insert(table.columns.begin(), {"motion control", "motion_control"});
  for (const auto& column : score_columns(dataset))
    if (column.metric != "frechet") table.columns.push_back(column);
  for (const auto& method : settings.texts(name + ".methods"))
    table.own_rows.emplace_back(method, method_title(method));
  table.predictions = fmt::format(
      "{} clips of {} frames of {} x {} pixels: a folder with one video or one folder of images "
      "per clip{}",
      n, T, side, side,
      actions ? ", and labels.csv: item,label with the requested class of each clip"
              : "; or a .npy, uint8 [N, T, H, W, 3]");
  table.forward = fmt::format("forward(n: int{}) -> [n, {}, 3, {}, {}] float32 from -1 to 1",
                              actions ? ", labels [n] int64" : "", T, side, side);
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    table.cells.push_back(
        {.cell = cell(name, dataset, "", seed),
         .needs = {evaluator_cell(dataset), cell(controls_table, dataset, real_row, seed)},
         .reads = with_common_sections(),
         .missing = find_missing_clips(dataset, settings, data)});
  return table;
}

/// Runs a script in batches, and returns its clips.
at::Tensor scripted_clips(const fs::path& file, std::int64_t n, const at::Tensor& labels,
                          const CellContext& context) {
  training::ScriptedPictures script(file);
  // A script uses torch's global random numbers.
  torch::manual_seed(seed_of({"mocogan", "external", std::to_string(context.record.cell.seed)}));
  std::vector<at::Tensor> clips;
  for (std::int64_t first = 0; first < n; first += script_batch) {
    const auto count = std::min(script_batch, n - first);
    std::vector<c10::IValue> inputs{count};
    if (labels.defined()) inputs.emplace_back(labels.slice(0, first, first + count));
    clips.push_back(script(inputs, clip_shape(count, context.settings)));
  }
  return at::cat(clips);
}

}  // namespace

std::vector<ExternalTable> list_external_tables(const Settings& settings, const DataFolder& data) {
  std::vector<ExternalTable> tables;
  for (const auto& dataset : settings.texts("datasets"))
    for (const auto& name : {generated_table, actions_table})
      tables.push_back(clips_table(name, dataset, settings, data));
  return tables;
}

ExportedData export_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                          const DataFolder& data) {
  const DataContext context(cell(generated_table, find_clip_set(dataset).name, "", seed), settings,
                            data);
  const auto clips =
      load_clips(dataset, Part::Training, settings.integer("clips.training"), context.cell());
  const auto x =
      cut_windows(clips, settings.integer("clips.frames"), static_cast<std::uint64_t>(seed));
  ExportedSet<datasets::LabelledClips> exported;
  exported.set.colour = datasets::to_pixels(x).permute({0, 1, 3, 4, 2}).contiguous();
  exported.set.labels = clips.labels;
  exported.set.classes = class_names(dataset, data);
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    exported.set.item.push_back(fmt::format("seed{}/{:05}", seed, i));
    exported.set.person.emplace_back();
    exported.split.train.push_back(i);
  }
  return exported;
}

void run_external(CellContext& context) {
  const auto& cell = context.record.cell;
  const ClipEvaluator clip_evaluator(context);
  const auto n = clip_evaluator.count();
  const auto classes = std::ssize(class_names(cell.dataset, context.data));
  at::Tensor clips, labels;
  if (holds_predictions(context)) {
    const auto pixels = datasets::read_predicted_clips(context.method_file);
    clips = datasets::to_values(pixels.permute({0, 1, 4, 2, 3}).contiguous());
    if (cell.table == actions_table) labels = read_requested(context.method_file, n, classes);
  } else {
    // Classes take turns.
    if (cell.table == actions_table) labels = torch::arange(n).remainder(classes);
    clips = scripted_clips(context.method_file, n, labels, context);
  }
  clip_evaluator.record_scores(clips, labels, context);
  if (cell.seed == 0) write_clip_images(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
