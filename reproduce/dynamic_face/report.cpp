#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "experiments/captions.h"
#include "experiments/dataset_list.h"
#include "metrics/landmarks.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/photographs.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using reports::Figure;
using reports::Table;
using Columns = std::vector<reports::Column>;

/// Rows of the summary: per frame, trivial and Bayesian filters, networks on estimates and end to
/// end, and the bound.
const std::vector<std::string> summary_methods{
    "cnn",      "moving_average",    "kalman_position",    "kalman_gated",      "particle_position",
    "post_gru", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end", "smoother"};

const std::vector<std::string> ablation_methods{
    "fc_gru_dropout",         "fc_gru_step_dropout", "fc_gru_copied_gates", "fc_gru_random",
    "fc_gru_no_augmentation", "fc_gru_one_half",     "fc_gru_two_halves"};

/// Returns the rows of the main tables: methods that give poses, without ablations.
std::vector<std::string> main_methods() {
  std::vector<std::string> ids;
  for (const auto& method : methods())
    if (gives_pose(method.output()) &&
        std::ranges::find(ablation_methods, method.info.id) == ablation_methods.end())
      ids.push_back(method.info.id);
  return ids;
}

/// Returns the cells of a method in table pose, under a label.
reports::Source pose_source(const std::string& label, const std::string& method) {
  return {.title = label, .table = "pose", .dataset = synhead, .method = method};
}

/// Returns the cells of methods in table pose.
std::vector<reports::Source> sources(const std::vector<std::string>& methods) {
  std::vector<reports::Source> out;
  for (const auto& method : methods)
    out.push_back(pose_source(method_named(method).info.title, method));
  return out;
}

/// Adds columns, and a row per method. Trivial baselines are never marked as the best of a column.
void add_rows(const std::vector<std::string>& names, const Columns& columns, Table& table) {
  table.add_rows(sources(names), columns);
  for (const auto& name : names) {
    const auto& method = method_named(name);
    if (method.filter && is_trivial(method.filter->tracker)) table.nulls.insert(method.info.title);
  }
}

/// Returns the title of a kind of clips. Texts call clips with gaps "damaged".
std::string kind_title(const std::string& kind) { return kind == "gaps" ? "damaged" : kind; }

/// Returns a column of one metric per kind.
Columns columns_of_kinds(const std::string& metric, const std::vector<std::string>& kinds) {
  Columns columns;
  for (const auto& kind : kinds)
    columns.push_back({.title = kind_title(kind), .metric = metric + "_" + kind});
  return columns;
}

CaptionValues kind_caption_values(const std::string& kind) {
  return {{"kind", kind}, {"kind_title", kind_title(kind)}};
}

/// Returns a table of one metric: methods by kinds.
Table kind_table(const std::string& metric, const std::vector<std::string>& kinds,
                 const Captions& captions) {
  auto table = captions.table(metric + "_by_kind").table;
  table.reference = method_named(per_frame).info.title;
  add_rows(main_methods(), columns_of_kinds(metric, kinds), table);
  return table;
}

/// Returns the page's main table: few methods, on clean video first as in the document, then on
/// damaged video.
Table summary_table(const std::vector<std::string>& kinds, const Captions& captions) {
  auto [table, columns] = captions.table("summary");
  for (const auto& [name, unit] :
       {std::pair<std::string, std::string>{"error", "°"}, {"jitter", "°"}, {"lag", "frames"}})
    for (const auto& kind : kinds)
      columns.push_back({.title = fmt::format("{}, {} ({})", name, kind_title(kind), unit),
                         .metric = name + "_" + kind});
  add_rows(summary_methods, columns, table);
  return table;
}

/// Returns the document's metric, the error per angle, with jitter and lag, since a constant output
/// has the least jitter. published: key of the published figures, which are for undamaged video; ""
/// for none.
Table tracking_table(const std::string& kind, const std::string& published,
                     const Captions& captions) {
  auto [table, columns] = captions.table("tracking", kind_caption_values(kind));
  table.published = published;
  table.reference = method_named(per_frame).info.title;
  add_rows(main_methods(), columns, table);
  return table;
}

Table ablation_table(const std::string& kind, const Captions& captions) {
  auto [table, columns] = captions.table("ablations", kind_caption_values(kind));
  std::vector<std::string> names{"fc_gru"};
  names.insert(names.end(), ablation_methods.begin(), ablation_methods.end());
  names.insert(names.end(), {"fc_gru_joint", "fc_gru_end_to_end"});
  table.add_rows(sources(names), columns);
  return table;
}

Table joint_table(const std::string& kind, const Captions& captions) {
  auto [table, columns] = captions.table("joint", kind_caption_values(kind));
  table.add_columns(columns);
  for (const auto& source : sources({"cnn", "cnn_landmarks", "kalman_landmarks", "cnn_joint",
                                     "fc_gru", "fc_gru_landmarks", "fc_gru_joint"})) {
    const auto& method = method_named(source.method);
    const bool pose = gives_pose(method.output());
    const bool landmarks = gives_landmarks(method.output());
    const auto has_value = [&](const std::string& metric) {
      if (metric == "landmark_weight") return pose && landmarks && method.make != nullptr;
      const bool of_pose = metric.starts_with("error_") || metric.starts_with("jitter_");
      return of_pose ? pose : landmarks;
    };
    // Cells of outputs that a method does not have are empty.
    auto own = columns;
    for (auto& column : own)
      if (!has_value(column.metric)) column.metric = "";
    table.add_row(source, own);
  }
  return table;
}

/// Returns the kinds that claims compare. Other tables show pose errors of all kinds.
std::vector<std::string> compared_kinds(const std::vector<std::string>& kinds,
                                        const std::string& learned) {
  std::vector<std::string> out;
  for (const auto& kind : kinds)
    if (kind == kinds.front() || kind == learned || kind == recorded_kind) out.push_back(kind);
  return out;
}

Table landmark_error_3d_table(const std::vector<std::string>& kinds, const Captions& captions) {
  auto table = captions.table("places").table;
  table.add_rows(sources({"cnn_places", "kalman_places", "fc_gru_places"}),
                 columns_of_kinds("error_3d", kinds));
  return table;
}

/// Compares the weights of equation 2 with those of equation 3.
Table weight_table(const Captions& captions) {
  auto [table, columns] = captions.table("weights", {{"form", ""}});
  const auto of_prediction = captions.table("weights", {{"form", "_prediction"}}).columns;
  table.add_columns(columns);
  table.add_row(pose_source("Kalman, constant velocity, filter form", "kalman_velocity"), columns);
  table.add_row(pose_source("Kalman, constant velocity, prediction form", "kalman_velocity"),
                of_prediction);
  table.add_row(pose_source("linear RNN on estimates, learned", "post_linear"), columns);
  return table;
}

/// Returns the cells of a method on photographs.
reports::Source photograph_source(const PhotographMethod& method) {
  return {.title = method.title, .table = "photographs", .dataset = faces, .method = method.name};
}

/// Returns the table of photographs. real: photographs of people; otherwise drawn faces replace
/// them.
Table photograph_table(bool real, const Captions& captions) {
  auto table = captions.table(real ? "photographs" : "photographs_drawn").table;
  std::vector<reports::Source> rows;
  for (const auto& method : photograph_methods()) rows.push_back(photograph_source(method));
  table.add_rows(rows, captions.table("photographs").columns);
  return table;
}

reports::Gallery face_gallery(const Captions& captions) {
  auto gallery = captions.gallery("tracked_faces");
  for (const auto& method : photograph_methods())
    gallery.add_pictures({photograph_source(method)}, "faces.png");
  return gallery;
}

reports::Gallery head_gallery(const std::string& kind, const Captions& captions) {
  auto gallery = captions.gallery("tracked", kind_caption_values(kind));
  gallery.add_pictures({pose_source("true", per_frame)}, "truth.webp");
  gallery.add_pictures(sources({animated_methods.begin(), animated_methods.end()}), "track.webp");
  return gallery;
}

reports::Gallery test_frame_gallery(const std::vector<std::string>& kinds,
                                    const Captions& captions) {
  auto gallery = captions.gallery("gallery");
  // Frozen frames look like clean ones, and recorded tracks like generated ones. Noise is not part
  // of a claim, and gaps contain dark frames.
  for (const auto& kind : kinds)
    if (kind != "frozen" && kind != "recorded" && kind != "noise" && kind != "dark")
      gallery.add_pictures({pose_source(kind_title(kind), "fc_gru_joint")}, kind + ".png");
  return gallery;
}

Figure strength_figure(const std::string& kind, const Captions& captions) {
  auto figure = captions.figure("strength", kind_caption_values(kind));
  const auto y = "strength_error_" + kind;
  figure.less = reports::Series{
      .label = "", .table = "pose", .dataset = synhead, .method = "cnn", .x = "strength", .y = y};
  figure.add_series(
      sources({"cnn_continued", "one_euro", "kalman_velocity", "post_gru", "fc_lstm", "fc_gru"}),
      "strength", y);
  return figure;
}

Table size_table(const std::vector<std::string>& kinds, const Captions& captions) {
  auto table = captions.table("size").table;
  std::vector<reports::Source> rows;
  for (const auto number : captions.settings().numbers("size.heads")) {
    const auto heads = static_cast<std::int64_t>(number);
    rows.push_back({.title = std::to_string(heads),
                    .table = "size",
                    .dataset = synhead,
                    .method = size_name(heads)});
  }
  // The network on all heads is that of table pose.
  rows.push_back(pose_source("all", per_frame));
  table.add_rows(rows, columns_of_kinds("error", kinds));
  return table;
}

Figure track_figure(const std::string& kind, const Captions& captions) {
  auto figure = captions.figure("tracks", kind_caption_values(kind));
  figure.add_series({pose_source("true", per_frame)}, "", "truth_" + kind);
  figure.add_series(sources({"cnn", "kalman_velocity", "post_gru", "fc_gru", "fc_gru_end_to_end"}),
                    "", "track_" + kind);
  return figure;
}

Figure impulse_figure(const Captions& captions) {
  auto figure = captions.figure("impulse");
  figure.add_series(
      sources({"kalman_position", "kalman_velocity", "post_linear", "post_lstm", "post_gru"}), "",
      "impulse");
  return figure;
}

Figure gain_figure(const Captions& captions) {
  auto figure = captions.figure("gain");
  figure.add_series(sources({"kalman_velocity", "post_linear", "post_lstm", "post_gru"}), "",
                    "gain");
  return figure;
}

/// Returns error over jitter of the methods of the summary: the cost of a smoother track.
Figure error_over_jitter_figure(const std::string& kind, const Captions& captions) {
  auto figure = captions.figure("plane", kind_caption_values(kind));
  figure.add_series(sources(summary_methods), "at_jitter_" + kind, "at_error_" + kind);
  return figure;
}

/// Returns motion spectra of the generated tracks, and of BIWI's if the test has them.
Figure spectra_figure(bool recorded, const Captions& captions) {
  auto figure = captions.figure(
      "spectra", {{"tracks", recorded ? "generated and BIWI's tracks" : "generated tracks"}});
  // Cells of network "pose" record the spectra. The series have the data set of the generated
  // heads, which does not name BIWI.
  const auto clips_source = [](const std::string& label) -> reports::Source {
    return {.title = label, .table = "clips", .dataset = synhead, .method = per_frame_network};
  };
  if (recorded) figure.data = "generated by this project; BIWI, for research only";
  for (const std::string angle : datasets::angle_names) {
    figure.add_series({clips_source(angle + ", generated")}, "frequency", "spectrum_" + angle);
    if (recorded)
      figure.add_series({clips_source(angle + ", recorded")}, "frequency",
                        "recorded_spectrum_" + angle);
  }
  return figure;
}

Figure convergence_figure(const std::string& id, const std::string& networks,
                          const std::vector<std::string>& names, const Captions& captions) {
  auto figure = captions.figure("convergence", {{"figure", id}, {"networks", networks}});
  figure.add_series(sources(names), "", "validation_error");
  return figure;
}

void add_tables(const std::vector<std::string>& kinds, const std::vector<std::string>& shown,
                const Captions& captions, Report& out) {
  const auto& learned = shown.back();
  const auto compared = compared_kinds(kinds, learned);
  out.tables = {summary_table(shown, captions), kind_table("error", kinds, captions),
                kind_table("jitter", kinds, captions)};
  for (const auto& kind : shown)
    out.tables.push_back(tracking_table(kind, kind == kinds.front() ? "tracking" : "", captions));
  out.tables.push_back(ablation_table(learned, captions));
  for (const auto& kind : shown) out.tables.push_back(joint_table(kind, captions));
  out.tables.insert(out.tables.end(), {landmark_error_3d_table(compared, captions),
                                       weight_table(captions), size_table(compared, captions)});
}

/// Adds the table of photographs, if the profile has them.
void add_photographs(const Captions& captions, Report& out) {
  const auto source = captions.settings().text("photographs.source");
  if (source == "none") return;
  out.tables.push_back(photograph_table(source == "real", captions));
  // Licences of the photographs: faces.png stays in the cell's folder, and no page shows it.
  if (source == "drawn") out.galleries.push_back(face_gallery(captions));
}

void add_figures(const std::vector<std::string>& shown, const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  for (const auto& kind : shown) out.figures.push_back(track_figure(kind, captions));
  for (const auto& kind : shown) out.figures.push_back(error_over_jitter_figure(kind, captions));
  out.figures.push_back(gain_figure(captions));
  if (settings.all().value("tracks.source", "") == "generated")
    out.figures.push_back(spectra_figure(tests_recorded(settings), captions));
  for (const auto& kind : settings.texts("strength.kinds"))
    out.figures.push_back(strength_figure(kind, captions));
  out.figures.push_back(impulse_figure(captions));
  out.figures.push_back(convergence_figure(
      "convergence", "recurrent layers on fixed features",
      {"cnn_continued", "fc_rnn", "fc_lstm", "fc_gru", "fc_gru_random"}, captions));
  out.figures.push_back(
      convergence_figure("convergence_others", "networks on estimates and end to end",
                         {"post_linear", "post_gru", "cnn_continued_end_to_end",
                          "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end"},
                         captions));
}

std::vector<std::string> notes(const Captions& captions) {
  const auto& settings = captions.settings();
  const bool searches = settings.numbers("search.learning_rates").size() > 1;
  // Older runs do not have this setting.
  const bool of_weights = settings.all().value("resampled", "everything") == "weights";
  std::vector<std::string> out;
  for (const auto* note : {"note_published", "note_filters", "note_folds", "note_fine_tuned",
                           "note_dropout", searches ? "note_search" : "note_one_rate",
                           of_weights ? "note_seeds_of_weights" : "note_seeds"})
    out.push_back(captions.text(note));
  return out;
}

}  // namespace

Report report(const Settings& settings) {
  const auto kinds = settings.texts("test.kinds");
  // Runs from before the setting clips.kind learned from a mixture.
  const auto learned = settings.all().value("clips.kind", kinds.back());
  // The document's condition first, then the damage that networks learn from.
  std::vector<std::string> shown{kinds.front()};
  if (learned != kinds.front()) shown.push_back(learned);
  const Captions captions("dynamic_face", settings,
                          {{"ced_limit", number_text(metrics::ced_limit)}});
  Report out;
  out.data_notes = {{synhead, generated_data}};
  add_tables(kinds, shown, captions, out);
  add_photographs(captions, out);
  out.galleries.insert(out.galleries.end(),
                       {head_gallery(learned, captions), test_frame_gallery(kinds, captions)});
  add_figures(shown, captions, out);
  out.notes = notes(captions);
  return out;
}

}  // namespace reprise::reproduce::dynamic_face_study
