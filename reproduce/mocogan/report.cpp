#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "baselines/generators.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clip_sets.h"
#include "reproduce/mocogan/methods.h"
#include "reproduce/names.h"

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

/// What every table of clips shows first.
Columns scores_of(const std::string& dataset) {
  auto all = of_shapes;
  all.insert(all.end(), {{"recall", "recall"}, {"Fréchet", "frechet", 1}, {"kernel", "kernel", 3}, {"passes", "passes", 1}});
  return columns_of(dataset, std::move(all));
}

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

std::string title_of(const std::string& method) {
  static const auto all = listed_methods();
  return find_named(all, "method", method).info.title;
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
                    .caption = "Clips of each against real ones. ACD says nothing alone: a still has the best. Passes: the fraction of "
                               "seeds in which every number lies within the bands that real clips keep.",
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
  auto table =
      with_columns({.id = id_of("worthless", dataset),
                    .title = title_on_page("What the numbers mean: generators that are worthless", dataset, settings),
                    .caption = "Made of real clips with one flaw each. No number sees all of them; together they do, so that claims are "
                               "judged by generators that pass, or come near.",
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
       .title = title_on_page("Generators that are asked for an action", dataset, settings),
       .caption = fmt::format("Motion control: the fraction of clips in which the judge sees the motion that was asked for; {} by chance.",
                              clip_set(dataset).shapes ? "0.5" : "one over the number of classes"),
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
  auto table =
      with_columns({.id = id_of("control", dataset),
                    .title = title_on_page("What each code decides", dataset, settings),
                    .caption = fmt::format(
                        "{} content codes with {} motion codes each: the fraction of the variance of colour and of path that each code "
                        "explains alone. Step kept: the motion in the last of {} windows over that in the first.",
                        settings.integer("control.contents"), settings.integer("control.motions"), settings.integer("control.times")),
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
       .title = title_on_page("Clips of differing lengths", dataset, settings),
       .caption = fmt::format(
           "A generator that learned from clips of {1} to {0} frames, of which D_V sees {1} on end, beside real clips. Step and "
           "jerk are of the last {1} frames of short clips ({1} frames), middle ones ({2}) and long ones ({0}).",
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
  auto table = with_columns({.id = id_of("image_to_video", dataset),
                             .title = title_on_page("Image to video", dataset, settings),
                             .caption = "Clips that are to begin with an image that nothing was trained on. Errors: of the first frame's "
                                        "shape against the image's, pixels and 0 to 255. Jump: from the first frame to the second.",
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
       .title = title_on_page("Whether the discriminator of clips has won", dataset, settings),
       .caption = "The fraction of real and generated clips that it tells right, as training goes on: at 1 nothing is left to "
                  "learn from it, at 0.5 it sees no difference.",
       .x_label = "window of iterations",
       .y_label = "accuracy of D_V",
       .y_min = 0,
       .y_max = 1},
      settings.texts("generated.methods"), generated_table, dataset, "", "accuracy_1");
}

Figure learning(const std::string& dataset, const Settings& settings) {
  return with_curves({.id = id_of("learning", dataset),
                      .title = title_on_page("How soon generators come near real clips", dataset, settings),
                      .caption = "Fréchet distance of what each makes after all iterations, half of them, a quarter and so on. Other real "
                                 "clips have a distance, too: the row of real clips in the table of generators.",
                      .x_label = "iteration",
                      .y_label = "Fréchet distance",
                      .y_min = 0},
                     settings.texts("generated.methods"), generated_table, dataset, "iteration", "frechet");
}

Figure lengths(const std::string& dataset, const Settings& settings) {
  return with_curves(
      {.id = id_of("lengths", dataset),
       .title = title_on_page("Clips longer than those of training", dataset, settings),
       .caption = "Each window has as many frames as training had. A clip that stops has an ever better ACD; its step tells.",
       .x_label = "first frame of the window",
       .y_label = "step, pixels a frame",
       .y_min = 0},
      of_shapes_only(dataset, settings, "control.methods"), control_table, dataset, "first_frame", "step");
}

using Galleries = std::vector<reports::Gallery>;

/// Of each picture (named without an ending) the animation, one below the other, and its frames.
void add_clips(Galleries& galleries, reports::Gallery shown) {
  reports::Gallery frames{
      .id = shown.id + "_frames", .title = shown.title + ", frame by frame", .caption = "A row a clip, its frames from left to right."};
  for (auto& picture : shown.pictures) {
    frames.pictures.push_back(picture);
    frames.pictures.back().file += ".png";
    picture.file += ".gif";
  }
  shown.wide = true;
  galleries.push_back(std::move(shown));
  galleries.push_back(std::move(frames));
}

reports::Gallery clips(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{.id = id_of("generated_clips", dataset),
                       .title = title_on_page("Generated clips", dataset, settings),
                       .caption = "The first eight clips of each, moving; nothing was chosen. First seed."};
  const auto add = [&](const std::string& table, const std::string& method) {
    out.pictures.push_back({table, dataset, method, "clips", title_of(method)});
  };
  add(worthless_table, real_row);
  for (const auto& table : {generated_table, actions_table})
    for (const auto& method : settings.texts(table + ".methods")) add(table, method);
  if (!clip_set(dataset).recorded)
    for (const auto& method : settings.texts("lengths.methods")) add(lengths_table, method);
  return out;
}

reports::Gallery controlled(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{.id = id_of("controlled_clips", dataset),
                       .title = title_on_page("One motion with several contents, and one content with several motions", dataset, settings),
                       .caption = "As figures 1B to 1E of the document. First seed."};
  for (const auto& method : of_shapes_only(dataset, settings, "control.methods"))
    for (const std::string what : {"same_motion", "same_content"})
      out.pictures.push_back(
          {control_table, dataset, method, what, title_of(method) + (what == "same_motion" ? ", one motion" : ", one content")});
  return out;
}

reports::Gallery continued(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{.id = id_of("continued_images", dataset),
                       .title = title_on_page("Images that become videos", dataset, settings),
                       .caption =
                           "Eight clips that are to begin with images that nothing was trained on, the same in each row; frame by "
                           "frame the image is the first. First seed."};
  for (const auto* key : {"image_to_video.methods", "image_to_video.compared"})
    for (const auto& method : of_shapes_only(dataset, settings, key))
      out.pictures.push_back({image_table, dataset, method, "clips", title_of(method)});
  return out;
}

/// Whether the set that is generated is like the one that it stands in for: numbers of real clips of each.
Table resemblance(const std::vector<std::string>& datasets, const Settings& settings) {
  Columns columns = of_shapes;
  columns.push_back(jerk);
  columns.insert(columns.end(), nothing_seen.begin(), nothing_seen.end());
  auto table = with_columns(
      {.id = "resemblance",
       .title = "Real clips of each set",
       .caption = fmt::format("Clips of {} frames of {} pixels. Those that are read are every {}th frame of a recording.",
                              settings.integer("clips.frames"), settings.integer("clips.size"), settings.integer("clips.every_nth")),
       .corner = "real clips of"},
      columns);
  for (const auto& dataset : datasets) table.add_row(clip_set(dataset).title, worthless_table, dataset, real_row, columns);
  return table;
}

reports::Gallery real_clips(const std::vector<std::string>& datasets) {
  reports::Gallery out{.id = "real_clips", .title = "Real clips of each set", .caption = "The first eight of each, moving. First seed."};
  for (const auto& dataset : datasets) out.pictures.push_back({worthless_table, dataset, real_row, "clips", clip_set(dataset).title});
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  const auto datasets = settings.texts("datasets");
  for (const auto& dataset : datasets) {
    for (auto& table : {generated(dataset, settings), worthless(dataset, settings), actions(dataset, settings), control(dataset, settings),
                        differing(dataset, settings), image_to_video(dataset, settings)})
      out.tables.push_back(table);
    for (auto& figure : {learning(dataset, settings), balance(dataset, settings), lengths(dataset, settings)})
      out.figures.push_back(figure);
    for (auto& gallery : {clips(dataset, settings), controlled(dataset, settings), continued(dataset, settings)})
      add_clips(out.galleries, gallery);
  }
  std::vector<std::string> comparable;
  std::ranges::copy_if(datasets, std::back_inserter(comparable), [](const std::string& name) { return clip_set(name).shapes; });
  if (comparable.size() > 1) out.tables.push_back(resemblance(comparable, settings));
  if (datasets.size() > 1) add_clips(out.galleries, real_clips(datasets));
  std::erase_if(out.tables, [](const Table& table) { return table.rows.empty(); });
  std::erase_if(out.figures, [](const Figure& figure) { return figure.series.empty(); });
  std::erase_if(out.galleries, [](const reports::Gallery& gallery) { return gallery.pictures.empty(); });
  out.notes = {"Published values are of clips of 64 x 64 pixels; how their ACD is measured is not said, so that they are not comparable.",
               "Bands of real clips: metrics/clip_verdict.h."};
  for (const auto& dataset : datasets)
    if (const auto& set = clip_set(dataset); set.recorded)
      out.notes.push_back(fmt::format(
          "Clips of {} are recorded: every {}th frame, scaled to {} x {} pixels; each video is in one part only. {}", set.title,
          settings.integer("clips.every_nth"), settings.integer("clips.size"), settings.integer("clips.size"),
          set.shapes ? "Paths and colours are not written down there: what is said of them is read off the pixels, of generated clips too."
                     : "Numbers of a bright shape on black (ACD, diversity, step, jerk, still, empty, what codes decide) are left out."));
  return out;
}

}  // namespace reprise::reproduce::mocogan_study
