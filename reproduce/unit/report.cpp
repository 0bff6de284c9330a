#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "datasets/generators/map_scenes.h"
#include "reproduce/names.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {
namespace {

using reports::Figure;
using reports::Gallery;
using reports::Table;
using Columns = std::vector<reports::Column>;

std::string title_of(const std::string& method) {
  static const auto all = listed_methods();
  const auto found = std::ranges::find(all, method, [](const ListedMethod& listed) { return listed.info.id; });
  return found == all.end() ? method : found->info.title;
}

std::string title_of_pair(const std::string& pair) {
  const auto [source, target] = digit_pair(pair);
  return source.title + " to " + target.title;
}

/// Test accuracy of each way, by three rules of when to stop.
Table digits(const std::string& pair, const Settings& settings) {
  Table table{.id = "digits_" + pair,
              .title = "Digits of a set without labels: " + title_of_pair(pair),
              .caption =
                  "Accuracy on test digits of the target. Last: the last weights. Selected: the look at which the classifier was surest of "
                  "the target's training digits, and evenest over all classes, which needs no label. Best of all looks at the test set: "
                  "no result, but what the published figures are.",
              .corner = "way",
              .published = "digits_" + pair};
  const Columns columns{
      {"last", "accuracy"}, {"selected", "accuracy_selected"}, {"best look", "accuracy_oracle"}, {"source digits", "accuracy_source"}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("digits.methods")) table.add_row(title_of(method), digits_table, pair, method, columns);
  if (pair == "svhn_mnist") table.add_row("DTN", digits_table, pair, "dtn", columns);  // published alone: no method of ours
  return table;
}

/// One a pair: each is read by who knows its own sets.
Table translated_digits(const std::string& pair, const Settings& settings) {
  Table table{.id = "translated_" + pair,
              .title = "What UNIT makes of digits: " + title_of_pair(pair),
              .caption =
                  "Of held-out digits, translated, the fraction that a reader of the set they go to calls what they were, and of the same "
                  "digits as they are. The reader has learned that set with labels and has no part in any method. Named: by UNIT's own "
                  "classifier of the target.",
              .corner = "way"};
  const Columns columns{{"read", "read"},
                        {"untouched", "read_untouched"},
                        {"named", "accuracy_translated"},
                        {"and back: read", "read_back"},
                        {"untouched", "read_untouched_back"}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("digits.methods"))
    if (method.starts_with("unit")) table.add_row(title_of(method), digits_table, pair, method, columns);
  return table;
}

/// Who reads them, on test digits of its own set.
Table readers(const Settings& settings) {
  Table table{.id = "readers", .title = "Who reads digits", .caption = "Accuracy on test digits, half of them inverted.", .corner = "set"};
  const Columns columns{{"accuracy", "accuracy"}};
  table.add_columns(columns);
  std::set<std::string> listed;
  for (const auto& pair : settings.texts("digits.pairs")) {
    const auto [source, target] = digit_pair(pair);
    for (const auto& set : {source, target})
      if (listed.insert(set.name).second) table.add_row(set.title, reader_table, set.name, reader_method, columns);
  }
  return table;
}

Table map(const std::string& dataset, const Settings& settings) {
  Table table{
      .id = "map_" + dataset,
      .title = "From the air to a map: " + picture_set(dataset, map_table).title,
      .caption =
          "Pixel accuracy: every channel within 16 of 255 of the truth, on pairs that nothing learned from. Floor: the row of one "
          "colour everywhere. Of classes: the mean over the five. Relabelled: had colours been exchanged in the best way, which tells shapes that "
          "were found from colours that were not. Registered: were all pictures shifted in the one best way, since nothing but its borders holds a "
          "translator in its place; shift: by how many pixels. Reconstruction: of maps through their own code, a bound for any translation of that network.",
      .corner = "system",
      .published = "map"};
  Columns columns{{"pixel accuracy", "pixel_accuracy"}};
  if (dataset == "scenes")
    for (const auto name : datasets::map_classes) columns.push_back({std::string(name), "accuracy_" + std::string(name), 2});
  if (dataset == "scenes") columns.insert(columns.end(), {{"of classes", "accuracy_of_classes"}, {"relabelled", "accuracy_relabelled"}});
  columns.insert(columns.end(), {{"registered", "accuracy_registered"}, {"shift", "shift"}});
  columns.insert(columns.end(), {{"reconstruction", "reconstruction"}, {"cycle", "cycle"}, {"edges", "edges", 2}, {"layout", "layout", 2}});
  table.add_columns(columns);
  for (const auto& method : settings.texts("map.methods")) table.add_row(title_of(method), map_table, dataset, method, columns);
  return table;
}

Table codes(const std::string& dataset, const Settings& settings) {
  Table table{
      .id = "codes_" + dataset,
      .title = "Codes of corresponding pictures",
      .caption =
          "Found: how often the nearest code of all maps is the one of the same place; by chance one over their number. Ratio: distance "
          "of corresponding codes over that of others. A row without codes has its translations compared with the maps: what pixels find.",
      .corner = "system"};
  const Columns columns{{"found", "code_top_1"}, {"by chance", "code_chance"}, {"ratio", "code_ratio"}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("map.methods")) table.add_row(title_of(method), map_table, dataset, method, columns);
  return table;
}

std::string title_of_row(const std::string& row) {
  if (row == sweep_base) return "nothing changed";
  const auto variant = variant_of(row);
  return variant.key + " = " + variant.value;
}

Table sweep(const std::string& dataset, const Settings& settings) {
  Table table{
      .id = "sweep_" + dataset,
      .title = "One value of the system changed",
      .caption = fmt::format("After {} iterations; what is not named is as in the table of maps.", settings.integer("sweep.iterations")),
      .corner = "UNIT with"};
  const Columns columns{{"pixel accuracy", "pixel_accuracy"}, {"reconstruction", "reconstruction"}, {"found", "code_top_1"}};
  table.add_columns(columns);
  for (const auto& row : sweep_rows(settings)) table.add_row(title_of_row(row), sweep_table, dataset, row, columns);
  return table;
}

/// How UNIT learns with each value of one setting, and with the one of the table of maps.
Figure swept(const std::string& dataset, const std::string& key, const Settings& settings) {
  Figure figure{.id = "sweep_" + key + "_" + dataset,
                .title = "Pixel accuracy with other values of " + key,
                .x_label = "iterations",
                .y_label = "pixel accuracy"};
  for (const auto& row : sweep_rows(settings))
    if (row == sweep_base)
      figure.series.push_back({fmt::format("{} = {}", key, number_text(settings.number("map." + key))), sweep_table, dataset, row,
                               "iteration", "pixel_accuracy"});
    else if (variant_of(row).key == key)
      figure.series.push_back({title_of_row(row), sweep_table, dataset, row, "iteration", "pixel_accuracy"});
  if (figure.series.size() < 2) figure.series.clear();
  return figure;
}

Table photos(const std::string& dataset, const Settings& settings, const std::string& suffix) {
  const auto& set = picture_set(dataset, photos_table);
  Table table{
      .id = "photos_" + dataset + suffix,
      .title = suffix.empty() ? set.a + " to " + set.b : set.b + " to " + set.a,
      .caption =
          "Distances in a judge's features to real pictures. Sharpness: what is left of the Laplacian of real pictures, at the finest "
          "level and of pictures shrunk to a half and a quarter: a judge's features accept blur, and this does not.",
      .corner = "translator"};
  const Columns columns{{"kernel", "kernel" + suffix},
                        {"Fréchet", "frechet" + suffix, 1},
                        {"taken for real", "taken_for_real" + suffix, 2},
                        {"sharpness, fine", "sharpness_fine" + suffix, 2},
                        {"middle", "sharpness_middle" + suffix, 2},
                        {"coarse", "sharpness_coarse" + suffix, 2},
                        {"layout", "layout" + suffix, 2},
                        {"edges", "edges" + suffix, 2}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("photos.methods")) table.add_row(title_of(method), photos_table, dataset, method, columns);
  return table;
}

Figure learning(const std::string& dataset, const Settings& settings) {
  Figure figure{.id = "learning_" + dataset,
                .title = "Pixel accuracy while UNIT learns",
                .caption = "Of training pictures from the air whose maps were never shown.",
                .x_label = "iterations",
                .y_label = "pixel accuracy"};
  for (const auto& method : settings.texts("map.methods"))
    if (method.starts_with("unit")) figure.series.push_back({title_of(method), map_table, dataset, method, "iteration", "pixel_accuracy"});
  return figure;
}

Figure adaptation(const std::string& pair, const Settings& settings) {
  Figure figure{.id = "adaptation_" + pair,
                .title = title_of_pair(pair) + ": accuracy while learning",
                .x_label = "iterations",
                .y_label = "accuracy on the target's test digits"};
  for (const auto& method : settings.texts("digits.methods"))
    figure.series.push_back({title_of(method), digits_table, pair, method, "iteration", "accuracy"});
  return figure;
}

Gallery pairs_of(const std::string& id, const std::string& title, const std::string& caption) {
  return {.id = id, .title = title, .caption = caption};
}

Gallery digit_pictures(const std::string& pair, const Settings& settings) {
  auto out =
      pairs_of("digits_" + pair, title_of_pair(pair), "Test digits, and below each what UNIT makes of it. First seed; nothing was chosen.");
  for (const auto& method : settings.texts("digits.methods"))
    if (method.starts_with("unit"))
      for (const auto& [file, what] : {std::pair{"source_to_target.png", "source to target"}, {"target_to_source.png", "target to source"}})
        out.pictures.push_back({digits_table, pair, method, file, title_of(method) + ", " + what});
  return out;
}

Gallery translations(const std::string& section, const std::string& dataset, const Settings& settings) {
  const auto& set = picture_set(dataset, section);
  auto out =
      pairs_of("translations_" + dataset, set.title, "Test pictures, and below each its translation. First seed; nothing was chosen.");
  for (const auto& method : settings.texts(section + ".methods")) {
    out.pictures.push_back({section, dataset, method, "a_to_b.png", title_of(method) + ", " + set.a + " to " + set.b});
    if (method == "unit")
      for (const auto& [file, what] : {std::pair{std::string("b_to_a.png"), set.b + " to " + set.a},
                                       {"reconstructions.png", set.b + ", reconstructed"},
                                       {"cycles.png", set.a + ", there and back again"}})
        out.pictures.push_back({section, dataset, method, file, title_of(method) + ", " + what});
  }
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  for (const auto& pair : settings.texts("digits.pairs"))
    for (auto& table : {digits(pair, settings), translated_digits(pair, settings)}) out.tables.push_back(table);
  out.tables.push_back(readers(settings));
  for (const auto& pair : settings.texts("digits.pairs")) {
    out.figures.push_back(adaptation(pair, settings));
    out.galleries.push_back(digit_pictures(pair, settings));
  }
  for (const auto& dataset : settings.texts("map.datasets")) {
    for (auto& table : {map(dataset, settings), codes(dataset, settings), sweep(dataset, settings)}) out.tables.push_back(table);
    out.figures.push_back(learning(dataset, settings));
    for (const auto& key : sweep_keys()) out.figures.push_back(swept(dataset, key, settings));
    out.galleries.push_back(translations(map_table, dataset, settings));
  }
  for (const auto& dataset : settings.texts("photos.datasets")) {
    for (const std::string suffix : {"", "_back"}) out.tables.push_back(photos(dataset, settings, suffix));
    out.galleries.push_back(translations(photos_table, dataset, settings));
  }
  std::erase_if(out.tables, [](const Table& table) { return table.rows.empty(); });
  std::erase_if(out.figures, [](const Figure& figure) { return figure.series.empty(); });
  std::erase_if(out.galleries, [](const Gallery& gallery) { return gallery.pictures.empty(); });
  out.notes = {"The document is a patent application and prints no number; published figures are those of the paper of the same method."};
  return out;
}

}  // namespace reprise::reproduce::unit_study
