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

const std::vector<std::string> ablated{"fc_gru_dropout",         "fc_gru_step_dropout", "fc_gru_copied_gates", "fc_gru_random",
                                       "fc_gru_no_augmentation", "fc_gru_one_half",     "fc_gru_two_halves"};

/// Rows of the main tables: all but the ablations and those that give no pose.
std::vector<const Method*> main_methods() {
  std::vector<const Method*> rows;
  for (const auto& method : methods())
    if (gives_pose(method.output()) && std::find(ablated.begin(), ablated.end(), method.info.id) == ablated.end()) rows.push_back(&method);
  return rows;
}

/// An empty row of its own, which is null where the method tracks nothing.
std::vector<std::optional<Entry>>& add_row(const Method& method, Table& table) {
  if (method.filter && tracks_nothing(method.filter->tracker)) table.nulls.insert(method.info.title);
  table.rows.push_back(method.info.title);
  return table.entries.emplace_back();
}

/// A row for every method: one metric on every kind, the table's columns.
void add_rows(const std::vector<const Method*>& rows, const std::string& metric, Table& table) {
  for (const auto* method : rows) {
    auto& row = add_row(*method, table);
    for (const auto& kind : table.columns) row.push_back(pose_entry(method->info.id, metric + "_" + kind));
  }
}

/// One metric of every method on every kind.
Table by_kind(const std::string& metric, const std::string& title, const std::string& caption, const std::vector<std::string>& kinds) {
  Table table{.id = metric + "_by_kind", .title = title, .caption = caption, .corner = "method", .columns = kinds, .digits = 2};
  table.reference = method_named("cnn").info.title;
  add_rows(main_methods(), metric, table);
  return table;
}

/// The document's own measure, the error of each angle, with jitter and lag beside it: an output that never moves has the least jitter.
Table tracking(const std::string& kind) {
  Table table{
      .id = "tracking_" + kind,
      .title = "Error, jitter and lag, " + kind,
      .caption =
          "Mean absolute error of each angle and their mean, and deviation of the error's frame-to-frame difference, degrees, on test "
          "tracks of test heads; how many frames the track comes late. A track is good where all three are small. Constant, held "
          "and moving average know nothing of heads. What is printed elsewhere is for BIWI's videos and VGG16.",
      .corner = "method",
      .columns = {"pitch", "yaw", "roll", "mean", "jitter", "lag"},
      .published = "tracking",
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
      .title = "What FC-GRU owes to what, " + kind,
      .caption =
          "FC-GRU as in the other tables, and with one thing changed. Random fc: fc6 and fc7 drawn anew (no eq 4, 5). Gates copied: "
          "every gate starts as a copy of the trained layer, as in study prernn. The document's dropout: 0.25, with one mask a sequence or "
          "one a step. Halves: the per-frame network and the recurrent one are trained one after the other, on the same half of the "
          "training heads and tracks or each on its own; FC-GRU has all of them for both, and end to end trains both at once. Each has "
          "FC-GRU's learning rate and dropout, but for random fc, copied gates, joint and end to end, which search their own.",
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
      .id = "joint",
      .title = "One system for pose and landmarks, " + kind,
      .caption =
          "AUC of the cumulative landmark error up to 0.08 of the true box's diagonal, failure rate beyond it, jitter of landmarks in "
          "parts of that diagonal, their lag in frames, and the weight that validation chose for their loss beside the pose's.",
      .corner = "method",
      .columns = {"pose error", "jitter", "AUC", "failure rate", "landmarks' jitter", "landmarks' lag", "weight"},
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

Table in_space(const std::vector<std::string>& kinds) {
  Table table{.id = "places",
              .title = "Landmarks in space",
              .caption = "Mean distance of the 68 landmarks to where they are, about the neck's place, millimetres. Lower is better.",
              .corner = "method",
              .columns = kinds,
              .digits = 1};
  add_rows({&method_named("cnn_places"), &method_named("kalman_places"), &method_named("fc_gru_places")}, "error_3d", table);
  return table;
}

/// The weights of eq 2 beside those of eq 3.
Table linear_weights() {
  Table table{
      .id = "weights",
      .title = "Weights of the linear RNN (eq 2) beside those of the Kalman filter (eq 3), yaw",
      .caption =
          "In the basis that all two-state trackers share: the state is the estimate y_t and what y_t+1 would be if 0 were measured "
          "next, W_hh = [[0, 1], [w_hh,21, w_hh,22]], W_ih = (w_ih,1, w_ih,2). Filter form: W_hh = (I - K V) W, W_ih = K, y_t estimates "
          "frame t. Prediction form, eq 3 as it is written: W_hh = W - K V, W_ih = K, y_t foresees frame t + 1. K: the gain that the "
          "filter settles at. Linear RNN: the two-state tracker nearest to its response; its own weights have six units for three "
          "angles.",
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

Table on_photographs() {
  Table table{
      .id = "photographs",
      .title = "Real faces: what `track` makes of people it never saw",
      .caption =
          "Photographs of 300-W and frames of YouTube Faces, split by person, on the way of `track`: the cascade's box, the window, "
          "the network. Landmarks: median distance as a part of the true box's diagonal. Yaw and roll: mean distance from the pose "
          "solved from the true landmarks. Roll of a turned picture: how far the roll misses a turn of the photograph by 40 degrees. "
          "Sway: standard deviation of the yaw while the photograph sways and does not turn. The first row knows nothing of a "
          "picture.",
      .corner = "network",
      .columns = {"landmarks, %", "in bursts, %", "yaw", "yaw of always 0", "roll", "roll of a turned picture", "sway", "face found",
                  "found turned"},
      .column_digits = {1, 1, 1, 1, 1, 1, 1, 2, 2}};
  for (const auto& method : photographers()) {
    table.rows.push_back(method.title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"landmarks", "landmarks_bursts", "yaw", "yaw_zero", "roll", "roll_follows", "sway", "found", "found_turned"})
      row.push_back(Entry{"photographs", faces, method.name, metric});
  }
  return table;
}

reports::Gallery tracked_faces() {
  reports::Gallery gallery{.id = "tracked_faces",
                           .title = "Faces of people that were not in training",
                           .caption =
                               "Window, axes of the head (x red, y green, z blue: where the face looks) and landmarks as `track` "
                               "draws them; every third picture was turned by 20 degrees. First seed."};
  for (const auto& method : photographers()) gallery.pictures.push_back({"photographs", faces, method.name, "faces.png", method.title});
  return gallery;
}

reports::Gallery tracked_heads(const std::string& kind) {
  reports::Gallery gallery{
      .id = "tracked",
      .title = "A head and its axes over time, " + kind,
      .caption =
          "The first test sequence of the first seed: axes of the head (x red, y green, z blue: where the face looks), "
          "and below them the mean distance of the three angles from the true ones, 20 degrees high."};
  gallery.pictures.push_back({"pose", synhead, per_frame, "truth.gif", "true"});
  for (const auto method : tracks_shown) {
    const std::string name(method);
    gallery.pictures.push_back({"pose", synhead, name, "track.gif", method_named(name).info.title});
  }
  return gallery;
}

Figure by_strength(const std::string& kind) {
  Figure figure{
      .id = "strength_" + kind,
      .title = "Error against strength: " + kind,
      .caption =
          "Error less that of the per-frame network, which every method of a seed starts from: below 0 is better. Strength 0: clean. 1: "
          "as in the tables. The same tracks of the same heads throughout.",
      .x_label = "strength",
      .y_label = "error less per frame's, degrees",
      .less = reports::Series{"", "pose", synhead, "cnn", "strength", "strength_error_" + kind}};
  for (const auto* name : {"cnn_continued", "one_euro", "kalman_velocity", "post_gru", "fc_lstm", "fc_gru"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "strength", "strength_error_" + kind});
  return figure;
}

Table set_size(const Settings& settings, const std::vector<std::string>& kinds) {
  Table table{.id = "size",
              .title = "Size of the training set: the per-frame network on fewer heads",
              .caption = "Error in degrees. Each head plays all training tracks.",
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
  return table;
}

Figure tracks(const std::string& kind) {
  Figure figure{.id = "tracks_" + kind,
                .title = "Yaw over time, " + kind,
                .caption = "The first test sequence of the first seed.",
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
      .title = "What a measurement does to the track: eq 3 beside eq 2",
      .caption =
          "A yaw of 1 degree is measured in frame 0 and 0 degrees in every other frame; the estimate from there on. The Kalman "
          "filters are in their steady state; the linear RNN's W_hh and W_ih were learned. A response says all of a linear tracker, "
          "in whatever basis its weights are written; of LSTM and GRU it is what differs from the response to zeros. Mean over seeds.",
      .x_label = "frames since",
      .y_label = "estimated yaw, degrees",
      .x_first = 0};
  for (const auto* name : {"kalman_position", "kalman_velocity", "post_linear", "post_lstm", "post_gru"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "impulse"});
  return figure;
}

Figure gains() {
  Figure figure{.id = "gain",
                .title = "How much a measurement moves the estimate of its own frame: K_t of eq 3 beside eq 2",
                .caption =
                    "Yaw. The Kalman filter's gain changes over the first frames and settles; the document trades it for weights that are "
                    "learned and fixed. LSTM and GRU: near a head at rest. Mean over seeds.",
                .x_label = "frames before",
                .y_label = "gain",
                .x_first = 0};
  for (const auto* name : {"kalman_velocity", "post_linear", "post_lstm", "post_gru"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "gain"});
  return figure;
}

/// What a smoother track costs.
Figure error_and_jitter(const std::string& kind) {
  Figure figure{.id = "plane_" + kind,
                .title = "Error against jitter, " + kind,
                .caption =
                    "A point is a method's mean over seeds; towards the lower left is better. A constant output has the jitter of the "
                    "heads' own motion, and an error beyond the figure.",
                .x_label = "jitter, degrees",
                .y_label = "error, degrees",
                .mark = reports::Mark::Points};
  for (const auto* method : main_methods())
    if (method->info.id != "constant")
      figure.series.push_back({method->info.title, "pose", synhead, method->info.id, "at_jitter_" + kind, "at_error_" + kind});
  return figure;
}

/// Tracks of a seed's own beside recorded ones.
Figure spectra(bool recorded) {
  Figure figure{.id = "spectra",
                .title = "How the heads move: generated tracks beside BIWI's",
                .caption = "Variance of each angle by frequency, in the part of it that 1 / 256 cycles a frame have. Mean over seeds.",
                .x_label = "log10 of cycles a frame",
                .y_label = "log10 of degrees^2"};
  for (const auto* angle : datasets::angle_names) {
    figure.series.push_back(
        {fmt::format("{}, generated", angle), "clips", synhead, "pose", "frequency", fmt::format("spectrum_{}", angle)});
    if (recorded)
      figure.series.push_back(
          {fmt::format("{}, recorded", angle), "clips", synhead, "pose", "frequency", fmt::format("recorded_spectrum_{}", angle)});
  }
  return figure;
}

Figure convergence() {
  Figure figure{.id = "convergence",
                .title = "Validation error after each epoch",
                .caption = "Epoch 0: before the first step. Layers drawn at random begin far above the figure. Mean over seeds.",
                .x_label = "epoch",
                .y_label = "validation error, degrees",
                .y_max = 10,
                .x_first = 0};
  for (const auto* name : {"cnn_continued", "post_linear", "post_gru", "fc_rnn", "fc_lstm", "fc_gru", "fc_gru_random",
                           "cnn_continued_end_to_end", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end"})
    figure.series.push_back({method_named(name).info.title, "pose", synhead, name, "", "validation_error"});
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
  if (settings.all().value("replicates", "everything") == "weights")  // runs of before the setting have none
    return "Seeds renew what a method draws itself: first weights, the order of clips, dropout, particles. Data and per-frame networks are "
           "those of seed 0 for all, so that intervals say nothing about other heads and tracks: made to guard, no evidence about the "
           "document.";
  return "Seeds are replicates: each has its own tracks, heads and networks. All methods of a seed share them.";
}

}  // namespace

Report report(const Settings& settings) {
  const auto kinds = settings.texts("test.kinds");
  const auto& all = settings.all();  // runs of before the setting learned from a mixture
  const auto learned = all.value("clips.kind", kinds.back());
  Report out;
  out.tables = {
      by_kind("error", "Error by what goes wrong", "Mean absolute error of pitch, yaw and roll in degrees. Lower is better.", kinds),
      by_kind("jitter", "Jitter by what goes wrong",
              "Deviation of the error's frame-to-frame difference, degrees, mean of the axes. Lower is smoother.", kinds),
      tracking(learned),
      ablations(learned),
      joint(learned),
      in_space(kinds),
      linear_weights(),
      set_size(settings, kinds)};
  if (settings.text("photographs.source") != "none") {
    out.tables.push_back(on_photographs());
    // photographs of people belong to their sets: of real ones a cell keeps faces.png for whoever ran it, and no page has it
    if (settings.text("photographs.source") == "drawn") out.galleries.push_back(tracked_faces());
  }
  reports::Gallery gallery{
      .id = "gallery",
      .title = "What the networks see",
      .caption =
          "Six frames of the first test sequence, from left to right in time, first seed. Green: true landmarks. Red: those of "
          "FC-GRU, joint."};
  // A frozen frame looks like a clean one and a recorded track like a generated one; noise is not judged, and gaps hold dark frames.
  for (const auto& kind : kinds)
    if (kind != "frozen" && kind != "recorded" && kind != "noise" && kind != "dark")
      gallery.pictures.push_back({"pose", synhead, "fc_gru_joint", kind + ".png", kind});
  out.galleries.push_back(tracked_heads(learned));
  out.galleries.push_back(gallery);
  for (const auto& kind : {kinds.front(), learned}) out.figures.push_back(tracks(kind));
  out.figures.push_back(error_and_jitter(learned));
  out.figures.push_back(gains());
  if (all.value("tracks.source", "") == "generated") out.figures.push_back(spectra(tests_recorded(settings)));
  for (const auto& kind : settings.texts("strength.kinds")) out.figures.push_back(by_strength(kind));
  out.figures.push_back(impulse_responses());
  out.figures.push_back(convergence());
  out.notes = {
      ("Published figures are for BIWI's videos and VGG16; ours are for generated heads and a small network: values are not comparable, and "
       "claims are judged on the ordering of methods."),
      "Filters: one for each angle, tuned for the least error on the validation clips. The one that is tuned on the test is a bound: no "
      "tuning can do better.",
      "Networks on estimates learn from estimates of per-frame networks that never saw the clip's track or head, in five folds.",
      "Per frame, fine-tuned: on the same clips, for the same steps and with a search of the same rates and dropouts as the recurrent "
      "methods, without recurrence. Its first weights, those of the per-frame network, may be chosen, as those of all others may.",
      "Dropout is searched, as the learning rate is; the document's, 0.25 for layers of 4096 units, has a row of its own.",
      selection_rule(settings),
      what_a_seed_is(settings),
  };
  return out;
}

}  // namespace reprise::reproduce::dynamic_face_study
