#include <fmt/format.h>

#include <algorithm>

#include "experiments/captions.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/photographs.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using reports::Figure;
using reports::Table;
using Columns = std::vector<reports::Column>;

/// Rows that a reader compares first: per frame, trivial and Bayesian filters, networks on estimates and end to end, and the bound.
const std::vector<std::string> compared_first{
    "cnn",      "moving_average",    "kalman_position",    "kalman_gated",      "particle_position",
    "post_gru", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end", "smoother"};

const std::vector<std::string> ablated{"fc_gru_dropout",         "fc_gru_step_dropout", "fc_gru_copied_gates", "fc_gru_random",
                                       "fc_gru_no_augmentation", "fc_gru_one_half",     "fc_gru_two_halves"};

/// Rows of the main tables: all but the ablations and those that give no pose.
std::vector<std::string> main_methods() {
  std::vector<std::string> ids;
  for (const auto& method : methods())
    if (gives_pose(method.output()) && std::ranges::find(ablated, method.info.id) == ablated.end()) ids.push_back(method.info.id);
  return ids;
}

std::string caption(const std::string& key, const Settings& settings) { return reproduce::caption("dynamic_face", key, settings); }

/// The study's methods in table pose, which is on generated heads.
std::vector<reports::Source> sources(const std::vector<std::string>& methods) {
  std::vector<reports::Source> out;
  for (const auto& method : methods) out.push_back({method_named(method).info.title, "pose", synhead, method});
  return out;
}

/// Adds columns and a row for each method. A trivial baseline, which tracks nothing, is never the best of a column.
void add_rows(const std::vector<std::string>& names, const Columns& columns, Table& table) {
  table.add_rows(sources(names), columns);
  for (const auto& name : names) {
    const auto& method = method_named(name);
    if (method.filter && tracks_nothing(method.filter->tracker)) table.nulls.insert(method.info.title);
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

/// One metric of every method on every kind.
Table by_kind(const std::string& metric, const std::string& title, const std::vector<std::string>& kinds, const Settings& settings) {
  const auto id = metric + "_by_kind";
  Table table{.id = id,
              .title = title,
              .caption = caption(id, settings),
              .corner = "method",
              .reference = method_named("cnn").info.title,
              .digits = 2};
  add_rows(main_methods(), on_kinds(metric, kinds), table);
  return table;
}

/// The page's main table: few methods, on clean video first, as the document has it, then on damaged video.
Table summary(const std::vector<std::string>& kinds, const Settings& settings) {
  Table table{.id = "summary",
              .title = "Error, jitter and lag of trackers",
              .caption = caption("summary", settings),
              .corner = "method",
              .digits = 2};
  Columns columns;
  for (const auto& [name, unit] : {std::pair<std::string, std::string>{"error", "°"}, {"jitter", "°"}, {"lag", "frames"}})
    for (const auto& kind : kinds) columns.push_back({fmt::format("{}, {} ({})", name, kind_title(kind), unit), name + "_" + kind});
  add_rows(compared_first, columns, table);
  return table;
}

/// The document's own measure, the error of each angle. Jitter and lag are in the same table, since an output that never moves has the least
/// jitter. `published`: key of the published figures, which are for undamaged video; "" for none.
Table tracking(const std::string& kind, const std::string& published, const Settings& settings) {
  Table table{.id = "tracking_" + kind,
              .title = "Error of each angle, jitter and lag, " + kind_title(kind),
              .caption = caption("tracking", settings),
              .corner = "method",
              .published = published,
              .reference = method_named(per_frame).info.title,
              .digits = 2};
  add_rows(main_methods(),
           {{"pitch", "error_pitch_" + kind},
            {"yaw", "error_yaw_" + kind},
            {"roll", "error_roll_" + kind},
            {"mean", "error_" + kind},
            {"jitter", "jitter_" + kind},
            {"lag", "lag_" + kind}},
           table);
  return table;
}

Table ablations(const std::string& kind, const Settings& settings) {
  Table table{.id = "ablations",
              .title = "Ablations of FC-GRU, " + kind_title(kind),
              .caption = caption("ablations", settings),
              .corner = "method"};
  std::vector<std::string> names{"fc_gru"};
  names.insert(names.end(), ablated.begin(), ablated.end());
  names.insert(names.end(), {"fc_gru_joint", "fc_gru_end_to_end"});
  table.add_rows(sources(names), {{"error", "error_" + kind, 2},
                                  {"jitter", "jitter_" + kind, 2},
                                  {"lag", "lag_" + kind, 2},
                                  {"validation error", "validation_error", 2},
                                  {"learning rate", "learning_rate", 4},
                                  {"dropout", "dropout", 2},
                                  {"best epoch", "best_epoch", 1}});
  return table;
}

Table joint(const std::string& kind, const Settings& settings) {
  Table table{.id = "joint_" + kind,
              .title = "One network for pose and landmarks, or one for each, " + kind_title(kind),
              .caption = caption("joint", settings),
              .corner = "method"};
  const std::vector<std::string> names{"cnn",    "cnn_landmarks",    "kalman_landmarks", "cnn_joint",
                                       "fc_gru", "fc_gru_landmarks", "fc_gru_joint"};
  // A method without an output has no value in its columns.
  const auto columns_of = [&](bool pose, bool landmarks, bool weight) {
    const auto given = [&](bool gives, const std::string& metric) { return gives ? metric + kind : ""; };
    return Columns{{"pose error (°)", given(pose, "error_"), 2},
                   {"jitter (°)", given(pose, "jitter_"), 2},
                   {"AUC", given(landmarks, "auc_"), 3},
                   {"failure rate", given(landmarks, "failure_rate_"), 3},
                   {"landmarks' jitter", given(landmarks, "landmark_jitter_"), 4},
                   {"landmarks' lag (frames)", given(landmarks, "landmark_lag_"), 2},
                   {"weight", weight ? "landmark_weight" : "", 1}};
  };
  table.add_columns(columns_of(true, true, true));
  for (const auto& source : sources(names)) {
    const auto& method = method_named(source.method);
    const bool pose = gives_pose(method.output()), landmarks = gives_landmarks(method.output());
    table.add_row(source, columns_of(pose, landmarks, pose && landmarks && method.make));
  }
  return table;
}

/// The kinds that claims compare. Pose errors of all kinds are in the tables by damage.
std::vector<std::string> judged_kinds(const std::vector<std::string>& kinds, const std::string& learned) {
  std::vector<std::string> out;
  for (const auto& kind : kinds)
    if (kind == kinds.front() || kind == learned || kind == recorded_kind) out.push_back(kind);
  return out;
}

Table in_space(const std::vector<std::string>& kinds, const Settings& settings) {
  Table table{.id = "places", .title = "3-D landmarks", .caption = caption("places", settings), .corner = "method", .digits = 1};
  table.add_rows(sources({"cnn_places", "kalman_places", "fc_gru_places"}), on_kinds("error_3d", kinds));
  return table;
}

/// The weights of equation 2 compared with those of equation 3.
Table linear_weights(const Settings& settings) {
  Table table{.id = "weights",
              .title = "Weights of the linear RNN (equation 2) and of the Kalman filter (equation 3), yaw",
              .caption = caption("weights", settings),
              .corner = "tracker"};
  const auto columns_of = [](const std::string& form) {
    return std::vector<reports::Column>{
        {"w_hh,21", "w_hh_21" + form}, {"w_hh,22", "w_hh_22" + form}, {"w_ih,1", "w_ih_1" + form}, {"w_ih,2", "w_ih_2" + form}};
  };
  table.add_columns(columns_of(""));
  table.add_row({"Kalman, constant velocity, filter form", "pose", synhead, "kalman_velocity"}, columns_of(""));
  table.add_row({"Kalman, constant velocity, prediction form", "pose", synhead, "kalman_velocity"}, columns_of("_prediction"));
  table.add_row({"linear RNN on estimates, learned", "pose", synhead, "post_linear"}, columns_of(""));
  return table;
}

/// `real`: photographs of people; otherwise drawn faces take their place.
Table on_photographs(bool real, const Settings& settings) {
  Table table{.id = "photographs",
              .title = real ? "Real faces of people that were not in training" : "Drawn faces in place of photographs",
              .caption = caption(real ? "photographs" : "photographs_drawn", settings),
              .corner = "network"};
  std::vector<reports::Source> rows;
  for (const auto& method : photographers()) rows.push_back({method.title, "photographs", faces, method.name});
  table.add_rows(rows, {{"landmarks (%)", "landmarks", 1},
                        {"landmarks in bursts (%)", "landmarks_bursts", 1},
                        {"yaw (°)", "yaw", 1},
                        {"yaw of always 0 (°)", "yaw_zero", 1},
                        {"roll (°)", "roll", 1},
                        {"roll error of a picture turned by 40° (°)", "roll_follows", 1},
                        {"yaw deviation while the picture sways (°)", "sway", 1},
                        {"fraction of faces found", "found", 2},
                        {"fraction found, turned by 20°", "found_turned", 2}});
  return table;
}

reports::Gallery tracked_faces(const Settings& settings) {
  reports::Gallery gallery{
      .id = "tracked_faces", .title = "Drawn faces that were not in training", .caption = caption("tracked_faces", settings)};
  for (const auto& method : photographers()) gallery.add_pictures({{method.title, "photographs", faces, method.name}}, "faces.png");
  return gallery;
}

reports::Gallery tracked_heads(const std::string& kind, const Settings& settings) {
  reports::Gallery gallery{
      .id = "tracked", .title = "A head and its estimated axes over time, " + kind_title(kind), .caption = caption("tracked", settings)};
  gallery.add_pictures({{"true", "pose", synhead, per_frame}}, "truth.webp");
  gallery.add_pictures(sources({tracks_shown.begin(), tracks_shown.end()}), "track.webp");
  return gallery;
}

Figure by_strength(const std::string& kind, const Settings& settings) {
  Figure figure{.id = "strength_" + kind,
                .title = "Error against the strength of damage: " + kind,
                .caption = caption("strength", settings),
                .x_label = "strength",
                .y_label = "error minus per frame, degrees",
                .less = reports::Series{
                    .label = "", .table = "pose", .dataset = synhead, .method = "cnn", .x = "strength", .y = "strength_error_" + kind}};
  figure.add_series(sources({"cnn_continued", "one_euro", "kalman_velocity", "post_gru", "fc_lstm", "fc_gru"}), "strength",
                    "strength_error_" + kind);
  return figure;
}

Table set_size(const Settings& settings, const std::vector<std::string>& kinds) {
  Table table{.id = "size",
              .title = "Error of the per-frame network by number of training heads",
              .caption = caption("size", settings),
              .corner = "heads",
              .digits = 2};
  std::vector<reports::Source> rows;
  for (const auto number : settings.numbers("size.heads")) {
    const auto heads = static_cast<std::int64_t>(number);
    rows.push_back({std::to_string(heads), "size", synhead, size_name(heads)});
  }
  rows.push_back({"all", "pose", synhead, "cnn"});
  table.add_rows(rows, on_kinds("error", kinds));
  return table;
}

Figure tracks(const std::string& kind, const Settings& settings) {
  Figure figure{.id = "tracks_" + kind,
                .title = "Yaw over time, " + kind_title(kind),
                .caption = caption("tracks", settings),
                .x_label = "frame",
                .y_label = "yaw, degrees",
                .seeds = reports::Seeds::First};
  figure.add_series({{"true", "pose", synhead, "cnn"}}, "", "truth_" + kind);
  figure.add_series(sources({"cnn", "kalman_velocity", "post_gru", "fc_gru", "fc_gru_end_to_end"}), "", "track_" + kind);
  return figure;
}

Figure impulse_responses(const Settings& settings) {
  Figure figure{.id = "impulse",
                .title = "Impulse response of Kalman filters (equation 3) and recurrent networks (equation 2)",
                .caption = caption("impulse", settings),
                .x_label = "frames since",
                .y_label = "estimated yaw, degrees",
                .x_first = 0};
  figure.add_series(sources({"kalman_position", "kalman_velocity", "post_linear", "post_lstm", "post_gru"}), "", "impulse");
  return figure;
}

Figure gains(const Settings& settings) {
  Figure figure{.id = "gain",
                .title = "Gain of the Kalman filter (equation 3) and of recurrent networks (equation 2), yaw",
                .caption = caption("gain", settings),
                .x_label = "frames before",
                .y_label = "gain",
                .x_first = 0};
  figure.add_series(sources({"kalman_velocity", "post_linear", "post_lstm", "post_gru"}), "", "gain");
  return figure;
}

/// What a smoother track costs, of the methods of the summary: more points could not be told apart.
Figure error_and_jitter(const std::string& kind, const Settings& settings) {
  Figure figure{.id = "plane_" + kind,
                .title = "Error against jitter, " + kind_title(kind),
                .caption = caption("plane", settings),
                .x_label = "jitter, degrees",
                .y_label = "error, degrees",
                .mark = reports::Mark::Points};
  figure.add_series(sources(compared_first), "at_jitter_" + kind, "at_error_" + kind);
  return figure;
}

/// Motion of the generated tracks, and of BIWI's where the test has them.
Figure spectra(bool recorded, const Settings& settings) {
  Figure figure{.id = "spectra",
                .title = recorded ? "Spectrum of head motion, generated and BIWI's tracks" : "Spectrum of head motion, generated tracks",
                .caption = caption("spectra", settings),
                .x_label = "log10 of cycles a frame",
                .y_label = "log10 of degrees^2"};
  // The series have the data set of the generated heads, which does not name BIWI.
  if (recorded) figure.data = "generated by this project; BIWI, for research only";
  for (const std::string angle : datasets::angle_names) {
    figure.add_series({{angle + ", generated", "clips", synhead, "pose"}}, "frequency", "spectrum_" + angle);
    if (recorded) figure.add_series({{angle + ", recorded", "clips", synhead, "pose"}}, "frequency", "recorded_spectrum_" + angle);
  }
  return figure;
}

Figure convergence(const std::string& id, const std::string& what, const std::vector<std::string>& names, const Settings& settings) {
  Figure figure{.id = id,
                .title = "Validation error after each epoch, " + what,
                .caption = caption("convergence", settings),
                .x_label = "epoch",
                .y_label = "validation error, degrees",
                .y_max = 10,
                .x_first = 0};
  figure.add_series(sources(names), "", "validation_error");
  return figure;
}

std::string selection_rule(const Settings& settings) {
  if (settings.numbers("search.learning_rates").size() == 1)
    return "Selection rule: the epoch with the least error on validation clips; the learning rate is the profile's. Test sequences are "
           "scored once.";
  return "Selection rule: the epoch with the least error on validation clips; learning rate, dropout and weight with the least "
         "validation error of the first seeds. Test sequences are scored once.";
}

std::string what_a_seed_is(const Settings& settings) {
  if (settings.all().value("replicates", "everything") == "weights")  // runs from before the setting have none
    return "Seeds differ in first weights, order of clips, dropout and particles alone; data and per-frame networks are those of seed 0. "
           "Intervals do not cover other heads and tracks: the profile guards the code and is no evidence about the document.";
  return "Each seed draws its tracks, heads and networks again. All methods of a seed share them.";
}

}  // namespace

Report report(const Settings& settings) {
  const auto kinds = settings.texts("test.kinds");
  const auto& all = settings.all();  // runs from before the setting learned from a mixture
  const auto learned = all.value("clips.kind", kinds.back());
  // The document's condition first, then the damage that networks learn from.
  std::vector<std::string> shown{kinds.front()};
  if (learned != kinds.front()) shown.push_back(learned);
  const auto judged = judged_kinds(kinds, learned);
  Report out;
  out.data_notes = {{synhead, generated_data}};
  out.tables.push_back(summary(shown, settings));
  out.tables.push_back(by_kind("error", "Error by damage", kinds, settings));
  out.tables.push_back(by_kind("jitter", "Jitter by damage", kinds, settings));
  for (const auto& kind : shown) out.tables.push_back(tracking(kind, kind == kinds.front() ? "tracking" : "", settings));
  out.tables.push_back(ablations(learned, settings));
  for (const auto& kind : shown) out.tables.push_back(joint(kind, settings));
  out.tables.insert(out.tables.end(), {in_space(judged, settings), linear_weights(settings), set_size(settings, judged)});
  if (const auto source = settings.text("photographs.source"); source != "none") {
    out.tables.push_back(on_photographs(source == "real", settings));
    // Photographs of people belong to their data sets: no page shows real ones, the cell alone keeps faces.png.
    if (source == "drawn") out.galleries.push_back(tracked_faces(settings));
  }
  reports::Gallery gallery{
      .id = "gallery", .title = "Test frames and landmarks of the joint network, by damage", .caption = caption("gallery", settings)};
  // A frozen frame looks like a clean one and a recorded track like a generated one; noise is not judged, and gaps hold dark frames.
  for (const auto& kind : kinds)
    if (kind != "frozen" && kind != "recorded" && kind != "noise" && kind != "dark")
      gallery.add_pictures({{kind_title(kind), "pose", synhead, "fc_gru_joint"}}, kind + ".png");
  out.galleries.push_back(tracked_heads(learned, settings));
  out.galleries.push_back(gallery);
  for (const auto& kind : shown) out.figures.push_back(tracks(kind, settings));
  for (const auto& kind : shown) out.figures.push_back(error_and_jitter(kind, settings));
  out.figures.push_back(gains(settings));
  if (all.value("tracks.source", "") == "generated") out.figures.push_back(spectra(tests_recorded(settings), settings));
  for (const auto& kind : settings.texts("strength.kinds")) out.figures.push_back(by_strength(kind, settings));
  out.figures.push_back(impulse_responses(settings));
  out.figures.push_back(convergence("convergence", "recurrent layers on fixed features",
                                    {"cnn_continued", "fc_rnn", "fc_lstm", "fc_gru", "fc_gru_random"}, settings));
  out.figures.push_back(convergence(
      "convergence_others", "networks on estimates and end to end",
      {"post_linear", "post_gru", "cnn_continued_end_to_end", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end"}, settings));
  out.notes = {
      "Published values are for BIWI's videos and VGG16, ours for generated heads and a small network. The values are not comparable; claims "
      "are judged on the order of methods.",
      "Filters have one parameter set for each angle, tuned for the least error on the validation clips. The filter that is tuned on the test "
      "bounds what tuning can reach.",
      "Networks on estimates learn from cross-fitted estimates, in five folds: no per-frame network saw the clip's track or head.",
      "\"Per frame, fine-tuned\" trains on the same clips, for as many steps and with the same search as the recurrent methods, without "
      "recurrence. Every network's first weights may be chosen.",
      "Dropout is searched, as the learning rate is. The document's rate of 0.25, for layers of 4096 units, is an ablation.",
      selection_rule(settings),
      what_a_seed_is(settings),
  };
  return out;
}

}  // namespace reprise::reproduce::dynamic_face_study
