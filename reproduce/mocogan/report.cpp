// Tables, figures and galleries of study mocogan.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "experiments/captions.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clip_sets.h"
#include "reproduce/mocogan/methods.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using reports::Figure;
using reports::Gallery;
using reports::Source;
using reports::Table;

using Columns = std::vector<reports::Column>;

const Columns shape_columns{{"ACD", "acd", 1}, {"diversity", "diversity", 0}, {"step", "step"}};
const Columns failure_columns{{"still", "still"}, {"empty", "empty"}};
const reports::Column jerk{"jerk", "jerk"};

/// Returns the columns that clips of a set can have. Clips without a bright shape on black lack
/// metrics of shapes.
Columns measurable_columns(const std::string& dataset, Columns all) {
  auto measured = shape_columns;
  measured.insert(measured.end(), failure_columns.begin(), failure_columns.end());
  measured.push_back(jerk);
  if (!has_shapes(dataset))
    std::erase_if(all, [&](const auto& column) {
      return std::ranges::find(measured, column.metric, &reports::Column::metric) != measured.end();
    });
  return all;
}

}  // namespace

Columns score_columns(const std::string& dataset) {
  auto all = shape_columns;
  all.insert(all.end(), {{"recall", "recall"},
                         {"Fréchet", "frechet", 1},
                         {"kernel", "kernel", 3},
                         {"passes", "passes", 1}});
  return measurable_columns(dataset, std::move(all));
}

std::string method_title(const std::string& method) {
  static const auto all = list_methods();
  return find_named(all, "method", method).info.title;
}

namespace {

/// Returns the id of a table on a page with several data sets. The main set, shape_motion, has no
/// suffix.
std::string page_id(const std::string& id, const std::string& dataset) {
  return dataset == "shape_motion" ? id : id + "_" + dataset;
}
/// Returns a title with the data set, unless the page has only the main one.
std::string title_on_page(const std::string& title, const std::string& dataset,
                          const Settings& settings) {
  const bool alone = settings.texts("datasets").size() == 1 && dataset == "shape_motion";
  return alone ? title : title + ", " + dataset_title(dataset);
}
/// Returns the id of the published values. They exist only for the data sets of the paper.
std::string published_table(const std::string& table, const std::string& dataset) {
  const bool shown = has_shapes(dataset) || (table == actions_table && dataset == "mug");
  return shown ? table : "";
}

std::string caption(const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values = {}) {
  return reproduce::caption("mocogan", key, settings, values);
}

/// Returns a caption. Sets of shapes have another one, since their clips have more metrics.
std::string caption_for(const std::string& dataset, const std::string& key,
                        const Settings& settings) {
  return caption(has_shapes(dataset) ? key + "_shapes" : key, settings);
}

/// Returns the methods that a table shows: those with published values, and the profile's others.
std::vector<std::string> methods_to_show(std::vector<std::string> published,
                                         const std::vector<std::string>& planned) {
  for (const auto& method : planned)
    if (std::find(published.begin(), published.end(), method) == published.end())
      published.push_back(method);
  return published;
}

std::vector<Source> list_sources(const std::vector<std::string>& methods, const std::string& table,
                                 const std::string& dataset) {
  std::vector<Source> out;
  for (const auto& method : methods) out.push_back({method_title(method), table, dataset, method});
  return out;
}

Table make_generated_table(const std::string& dataset, const Settings& settings) {
  Table table{.id = page_id("generated", dataset),
              .title = title_on_page("Generators without labels", dataset, settings),
              .caption = caption_for(dataset, "generated", settings),
              .corner = "generator",
              .published = published_table(generated_table, dataset),
              .digits = 2};
  auto rows = list_sources(
      methods_to_show({"mocogan", "vgan", "tgan"}, settings.texts("generated.methods")),
      generated_table, dataset);
  rows.push_back({"real", controls_table, dataset, real_row});
  table.add_rows(rows, score_columns(dataset));
  return table;
}

/// Shows how each metric reacts to negative controls.
Table make_controls_table(const std::string& dataset, const Settings& settings) {
  Columns columns = score_columns(dataset);
  // Column passes stays last.
  columns.insert(columns.end() - 1, {{"precision", "precision"},
                                     {"repeats", "repeats"},
                                     {"copies", "copies"},
                                     jerk,
                                     {"motion control", "motion_control"}});
  // Columns of failures follow those of shapes.
  columns.insert(columns.begin() + 3, failure_columns.begin(), failure_columns.end());
  Table table{.id = page_id("worthless", dataset),
              .title = title_on_page("Negative controls: how each metric reacts to defective clips",
                                     dataset, settings),
              .caption = caption("worthless", settings),
              .corner = "clips",
              .digits = 2};
  table.add_rows(list_sources(settings.texts("worthless.methods"), controls_table, dataset),
                 measurable_columns(dataset, std::move(columns)));
  return table;
}

Table make_actions_table(const std::string& dataset, const Settings& settings) {
  Columns columns = score_columns(dataset);
  columns.insert(columns.begin(), {"motion control", "motion_control", 3});
  Table table{.id = page_id("actions", dataset),
              .title = title_on_page("Generators with action labels", dataset, settings),
              .caption = caption_for(dataset, "actions", settings),
              .corner = "generator",
              .published = published_table(actions_table, dataset),
              .digits = 2};
  const auto methods = methods_to_show({"mocogan_action", "mocogan_action_image",
                                        "mocogan_action_no_image", "mocogan_action_image_no_image"},
                                       settings.texts("actions.methods"));
  table.add_rows(list_sources(methods, actions_table, dataset), columns);
  return table;
}

Table make_control_table(const std::string& dataset, const Settings& settings) {
  Table table{.id = page_id("control", dataset),
              .title = title_on_page("Variance of colour and path explained by each code", dataset,
                                     settings),
              .caption = caption("control", settings),
              .corner = "generator",
              .digits = 2};
  table.add_rows(list_sources(methods_with_shapes(dataset, settings, "control.methods"),
                              control_table, dataset),
                 {{"colour by content", "colour_by_content"},
                  {"colour by motion", "colour_by_motion"},
                  {"path by content", "path_by_content"},
                  {"path by motion", "path_by_motion"},
                  {"step kept", "step_kept"}});
  return table;
}

Table make_lengths_table(const std::string& dataset, const Settings& settings) {
  const auto middle =
      (settings.integer("lengths.shortest") + settings.integer("lengths.longest")) / 2;
  Table table{.id = page_id("lengths", dataset),
              .title = title_on_page("Clips of different lengths", dataset, settings),
              .caption = caption("lengths", settings, {{"middle", std::to_string(middle)}}),
              .corner = "clips",
              .digits = 2};
  if (find_clip_set(dataset).is_recorded()) return table;
  table.add_rows(list_sources(settings.texts("lengths.methods"), lengths_table, dataset),
                 {{"ACD", "acd", 1},
                  {"diversity", "diversity", 0},
                  {"step, short", "step_short"},
                  {"middle", "step_middle"},
                  {"long", "step_long"},
                  {"jerk, short", "jerk_short"},
                  {"middle", "jerk_middle"},
                  {"long", "jerk_long"},
                  {"empty", "empty"}});
  return table;
}

Table make_image_to_video_table(const std::string& dataset, const Settings& settings) {
  Table table{.id = page_id("image_to_video", dataset),
              .title = title_on_page("Image to video", dataset, settings),
              .caption = caption("image_to_video", settings),
              .corner = "clips from",
              .digits = 2};
  auto rows = list_sources(methods_with_shapes(dataset, settings, "image_to_video.methods"),
                           image_table, dataset);
  // All but baselines use an encoder.
  for (auto& row : rows) row.title += ", encoder";
  const auto compared = list_sources(
      methods_with_shapes(dataset, settings, "image_to_video.compared"), image_table, dataset);
  rows.insert(rows.end(), compared.begin(), compared.end());
  table.add_rows(rows, {{"place error", "place_error"},
                        {"colour error", "colour_error", 0},
                        {"ACD", "acd", 1},
                        {"step", "step"},
                        {"jump", "jump"},
                        {"empty", "empty"}});
  return table;
}

/// Adds curves of training, and of clips longer than those of training.
void add_figures(const std::string& dataset, const Settings& settings,
                 std::vector<Figure>& figures) {
  const auto generators = settings.texts("generated.methods");
  Figure learning{.id = page_id("learning", dataset),
                  .title = title_on_page("Fréchet distance during training", dataset, settings),
                  .caption = caption("learning", settings),
                  .x_label = "iteration",
                  .y_label = "Fréchet distance",
                  .y_min = 0};
  learning.add_series(list_sources(generators, generated_table, dataset), "iteration", "frechet");
  // ACD at the same evaluations, for sets of shapes.
  Figure content_distance{
      .id = page_id("acd_in_training", dataset),
      .title = title_on_page("Average content distance (ACD) during training", dataset, settings),
      .caption = caption("content_distance", settings),
      .x_label = "iteration",
      .y_label = "ACD, 0 to 255",
      .y_min = 0};
  content_distance.add_series(
      list_sources(methods_with_shapes(dataset, settings, "generated.methods"), generated_table,
                   dataset),
      "iteration", "acd");
  Figure balance{.id = page_id("balance", dataset),
                 .title = title_on_page("Accuracy of the clip discriminator during training",
                                        dataset, settings),
                 .caption = caption("balance", settings),
                 .x_label = "window of iterations",
                 .y_label = "accuracy of D_V",
                 .y_min = 0,
                 .y_max = 1};
  balance.add_series(list_sources(generators, generated_table, dataset), "", "accuracy_1");
  Figure speed{
      .id = page_id("lengths", dataset),
      .title = title_on_page("Speed in clips longer than those of training", dataset, settings),
      .caption = caption("longer_clips", settings),
      .x_label = "first frame of the window",
      .y_label = "step, pixels per frame",
      .y_min = 0};
  speed.add_series(list_sources(methods_with_shapes(dataset, settings, "control.methods"),
                                control_table, dataset),
                   "first_frame", "step");
  figures.insert(figures.end(), {learning, content_distance, balance, speed});
}

using Galleries = std::vector<Gallery>;

/// Adds two galleries of pictures that are named without an extension: the animations in a column,
/// and their frames.
void add_clips(Galleries& galleries, Gallery shown, const std::string& caption_of_frames) {
  Gallery frames{.id = shown.id + "_frames",
                 .title = shown.title + ", frame by frame",
                 .caption = caption_of_frames};
  for (auto& picture : shown.pictures) {
    frames.pictures.push_back(picture);
    frames.pictures.back().file += ".png";
    picture.file += ".webp";
  }
  shown.wide = true;
  galleries.push_back(std::move(shown));
  galleries.push_back(std::move(frames));
}

/// Shows real clips, and those of all generators.
Gallery make_clips_gallery(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = page_id("generated_clips", dataset),
              .title = title_on_page("Generated clips", dataset, settings),
              .caption = caption("clips", settings)};
  auto shown = list_sources({real_row}, controls_table, dataset);
  for (const auto& table : {generated_table, actions_table})
    std::ranges::copy(list_sources(settings.texts(table + ".methods"), table, dataset),
                      std::back_inserter(shown));
  if (!find_clip_set(dataset).is_recorded())
    for (auto& source : list_sources(settings.texts("lengths.methods"), lengths_table, dataset)) {
      source.title += fmt::format(", {} frames", settings.integer("lengths.longest"));
      shown.push_back(source);
    }
  out.add_pictures(shown, "clips");
  return out;
}

/// Shows the clips behind the comparison with the paper's table 2. They are few, so the page shows
/// them unfolded.
Gallery make_comparison_gallery(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = page_id("compared_clips", dataset),
              .title = title_on_page("Generated clips of the compared methods", dataset, settings),
              .caption = caption("compared_clips", settings),
              .wide = true};
  out.add_pictures(list_sources({real_row}, controls_table, dataset), "clips.webp");
  std::vector<std::string> compared{"mocogan", "vgan", "tgan"};
  // Only methods of the profile.
  const auto planned = settings.texts("generated.methods");
  std::erase_if(compared, [&](const std::string& method) {
    return std::ranges::find(planned, method) == planned.end();
  });
  out.add_pictures(list_sources(compared, generated_table, dataset), "clips.webp");
  return out;
}

Gallery make_control_gallery(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = page_id("controlled_clips", dataset),
              .title = title_on_page(
                  "One motion with different contents, and one content with different motions",
                  dataset, settings),
              .caption = caption("controlled", settings)};
  for (const auto& method : methods_with_shapes(dataset, settings, "control.methods"))
    for (const auto& [file, what] : {std::pair{"same_motion", "motion with different contents"},
                                     std::pair{"same_content", "content with different motions"}})
      out.pictures.push_back({.table = control_table,
                              .dataset = dataset,
                              .method = method,
                              .file = file,
                              .caption = fmt::format("{}, one {}", method_title(method), what)});
  return out;
}

Gallery make_continuation_gallery(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = page_id("continued_images", dataset),
              .title = title_on_page("Clips generated from an image", dataset, settings),
              .caption = caption("continued", settings)};
  for (const auto* key : {"image_to_video.methods", "image_to_video.compared"})
    out.add_pictures(
        list_sources(methods_with_shapes(dataset, settings, key), image_table, dataset), "clips");
  return out;
}

/// Lists the real clips of each set, titled by the set.
std::vector<Source> list_real_sources(const std::vector<std::string>& datasets) {
  std::vector<Source> out;
  for (const auto& dataset : datasets)
    out.push_back({dataset_title(dataset), controls_table, dataset, real_row});
  return out;
}

/// Compares real clips of each set, to show how similar the generated and the released set are.
Table make_resemblance_table(const std::vector<std::string>& datasets, const Settings& settings) {
  Columns columns = shape_columns;
  columns.push_back(jerk);
  columns.insert(columns.end(), failure_columns.begin(), failure_columns.end());
  Table table{.id = "resemblance",
              .title = "Real clips of each set",
              .caption = caption("resemblance", settings),
              .corner = "real clips of",
              .digits = 2};
  table.add_rows(list_real_sources(datasets), columns);
  return table;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {{"shape_motion", generated_data}, {"shapes", join_licences({"shapes"})}};
  const auto datasets = settings.texts("datasets");
  for (const auto& dataset : datasets) {
    for (const auto make : {make_generated_table, make_controls_table, make_actions_table,
                            make_control_table, make_lengths_table, make_image_to_video_table})
      out.tables.push_back(make(dataset, settings));
    add_figures(dataset, settings, out.figures);
    out.galleries.push_back(make_comparison_gallery(dataset, settings));
    add_clips(out.galleries, make_clips_gallery(dataset, settings),
              caption("clips_frames", settings));
    add_clips(out.galleries, make_control_gallery(dataset, settings),
              caption("controlled_frames", settings));
    add_clips(out.galleries, make_continuation_gallery(dataset, settings),
              caption("continued_frames", settings));
  }
  std::vector<std::string> comparable;
  std::ranges::copy_if(datasets, std::back_inserter(comparable),
                       [](const std::string& name) { return has_shapes(name); });
  // A comparison needs two sets of shapes.
  if (comparable.size() > 1) out.tables.push_back(make_resemblance_table(comparable, settings));
  if (datasets.size() > 1) {
    Gallery real{.id = "real_clips",
                 .title = "Real clips of each set",
                 .caption = caption("real_clips", settings)};
    real.add_pictures(list_real_sources(datasets), "clips");
    add_clips(out.galleries, std::move(real), caption("clips_frames", settings));
  }
  // Tables that no method has are left out.
  out.drop_empty();
  out.notes = {
      "Published values are for clips of 64 x 64 pixels. The paper does not state how it "
      "measures ACD, so its values are not "
      "comparable.",
      "metrics/clip_scores.h has the tolerances of column passes."};
  for (const auto& dataset : datasets)
    if (find_clip_set(dataset).is_recorded())
      out.notes.push_back(fmt::format(
          "Clips of {0} are recorded: one frame in {1}, scaled to {2} x {2} pixels. Each video "
          "is in one part only. {3}",
          dataset_title(dataset), settings.integer("clips.every_nth"),
          settings.integer("clips.size"),
          has_shapes(dataset)
              ? "No file states their paths and colours. These are measured in the pixels, as "
                "those of generated clips are."
              : "Metrics of a bright shape on black are left out: ACD, diversity, step, jerk, "
                "still, empty and the variance "
                "explained by codes."));
  return out;
}

}  // namespace reprise::reproduce::mocogan_study
