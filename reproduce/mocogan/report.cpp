// Tables, figures and galleries of study mocogan.
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

/// One data set of the page, and the values that its texts name.
struct PageSet {
  std::string dataset;
  const Captions& captions;
  CaptionValues values;

  const Settings& settings() const { return captions.settings(); }
  TableCaption table(const std::string& key) const { return captions.table(key, values); }
  Figure figure(const std::string& key) const { return captions.figure(key, values); }
  Gallery gallery(const std::string& key) const { return captions.gallery(key, values); }
};

/// Returns a text of captions.toml. Sets of shapes have another one, since their clips have more
/// metrics.
std::string text_for(const std::string& dataset, const std::string& key, const Captions& captions) {
  return captions.text(has_shapes(dataset) ? key + "_of_shapes" : key);
}

PageSet make_page_set(const std::string& dataset, const Captions& captions) {
  const auto& settings = captions.settings();
  const bool main_set = dataset == "shape_motion";
  // A page with only the main set does not name it.
  const bool alone = main_set && settings.texts("datasets").size() == 1;
  const auto middle =
      (settings.integer("lengths.shortest") + settings.integer("lengths.longest")) / 2;
  return {.dataset = dataset,
          .captions = captions,
          .values = {{"id_suffix", main_set ? "" : "_" + dataset},
                     {"title_suffix", alone ? "" : ", " + dataset_title(dataset)},
                     {"units", text_for(dataset, "units", captions)},
                     {"passes", text_for(dataset, "passes", captions)},
                     {"chance", text_for(dataset, "chance", captions)},
                     {"middle", std::to_string(middle)}}};
}

/// Returns the id of the published values. They exist only for the data sets of the paper.
std::string published_table(const std::string& table, const std::string& dataset) {
  const bool shown = has_shapes(dataset) || (table == actions_table && dataset == "mug");
  return shown ? table : "";
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
  for (const auto& method : methods)
    out.push_back(
        {.title = method_title(method), .table = table, .dataset = dataset, .method = method});
  return out;
}

Table make_generated_table(const PageSet& page) {
  auto table = page.table("generated").table;
  table.published = published_table(generated_table, page.dataset);
  auto rows = list_sources(
      methods_to_show({"mocogan", "vgan", "tgan"}, page.settings().texts("generated.methods")),
      generated_table, page.dataset);
  rows.push_back(
      {.title = "real", .table = controls_table, .dataset = page.dataset, .method = real_row});
  table.add_rows(rows, score_columns(page.dataset));
  return table;
}

/// Shows how each metric reacts to negative controls.
Table make_controls_table(const PageSet& page) {
  Columns columns = score_columns(page.dataset);
  // Column passes stays last.
  columns.insert(columns.end() - 1, {{"precision", "precision"},
                                     {"repeats", "repeats"},
                                     {"copies", "copies"},
                                     jerk,
                                     {"motion control", "motion_control"}});
  // Columns of failures follow those of shapes.
  columns.insert(columns.begin() + 3, failure_columns.begin(), failure_columns.end());
  auto table = page.table("worthless").table;
  table.add_rows(list_sources(page.settings().texts("negative_controls.methods"), controls_table,
                              page.dataset),
                 measurable_columns(page.dataset, std::move(columns)));
  return table;
}

Table make_actions_table(const PageSet& page) {
  auto [table, columns] = page.table("actions");
  table.published = published_table(actions_table, page.dataset);
  std::ranges::copy(score_columns(page.dataset), std::back_inserter(columns));
  const auto methods = methods_to_show({"mocogan_action", "mocogan_action_image",
                                        "mocogan_action_no_image", "mocogan_action_image_no_image"},
                                       page.settings().texts("actions.methods"));
  table.add_rows(list_sources(methods, actions_table, page.dataset), columns);
  return table;
}

Table make_control_table(const PageSet& page) {
  auto [table, columns] = page.table("control");
  table.add_rows(list_sources(methods_with_shapes(page.dataset, page.settings(), "control.methods"),
                              control_table, page.dataset),
                 columns);
  return table;
}

Table make_lengths_table(const PageSet& page) {
  auto [table, columns] = page.table("lengths");
  // Recorded clips have no chosen length, so their table is empty and is left out.
  if (!find_clip_set(page.dataset).is_recorded())
    table.add_rows(
        list_sources(page.settings().texts("lengths.methods"), lengths_table, page.dataset),
        columns);
  return table;
}

Table make_image_to_video_table(const PageSet& page) {
  auto [table, columns] = page.table("image_to_video");
  auto rows =
      list_sources(methods_with_shapes(page.dataset, page.settings(), "image_to_video.methods"),
                   image_table, page.dataset);
  // All but baselines use an encoder.
  for (auto& row : rows) row.title = page.captions.text("with_encoder", {{"method", row.title}});
  const auto compared =
      list_sources(methods_with_shapes(page.dataset, page.settings(), "image_to_video.compared"),
                   image_table, page.dataset);
  rows.insert(rows.end(), compared.begin(), compared.end());
  table.add_rows(rows, columns);
  return table;
}

/// Adds curves of training, and of clips longer than those of training.
void add_figures(const PageSet& page, std::vector<Figure>& figures) {
  const auto generators =
      list_sources(page.settings().texts("generated.methods"), generated_table, page.dataset);
  auto learning = page.figure("learning");
  learning.add_series(generators, "iteration", "frechet");
  // ACD at the same evaluations, for sets of shapes.
  auto content_distance = page.figure("acd_in_training");
  content_distance.add_series(
      list_sources(methods_with_shapes(page.dataset, page.settings(), "generated.methods"),
                   generated_table, page.dataset),
      "iteration", "acd");
  auto balance = page.figure("balance");
  balance.add_series(generators, "", "accuracy_1");
  auto speed = page.figure("speed");
  speed.add_series(
      list_sources(methods_with_shapes(page.dataset, page.settings(), "control.methods"),
                   control_table, page.dataset),
      "first_frame", "step");
  figures.insert(figures.end(), {learning, content_distance, balance, speed});
}

using Galleries = std::vector<Gallery>;

/// Adds two galleries of pictures that are named without an extension: the animations in a column,
/// and their frames.
void add_clips(Galleries& galleries, Gallery animations, Gallery frames) {
  for (auto& picture : animations.pictures) {
    frames.pictures.push_back(picture);
    frames.pictures.back().file += ".png";
    picture.file += ".webp";
  }
  galleries.push_back(std::move(animations));
  galleries.push_back(std::move(frames));
}

/// Shows real clips, and those of all generators.
Gallery make_clips_gallery(const PageSet& page) {
  const auto& [dataset, captions, values] = page;
  auto out = page.gallery("generated_clips");
  auto shown = list_sources({real_row}, controls_table, dataset);
  for (const auto& table : {generated_table, actions_table})
    std::ranges::copy(list_sources(page.settings().texts(table + ".methods"), table, dataset),
                      std::back_inserter(shown));
  if (!find_clip_set(dataset).is_recorded())
    for (auto& source :
         list_sources(page.settings().texts("lengths.methods"), lengths_table, dataset)) {
      source.title = captions.text("with_longest_clips", {{"method", source.title}});
      shown.push_back(source);
    }
  out.add_pictures(shown, "clips");
  return out;
}

/// Shows the clips behind the comparison with the paper's table 2. They are few, so the page shows
/// them unfolded.
Gallery make_comparison_gallery(const PageSet& page) {
  auto out = page.gallery("compared_clips");
  out.add_pictures(list_sources({real_row}, controls_table, page.dataset), "clips.webp");
  std::vector<std::string> compared{"mocogan", "vgan", "tgan"};
  // Only methods of the profile.
  const auto planned = page.settings().texts("generated.methods");
  std::erase_if(compared, [&](const std::string& method) {
    return std::ranges::find(planned, method) == planned.end();
  });
  out.add_pictures(list_sources(compared, generated_table, page.dataset), "clips.webp");
  return out;
}

Gallery make_control_gallery(const PageSet& page) {
  auto out = page.gallery("controlled_clips");
  for (const auto& method : methods_with_shapes(page.dataset, page.settings(), "control.methods"))
    // The name of a file is also the key of its caption.
    for (const auto* file : {"same_motion", "same_content"})
      out.pictures.push_back(
          {.table = control_table,
           .dataset = page.dataset,
           .method = method,
           .file = file,
           .caption = page.captions.text(file, {{"method", method_title(method)}})});
  return out;
}

Gallery make_continuation_gallery(const PageSet& page) {
  auto out = page.gallery("continued_images");
  for (const auto* key : {"image_to_video.methods", "image_to_video.compared"})
    out.add_pictures(list_sources(methods_with_shapes(page.dataset, page.settings(), key),
                                  image_table, page.dataset),
                     "clips");
  return out;
}

/// Adds the tables, figures and galleries of one data set.
void add_page_set(const PageSet& page, Report& out) {
  for (const auto make : {make_generated_table, make_controls_table, make_actions_table,
                          make_control_table, make_lengths_table, make_image_to_video_table})
    out.tables.push_back(make(page));
  add_figures(page, out.figures);
  out.galleries.push_back(make_comparison_gallery(page));
  add_clips(out.galleries, make_clips_gallery(page), page.gallery("generated_clips_frames"));
  add_clips(out.galleries, make_control_gallery(page), page.gallery("controlled_clips_frames"));
  add_clips(out.galleries, make_continuation_gallery(page),
            page.gallery("continued_images_frames"));
}

/// Lists the real clips of each set, titled by the set.
std::vector<Source> list_real_sources(const std::vector<std::string>& datasets) {
  std::vector<Source> out;
  for (const auto& dataset : datasets)
    out.push_back({.title = dataset_title(dataset),
                   .table = controls_table,
                   .dataset = dataset,
                   .method = real_row});
  return out;
}

/// Compares real clips of each set, to show how similar the generated and the released set are.
Table make_resemblance_table(const std::vector<std::string>& datasets, const Captions& captions) {
  Columns columns = shape_columns;
  columns.push_back(jerk);
  columns.insert(columns.end(), failure_columns.begin(), failure_columns.end());
  auto table = captions.table("resemblance").table;
  table.add_rows(list_real_sources(datasets), columns);
  return table;
}

/// Compares the data sets of a page that has several.
void compare_datasets(const std::vector<std::string>& datasets, const Captions& captions,
                      Report& out) {
  std::vector<std::string> with_shapes;
  std::ranges::copy_if(datasets, std::back_inserter(with_shapes),
                       [](const std::string& name) { return has_shapes(name); });
  if (with_shapes.size() > 1) out.tables.push_back(make_resemblance_table(with_shapes, captions));
  if (datasets.size() > 1) {
    auto real = captions.gallery("real_clips");
    real.add_pictures(list_real_sources(datasets), "clips");
    add_clips(out.galleries, std::move(real), captions.gallery("real_clips_frames"));
  }
}

}  // namespace

Report report(const Settings& settings) {
  const Captions captions("mocogan", settings);
  Report out;
  out.data_notes = {{"shape_motion", generated_data}, {"shapes", join_licences({"shapes"})}};
  const auto datasets = settings.texts("datasets");
  for (const auto& dataset : datasets) add_page_set(make_page_set(dataset, captions), out);
  compare_datasets(datasets, captions, out);
  // Tables that no method has are left out.
  out.drop_empty();
  out.notes = {captions.text("note_published"), captions.text("note_tolerances")};
  for (const auto& dataset : datasets)
    if (find_clip_set(dataset).is_recorded())
      out.notes.push_back(captions.text(
          "note_recorded", {{"data", dataset_title(dataset)},
                            {"metrics", text_for(dataset, "recorded_metrics", captions)}}));
  return out;
}

}  // namespace reprise::reproduce::mocogan_study
