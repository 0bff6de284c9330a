#include <fmt/format.h>

#include <algorithm>

#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/photographs.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

std::optional<Entry> pose_entry(const std::string& method, const std::string& metric) { return Entry{"pose", synhead, method, metric}; }

/// Rows that a reader compares first: per frame, trivial and Bayesian filters, networks on estimates and end to end, and the bound.
const std::vector<std::string> compared_first{
    "cnn",      "moving_average",    "kalman_position",    "kalman_gated",      "particle_position",
    "post_gru", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end", "smoother"};

const std::vector<std::string> ablated{"fc_gru_dropout",         "fc_gru_step_dropout", "fc_gru_copied_gates", "fc_gru_random",
                                       "fc_gru_no_augmentation", "fc_gru_one_half",     "fc_gru_two_halves"};

/// Rows of the main tables: all but the ablations and those that give no pose.
std::vector<const Method*> main_methods() {
  std::vector<const Method*> rows;
  for (const auto& method : methods())
    if (gives_pose(method.output()) && std::find(ablated.begin(), ablated.end(), method.info.id) == ablated.end()) rows.push_back(&method);
  return rows;
}

/// Size of a frame in words: "48 x 48 pixels".
std::string frame_size(const Settings& settings) { return fmt::format("{0} x {0} pixels", settings.integer("image.size")); }

/// Size of the test in words: "40 test sequences of 120 frames, 48 x 48 pixels".
std::string test_size(const Settings& settings) {
  return fmt::format("{} test sequences of {} frames, {}", settings.integer("test.sequences"), settings.integer("test.frames"),
                     frame_size(settings));
}

/// Appends an empty row for the method. A trivial baseline, which tracks nothing, is never the best of a column.
std::vector<std::optional<Entry>>& add_row(const Method& method, Table& table) {
  if (method.filter && tracks_nothing(method.filter->tracker)) table.nulls.insert(method.info.title);
  table.rows.push_back(method.info.title);
  return table.entries.emplace_back();
}

/// Title of a kind of clips: the texts call the clips with gaps "damaged".
std::string kind_title(const std::string& kind) { return kind == "gaps" ? "damaged" : kind; }

/// A row for every method: one metric on every kind, the table's columns. Afterwards the columns have the titles of the kinds.
void add_rows(const std::vector<const Method*>& rows, const std::string& metric, Table& table) {
  for (const auto* method : rows) {
    auto& row = add_row(*method, table);
    for (const auto& kind : table.columns) row.push_back(pose_entry(method->info.id, metric + "_" + kind));
  }
  for (auto& column : table.columns) column = kind_title(column);
}

/// One metric of every method on every kind.
Table by_kind(const std::string& metric, const std::string& title, const std::string& caption, const std::vector<std::string>& kinds) {
  Table table{.id = metric + "_by_kind", .title = title, .caption = caption, .corner = "method", .columns = kinds, .digits = 2};
  table.reference = method_named("cnn").info.title;
  add_rows(main_methods(), metric, table);
  return table;
}

/// The page's main table: few methods, on clean video first, as the document has it, then on damaged video.
Table summary(const std::vector<std::string>& kinds, const Settings& settings) {
  Table table{.id = "summary",
              .title = "Error, jitter and lag of trackers",
              .caption = "Generated heads, " + test_size(settings) +
                         ". Jitter is the standard deviation of the error's change from frame to frame; lag is how late a track comes.",
              .corner = "method",
              .digits = 2};
  struct Measure {
    std::string name, unit;
  };
  const std::vector<Measure> measures{{"error", "°"}, {"jitter", "°"}, {"lag", "frames"}};
  for (const auto& [name, unit] : measures)
    for (const auto& kind : kinds) table.columns.push_back(fmt::format("{}, {} ({})", name, kind_title(kind), unit));
  for (const auto& method : compared_first) {
    auto& row = add_row(method_named(method), table);
    for (const auto& [name, unit] : measures)
      for (const auto& kind : kinds) row.push_back(pose_entry(method, name + "_" + kind));
  }
  return table;
}

/// The document's own measure, the error of each angle. Jitter and lag are in the same table, since an output that never moves has the least
/// jitter. `published`: key of the published figures, which are for undamaged video; "" for none.
Table tracking(const std::string& kind, const std::string& published, const Settings& settings) {
  Table table{.id = "tracking_" + kind,
              .title = "Error of each angle, jitter and lag, " + kind_title(kind),
              .caption = "Mean absolute error of each angle and of all three, and jitter, in degrees; lag in frames. Generated heads, " +
                         test_size(settings) + ".",
              .corner = "method",
              .columns = {"pitch", "yaw", "roll", "mean", "jitter", "lag"},
              .published = published,
              .reference = method_named(per_frame).info.title,
              .digits = 2};
  for (const auto* method : main_methods()) {
    auto& row = add_row(*method, table);
    for (const auto* metric : {"error_pitch_", "error_yaw_", "error_roll_", "error_", "jitter_", "lag_"})
      row.push_back(pose_entry(method->info.id, metric + kind));
  }
  return table;
}

Table ablations(const std::string& kind) {
  Table table{
      .id = "ablations",
      .title = "Ablations of FC-GRU, " + kind_title(kind),
      .caption =
          "Each row changes one thing of FC-GRU; error, jitter and validation error in degrees, lag in frames. All keep its learning rate and "
          "dropout, but random fc, copied gates, joint and end to end, which search their own.",
      .corner = "method",
      .columns = {"error", "jitter", "lag", "validation error", "learning rate", "dropout", "best epoch"},
      .column_digits = {2, 2, 2, 2, 4, 2, 1}};
  std::vector<std::string> names{"fc_gru"};
  names.insert(names.end(), ablated.begin(), ablated.end());
  names.insert(names.end(), {"fc_gru_joint", "fc_gru_end_to_end"});
  for (const auto& name : names) {
    table.rows.push_back(method_named(name).info.title);
    auto& row = table.entries.emplace_back();
    for (const auto& metric : {"error_" + kind, "jitter_" + kind, "lag_" + kind}) row.push_back(pose_entry(name, metric));
    for (const auto* metric : {"validation_error", "learning_rate", "dropout", "best_epoch"}) row.push_back(pose_entry(name, metric));
  }
  return table;
}

Table joint(const std::string& kind) {
  Table table{
      .id = "joint_" + kind,
      .title = "One network for pose and landmarks, or one for each, " + kind_title(kind),
      .caption =
          "AUC and failure rate of the landmarks are at an error of 0.08 diagonals of the face's box; their jitter is in such diagonals. "
          "Weight: the factor of the landmarks' loss that validation chose.",
      .corner = "method",
      .columns = {"pose error (°)", "jitter (°)", "AUC", "failure rate", "landmarks' jitter", "landmarks' lag (frames)", "weight"},
      .column_digits = {2, 2, 3, 3, 4, 2, 1}};
  for (const auto* name : {"cnn", "cnn_landmarks", "kalman_landmarks", "cnn_joint", "fc_gru", "fc_gru_landmarks", "fc_gru_joint"}) {
    const auto& method = method_named(name);
    const auto given = [&](bool gives, const std::string& metric) { return gives ? pose_entry(name, metric + kind) : std::nullopt; };
    const bool pose = gives_pose(method.output()), landmarks = gives_landmarks(method.output());
    table.rows.push_back(method.info.title);
    table.entries.push_back({given(pose, "error_"), given(pose, "jitter_"), given(landmarks, "auc_"), given(landmarks, "failure_rate_"),
                             given(landmarks, "landmark_jitter_"), given(landmarks, "landmark_lag_"),
                             pose && landmarks && method.make ? pose_entry(name, "landmark_weight") : std::nullopt});
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

Table in_space(const std::vector<std::string>& kinds) {
  Table table{.id = "places",
              .title = "3-D landmarks",
              .caption = "Mean distance of the 68 landmarks from their true places relative to the neck, in millimetres; lower is better.",
              .corner = "method",
              .columns = kinds,
              .digits = 1};
  add_rows({&method_named("cnn_places"), &method_named("kalman_places"), &method_named("fc_gru_places")}, "error_3d", table);
  return table;
}

/// The weights of equation 2 compared with those of equation 3.
Table linear_weights() {
  Table table{
      .id = "weights",
      .title = "Weights of the linear RNN (equation 2) and of the Kalman filter (equation 3), yaw",
      .caption =
          "All rows share one basis, W_hh = [[0, 1], [w_hh,21, w_hh,22]] and W_ih = (w_ih,1, w_ih,2); the learned RNN of six units is "
          "reduced to the two-state tracker with the nearest impulse response. W_ih of a Kalman filter is its steady gain K; W_hh is "
          "(I - K V) W in filter form, for frame t, and W - K V in prediction form, for frame t + 1, as equation 3 is printed.",
      .corner = "tracker",
      .columns = {"w_hh,21", "w_hh,22", "w_ih,1", "w_ih,2"},
      .digits = 3};
  const auto add = [&](const std::string& title, const std::string& method, const std::string& form) {
    table.rows.push_back(title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"w_hh_21", "w_hh_22", "w_ih_1", "w_ih_2"}) row.push_back(pose_entry(method, metric + form));
  };
  add("Kalman, constant velocity, filter form", "kalman_velocity", "");
  add("Kalman, constant velocity, prediction form", "kalman_velocity", "_prediction");
  add("linear RNN on estimates, learned", "post_linear", "");
  return table;
}

/// `real`: photographs of people; otherwise drawn faces take their place.
Table on_photographs(bool real) {
  Table table{
      .id = "photographs",
      .title = real ? "Real faces of people that were not in training" : "Drawn faces in place of photographs",
      .caption =
          std::string(real ? "300-W photographs and YouTube Faces frames, split by person" : "Drawn faces, split by person") +
          ", processed as by the shipped tracker: detected box, window, network. Landmarks: median error, % of the true box's diagonal; "
          "yaw and roll: mean distance from the pose that is solved from the true landmarks, degrees.",
      .corner = "network",
      .columns = {"landmarks (%)", "landmarks in bursts (%)", "yaw (°)", "yaw of always 0 (°)", "roll (°)",
                  "roll error of a picture turned by 40° (°)", "yaw deviation while the picture sways (°)", "fraction of faces found",
                  "fraction found, turned by 20°"},
      .column_digits = {1, 1, 1, 1, 1, 1, 1, 2, 2}};
  for (const auto& method : photographers()) {
    table.rows.push_back(method.title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"landmarks", "landmarks_bursts", "yaw", "yaw_zero", "roll", "roll_follows", "sway", "found", "found_turned"})
      row.push_back(Entry{"photographs", faces, method.name, metric});
  }
  return table;
}

reports::Gallery tracked_faces(const Settings& settings) {
  reports::Gallery gallery{
      .id = "tracked_faces",
      .title = "Drawn faces that were not in training",
      .caption = fmt::format("Window, axes of the head (x red, y green, z blue: where the face looks) and landmarks as "
                             "the shipped tracker draws them; the network sees {0} x {0} pixels. Every third picture is turned by "
                             "20 degrees; first seed.",
                             settings.integer("photographs.size"))};
  for (const auto& method : photographers()) gallery.pictures.push_back({"photographs", faces, method.name, "faces.png", method.title});
  return gallery;
}

reports::Gallery tracked_heads(const std::string& kind, const Settings& settings) {
  reports::Gallery gallery{
      .id = "tracked",
      .title = "A head and its estimated axes over time, " + kind_title(kind),
      .caption = "Generated head, " + frame_size(settings) +
                 ", first test sequence of the first seed; axes: x red, y green, z blue, where the face looks. Red bars: mean error of the "
                 "three angles in each frame, at most 20 degrees high."};
  gallery.pictures.push_back({"pose", synhead, per_frame, "truth.webp", "true"});
  for (const auto method : tracks_shown) {
    const std::string name(method);
    gallery.pictures.push_back({"pose", synhead, name, "track.webp", method_named(name).info.title});
  }
  return gallery;
}

Figure by_strength(const std::string& kind) {
  Figure figure{
      .id = "strength_" + kind,
      .title = "Error against the strength of damage: " + kind,
      .caption =
          "Error minus that of the per-frame network of the same seed, degrees; below 0 is better. Strength 0 is clean video, 1 is the "
          "damage of the tables, on the same heads and tracks.",
      .x_label = "strength",
      .y_label = "error minus per frame, degrees",
      .less = reports::Series{"", "pose", synhead, "cnn", "strength", "strength_error_" + kind}};
  for (const auto* name : {"cnn_continued", "one_euro", "kalman_velocity", "post_gru", "fc_lstm", "fc_gru"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "strength", "strength_error_" + kind});
  return figure;
}

Table set_size(const Settings& settings, const std::vector<std::string>& kinds) {
  Table table{
      .id = "size",
      .title = "Error of the per-frame network by number of training heads",
      .caption = fmt::format("Mean absolute error, degrees, after {} epochs of {} frames for every number of heads. Each head follows "
                             "all training tracks; all: the training part of {} heads.",
                             settings.integer("cnn.epochs"), settings.integer("cnn.frames_an_epoch"), settings.integer("heads.count")),
      .corner = "heads",
      .columns = kinds,
      .digits = 2};
  for (const auto heads : settings.numbers("size.heads")) {
    const auto name = size_name(static_cast<std::int64_t>(heads));
    table.rows.push_back(fmt::format("{}", static_cast<std::int64_t>(heads)));
    auto& row = table.entries.emplace_back();
    for (const auto& kind : kinds) row.push_back(Entry{"size", synhead, name, "error_" + kind});
  }
  table.rows.emplace_back("all");
  auto& row = table.entries.emplace_back();
  for (const auto& kind : kinds) row.push_back(pose_entry("cnn", "error_" + kind));
  for (auto& column : table.columns) column = kind_title(column);
  return table;
}

Figure tracks(const std::string& kind) {
  Figure figure{.id = "tracks_" + kind,
                .title = "Yaw over time, " + kind_title(kind),
                .caption = "First test sequence of the first seed, generated head: true yaw and estimates, degrees.",
                .x_label = "frame",
                .y_label = "yaw, degrees",
                .seeds = reports::Seeds::First};
  figure.series.push_back({"true", "pose", synhead, "cnn", "", "truth_" + kind});
  for (const auto* name : {"cnn", "kalman_velocity", "post_gru", "fc_gru", "fc_gru_end_to_end"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "track_" + kind});
  return figure;
}

Figure impulse_responses() {
  Figure figure{
      .id = "impulse",
      .title = "Impulse response of Kalman filters (equation 3) and recurrent networks (equation 2)",
      .caption =
          "Estimated yaw after one measurement of 1 degree in frame 0 and 0 degrees in all others, filters in their steady state. Of LSTM and "
          "GRU the response to zeros is subtracted.",
      .x_label = "frames since",
      .y_label = "estimated yaw, degrees",
      .x_first = 0};
  for (const auto* name : {"kalman_position", "kalman_velocity", "post_linear", "post_lstm", "post_gru"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "impulse"});
  return figure;
}

Figure gains() {
  Figure figure{
      .id = "gain",
      .title = "Gain of the Kalman filter (equation 3) and of recurrent networks (equation 2), yaw",
      .caption =
          "Gain: change of the estimate per degree of the same frame's measurement, by the number of frames before it. The Kalman "
          "gain settles over the first frames; networks are measured on a head at rest.",
      .x_label = "frames before",
      .y_label = "gain",
      .x_first = 0};
  for (const auto* name : {"kalman_velocity", "post_linear", "post_lstm", "post_gru"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "gain"});
  return figure;
}

/// What a smoother track costs, of the methods of the summary: more points could not be told apart.
Figure error_and_jitter(const std::string& kind) {
  Figure figure{.id = "plane_" + kind,
                .title = "Error against jitter, " + kind_title(kind),
                .caption = "One point a method, in degrees; the lower left is better.",
                .x_label = "jitter, degrees",
                .y_label = "error, degrees",
                .mark = reports::Mark::Points};
  for (const auto& name : compared_first)
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "at_jitter_" + kind, "at_error_" + kind});
  return figure;
}

/// Motion of the generated tracks, and of BIWI's where the test has them.
Figure spectra(bool recorded) {
  Figure figure{.id = "spectra",
                .title = recorded ? "Spectrum of head motion, generated and BIWI's tracks" : "Spectrum of head motion, generated tracks",
                .caption = "Variance of each angle in a band of 1 / 256 cycles a frame, degrees squared; both axes are logarithmic.",
                .x_label = "log10 of cycles a frame",
                .y_label = "log10 of degrees^2"};
  // The series have the data set of the generated heads, which does not name BIWI.
  if (recorded) figure.data = "generated by this project; BIWI, for research only";
  for (const auto* angle : datasets::angle_names) {
    figure.series.push_back(
        {fmt::format("{}, generated", angle), "clips", synhead, "pose", "frequency", fmt::format("spectrum_{}", angle)});
    if (recorded)
      figure.series.push_back(
          {fmt::format("{}, recorded", angle), "clips", synhead, "pose", "frequency", fmt::format("recorded_spectrum_{}", angle)});
  }
  return figure;
}

Figure convergence(const std::string& id, const std::string& what, const std::vector<std::string>& names) {
  Figure figure{
      .id = id,
      .title = "Validation error after each epoch, " + what,
      .caption =
          "Mean absolute error on validation clips, degrees. Epoch 0 is before the first step, where layers drawn at random lie above the figure.",
      .x_label = "epoch",
      .y_label = "validation error, degrees",
      .y_max = 10,
      .x_first = 0};
  for (const auto& name : names) figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "validation_error"});
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
  out.tables.push_back(by_kind(
      "error", "Error by damage",
      "Mean absolute error of pitch, yaw and roll, degrees; lower is better. Recorded: the same damage on BIWI's own tracks.", kinds));
  out.tables.push_back(by_kind("jitter", "Jitter by damage",
                               "Standard deviation of the error's change from frame to frame, mean of the three angles, degrees; lower is "
                               "smoother.",
                               kinds));
  for (const auto& kind : shown) out.tables.push_back(tracking(kind, kind == kinds.front() ? "tracking" : "", settings));
  out.tables.push_back(ablations(learned));
  for (const auto& kind : shown) out.tables.push_back(joint(kind));
  out.tables.insert(out.tables.end(), {in_space(judged), linear_weights(), set_size(settings, judged)});
  if (const auto source = settings.text("photographs.source"); source != "none") {
    out.tables.push_back(on_photographs(source == "real"));
    // Photographs of people belong to their data sets: no page shows real ones, the cell alone keeps faces.png.
    if (source == "drawn") out.galleries.push_back(tracked_faces(settings));
  }
  reports::Gallery gallery{.id = "gallery",
                           .title = "Test frames and landmarks of the joint network, by damage",
                           .caption = "Six frames of the first test sequence of the first seed, in time order; generated head, " +
                                      frame_size(settings) + ". Green: true landmarks; red: those of FC-GRU, joint."};
  // A frozen frame looks like a clean one and a recorded track like a generated one; noise is not judged, and gaps hold dark frames.
  for (const auto& kind : kinds)
    if (kind != "frozen" && kind != "recorded" && kind != "noise" && kind != "dark")
      gallery.pictures.push_back({"pose", synhead, "fc_gru_joint", kind + ".png", kind_title(kind)});
  out.galleries.push_back(tracked_heads(learned, settings));
  out.galleries.push_back(gallery);
  for (const auto& kind : shown) out.figures.push_back(tracks(kind));
  for (const auto& kind : shown) out.figures.push_back(error_and_jitter(kind));
  out.figures.push_back(gains());
  if (all.value("tracks.source", "") == "generated") out.figures.push_back(spectra(tests_recorded(settings)));
  for (const auto& kind : settings.texts("strength.kinds")) out.figures.push_back(by_strength(kind));
  out.figures.push_back(impulse_responses());
  out.figures.push_back(
      convergence("convergence", "recurrent layers on fixed features", {"cnn_continued", "fc_rnn", "fc_lstm", "fc_gru", "fc_gru_random"}));
  out.figures.push_back(
      convergence("convergence_others", "networks on estimates and end to end",
                  {"post_linear", "post_gru", "cnn_continued_end_to_end", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end"}));
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
