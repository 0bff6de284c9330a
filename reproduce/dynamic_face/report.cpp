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

/// Rows that a reader compares first: per frame, trivial and Bayesian filters, networks on
/// estimates and end to end, and the bound.
const std::vector<std::string> compared_first{
    "cnn",      "moving_average",    "kalman_position",    "kalman_gated",      "particle_position",
    "post_gru", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end", "smoother"};

const std::vector<std::string> ablated{
    "fc_gru_dropout",         "fc_gru_step_dropout", "fc_gru_copied_gates", "fc_gru_random",
    "fc_gru_no_augmentation", "fc_gru_one_half",     "fc_gru_two_halves"};

/// Rows of the main tables: all but the ablations and those that give no pose.
std::vector<std::string> main_methods() {
  std::vector<std::string> ids;
  for (const auto& method : methods())
    if (gives_pose(method.output()) && std::ranges::find(ablated, method.info.id) == ablated.end())
      ids.push_back(method.info.id);
  return ids;
}

/// The study's methods in table pose, which is on generated heads.
std::vector<reports::Source> sources(const std::vector<std::string>& methods) {
  std::vector<reports::Source> out;
  for (const auto& method : methods)
    out.push_back({method_named(method).info.title, "pose", synhead, method});
  return out;
}

/// Adds columns and a row for each method. A trivial baseline, which tracks nothing, is never the
/// best of a column.
void add_rows(const std::vector<std::string>& names, const Columns& columns, Table& table) {
  table.add_rows(sources(names), columns);
  for (const auto& name : names) {
    const auto& method = method_named(name);
    if (method.filter && tracks_nothing(method.filter->tracker))
      table.nulls.insert(method.info.title);
  }
}

/// Title of a kind of clips: the texts call the clips with gaps "damaged".
std::string kind_title(const std::string& kind) { return kind == "gaps" ? "damaged" : kind; }

/// One metric on every kind.
Columns on_kinds(const std::string& metric, const std::vector<std::string>& kinds) {
  Columns columns;
  for (const auto& kind : kinds) columns.push_back({kind_title(kind), metric + "_" + kind});
  return columns;
}

CaptionValues values_of_kind(const std::string& kind) {
  return {{"kind", kind}, {"kind_title", kind_title(kind)}};
}

/// One metric of every method on every kind.
Table by_kind(const std::string& metric, const std::vector<std::string>& kinds,
              const Captions& captions) {
  auto table = captions.table(metric + "_by_kind").table;
  table.reference = method_named(per_frame).info.title;
  add_rows(main_methods(), on_kinds(metric, kinds), table);
  return table;
}

/// The page's main table: few methods, on clean video first, as the document has it, then on
/// damaged video.
Table summary(const std::vector<std::string>& kinds, const Captions& captions) {
  auto [table, columns] = captions.table("summary");
  for (const auto& [name, unit] :
       {std::pair<std::string, std::string>{"error", "°"}, {"jitter", "°"}, {"lag", "frames"}})
    for (const auto& kind : kinds)
      columns.push_back(
          {fmt::format("{}, {} ({})", name, kind_title(kind), unit), name + "_" + kind});
  add_rows(compared_first, columns, table);
  return table;
}

/// The document's own measure, the error of each angle. Jitter and lag are in the same table, since
/// an output that never moves has the least jitter. `published`: key of the published figures,
/// which are for undamaged video; "" for none.
Table tracking(const std::string& kind, const std::string& published, const Captions& captions) {
  auto [table, columns] = captions.table("tracking", values_of_kind(kind));
  table.published = published;
  table.reference = method_named(per_frame).info.title;
  add_rows(main_methods(), columns, table);
  return table;
}

Table ablations(const std::string& kind, const Captions& captions) {
  auto [table, columns] = captions.table("ablations", values_of_kind(kind));
  std::vector<std::string> names{"fc_gru"};
  names.insert(names.end(), ablated.begin(), ablated.end());
  names.insert(names.end(), {"fc_gru_joint", "fc_gru_end_to_end"});
  table.add_rows(sources(names), columns);
  return table;
}

Table joint(const std::string& kind, const Captions& captions) {
  auto [table, columns] = captions.table("joint", values_of_kind(kind));
  table.add_columns(columns);
  for (const auto& source : sources({"cnn", "cnn_landmarks", "kalman_landmarks", "cnn_joint",
                                     "fc_gru", "fc_gru_landmarks", "fc_gru_joint"})) {
    const auto& method = method_named(source.method);
    const bool pose = gives_pose(method.output()), landmarks = gives_landmarks(method.output());
    const auto has_value = [&](const std::string& metric) {
      if (metric == "landmark_weight") return pose && landmarks && method.make != nullptr;
      const bool of_pose = metric.starts_with("error_") || metric.starts_with("jitter_");
      return of_pose ? pose : landmarks;
    };
    auto own = columns;
    for (auto& column : own)
      if (!has_value(column.metric)) column.metric = "";
    table.add_row(source, own);
  }
  return table;
}

/// The kinds that claims compare. Pose errors of all kinds are in the tables by damage.
std::vector<std::string> judged_kinds(const std::vector<std::string>& kinds,
                                      const std::string& learned) {
  std::vector<std::string> out;
  for (const auto& kind : kinds)
    if (kind == kinds.front() || kind == learned || kind == recorded_kind) out.push_back(kind);
  return out;
}

Table in_space(const std::vector<std::string>& kinds, const Captions& captions) {
  auto table = captions.table("places").table;
  table.add_rows(sources({"cnn_places", "kalman_places", "fc_gru_places"}),
                 on_kinds("error_3d", kinds));
  return table;
}

/// The weights of equation 2 compared with those of equation 3.
Table linear_weights(const Captions& captions) {
  auto [table, columns] = captions.table("weights", {{"form", ""}});
  const auto of_prediction = captions.table("weights", {{"form", "_prediction"}}).columns;
  table.add_columns(columns);
  table.add_row({"Kalman, constant velocity, filter form", "pose", synhead, "kalman_velocity"},
                columns);
  table.add_row({"Kalman, constant velocity, prediction form", "pose", synhead, "kalman_velocity"},
                of_prediction);
  table.add_row({"linear RNN on estimates, learned", "pose", synhead, "post_linear"}, columns);
  return table;
}

/// `real`: photographs of people; otherwise drawn faces take their place.
Table on_photographs(bool real, const Captions& captions) {
  auto table = captions.table(real ? "photographs" : "photographs_drawn").table;
  std::vector<reports::Source> rows;
  for (const auto& method : photographers())
    rows.push_back({method.title, "photographs", faces, method.name});
  table.add_rows(rows, captions.table("photographs").columns);
  return table;
}

reports::Gallery tracked_faces(const Captions& captions) {
  auto gallery = captions.gallery("tracked_faces");
  for (const auto& method : photographers())
    gallery.add_pictures({{method.title, "photographs", faces, method.name}}, "faces.png");
  return gallery;
}

reports::Gallery tracked_heads(const std::string& kind, const Captions& captions) {
  auto gallery = captions.gallery("tracked", values_of_kind(kind));
  gallery.add_pictures({{"true", "pose", synhead, per_frame}}, "truth.webp");
  gallery.add_pictures(sources({tracks_shown.begin(), tracks_shown.end()}), "track.webp");
  return gallery;
}

reports::Gallery test_frames(const std::vector<std::string>& kinds, const Captions& captions) {
  auto gallery = captions.gallery("gallery");
  // A frozen frame looks like a clean one and a recorded track like a generated one; noise is not
  // judged, and gaps hold dark frames.
  for (const auto& kind : kinds)
    if (kind != "frozen" && kind != "recorded" && kind != "noise" && kind != "dark")
      gallery.add_pictures({{kind_title(kind), "pose", synhead, "fc_gru_joint"}}, kind + ".png");
  return gallery;
}

Figure by_strength(const std::string& kind, const Captions& captions) {
  auto figure = captions.figure("strength", values_of_kind(kind));
  const auto y = "strength_error_" + kind;
  figure.less = reports::Series{
      .label = "", .table = "pose", .dataset = synhead, .method = "cnn", .x = "strength", .y = y};
  figure.add_series(
      sources({"cnn_continued", "one_euro", "kalman_velocity", "post_gru", "fc_lstm", "fc_gru"}),
      "strength", y);
  return figure;
}

Table set_size(const std::vector<std::string>& kinds, const Captions& captions) {
  auto table = captions.table("size").table;
  std::vector<reports::Source> rows;
  for (const auto number : captions.settings().numbers("size.heads")) {
    const auto heads = static_cast<std::int64_t>(number);
    rows.push_back({std::to_string(heads), "size", synhead, size_name(heads)});
  }
  rows.push_back({"all", "pose", synhead, "cnn"});
  table.add_rows(rows, on_kinds("error", kinds));
  return table;
}

Figure tracks(const std::string& kind, const Captions& captions) {
  auto figure = captions.figure("tracks", values_of_kind(kind));
  figure.add_series({{"true", "pose", synhead, "cnn"}}, "", "truth_" + kind);
  figure.add_series(sources({"cnn", "kalman_velocity", "post_gru", "fc_gru", "fc_gru_end_to_end"}),
                    "", "track_" + kind);
  return figure;
}

Figure impulse_responses(const Captions& captions) {
  auto figure = captions.figure("impulse");
  figure.add_series(
      sources({"kalman_position", "kalman_velocity", "post_linear", "post_lstm", "post_gru"}), "",
      "impulse");
  return figure;
}

Figure gains(const Captions& captions) {
  auto figure = captions.figure("gain");
  figure.add_series(sources({"kalman_velocity", "post_linear", "post_lstm", "post_gru"}), "",
                    "gain");
  return figure;
}

/// What a smoother track costs, of the methods of the summary: more points could not be told apart.
Figure error_and_jitter(const std::string& kind, const Captions& captions) {
  auto figure = captions.figure("plane", values_of_kind(kind));
  figure.add_series(sources(compared_first), "at_jitter_" + kind, "at_error_" + kind);
  return figure;
}

/// Motion of the generated tracks, and of BIWI's where the test has them.
Figure spectra(bool recorded, const Captions& captions) {
  auto figure = captions.figure(
      "spectra", {{"tracks", recorded ? "generated and BIWI's tracks" : "generated tracks"}});
  // The series have the data set of the generated heads, which does not name BIWI.
  if (recorded) figure.data = "generated by this project; BIWI, for research only";
  for (const std::string angle : datasets::angle_names) {
    figure.add_series({{angle + ", generated", "clips", synhead, "pose"}}, "frequency",
                      "spectrum_" + angle);
    if (recorded)
      figure.add_series({{angle + ", recorded", "clips", synhead, "pose"}}, "frequency",
                        "recorded_spectrum_" + angle);
  }
  return figure;
}

Figure convergence(const std::string& id, const std::string& networks,
                   const std::vector<std::string>& names, const Captions& captions) {
  auto figure = captions.figure("convergence", {{"figure", id}, {"networks", networks}});
  figure.add_series(sources(names), "", "validation_error");
  return figure;
}

void add_tables(const std::vector<std::string>& kinds, const std::vector<std::string>& shown,
                const Captions& captions, Report& out) {
  const auto& learned = shown.back();
  const auto judged = judged_kinds(kinds, learned);
  out.tables = {summary(shown, captions), by_kind("error", kinds, captions),
                by_kind("jitter", kinds, captions)};
  for (const auto& kind : shown)
    out.tables.push_back(tracking(kind, kind == kinds.front() ? "tracking" : "", captions));
  out.tables.push_back(ablations(learned, captions));
  for (const auto& kind : shown) out.tables.push_back(joint(kind, captions));
  out.tables.insert(out.tables.end(), {in_space(judged, captions), linear_weights(captions),
                                       set_size(judged, captions)});
}

/// The table of photographs, where the profile has them.
void add_photographs(const Captions& captions, Report& out) {
  const auto source = captions.settings().text("photographs.source");
  if (source == "none") return;
  out.tables.push_back(on_photographs(source == "real", captions));
  // Photographs of people belong to their data sets: no page shows real ones, the cell alone keeps
  // faces.png.
  if (source == "drawn") out.galleries.push_back(tracked_faces(captions));
}

void add_figures(const std::vector<std::string>& shown, const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  for (const auto& kind : shown) out.figures.push_back(tracks(kind, captions));
  for (const auto& kind : shown) out.figures.push_back(error_and_jitter(kind, captions));
  out.figures.push_back(gains(captions));
  if (settings.all().value("tracks.source", "") == "generated")
    out.figures.push_back(spectra(tests_recorded(settings), captions));
  for (const auto& kind : settings.texts("strength.kinds"))
    out.figures.push_back(by_strength(kind, captions));
  out.figures.push_back(impulse_responses(captions));
  out.figures.push_back(
      convergence("convergence", "recurrent layers on fixed features",
                  {"cnn_continued", "fc_rnn", "fc_lstm", "fc_gru", "fc_gru_random"}, captions));
  out.figures.push_back(
      convergence("convergence_others", "networks on estimates and end to end",
                  {"post_linear", "post_gru", "cnn_continued_end_to_end", "fc_rnn_end_to_end",
                   "fc_lstm_end_to_end", "fc_gru_end_to_end"},
                  captions));
}

std::vector<std::string> notes(const Captions& captions) {
  const auto& settings = captions.settings();
  const bool searches = settings.numbers("search.learning_rates").size() > 1;
  const bool of_weights = settings.all().value("replicates", "everything") ==
                          "weights";  // runs from before the setting have none
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
  const auto learned = settings.all().value(
      "clips.kind", kinds.back());  // runs from before the setting learned from a mixture
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
                       {tracked_heads(learned, captions), test_frames(kinds, captions)});
  add_figures(shown, captions, out);
  out.notes = notes(captions);
  return out;
}

}  // namespace reprise::reproduce::dynamic_face_study
