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

const Columns of_shapes{{"ACD", "acd", 1}, {"diversity", "diversity", 0}, {"step", "step"}};
const Columns nothing_seen{{"still", "still"}, {"empty", "empty"}};
const reports::Column jerk{"jerk", "jerk"};

/// Those that clips of a set can have: other videos than shapes have no shape that is measured.
Columns columns_of(const std::string& dataset, Columns all) {
  auto measured = of_shapes;
  measured.insert(measured.end(), nothing_seen.begin(), nothing_seen.end());
  measured.push_back(jerk);
  if (!has_shapes(dataset))
    std::erase_if(all, [&](const auto& column) {
      return std::ranges::find(measured, column.metric, &reports::Column::metric) != measured.end();
    });
  return all;
}

}  // namespace

Columns scores_of(const std::string& dataset) {
  auto all = of_shapes;
  all.insert(all.end(), {{"recall", "recall"},
                         {"Fréchet", "frechet", 1},
                         {"kernel", "kernel", 3},
                         {"passes", "passes", 1}});
  return columns_of(dataset, std::move(all));
}

std::string title_of(const std::string& method) {
  static const auto all = listed_methods();
  return find_named(all, "method", method).info.title;
}

namespace {

/// Of a page with several data sets each has its own tables, and the set on which the document is
/// judged those without a name behind them.
std::string id_of(const std::string& id, const std::string& dataset) {
  return dataset == "shape_motion" ? id : id + "_" + dataset;
}
std::string title_on_page(const std::string& title, const std::string& dataset,
                          const Settings& settings) {
  const bool alone = settings.texts("datasets").size() == 1 && dataset == "shape_motion";
  return alone ? title : title + ", " + dataset_title(dataset);
}
/// The paper's figures are of the set whose table they stand in; nobody has printed those of
/// others.
std::string published_of(const std::string& table, const std::string& dataset) {
  const bool shown = has_shapes(dataset) || (table == actions_table && dataset == "mug");
  return shown ? table : "";
}

std::string caption(const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values = {}) {
  return reproduce::caption("mocogan", key, settings, values);
}

/// Sets of shapes have another caption, since their clips have more metrics.
std::string caption_for(const std::string& dataset, const std::string& key,
                        const Settings& settings) {
  return caption(has_shapes(dataset) ? key + "_shapes" : key, settings);
}

/// The methods that a table shows: those with a published figure, whether the profile has them or
/// not, and the profile's others.
std::vector<std::string> methods_to_show(std::vector<std::string> published,
                                         const std::vector<std::string>& planned) {
  for (const auto& method : planned)
    if (std::find(published.begin(), published.end(), method) == published.end())
      published.push_back(method);
  return published;
}

std::vector<Source> sources(const std::vector<std::string>& methods, const std::string& table,
                            const std::string& dataset) {
  std::vector<Source> out;
  for (const auto& method : methods) out.push_back({title_of(method), table, dataset, method});
  return out;
}

Table generated(const std::string& dataset, const Settings& settings) {
  Table table{.id = id_of("generated", dataset),
              .title = title_on_page("Generators without labels", dataset, settings),
              .caption = caption_for(dataset, "generated", settings),
              .corner = "generator",
              .published = published_of(generated_table, dataset),
              .digits = 2};
  auto rows =
      sources(methods_to_show({"mocogan", "vgan", "tgan"}, settings.texts("generated.methods")),
              generated_table, dataset);
  rows.push_back({"real", worthless_table, dataset, real_row});
  table.add_rows(rows, scores_of(dataset));
  return table;
}

Table worthless(const std::string& dataset, const Settings& settings) {
  Columns columns = scores_of(dataset);
  columns.insert(columns.end() - 1, {{"precision", "precision"},
                                     {"repeats", "repeats"},
                                     {"copies", "copies"},
                                     jerk,
                                     {"motion control", "motion_control"}});
  columns.insert(columns.begin() + 3, nothing_seen.begin(), nothing_seen.end());
  Table table{.id = id_of("worthless", dataset),
              .title = title_on_page("Negative controls: how each metric reacts to defective clips",
                                     dataset, settings),
              .caption = caption("worthless", settings),
              .corner = "clips",
              .digits = 2};
  table.add_rows(sources(settings.texts("worthless.methods"), worthless_table, dataset),
                 columns_of(dataset, std::move(columns)));
  return table;
}

Table actions(const std::string& dataset, const Settings& settings) {
  Columns columns = scores_of(dataset);
  columns.insert(columns.begin(), {"motion control", "motion_control", 3});
  Table table{.id = id_of("actions", dataset),
              .title = title_on_page("Generators with action labels", dataset, settings),
              .caption = caption_for(dataset, "actions", settings),
              .corner = "generator",
              .published = published_of(actions_table, dataset),
              .digits = 2};
  const auto methods = methods_to_show({"mocogan_action", "mocogan_action_image",
                                        "mocogan_action_no_image", "mocogan_action_image_no_image"},
                                       settings.texts("actions.methods"));
  table.add_rows(sources(methods, actions_table, dataset), columns);
  return table;
}

Table control(const std::string& dataset, const Settings& settings) {
  Table table{.id = id_of("control", dataset),
              .title = title_on_page("Variance of colour and path explained by each code", dataset,
                                     settings),
              .caption = caption("control", settings),
              .corner = "generator",
              .digits = 2};
  table.add_rows(
      sources(of_shapes_only(dataset, settings, "control.methods"), control_table, dataset),
      {{"colour by content", "colour_by_content"},
       {"colour by motion", "colour_by_motion"},
       {"path by content", "path_by_content"},
       {"path by motion", "path_by_motion"},
       {"step kept", "step_kept"}});
  return table;
}

Table lengths(const std::string& dataset, const Settings& settings) {
  const auto middle =
      (settings.integer("lengths.shortest") + settings.integer("lengths.longest")) / 2;
  Table table{.id = id_of("lengths", dataset),
              .title = title_on_page("Clips of different lengths", dataset, settings),
              .caption = caption("lengths", settings, {{"middle", std::to_string(middle)}}),
              .corner = "clips",
              .digits = 2};
  if (clip_set(dataset).recorded()) return table;
  table.add_rows(sources(settings.texts("lengths.methods"), lengths_table, dataset),
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

Table image_to_video(const std::string& dataset, const Settings& settings) {
  Table table{.id = id_of("image_to_video", dataset),
              .title = title_on_page("Image to video", dataset, settings),
              .caption = caption("image_to_video", settings),
              .corner = "clips from",
              .digits = 2};
  auto rows =
      sources(of_shapes_only(dataset, settings, "image_to_video.methods"), image_table, dataset);
  for (auto& row : rows) row.title += ", encoder";
  const auto compared =
      sources(of_shapes_only(dataset, settings, "image_to_video.compared"), image_table, dataset);
  rows.insert(rows.end(), compared.begin(), compared.end());
  table.add_rows(rows, {{"place error", "place_error"},
                        {"colour error", "colour_error", 0},
                        {"ACD", "acd", 1},
                        {"step", "step"},
                        {"jump", "jump"},
                        {"empty", "empty"}});
  return table;
}

/// Curves of training and of clips longer than those of training.
void add_figures(const std::string& dataset, const Settings& settings,
                 std::vector<Figure>& figures) {
  const auto generators = settings.texts("generated.methods");
  Figure learning{.id = id_of("learning", dataset),
                  .title = title_on_page("Fréchet distance during training", dataset, settings),
                  .caption = caption("learning", settings),
                  .x_label = "iteration",
                  .y_label = "Fréchet distance",
                  .y_min = 0};
  learning.add_series(sources(generators, generated_table, dataset), "iteration", "frechet");
  // ACD at the same evaluations, of sets whose clips have one.
  Figure content_distance{
      .id = id_of("acd_in_training", dataset),
      .title = title_on_page("Average content distance (ACD) during training", dataset, settings),
      .caption = caption("content_distance", settings),
      .x_label = "iteration",
      .y_label = "ACD, 0 to 255",
      .y_min = 0};
  content_distance.add_series(
      sources(of_shapes_only(dataset, settings, "generated.methods"), generated_table, dataset),
      "iteration", "acd");
  Figure balance{.id = id_of("balance", dataset),
                 .title = title_on_page("Accuracy of the clip discriminator during training",
                                        dataset, settings),
                 .caption = caption("balance", settings),
                 .x_label = "window of iterations",
                 .y_label = "accuracy of D_V",
                 .y_min = 0,
                 .y_max = 1};
  balance.add_series(sources(generators, generated_table, dataset), "", "accuracy_1");
  Figure speed{
      .id = id_of("lengths", dataset),
      .title = title_on_page("Speed in clips longer than those of training", dataset, settings),
      .caption = caption("longer_clips", settings),
      .x_label = "first frame of the window",
      .y_label = "step, pixels per frame",
      .y_min = 0};
  speed.add_series(
      sources(of_shapes_only(dataset, settings, "control.methods"), control_table, dataset),
      "first_frame", "step");
  figures.insert(figures.end(), {learning, content_distance, balance, speed});
}

using Galleries = std::vector<Gallery>;

/// Adds two galleries of pictures that are named without an ending: the animations, one below the
/// other, and their frames.
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

Gallery clips(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = id_of("generated_clips", dataset),
              .title = title_on_page("Generated clips", dataset, settings),
              .caption = caption("clips", settings)};
  auto shown = sources({real_row}, worthless_table, dataset);
  for (const auto& table : {generated_table, actions_table})
    std::ranges::copy(sources(settings.texts(table + ".methods"), table, dataset),
                      std::back_inserter(shown));
  if (!clip_set(dataset).recorded())
    for (auto& source : sources(settings.texts("lengths.methods"), lengths_table, dataset)) {
      source.title += fmt::format(", {} frames", settings.integer("lengths.longest"));
      shown.push_back(source);
    }
  out.add_pictures(shown, "clips");
  return out;
}

/// The clips that the comparison of the paper's table 2 is on: few enough to stand open on the
/// page.
Gallery compared_clips(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = id_of("compared_clips", dataset),
              .title = title_on_page("Generated clips of the compared methods", dataset, settings),
              .caption = caption("compared_clips", settings),
              .wide = true};
  out.add_pictures(sources({real_row}, worthless_table, dataset), "clips.webp");
  std::vector<std::string> compared{"mocogan", "vgan", "tgan"};
  const auto planned = settings.texts("generated.methods");
  std::erase_if(compared, [&](const std::string& method) {
    return std::ranges::find(planned, method) == planned.end();
  });
  out.add_pictures(sources(compared, generated_table, dataset), "clips.webp");
  return out;
}

Gallery controlled(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = id_of("controlled_clips", dataset),
              .title = title_on_page(
                  "One motion with different contents, and one content with different motions",
                  dataset, settings),
              .caption = caption("controlled", settings)};
  for (const auto& method : of_shapes_only(dataset, settings, "control.methods"))
    for (const auto& [file, what] : {std::pair{"same_motion", "motion with different contents"},
                                     std::pair{"same_content", "content with different motions"}})
      out.pictures.push_back({.table = control_table,
                              .dataset = dataset,
                              .method = method,
                              .file = file,
                              .caption = fmt::format("{}, one {}", title_of(method), what)});
  return out;
}

Gallery continued(const std::string& dataset, const Settings& settings) {
  Gallery out{.id = id_of("continued_images", dataset),
              .title = title_on_page("Clips generated from an image", dataset, settings),
              .caption = caption("continued", settings)};
  for (const auto* key : {"image_to_video.methods", "image_to_video.compared"})
    out.add_pictures(sources(of_shapes_only(dataset, settings, key), image_table, dataset),
                     "clips");
  return out;
}

/// Real clips of each set, titled by the set.
std::vector<Source> real_sources(const std::vector<std::string>& datasets) {
  std::vector<Source> out;
  for (const auto& dataset : datasets)
    out.push_back({dataset_title(dataset), worthless_table, dataset, real_row});
  return out;
}

/// Metrics of real clips of each set: how alike the generated set and the released one are.
Table resemblance(const std::vector<std::string>& datasets, const Settings& settings) {
  Columns columns = of_shapes;
  columns.push_back(jerk);
  columns.insert(columns.end(), nothing_seen.begin(), nothing_seen.end());
  Table table{.id = "resemblance",
              .title = "Real clips of each set",
              .caption = caption("resemblance", settings),
              .corner = "real clips of",
              .digits = 2};
  table.add_rows(real_sources(datasets), columns);
  return table;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {{"shape_motion", generated_data}, {"shapes", licences_of({"shapes"})}};
  const auto datasets = settings.texts("datasets");
  for (const auto& dataset : datasets) {
    for (const auto make : {generated, worthless, actions, control, lengths, image_to_video})
      out.tables.push_back(make(dataset, settings));
    add_figures(dataset, settings, out.figures);
    out.galleries.push_back(compared_clips(dataset, settings));
    add_clips(out.galleries, clips(dataset, settings), caption("clips_frames", settings));
    add_clips(out.galleries, controlled(dataset, settings), caption("controlled_frames", settings));
    add_clips(out.galleries, continued(dataset, settings), caption("continued_frames", settings));
  }
  std::vector<std::string> comparable;
  std::ranges::copy_if(datasets, std::back_inserter(comparable),
                       [](const std::string& name) { return has_shapes(name); });
  if (comparable.size() > 1) out.tables.push_back(resemblance(comparable, settings));
  if (datasets.size() > 1) {
    Gallery real{.id = "real_clips",
                 .title = "Real clips of each set",
                 .caption = caption("real_clips", settings)};
    real.add_pictures(real_sources(datasets), "clips");
    add_clips(out.galleries, std::move(real), caption("clips_frames", settings));
  }
  out.drop_empty();
  out.notes = {
      "Published values are for clips of 64 x 64 pixels. The paper does not state how it measures ACD, so its values are not "
      "comparable.",
      "metrics/clip_verdict.h has the tolerances of column passes."};
  for (const auto& dataset : datasets)
    if (clip_set(dataset).recorded())
      out.notes.push_back(fmt::format(
          "Clips of {0} are recorded: one frame in {1}, scaled to {2} x {2} pixels. Each video is in one part only. {3}",
          dataset_title(dataset), settings.integer("clips.every_nth"),
          settings.integer("clips.size"),
          has_shapes(dataset)
              ? "No file states their paths and colours. These are measured in the pixels, as those of generated clips are."
              : "Metrics of a bright shape on black are left out: ACD, diversity, step, jerk, still, empty and the variance "
                "explained by codes."));
  return out;
}

}  // namespace reprise::reproduce::mocogan_study
