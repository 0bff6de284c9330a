#include "reproduce/unit/external.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/formats/media_files.h"
#include "datasets/predicted_pictures.h"
#include "experiments/dataset_list.h"
#include "experiments/external.h"
#include "experiments/names.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"
#include "training/scripted_pictures.h"

namespace reprise::reproduce::unit_study {
namespace {

namespace fs = std::filesystem;

std::string picture_name(std::int64_t i) { return fmt::format("{:05}", i); }

/// Reads translations, uint8 [N, H, W, 3]. Files of a folder must have the items' names, so that
/// pictures correspond.
at::Tensor read_translations(const fs::path& file) {
  if (!fs::is_directory(file)) return datasets::read_predicted_pictures(file);
  const auto found =
      datasets::list_media(file, datasets::Media::Pictures, datasets::Depth::OneFolder).files;
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].stem() != picture_name(static_cast<std::int64_t>(i)))
      wrong.push_back(found[i].filename().string());
  if (!wrong.empty())
    throw UsageError(
        fmt::format(
            "{}: pictures must be named 00000.png, 00001.png, ... without a gap, but {} are not: "
            "{}",
            file.string(), wrong.size(), first_few(wrong)),
        "give each picture the name of its item in test.csv");
  return datasets::read_predicted_pictures(file);
}

/// Describes what tables of pictures share. n: 0 for any number.
ExternalTable make_pictures_table(const std::string& name, const std::string& dataset,
                                  std::int64_t n, std::int64_t side, std::int64_t channels,
                                  std::int64_t seeds, const PlannedCell& like,
                                  const Settings& settings) {
  const auto count = n == 0 ? std::string("all") : std::to_string(n);
  ExternalTable table{
      .table = name,
      .dataset = dataset,
      .predictions = fmt::format(
          "{} translated test pictures of {} x {} pixels: a folder of images named as the items, "
          "or a "
          ".npy, uint8 [N, H, W] or [N, H, W, 3], in the order of test.csv",
          count, side, side),
      .forward = fmt::format("forward(x [N, {}, {}, {}] float32) -> like x, from -1 to 1", channels,
                             side, side),
      .mismatch =
          [=](const auto& file) {
            const auto pictures = read_translations(file);
            return shape_mismatch(file, pictures, {n == 0 ? pictures.size(0) : n, side, side, 3});
          },
      .check_script =
          [=](const auto& file, bool call) {
            training::ScriptedPictures script(file);
            if (call) script({torch::zeros({2, channels, side, side})}, {2, channels, side, side});
            return ScriptCheck{.learns = false};
          }};
  for (const auto& method : settings.texts(name + ".methods"))
    table.own_rows.emplace_back(method, method_title(method));
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    auto planned = like;
    planned.cell = cell(name, dataset, "", seed);
    table.cells.push_back(std::move(planned));
  }
  return table;
}

/// Describes table map or photos for external methods.
ExternalTable make_translation_table(const std::string& section, const std::string& dataset,
                                     const Settings& settings, const DataFolder& data) {
  const auto& set = find_picture_set(dataset, section);
  const bool photos = section == photos_table;
  const PlannedCell like{
      .cell = {},
      .needs = photos ? std::vector{picture_evaluator_cell(dataset)} : std::vector<records::Cell>{},
      .reads = with_common_sections(photos ? std::vector{section, evaluator_section}
                                           : std::vector<std::string>{section, "rates"}),
      .missing = find_missing_pictures(set, data)};
  auto table = make_pictures_table(
      section, dataset, settings.integer(section + ".test"), settings.integer(section + ".side"), 3,
      photos ? count_photo_seeds(settings) : settings.integer("seeds"), like, settings);
  table.title = set.title;
  if (photos)
    table.columns = {{"kernel", "kernel"},
                     {"Fréchet", "frechet", 1},
                     {"taken for real", "taken_for_real", 2},
                     {"layout", "layout", 2}};
  else
    table.columns = {{"pixel accuracy", "pixel_accuracy"},
                     {"registered", "accuracy_registered"},
                     {"codes found", "code_top_1"}};
  return table;
}

/// Describes table digits for external methods.
ExternalTable make_digits_table(const std::string& pair, const Settings& settings,
                                const DataFolder& data) {
  const auto [source, target] = parse_digit_pair(pair);
  const PlannedCell like{
      .cell = {},
      .needs = {digit_evaluator_cell(target.name)},
      .reads = with_common_sections({"digits", digit_classifier_section, evaluator_section}),
      .missing = find_missing_digits({source.name, target.name}, settings, data)};
  auto table = make_pictures_table(
      digits_table, pair, settings.integer("digits.test"), settings.integer("digits.size"),
      std::max(source.channels, target.channels), settings.integer("seeds"), like, settings);
  table.title = dataset_title(source.name) + " to " + dataset_title(target.name);
  table.columns = {{"translated", "read"}, {"untranslated", "read_untouched"}};
  // Other methods translate nothing.
  std::erase_if(table.own_rows, [](const auto& row) { return !row.first.starts_with("unit"); });
  return table;
}

/// Converts pictures [N, C, S, S] from -1 to 1 to bytes, as they are exported.
at::Tensor to_pixels(const at::Tensor& x) {
  const auto pixels = datasets::to_pixels(x).permute({0, 2, 3, 1});
  return (pixels.size(3) == 1 ? pixels.squeeze(3) : pixels).contiguous();
}

/// Collects pictures, labels and names of an export.
class Export {
 public:
  explicit Export(std::int64_t seed) : seed_(seed) {}
  /// Adds pictures named PREFIX00000, PREFIX00001, ... in the folder of the seed.
  void add(const at::Tensor& x, const at::Tensor& labels, const std::string& prefix,
           std::vector<std::int64_t>& part) {
    images_.push_back(to_pixels(x));
    labels_.push_back(labels);
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      part.push_back(std::ssize(exported.set.item));
      exported.set.item.push_back(fmt::format("seed{}/{}{}", seed_, prefix, picture_name(i)));
    }
  }
  ExportedSet<datasets::NamedPictures> finish(std::vector<std::string> classes) {
    exported.set.images = at::cat(images_);
    exported.set.labels = at::cat(labels_);
    exported.set.classes = std::move(classes);
    return std::move(exported);
  }
  ExportedSet<datasets::NamedPictures> exported;

 private:
  std::int64_t seed_;
  std::vector<at::Tensor> images_, labels_;
};

/// Returns one label for each picture.
at::Tensor repeat_label(const at::Tensor& x, std::int64_t label) {
  return at::full({x.size(0)}, label, at::kLong);
}

}  // namespace

std::vector<ExternalTable> list_external_tables(const Settings& settings, const DataFolder& data) {
  std::vector<ExternalTable> tables;
  for (const auto& section : {map_table, photos_table})
    for (const auto& dataset : settings.texts(section + ".datasets"))
      tables.push_back(make_translation_table(section, dataset, settings, data));
  for (const auto& pair : settings.texts("digits.pairs"))
    tables.push_back(make_digits_table(pair, settings, data));
  return tables;
}

ExportedData export_pictures(const std::string& dataset, std::int64_t seed,
                             const Settings& settings, const DataFolder& data) {
  Export out(seed);
  auto& split = out.exported.split;
  const bool is_set = std::ranges::any_of(
      picture_sets(), [&](const PictureSet& set) { return set.name == dataset; });
  // Sets of pictures have domains A and B. Other names are pairs of digit sets.
  if (is_set) {
    const auto section = find_named(picture_sets(), "set of pictures", dataset).section;
    const auto& set = find_picture_set(dataset, section);
    const auto parts = load_picture_parts(
        set, DataContext(cell(section, dataset, "", seed), settings, data).cell());
    out.add(parts.a, repeat_label(parts.a, 0), "a/", split.train);
    out.add(parts.b, repeat_label(parts.b, 1), "b/", split.train);
    out.add(parts.test_a, repeat_label(parts.test_a, 0), "", split.test);
    return out.finish({set.a, set.b});
  }
  const auto parts = load_digit_parts(
      dataset, DataContext(cell(digits_table, dataset, "", seed), settings, data).cell());
  std::vector<std::string> classes;
  for (int digit = 0; digit < 10; ++digit) classes.push_back(std::to_string(digit));
  classes.emplace_back("of the target, unlabelled");
  out.add(parts.learned.source, parts.learned.labels, "source/", split.train);
  // Class 10 marks target digits, whose labels are withheld.
  out.add(parts.learned.target, repeat_label(parts.learned.target, 10), "target/", split.train);
  out.add(parts.source_test.x, parts.source_test.labels, "", split.test);
  return out.finish(std::move(classes));
}

at::Tensor load_external_translations(const CellContext& context, const at::Tensor& x) {
  if (holds_predictions(context)) {
    const auto pictures = read_translations(context.method_file);
    if (auto reason =
            shape_mismatch(context.method_file, pictures, {x.size(0), x.size(2), x.size(3), 3});
        !reason.empty())
      throw UsageError(reason, "give a translation of each item of test.csv");
    return datasets::to_values(pictures.permute({0, 3, 1, 2}).contiguous());
  }
  // Pictures per call of a script.
  constexpr std::int64_t batch = 64;
  training::ScriptedPictures script(context.method_file);
  // A script may use random numbers.
  torch::manual_seed(seed_of({"unit", "external", std::to_string(context.record.cell.seed)}));
  std::vector<at::Tensor> translated;
  for (const auto& piece : x.split(batch))
    translated.push_back(script({piece.contiguous()}, piece.sizes().vec()));
  return at::cat(translated);
}

void run_external(CellContext& context) {
  return context.record.cell.table == digits_table ? measure_external_digits(context)
                                                   : measure_external_pictures(context);
}

}  // namespace reprise::reproduce::unit_study
