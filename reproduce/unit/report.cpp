// Tables, figures and galleries of study unit.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "datasets/generators/map_scenes.h"
#include "experiments/captions.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "records/trial.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {

std::string method_title(const std::string& method) {
  static const auto all = list_methods();
  const auto found =
      std::ranges::find(all, method, [](const ListedMethod& listed) { return listed.info.id; });
  return found == all.end() ? method : found->info.title;
}

namespace {

using reports::Figure;
using reports::Gallery;
using reports::Table;
using Columns = std::vector<reports::Column>;

std::string caption(const std::string& key, const Settings& settings) {
  return reproduce::caption("unit", key, settings);
}

std::vector<reports::Source> list_sources(const std::vector<std::string>& methods,
                                          const std::string& table, const std::string& dataset) {
  std::vector<reports::Source> out;
  for (const auto& method : methods) out.push_back({method_title(method), table, dataset, method});
  return out;
}

/// Returns UNIT and its ablations from a list of methods.
std::vector<std::string> select_unit_methods(std::vector<std::string> methods) {
  std::erase_if(methods, [](const std::string& method) { return !method.starts_with("unit"); });
  return methods;
}

/// Returns the name of a domain on the page. Trained models keep "from the air" in their metadata.
std::string domain_text(const std::string& domain) {
  return domain == "from the air" ? "aerial picture" : domain;
}

std::string pair_title(const std::string& pair) {
  const auto [source, target] = parse_digit_pair(pair);
  return dataset_title(source.name) + " to " + dataset_title(target.name);
}

/// Shows the test accuracy of each method at three checkpoints: last, selected, best.
Table make_digits_table(const std::string& pair, const Settings& settings) {
  Table table{.id = "digits_" + pair,
              .title = "Classification of digits without labels of the target: " + pair_title(pair),
              .caption = caption("digits", settings),
              .corner = "method",
              .published = "digits_" + pair};
  auto rows = list_sources(settings.texts("digits.methods"), digits_table, pair);
  if (pair == "svhn_mnist")
    // Published only.
    rows.push_back({"DTN", digits_table, pair, "dtn"});
  table.add_rows(rows, {{"last", "accuracy"},
                        {"selected", "accuracy_selected"},
                        {"best evaluation", "accuracy_oracle"},
                        {"source digits", "accuracy_source"}});
  return table;
}

/// Shows the recognition of translations. One table per pair, since evaluators belong to sets.
Table make_translated_digits_table(const std::string& pair, const Settings& settings) {
  Table table{.id = "translated_" + pair,
              .title = "Recognition of digits that UNIT translates: " + pair_title(pair),
              .caption = caption("translated", settings),
              .corner = "method"};
  table.add_rows(
      list_sources(select_unit_methods(settings.texts("digits.methods")), digits_table, pair),
      {{"translated", "read"},
       {"untranslated", "read_untouched"},
       {"by UNIT", "accuracy_translated"},
       {"back: translated", "read_back"},
       {"back: untranslated", "read_untouched_back"}});
  return table;
}

/// Shows the accuracy of the independent classifiers on test digits of their sets.
Table make_classifier_table(const Settings& settings) {
  Table table{.id = "readers",
              .title = "Independent classifiers of digits",
              .caption = caption("readers", settings),
              .corner = "set"};
  std::vector<reports::Source> rows;
  std::set<std::string> listed;
  for (const auto& pair : settings.texts("digits.pairs")) {
    const auto [source, target] = parse_digit_pair(pair);
    for (const auto& set : {source, target})
      if (listed.insert(set.name).second)
        rows.push_back(
            {dataset_title(set.name), digit_evaluator_table, set.name, digit_evaluator_method});
  }
  table.add_rows(rows, {{"accuracy", "accuracy"}});
  return table;
}

std::string map_title(const std::string& dataset) {
  return "Aerial pictures to maps: " + find_picture_set(dataset, map_table).title;
}

Table make_map_table(const std::string& dataset, const Settings& settings) {
  Columns columns{{"pixel accuracy", "pixel_accuracy"}};
  // Only generated scenes state the class of each pixel.
  const bool has_classes = dataset == "scenes";
  if (has_classes)
    for (const auto name : datasets::map_classes)
      columns.push_back({std::string(name), "accuracy_" + std::string(name), 2});
  if (has_classes)
    columns.insert(columns.end(),
                   {{"of classes", "accuracy_of_classes"}, {"relabelled", "accuracy_relabelled"}});
  columns.insert(columns.end(), {{"registered", "accuracy_registered"}, {"shift", "shift"}});
  columns.insert(columns.end(), {{"reconstruction", "reconstruction"},
                                 {"cycle", "cycle"},
                                 {"edges", "edges", 2},
                                 {"layout", "layout", 2}});
  Table table{.id = "map_" + dataset,
              .title = map_title(dataset),
              .caption = caption(has_classes ? "map_classes" : "map", settings),
              .corner = "system",
              .published = "map"};
  table.add_rows(list_sources(settings.texts("map.methods"), map_table, dataset), columns);
  return table;
}

/// Makes the main page's table of a set with classes: translation and codes, without single classes
/// and weak baselines.
Table make_map_summary_table(const std::string& dataset, const Settings& settings) {
  // Other sets have no summary.
  if (dataset != "scenes") return {};
  auto methods = settings.texts("map.methods");
  std::erase_if(methods, [](const std::string& method) {
    return !method.starts_with("unit") && method != "paired" && method != "constant_colour" &&
           method != "matched_colours";
  });
  Table table{.id = "map_summary_" + dataset,
              .title = map_title(dataset) + ", summary",
              .caption = caption("map_summary", settings),
              .corner = "system",
              .published = "map"};
  table.add_rows(list_sources(methods, map_table, dataset), {{"pixel accuracy", "pixel_accuracy"},
                                                             {"of classes", "accuracy_of_classes"},
                                                             {"registered", "accuracy_registered"},
                                                             {"shift, pixels", "shift", 1},
                                                             {"codes found", "code_top_1"}});
  return table;
}

/// Shows how near codes of corresponding pictures are.
Table make_codes_table(const std::string& dataset, const Settings& settings) {
  Table table{.id = "codes_" + dataset,
              .title = "Codes of corresponding pictures of both domains",
              .caption = caption("codes", settings),
              .corner = "system"};
  table.add_rows(list_sources(settings.texts("map.methods"), map_table, dataset),
                 {{"found", "code_top_1"}, {"by chance", "code_chance"}, {"ratio", "code_ratio"}});
  return table;
}

std::string row_title(const std::string& row) {
  if (row == sweep_base) return "no change";
  const auto changed = records::parse_trial(row).hyperparameters.front();
  return changed.name + " = " + changed.text;
}

Table make_sweep_table(const std::string& dataset, const Settings& settings) {
  Table table{.id = "sweep_" + dataset,
              .title = "UNIT with one setting changed",
              .caption = caption("sweep", settings),
              .corner = "UNIT with"};
  std::vector<reports::Source> rows;
  for (const auto& row : sweep_rows(settings))
    rows.push_back({row_title(row), sweep_table, dataset, row});
  table.add_rows(rows, {{"pixel accuracy", "pixel_accuracy"},
                        {"reconstruction", "reconstruction"},
                        {"found", "code_top_1"}});
  return table;
}

/// Draws how UNIT learns with each value of one setting, and with the value of section [map].
Figure make_sweep_figure(const std::string& dataset, const std::string& key,
                         const Settings& settings) {
  Figure figure{.id = "sweep_" + key + "_" + dataset,
                .title = "Pixel accuracy during training, by the value of " + key,
                .x_label = "iteration",
                .y_label = "pixel accuracy"};
  std::vector<reports::Source> rows;
  for (const auto& row : sweep_rows(settings))
    // The base row has the value of [map].
    if (row == sweep_base)
      rows.push_back({fmt::format("{} = {}", key, number_text(settings.number("map." + key))),
                      sweep_table, dataset, row});
    else if (records::parse_trial(row).find(key))
      rows.push_back({row_title(row), sweep_table, dataset, row});
  // A setting without other values has no figure.
  if (rows.size() > 1) figure.add_series(rows, "iteration", "pixel_accuracy");
  return figure;
}

/// Shows metrics of translated photographs, in the direction of `suffix`.
Table make_photos_table(const std::string& dataset, const Settings& settings,
                        const std::string& suffix) {
  const auto& set = find_picture_set(dataset, photos_table);
  Table table{.id = "photos_" + dataset + suffix,
              .title = "Translation of " +
                       (suffix.empty() ? set.a + " to " + set.b : set.b + " to " + set.a),
              .caption = caption("photos", settings),
              .corner = "translator"};
  table.add_rows(list_sources(settings.texts("photos.methods"), photos_table, dataset),
                 {{"kernel", "kernel" + suffix},
                  {"Fréchet", "frechet" + suffix, 1},
                  {"taken for real", "taken_for_real" + suffix, 2},
                  {"sharpness, fine", "sharpness_fine" + suffix, 2},
                  {"middle", "sharpness_middle" + suffix, 2},
                  {"coarse", "sharpness_coarse" + suffix, 2},
                  {"layout", "layout" + suffix, 2},
                  {"edges", "edges" + suffix, 2}});
  return table;
}

Figure make_learning_figure(const std::string& dataset, const Settings& settings) {
  Figure figure{.id = "learning_" + dataset,
                .title = "Pixel accuracy of UNIT during training",
                .caption = caption("learning", settings),
                .x_label = "iteration",
                .y_label = "pixel accuracy"};
  figure.add_series(
      list_sources(select_unit_methods(settings.texts("map.methods")), map_table, dataset),
      "iteration", "pixel_accuracy");
  return figure;
}

Figure make_adaptation_figure(const std::string& pair, const Settings& settings) {
  Figure figure{.id = "adaptation_" + pair,
                .title = "Accuracy on the target during training: " + pair_title(pair),
                .x_label = "iteration",
                .y_label = "accuracy on test digits"};
  figure.add_series(list_sources(settings.texts("digits.methods"), digits_table, pair), "iteration",
                    "accuracy");
  return figure;
}

/// Adds a picture of one method, and appends what it shows to the title.
void add_picture(reports::Source source, const std::string& file, const std::string& what,
                 Gallery& gallery) {
  source.title += ", " + what;
  gallery.add_pictures({source}, file);
}

Gallery make_digit_gallery(const std::string& pair, const Settings& settings) {
  Gallery out{.id = "digits_" + pair,
              .title = pair_title(pair),
              .caption = caption("digit_pictures", settings)};
  for (const auto& source :
       list_sources(select_unit_methods(settings.texts("digits.methods")), digits_table, pair)) {
    add_picture(source, "source_to_target.png", "source to target", out);
    add_picture(source, "target_to_source.png", "target to source", out);
  }
  return out;
}

Gallery make_translation_gallery(const std::string& section, const std::string& dataset,
                                 const Settings& settings) {
  const auto& set = find_picture_set(dataset, section);
  Gallery out{.id = "translations_" + dataset,
              .title = "Translations: " + set.title,
              .caption = caption("translations_" + section, settings),
              .median_of = section == map_table ? "pixel_accuracy" : ""};
  const auto a = domain_text(set.a), b = domain_text(set.b);
  for (const auto& source : list_sources(settings.texts(section + ".methods"), section, dataset)) {
    add_picture(source, "a_to_b.png", a + " to " + b, out);
    // Further pictures of UNIT only.
    if (source.method != "unit") continue;
    add_picture(source, "b_to_a.png", b + " to " + a, out);
    add_picture(source, "reconstructions.png", b + ", reconstructed", out);
    add_picture(source, "cycles.png", a + ", translated there and back", out);
  }
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {{"scenes", generated_data}, {"day_night", join_licences({"day_night"})}};
  for (const auto& pair : settings.texts("digits.pairs")) {
    const auto [source, target] = parse_digit_pair(pair);
    out.data_notes[pair] = join_licences({source.name, target.name});
  }
  for (const auto& pair : settings.texts("digits.pairs"))
    for (auto& table :
         {make_digits_table(pair, settings), make_translated_digits_table(pair, settings)})
      out.tables.push_back(table);
  out.tables.push_back(make_classifier_table(settings));
  for (const auto& pair : settings.texts("digits.pairs")) {
    out.figures.push_back(make_adaptation_figure(pair, settings));
    out.galleries.push_back(make_digit_gallery(pair, settings));
  }
  for (const auto& dataset : settings.texts("map.datasets")) {
    for (auto& table :
         {make_map_summary_table(dataset, settings), make_map_table(dataset, settings),
          make_codes_table(dataset, settings), make_sweep_table(dataset, settings)})
      out.tables.push_back(table);
    out.figures.push_back(make_learning_figure(dataset, settings));
    for (const auto& key : sweep_keys())
      out.figures.push_back(make_sweep_figure(dataset, key, settings));
    out.galleries.push_back(make_translation_gallery(map_table, dataset, settings));
  }
  for (const auto& dataset : settings.texts("photos.datasets")) {
    for (const std::string suffix : {"", "_back"})
      out.tables.push_back(make_photos_table(dataset, settings, suffix));
    out.galleries.push_back(make_translation_gallery(photos_table, dataset, settings));
  }
  out.drop_empty();
  out.notes = {
      "The document prints no numbers. Published values are from the paper on the same method."};
  return out;
}

}  // namespace reprise::reproduce::unit_study
