#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "datasets/generators/map_scenes.h"
#include "experiments/names.h"
#include "records/trial.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {

std::string title_of(const std::string& method) {
  static const auto all = listed_methods();
  const auto found = std::ranges::find(all, method, [](const ListedMethod& listed) { return listed.info.id; });
  return found == all.end() ? method : found->info.title;
}

namespace {

using reports::Figure;
using reports::Gallery;
using reports::Table;
using Columns = std::vector<reports::Column>;

/// "32 x 32 pixels": the size of the pictures of a section of the settings.
std::string size_text(const Settings& settings, const std::string& section) {
  return fmt::format("{0} x {0} pixels", settings.integer(section + (section == digits_table ? ".size" : ".side")));
}

/// What the page calls a domain. Trained models hold the name "from the air" in their metadata.
std::string domain_text(const std::string& domain) { return domain == "from the air" ? "aerial picture" : domain; }

std::string title_of_pair(const std::string& pair) {
  const auto [source, target] = digit_pair(pair);
  return source.title + " to " + target.title;
}

/// Test accuracy of each method, by three rules of when to stop.
Table digits(const std::string& pair, const Settings& settings) {
  Table table{
      .id = "digits_" + pair,
      .title = "Classification of digits without labels of the target: " + title_of_pair(pair),
      .caption = fmt::format("Accuracy on test digits ({}): of the target with the last weights, with those selected without labels by "
                             "the classifier's certainty, and with the best ones; and of the source. The best ones are chosen on the "
                             "test set, as in the published values, and give an upper bound.",
                             size_text(settings, digits_table)),
      .corner = "method",
      .published = "digits_" + pair};
  const Columns columns{{"last", "accuracy"},
                        {"selected", "accuracy_selected"},
                        {"best evaluation", "accuracy_oracle"},
                        {"source digits", "accuracy_source"}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("digits.methods")) table.add_row(title_of(method), digits_table, pair, method, columns);
  if (pair == "svhn_mnist") table.add_row("DTN", digits_table, pair, "dtn", columns);  // published alone: no method of ours
  return table;
}

/// One table for each pair: the classifiers that evaluate translations know the pair's own sets.
Table translated_digits(const std::string& pair, const Settings& settings) {
  Table table{.id = "translated_" + pair,
              .title = "Recognition of digits that UNIT translates: " + title_of_pair(pair),
              .caption = fmt::format(
                  "Fractions of test digits ({}) that an independent classifier of the set that they are translated into recognises, "
                  "translated and untranslated. By UNIT: recognised by UNIT's own classifier of the target.",
                  size_text(settings, digits_table)),
              .corner = "method"};
  const Columns columns{{"translated", "read"},
                        {"untranslated", "read_untouched"},
                        {"by UNIT", "accuracy_translated"},
                        {"back: translated", "read_back"},
                        {"back: untranslated", "read_untouched_back"}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("digits.methods"))
    if (method.starts_with("unit")) table.add_row(title_of(method), digits_table, pair, method, columns);
  return table;
}

/// The independent classifiers, each on test digits of the set that it was trained on.
Table readers(const Settings& settings) {
  Table table{.id = "readers",
              .title = "Independent classifiers of digits",
              .caption = fmt::format("Accuracy on test digits ({}) of the classifier's own set, half of them inverted.",
                                     size_text(settings, digits_table)),
              .corner = "set"};
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

/// How maps are measured, for tables of all maps.
std::string pixel_accuracy_text(const Settings& settings) {
  return fmt::format("Pixel accuracy: the fraction of pixels with every channel within 16 of 255 of the truth, on {} test pairs of {}. ",
                     settings.integer("map.test"), size_text(settings, map_table));
}

std::string title_of_map(const std::string& dataset) { return "Aerial pictures to maps: " + picture_set(dataset, map_table).title; }

Table with_map_rows(Table table, const Columns& columns, const std::string& dataset, const std::vector<std::string>& methods) {
  table.corner = "system";
  table.published = "map";
  table.add_columns(columns);
  for (const auto& method : methods) table.add_row(title_of(method), map_table, dataset, method, columns);
  return table;
}

Table map(const std::string& dataset, const Settings& settings) {
  Columns columns{{"pixel accuracy", "pixel_accuracy"}};
  const bool has_classes = dataset == "scenes";
  if (has_classes)
    for (const auto name : datasets::map_classes) columns.push_back({std::string(name), "accuracy_" + std::string(name), 2});
  if (has_classes) columns.insert(columns.end(), {{"of classes", "accuracy_of_classes"}, {"relabelled", "accuracy_relabelled"}});
  columns.insert(columns.end(), {{"registered", "accuracy_registered"}, {"shift", "shift"}});
  columns.insert(columns.end(), {{"reconstruction", "reconstruction"}, {"cycle", "cycle"}, {"edges", "edges", 2}, {"layout", "layout", 2}});
  return with_map_rows(
      {.id = "map_" + dataset,
       .title = title_of_map(dataset),
       .caption =
           pixel_accuracy_text(settings) +
           (has_classes ? "Of classes: the mean over five; relabelled: after the best exchange of colours. " : "") +
           "Registered: after the best common shift, whose length in pixels is in column shift. Reconstruction is of maps through "
           "their own code; cycle is the mean absolute difference between aerial pictures (-1 to 1) and their translations there and back; "
           "edges and layout are correlations with the input."},
      columns, dataset, settings.texts("map.methods"));
}

/// The table for the main page, of a set with classes: translation and codes in one, without columns of single classes or weak baselines.
Table map_summary(const std::string& dataset, const Settings& settings) {
  if (dataset != "scenes") return {};
  auto methods = settings.texts("map.methods");
  std::erase_if(methods, [](const std::string& method) {
    return !method.starts_with("unit") && method != "paired" && method != "constant_colour" && method != "matched_colours";
  });
  return with_map_rows(
      {.id = "map_summary_" + dataset,
       .title = title_of_map(dataset) + ", summary",
       .caption = pixel_accuracy_text(settings) +
                  "Of classes: the mean over five; registered: after the best common shift; codes found: the fraction of places whose "
                  "nearest code of the other domain is the corresponding one."},
      {{"pixel accuracy", "pixel_accuracy"},
       {"of classes", "accuracy_of_classes"},
       {"registered", "accuracy_registered"},
       {"shift, pixels", "shift", 1},
       {"codes found", "code_top_1"}},
      dataset, methods);
}

Table codes(const std::string& dataset, const Settings& settings) {
  Table table{.id = "codes_" + dataset,
              .title = "Codes of corresponding pictures of both domains",
              .caption = fmt::format(
                  "Found: the fraction of {} places whose nearest code of the other domain is the corresponding one. Ratio: distance of "
                  "corresponding codes over that of other places; methods without codes are compared by their pixels.",
                  settings.integer("map.test")),
              .corner = "system"};
  const Columns columns{{"found", "code_top_1"}, {"by chance", "code_chance"}, {"ratio", "code_ratio"}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("map.methods")) table.add_row(title_of(method), map_table, dataset, method, columns);
  return table;
}

std::string title_of_row(const std::string& row) {
  if (row == sweep_base) return "no change";
  const auto changed = records::parse_trial(row).hyperparameters.front();
  return changed.name + " = " + changed.text;
}

Table sweep(const std::string& dataset, const Settings& settings) {
  Table table{
      .id = "sweep_" + dataset,
      .title = "UNIT with one setting changed",
      .caption = fmt::format("Trained for {} iterations in place of {}; pictures of {}. All other settings are those of the table of maps.",
                             settings.integer("sweep.iterations"), settings.integer("map.iterations"), size_text(settings, map_table)),
      .corner = "UNIT with"};
  const Columns columns{{"pixel accuracy", "pixel_accuracy"}, {"reconstruction", "reconstruction"}, {"found", "code_top_1"}};
  table.add_columns(columns);
  for (const auto& row : sweep_rows(settings)) table.add_row(title_of_row(row), sweep_table, dataset, row, columns);
  return table;
}

/// How UNIT learns with each value of one setting, and with the one of the table of maps.
Figure swept(const std::string& dataset, const std::string& key, const Settings& settings) {
  Figure figure{.id = "sweep_" + key + "_" + dataset,
                .title = "Pixel accuracy during training, by the value of " + key,
                .x_label = "iteration",
                .y_label = "pixel accuracy"};
  for (const auto& row : sweep_rows(settings))
    if (row == sweep_base)
      figure.series.push_back({fmt::format("{} = {}", key, number_text(settings.number("map." + key))), sweep_table, dataset, row,
                               "iteration", "pixel_accuracy"});
    else if (records::parse_trial(row).find(key))
      figure.series.push_back({title_of_row(row), sweep_table, dataset, row, "iteration", "pixel_accuracy"});
  if (figure.series.size() < 2) figure.series.clear();
  return figure;
}

Table photos(const std::string& dataset, const Settings& settings, const std::string& suffix) {
  const auto& set = picture_set(dataset, photos_table);
  Table table{.id = "photos_" + dataset + suffix,
              .title = "Translation of " + (suffix.empty() ? set.a + " to " + set.b : set.b + " to " + set.a),
              .caption = fmt::format(
                  "Kernel and Fréchet: distances to real pictures ({}) in the features of an independent classifier; taken for real: "
                  "classified as the target domain. Sharpness: mean Laplacian over that of real pictures, at full size (fine), half "
                  "(middle) and a quarter (coarse).",
                  size_text(settings, photos_table)),
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
                .title = "Pixel accuracy of UNIT during training",
                .caption = "On aerial training pictures whose maps are not used in training.",
                .x_label = "iteration",
                .y_label = "pixel accuracy"};
  for (const auto& method : settings.texts("map.methods"))
    if (method.starts_with("unit")) figure.series.push_back({title_of(method), map_table, dataset, method, "iteration", "pixel_accuracy"});
  return figure;
}

Figure adaptation(const std::string& pair, const Settings& settings) {
  Figure figure{.id = "adaptation_" + pair,
                .title = "Accuracy on the target during training: " + title_of_pair(pair),
                .x_label = "iteration",
                .y_label = "accuracy on test digits"};
  for (const auto& method : settings.texts("digits.methods"))
    figure.series.push_back({title_of(method), digits_table, pair, method, "iteration", "accuracy"});
  return figure;
}

Gallery pairs_of(const std::string& id, const std::string& title, const std::string& caption) {
  return {.id = id, .title = title, .caption = caption};
}

Gallery digit_pictures(const std::string& pair, const Settings& settings) {
  auto out = pairs_of(
      "digits_" + pair, title_of_pair(pair),
      fmt::format("Test digits ({}), and below each its translation. First seed, not selected.", size_text(settings, digits_table)));
  for (const auto& method : settings.texts("digits.methods"))
    if (method.starts_with("unit"))
      for (const auto& [file, what] : {std::pair{"source_to_target.png", "source to target"}, {"target_to_source.png", "target to source"}})
        out.pictures.push_back({digits_table, pair, method, file, title_of(method) + ", " + what});
  return out;
}

Gallery translations(const std::string& section, const std::string& dataset, const Settings& settings) {
  const auto& set = picture_set(dataset, section);
  auto out =
      pairs_of("translations_" + dataset, "Translations: " + set.title,
               fmt::format("Test pictures ({}), and below each its translation. ", size_text(settings, section)));
  if (section == map_table) {
    out.median_of = "pixel_accuracy";
    out.caption += "Of the seed with the method's median pixel accuracy, where its pictures are kept, else of the first; pictures are not selected.";
  } else {
    out.caption += "First seed, not selected.";
  }
  const auto a = domain_text(set.a), b = domain_text(set.b);
  for (const auto& method : settings.texts(section + ".methods")) {
    out.pictures.push_back({section, dataset, method, "a_to_b.png", title_of(method) + ", " + a + " to " + b});
    if (method == "unit")
      for (const auto& [file, what] : {std::pair{std::string("b_to_a.png"), b + " to " + a},
                                       {"reconstructions.png", b + ", reconstructed"},
                                       {"cycles.png", a + ", translated there and back"}})
        out.pictures.push_back({section, dataset, method, file, title_of(method) + ", " + what});
  }
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {{"scenes", generated_data},
                    {"street_mnist", "street digits generated by this project; MNIST (LeCun, Cortes, Burges), CC BY-SA 3.0"},
                    {"mnist_usps", "MNIST (LeCun, Cortes, Burges), CC BY-SA 3.0; USPS (Hull 1994), no licence stated"},
                    {"usps_mnist", "USPS (Hull 1994), no licence stated; MNIST (LeCun, Cortes, Burges), CC BY-SA 3.0"},
                    {"day_night", "webcam photographs of a public course exercise, MIT licence"}};
  for (const auto& pair : settings.texts("digits.pairs"))
    for (auto& table : {digits(pair, settings), translated_digits(pair, settings)}) out.tables.push_back(table);
  out.tables.push_back(readers(settings));
  for (const auto& pair : settings.texts("digits.pairs")) {
    out.figures.push_back(adaptation(pair, settings));
    out.galleries.push_back(digit_pictures(pair, settings));
  }
  for (const auto& dataset : settings.texts("map.datasets")) {
    for (auto& table : {map_summary(dataset, settings), map(dataset, settings), codes(dataset, settings), sweep(dataset, settings)})
      out.tables.push_back(table);
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
  out.notes = {"The document is a patent application and prints no numbers. Published values are from the paper on the same method."};
  return out;
}

}  // namespace reprise::reproduce::unit_study
