#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "baselines/generators.h"
#include "experiments/names.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clip_sets.h"
#include "reproduce/mocogan/methods.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using reports::Figure;
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
  if (!clip_set(dataset).shapes)
    std::erase_if(
        all, [&](const auto& column) { return std::ranges::find(measured, column.metric, &reports::Column::metric) != measured.end(); });
  return all;
}

}  // namespace

Columns scores_of(const std::string& dataset) {
  auto all = of_shapes;
  all.insert(all.end(), {{"recall", "recall"}, {"Fréchet", "frechet", 1}, {"kernel", "kernel", 3}, {"passes", "passes", 1}});
  return columns_of(dataset, std::move(all));
}

std::string title_of(const std::string& method) {
  static const auto all = listed_methods();
  return find_named(all, "method", method).info.title;
}

namespace {

/// Of a page with several data sets each has its own tables, and the set on which the document is judged those without a name behind them.
std::string id_of(const std::string& id, const std::string& dataset) { return dataset == "shape_motion" ? id : id + "_" + dataset; }
std::string title_on_page(const std::string& title, const std::string& dataset, const Settings& settings) {
  const bool alone = settings.texts("datasets").size() == 1 && dataset == "shape_motion";
  return alone ? title : title + ", " + clip_set(dataset).title;
}
/// The paper's figures are of the set whose table they stand in; nobody has printed those of others.
std::string published_of(const std::string& table, const std::string& dataset) {
  const bool shown = clip_set(dataset).shapes || (table == actions_table && dataset == "mug");
  return shown ? table : "";
}

/// "16 x 16 pixels, 8 frames": the size of clips.
std::string clip_size(const Settings& settings) {
  return fmt::format("{0} x {0} pixels, {1} frames", settings.integer("clips.size"), settings.integer("clips.frames"));
}

/// The size of clips, and the units of the metrics that clips of shapes have.
std::string size_and_units(const std::string& dataset, const Settings& settings) {
  const auto size = "Clips have " + clip_size(settings);
  return clip_set(dataset).shapes ? size + "; ACD and diversity are on a scale of 0 to 255, step is in pixels per frame." : size + ".";
}

/// The methods that a table shows: those with a published figure, whether the profile has them or not, and the profile's others.
std::vector<std::string> shown(std::vector<std::string> published, const std::vector<std::string>& planned) {
  for (const auto& method : planned)
    if (std::find(published.begin(), published.end(), method) == published.end()) published.push_back(method);
  return published;
}

Table with_columns(Table table, const Columns& columns) {
  table.digits = 2;
  table.add_columns(columns);
  return table;
}

Table generated(const std::string& dataset, const Settings& settings) {
  const auto scores = scores_of(dataset);
  auto table =
      with_columns({.id = id_of("generated", dataset),
                    .title = title_on_page("Generators without labels", dataset, settings),
                    .caption = size_and_units(dataset, settings) +
                               " Passes: the fraction of seeds in which every metric is within a tolerance of real clips" +
                               (clip_set(dataset).shapes ? " (ACD: at most 10 above); by ACD alone a still clip would be best." : "."),
                    .corner = "generator",
                    .published = published_of(generated_table, dataset)},
                   scores);
  for (const auto& method : shown({"mocogan", "vgan", "tgan"}, settings.texts("generated.methods")))
    table.add_row(title_of(method), generated_table, dataset, method, scores);
  table.add_row("real", worthless_table, dataset, real_row, scores);
  return table;
}

Table worthless(const std::string& dataset, const Settings& settings) {
  Columns columns = scores_of(dataset);
  columns.insert(columns.end() - 1,
                 {{"precision", "precision"}, {"repeats", "repeats"}, {"copies", "copies"}, jerk, {"motion control", "motion_control"}});
  columns.insert(columns.begin() + 3, nothing_seen.begin(), nothing_seen.end());
  columns = columns_of(dataset, std::move(columns));
  auto table = with_columns(
      {.id = id_of("worthless", dataset),
       .title = title_on_page("Negative controls: how each metric reacts to defective clips", dataset, settings),
       .caption = fmt::format("Real clips ({}) with one defect per row, and intact ones; no single metric detects every defect. "
                              "Passes: the fraction of seeds in which every metric is within a tolerance of real clips.",
                              clip_size(settings)),
       .corner = "clips"},
      columns);
  for (const auto& method : settings.texts("worthless.methods")) table.add_row(title_of(method), worthless_table, dataset, method, columns);
  return table;
}

Table actions(const std::string& dataset, const Settings& settings) {
  Columns columns{{"motion control", "motion_control", 3}};
  const auto scores = scores_of(dataset);
  columns.insert(columns.end(), scores.begin(), scores.end());
  auto table = with_columns(
      {.id = id_of("actions", dataset),
       .title = title_on_page("Generators with action labels", dataset, settings),
       .caption = fmt::format("Motion control: the fraction of clips in which an independent classifier recognises the requested motion; "
                              "chance is {}. {}",
                              clip_set(dataset).shapes ? "0.5" : "one over the number of classes", size_and_units(dataset, settings)),
       .corner = "generator",
       .published = published_of(actions_table, dataset)},
      columns);
  for (const auto& method : shown({"mocogan_action", "mocogan_action_image", "mocogan_action_no_image", "mocogan_action_image_no_image"},
                                  settings.texts("actions.methods")))
    table.add_row(title_of(method), actions_table, dataset, method, columns);
  return table;
}

Table control(const std::string& dataset, const Settings& settings) {
  const Columns columns{{"colour by content", "colour_by_content"},
                        {"colour by motion", "colour_by_motion"},
                        {"path by content", "path_by_content"},
                        {"path by motion", "path_by_motion"},
                        {"step kept", "step_kept"}};
  auto table = with_columns(
      {.id = id_of("control", dataset),
       .title = title_on_page("Variance of colour and path explained by each code", dataset, settings),
       .caption = fmt::format(
           "Fractions of the variance that each code explains alone, in clips of {} content codes with {} motion codes each ({}). "
           "Step kept: the speed in the last of {} consecutive windows of {} frames over the speed in the first.",
           settings.integer("control.contents"), settings.integer("control.motions"), clip_size(settings),
           settings.integer("control.times"), settings.integer("clips.frames")),
       .corner = "generator"},
      columns);
  for (const auto& method : of_shapes_only(dataset, settings, "control.methods"))
    table.add_row(title_of(method), control_table, dataset, method, columns);
  return table;
}

Table differing(const std::string& dataset, const Settings& settings) {
  const Columns columns{{"ACD", "acd", 1},         {"diversity", "diversity", 0}, {"step, short", "step_short"},
                        {"middle", "step_middle"}, {"long", "step_long"},         {"jerk, short", "jerk_short"},
                        {"middle", "jerk_middle"}, {"long", "jerk_long"},         {"empty", "empty"}};
  auto table = with_columns(
      {.id = id_of("lengths", dataset),
       .title = title_on_page("Clips of different lengths", dataset, settings),
       .caption = fmt::format(
           "A generator trained on clips of {1} to {0} frames, of which D_V sees {1} consecutive ones, and real clips. Step (pixels per "
           "frame) and jerk (second difference, pixels) are of the last {1} frames of short ({1} frames), middle ({2}) and "
           "long clips ({0}).",
           settings.integer("lengths.longest"), settings.integer("lengths.shortest"),
           (settings.integer("lengths.shortest") + settings.integer("lengths.longest")) / 2),
       .corner = "clips"},
      columns);
  if (!clip_set(dataset).recorded)
    for (const auto& method : settings.texts("lengths.methods")) table.add_row(title_of(method), lengths_table, dataset, method, columns);
  return table;
}

Table image_to_video(const std::string& dataset, const Settings& settings) {
  const Columns columns{{"place error", "place_error"},
                        {"colour error", "colour_error", 0},
                        {"ACD", "acd", 1},
                        {"step", "step"},
                        {"jump", "jump"},
                        {"empty", "empty"}};
  auto table = with_columns(
      {.id = id_of("image_to_video", dataset),
       .title = title_on_page("Image to video", dataset, settings),
       .caption = fmt::format("Clips ({}) that start from an image unseen in training. Errors compare the first frame's shape with the "
                              "image's: place in pixels, colour from 0 to 255; jump is the motion to the second frame, in pixels.",
                              clip_size(settings)),
       .corner = "clips from"},
      columns);
  for (const auto& method : of_shapes_only(dataset, settings, "image_to_video.methods"))
    table.add_row(title_of(method) + ", encoder", image_table, dataset, method, columns);
  for (const auto& method : of_shapes_only(dataset, settings, "image_to_video.compared"))
    table.add_row(title_of(method), image_table, dataset, method, columns);
  return table;
}

/// A curve of each method.
Figure with_curves(Figure figure, const std::vector<std::string>& methods, const std::string& table, const std::string& dataset,
                   const std::string& x, const std::string& y) {
  for (const auto& method : methods) figure.series.push_back({title_of(method), table, dataset, method, x, y});
  return figure;
}

Figure balance(const std::string& dataset, const Settings& settings) {
  return with_curves(
      {.id = id_of("balance", dataset),
       .title = title_on_page("Accuracy of the clip discriminator during training", dataset, settings),
       .caption = "The fraction of real and generated clips that D_V classifies correctly. At 0.5 it cannot tell them apart; at 1 the "
                  "generator learns nothing from it.",
       .x_label = "window of iterations",
       .y_label = "accuracy of D_V",
       .y_min = 0,
       .y_max = 1},
      settings.texts("generated.methods"), generated_table, dataset, "", "accuracy_1");
}

Figure learning(const std::string& dataset, const Settings& settings) {
  return with_curves(
      {.id = id_of("learning", dataset),
       .title = title_on_page("Fréchet distance during training", dataset, settings),
       .caption = "Evaluated after all iterations, half of them, a quarter and so on. The last row of the table of generators has the "
                  "distance between two sets of real clips.",
       .x_label = "iteration",
       .y_label = "Fréchet distance",
       .y_min = 0},
      settings.texts("generated.methods"), generated_table, dataset, "iteration", "frechet");
}

/// ACD at the same evaluations, of sets whose clips have one.
Figure content_distance(const std::string& dataset, const Settings& settings) {
  return with_curves(
      {.id = id_of("acd_in_training", dataset),
       .title = title_on_page("Average content distance (ACD) during training", dataset, settings),
       .caption = "Colour distance within a clip, evaluated after all iterations, half of them, a quarter and so on. Clips that "
                  "hardly move, as early in training, have a low ACD too.",
       .x_label = "iteration",
       .y_label = "ACD, 0 to 255",
       .y_min = 0},
      of_shapes_only(dataset, settings, "generated.methods"), generated_table, dataset, "iteration", "acd");
}

Figure lengths(const std::string& dataset, const Settings& settings) {
  return with_curves(
      {.id = id_of("lengths", dataset),
       .title = title_on_page("Speed in clips longer than those of training", dataset, settings),
       .caption = fmt::format("Each window has {} frames, as many as clips of training. ACD cannot show that a clip stops, since a still "
                              "clip has the best; its step does.",
                              settings.integer("clips.frames")),
       .x_label = "first frame of the window",
       .y_label = "step, pixels per frame",
       .y_min = 0},
      of_shapes_only(dataset, settings, "control.methods"), control_table, dataset, "first_frame", "step");
}

using Galleries = std::vector<reports::Gallery>;

/// Adds two galleries of pictures that are named without an ending: the animations, one below the other, and their frames.
void add_clips(Galleries& galleries, reports::Gallery shown, const std::string& of_frames) {
  reports::Gallery frames{.id = shown.id + "_frames",
                          .title = shown.title + ", frame by frame",
                          .caption = "One row per clip, frames from left to right" + of_frames + ". First seed."};
  for (auto& picture : shown.pictures) {
    frames.pictures.push_back(picture);
    frames.pictures.back().file += ".png";
    picture.file += ".webp";
  }
  shown.wide = true;
  galleries.push_back(std::move(shown));
  galleries.push_back(std::move(frames));
}

reports::Gallery clips(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = id_of("generated_clips", dataset),
      .title = title_on_page("Generated clips", dataset, settings),
      .caption = fmt::format("The first eight clips of each generator, not selected ({} unless stated). First seed.", clip_size(settings))};
  const auto add = [&](const std::string& table, const std::string& method, const std::string& frames = "") {
    out.pictures.push_back({table, dataset, method, "clips", title_of(method) + frames});
  };
  add(worthless_table, real_row);
  for (const auto& table : {generated_table, actions_table})
    for (const auto& method : settings.texts(table + ".methods")) add(table, method);
  if (!clip_set(dataset).recorded)
    for (const auto& method : settings.texts("lengths.methods"))
      add(lengths_table, method, fmt::format(", {} frames", settings.integer("lengths.longest")));
  return out;
}

/// The clips that the comparison of the paper's table 2 is on: few enough to stand open on the page.
reports::Gallery compared_clips(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = id_of("compared_clips", dataset),
      .title = title_on_page("Generated clips of the compared methods", dataset, settings),
      .caption = fmt::format("The first eight clips of each generator, not selected ({}). First seed.", clip_size(settings)),
      .wide = true};
  out.pictures.push_back({worthless_table, dataset, real_row, "clips.webp", title_of(real_row)});
  const auto methods = settings.texts("generated.methods");
  for (const std::string method : {"mocogan", "vgan", "tgan"})
    if (std::ranges::find(methods, method) != methods.end())
      out.pictures.push_back({generated_table, dataset, method, "clips.webp", title_of(method)});
  return out;
}

reports::Gallery controlled(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = id_of("controlled_clips", dataset),
      .title = title_on_page("One motion with different contents, and one content with different motions", dataset, settings),
      .caption = fmt::format("As figures 1B to 1E of the document, with shapes in place of faces and people ({}). First seed.",
                             clip_size(settings))};
  for (const auto& method : of_shapes_only(dataset, settings, "control.methods"))
    for (const std::string what : {"same_motion", "same_content"})
      out.pictures.push_back(
          {control_table, dataset, method, what,
           fmt::format("{}, one {} ({})", title_of(method),
                       what == "same_motion" ? "motion with different contents" : "content with different motions", clip_size(settings))});
  return out;
}

reports::Gallery continued(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = id_of("continued_images", dataset),
      .title = title_on_page("Clips generated from an image", dataset, settings),
      .caption = fmt::format("Clips ({}) that start from eight images unseen in training, the same for every method. First seed.",
                             clip_size(settings))};
  for (const auto* key : {"image_to_video.methods", "image_to_video.compared"})
    for (const auto& method : of_shapes_only(dataset, settings, key))
      out.pictures.push_back({image_table, dataset, method, "clips", title_of(method)});
  return out;
}

/// Metrics of real clips of each set: how alike the generated set and the released one are.
Table resemblance(const std::vector<std::string>& datasets, const Settings& settings) {
  Columns columns = of_shapes;
  columns.push_back(jerk);
  columns.insert(columns.end(), nothing_seen.begin(), nothing_seen.end());
  auto table = with_columns({.id = "resemblance",
                             .title = "Real clips of each set",
                             .caption = fmt::format("Clips have {}. Of a recording, one frame in {} is used.", clip_size(settings),
                                                    settings.integer("clips.every_nth")),
                             .corner = "real clips of"},
                            columns);
  for (const auto& dataset : datasets) table.add_row(clip_set(dataset).title, worthless_table, dataset, real_row, columns);
  return table;
}

reports::Gallery real_clips(const std::vector<std::string>& datasets) {
  reports::Gallery out{.id = "real_clips", .title = "Real clips of each set", .caption = "The first eight clips of each set. First seed."};
  for (const auto& dataset : datasets) out.pictures.push_back({worthless_table, dataset, real_row, "clips", clip_set(dataset).title});
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {{"shape_motion", generated_data}, {"shapes", "videos by the authors of MoCoGAN, for research only"}};
  const auto datasets = settings.texts("datasets");
  for (const auto& dataset : datasets) {
    for (auto& table : {generated(dataset, settings), worthless(dataset, settings), actions(dataset, settings), control(dataset, settings),
                        differing(dataset, settings), image_to_video(dataset, settings)})
      out.tables.push_back(table);
    for (auto& figure :
         {learning(dataset, settings), content_distance(dataset, settings), balance(dataset, settings), lengths(dataset, settings)})
      out.figures.push_back(figure);
    out.galleries.push_back(compared_clips(dataset, settings));
    add_clips(out.galleries, clips(dataset, settings), " (the first six)");
    add_clips(out.galleries, controlled(dataset, settings), fmt::format(" ({})", clip_size(settings)));
    add_clips(out.galleries, continued(dataset, settings), "; the first picture of a row is the given image");
  }
  std::vector<std::string> comparable;
  std::ranges::copy_if(datasets, std::back_inserter(comparable), [](const std::string& name) { return clip_set(name).shapes; });
  if (comparable.size() > 1) out.tables.push_back(resemblance(comparable, settings));
  if (datasets.size() > 1) add_clips(out.galleries, real_clips(datasets), " (the first six)");
  std::erase_if(out.tables, [](const Table& table) { return table.rows.empty(); });
  std::erase_if(out.figures, [](const Figure& figure) { return figure.series.empty(); });
  std::erase_if(out.galleries, [](const reports::Gallery& gallery) { return gallery.pictures.empty(); });
  out.notes = {
      "Published values are of clips of 64 x 64 pixels. The paper does not state how it measures ACD, so that its values are "
      "not comparable.",
      "The tolerances that column passes uses: metrics/clip_verdict.h."};
  for (const auto& dataset : datasets)
    if (const auto& set = clip_set(dataset); set.recorded)
      out.notes.push_back(fmt::format(
          "Clips of {0} are recorded: one frame in {1}, scaled to {2} x {2} pixels. Each video is in one part only. {3}", set.title,
          settings.integer("clips.every_nth"), settings.integer("clips.size"),
          set.shapes ? "No file states their paths and colours. These are measured in the pixels, as those of generated clips are."
                     : "Metrics of a bright shape on black are left out: ACD, diversity, step, jerk, still, empty and the variance "
                       "explained by codes."));
  return out;
}

}  // namespace reprise::reproduce::mocogan_study
