#include <fmt/format.h>

#include <algorithm>

#include "baselines/generators.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/methods.h"
#include "reproduce/names.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

using Columns = std::vector<std::pair<std::string, std::string>>;  // title, metric

/// What every table of clips shows first.
const Columns scores{{"ACD", "acd"},     {"diversity", "diversity"}, {"step", "step"},       {"still", "still"},
                     {"empty", "empty"}, {"recall", "recall"},       {"Fréchet", "frechet"}, {"passes", "passes"}};

std::string title_of(const std::string& method) {
  static const auto all = listed_methods();
  return find_named(all, "method", method).info.title;
}

void add_row(Table& table, const std::string& title, const std::string& cells, const std::string& dataset, const std::string& method,
             const Columns& columns) {
  table.rows.push_back(title);
  auto& row = table.entries.emplace_back();
  for (const auto& [name, metric] : columns) row.push_back(Entry{cells, dataset, method, metric});
}

/// The methods that a table shows: those with a published figure, whether the profile has them or not, and the profile's others.
std::vector<std::string> shown(std::vector<std::string> published, const std::vector<std::string>& planned) {
  for (const auto& method : planned)
    if (std::find(published.begin(), published.end(), method) == published.end()) published.push_back(method);
  return published;
}

Table with_columns(Table table, const Columns& columns) {
  for (const auto& [title, metric] : columns) table.columns.push_back(title);
  return table;
}

Table generated(const std::string& dataset, const Settings& settings) {
  auto table =
      with_columns({.id = "generated",
                    .title = "Generators without labels",
                    .caption = "Clips of each against real ones. ACD says nothing alone: a still has the best. Passes: the fraction of "
                               "seeds in which every number lies within the bands that real clips keep.",
                    .corner = "generator",
                    .published = "generated",
                    .column_digits = {1, 0, 2, 2, 2, 2, 1, 1}},
                   scores);
  for (const auto& method : shown({"mocogan", "vgan", "tgan"}, settings.texts("generated.methods")))
    add_row(table, title_of(method), generated_table, dataset, method, scores);
  add_row(table, "real", worthless_table, dataset, real_row, scores);
  return table;
}

Table worthless(const std::string& dataset, const Settings& settings) {
  Columns columns = scores;
  columns.insert(
      columns.end() - 1,
      {{"precision", "precision"}, {"repeats", "repeats"}, {"copies", "copies"}, {"jerk", "jerk"}, {"motion control", "motion_control"}});
  auto table =
      with_columns({.id = "worthless",
                    .title = "What the numbers mean: generators that are worthless",
                    .caption = "Made of real clips with one flaw each. No number sees all of them; together they do, so that claims are "
                               "judged by generators that pass, or come near.",
                    .corner = "clips",
                    .digits = 2,
                    .column_digits = {1, 0, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 1}},
                   columns);
  for (const auto& method : settings.texts("worthless.methods"))
    add_row(table, title_of(method), worthless_table, dataset, method, columns);
  return table;
}

Table actions(const std::string& dataset, const Settings& settings) {
  Columns columns{{"motion control", "motion_control"}};
  columns.insert(columns.end(), scores.begin(), scores.end());
  auto table = with_columns(
      {.id = "actions",
       .title = "Generators that are asked for an action",
       .caption = "Motion control: the fraction of clips in which the judge sees the motion that was asked for; 0.5 by chance.",
       .corner = "generator",
       .published = "actions",
       .column_digits = {3, 1, 0, 2, 2, 2, 2, 1, 1}},
      columns);
  for (const auto& method : shown({"mocogan_action", "mocogan_action_image", "mocogan_action_no_image", "mocogan_action_image_no_image"},
                                  settings.texts("actions.methods")))
    add_row(table, title_of(method), actions_table, dataset, method, columns);
  return table;
}

Table control(const std::string& dataset, const Settings& settings) {
  const Columns columns{{"colour by content", "colour_by_content"},
                        {"colour by motion", "colour_by_motion"},
                        {"path by content", "path_by_content"},
                        {"path by motion", "path_by_motion"},
                        {"step kept", "step_kept"}};
  auto table =
      with_columns({.id = "control",
                    .title = "What each code decides",
                    .caption = fmt::format(
                        "{} content codes with {} motion codes each: the fraction of the variance of colour and of path that each code "
                        "explains alone. Step kept: the motion in the last of {} windows over that in the first.",
                        settings.integer("control.contents"), settings.integer("control.motions"), settings.integer("control.times")),
                    .corner = "generator",
                    .digits = 2},
                   columns);
  for (const auto& method : settings.texts("control.methods")) add_row(table, title_of(method), control_table, dataset, method, columns);
  return table;
}

Table image_to_video(const std::string& dataset, const Settings& settings) {
  const Columns columns{{"place error", "place_error"},
                        {"colour error", "colour_error"},
                        {"ACD", "acd"},
                        {"step", "step"},
                        {"jump", "jump"},
                        {"empty", "empty"}};
  auto table = with_columns({.id = "image_to_video",
                             .title = "Image to video",
                             .caption = "Clips that are to begin with an image that nothing was trained on. Errors: of the first frame's "
                                        "shape against the image's, pixels and 0 to 255. Jump: from the first frame to the second.",
                             .corner = "clips from",
                             .column_digits = {2, 0, 1, 2, 2, 2}},
                            columns);
  for (const auto& method : settings.texts("image_to_video.methods"))
    add_row(table, title_of(method) + ", encoder", image_table, dataset, method, columns);
  for (const auto& method : settings.texts("image_to_video.compared"))
    add_row(table, title_of(method), image_table, dataset, method, columns);
  return table;
}

Figure balance(const std::string& dataset, const Settings& settings) {
  Figure figure{.id = "balance",
                .title = "Whether the discriminator of clips has won",
                .caption =
                    "The fraction of real and generated clips that it tells right, as training goes on: at 1 nothing is left to learn from "
                    "it, at 0.5 it sees no difference.",
                .x_label = "window of iterations",
                .y_label = "accuracy of D_V",
                .y_min = 0,
                .y_max = 1};
  for (const auto& method : settings.texts("generated.methods"))
    figure.series.push_back({title_of(method), generated_table, dataset, method, "", "accuracy_1"});
  return figure;
}

Figure lengths(const std::string& dataset, const Settings& settings) {
  Figure figure{.id = "lengths",
                .title = "Clips longer than those of training",
                .caption = "Each window has as many frames as training had. A clip that stops has an ever better ACD; its step tells.",
                .x_label = "first frame of the window",
                .y_label = "step, pixels a frame",
                .y_min = 0};
  for (const auto& method : settings.texts("control.methods"))
    figure.series.push_back({title_of(method), control_table, dataset, method, "first_frame", "step"});
  return figure;
}

reports::Gallery clips(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{.id = "generated_clips",
                       .title = "Generated clips",
                       .caption = "A row a clip, its frames from left to right; and eight clips beside each other, moving. First seed."};
  const auto add = [&](const std::string& table, const std::string& method) {
    for (const std::string file : {"clips.png", "clips.gif"}) out.pictures.push_back({table, dataset, method, file, title_of(method)});
  };
  add(worthless_table, real_row);
  for (const auto& table : {generated_table, actions_table})
    for (const auto& method : settings.texts(table + ".methods")) add(table, method);
  return out;
}

reports::Gallery controlled(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = "controlled_clips",
      .title = "One motion with several contents, and one content with several motions",
      .caption = "As figures 1B to 1E of the document. A row a clip, its frames from left to right; and eight beside each other, moving."};
  for (const auto& method : settings.texts("control.methods"))
    for (const std::string what : {"same_motion", "same_content"})
      for (const std::string ending : {".png", ".gif"})
        out.pictures.push_back(
            {control_table, dataset, method, what + ending, title_of(method) + (what == "same_motion" ? ", one motion" : ", one content")});
  return out;
}

reports::Gallery continued(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = "continued_images",
      .title = "Images that become videos",
      .caption = "A row an image: the image, then the frames of its clip; and eight beside each other, moving. First seed."};
  for (const auto* key : {"image_to_video.methods", "image_to_video.compared"})
    for (const auto& method : settings.texts(key))
      for (const std::string file : {"clips.png", "clips.gif"})
        out.pictures.push_back({image_table, dataset, method, file, title_of(method)});
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  for (const auto& dataset : settings.texts("datasets")) {
    out.tables = {generated(dataset, settings), worthless(dataset, settings), actions(dataset, settings), control(dataset, settings),
                  image_to_video(dataset, settings)};
    out.figures = {balance(dataset, settings), lengths(dataset, settings)};
    out.galleries = {clips(dataset, settings), controlled(dataset, settings), continued(dataset, settings)};
  }
  std::erase_if(out.tables, [](const Table& table) { return table.rows.empty(); });
  std::erase_if(out.figures, [](const Figure& figure) { return figure.series.empty(); });
  std::erase_if(out.galleries, [](const reports::Gallery& gallery) { return gallery.pictures.empty(); });
  out.notes = {"Published values are of clips of 64 x 64 pixels; how their ACD is measured is not said, so that they are not comparable.",
               "Bands of real clips: metrics/clip_verdict.h."};
  return out;
}

}  // namespace reprise::reproduce::mocogan_study
