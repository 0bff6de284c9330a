#include <fmt/format.h>

#include <optional>

#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/outside.h"
#include "reproduce/prernn/video_report.h"

namespace reprise::reproduce::prernn_study {
namespace {

using models::Cell;
using reports::Entry;
using reports::Figure;
using reports::Table;

using models::InputToHidden;
using models::Layer;
using models::MethodFacts;
using Kind = MethodFacts::Kind;

/// A column of table 1: a method of each cell.
struct Column {
  std::string title;
  MethodFacts facts;  ///< without the cell
  /// The id of the cell's method. SIH shares an input product between gates, so a VRNN has none: std::nullopt.
  std::optional<std::string> method(Cell cell) const {
    auto with_cell = facts;
    if (facts.kind != Kind::Plain) with_cell.cell = cell;
    const auto* method = method_with(with_cell, methods_for(NetworkKind::Fc));
    return method ? std::optional(method->info.id) : std::nullopt;
  }
};

const std::vector<Column>& columns() {
  static const std::vector<Layer> fc6{Layer::Fc6}, fc7{Layer::Fc7}, both{Layer::Fc6, Layer::Fc7};
  static const std::vector<Column> all{
      {"CNN", {.kind = Kind::Plain}},
      {"trad. 1 layer", {.kind = Kind::Traditional, .appended = 1}},
      {"trad. 2 layers", {.kind = Kind::Traditional, .appended = 2}},
      {"Pre fc6", {.kind = Kind::PreRnn, .layers = fc6}},
      {"Pre fc7", {.kind = Kind::PreRnn, .layers = fc7}},
      {"Pre fc6/7", {.kind = Kind::PreRnn, .layers = both}},
      {"SIH fc6", {.kind = Kind::PreRnn, .layers = fc6, .input_to_hidden = InputToHidden::Shared}},
      {"SIH fc7", {.kind = Kind::PreRnn, .layers = fc7, .input_to_hidden = InputToHidden::Shared}},
      {"SIH fc6/7", {.kind = Kind::PreRnn, .layers = both, .input_to_hidden = InputToHidden::Shared}},
  };
  return all;
}

/// Table 1 of the document for one dataset and metric.
Table grid(const std::string& of, const std::string& dataset, const std::string& metric, const std::string& title,
           const std::string& published) {
  Table table{.id = fmt::format("{}_{}{}", of, dataset, metric == "auc" ? "" : "_" + metric),
              .title = fmt::format("{}: sequential face alignment, {}, {}",
                                   of == short_table ? "Learned for the epochs of a trial" : "Table 1", title, dataset_title(dataset)),
              .corner = "cell",
              .published = published,
              .digits = metric == "auc" ? 3 : 4};
  table.caption =
      metric == "auc"
          ? "Area under the cumulative error curve up to 0.08; a frame's error is the mean distance of its 68 points over the diagonal of "
            "the true face's box. Higher is better."
          : "Mean error, as a fraction of the diagonal of the true face's box. Lower is better. It sees the bad frames that the AUC does not.";
  for (const auto& column : columns()) table.columns.push_back(column.title);
  for (const auto cell : models::document_cells()) {
    table.rows.emplace_back(models::cell_title(cell));
    auto& row = table.entries.emplace_back();
    for (const auto& column : columns()) {
      const auto method = column.method(cell);
      row.push_back(method ? std::optional<Entry>({of, dataset, *method, metric}) : std::nullopt);
    }
  }
  return table;
}

/// Every method with its controls: what a referee asks for.
Table controls(const std::string& dataset) {
  Table table{
      .id = "controls_" + dataset,
      .title = "Every method with and without memory, " + dataset_title(dataset),
      .caption =
          "Without memory: the same method trained and tested on clips of one frame (T = 1). CNN: the plain network, fine-tuned on the "
          "same frames for the same number of steps.",
      .corner = "method",
      .columns = {"AUC", "AUC without memory", "mean error", "mean error without memory", "failure rate"},
      .digits = 4};
  for (const auto& method : methods_for(NetworkKind::Fc)) {
    table.rows.push_back(method.info.title);
    const auto at = [&](const std::string& in, const std::string& metric) {
      return std::optional<Entry>({in, dataset, method.info.id, metric});
    };
    const auto without = [&](const std::string& metric) { return has_control(method) ? at("nomemory", metric) : std::nullopt; };
    table.entries.push_back(
        {at("table1", "auc"), without("auc"), at("table1", "mean_error"), without("mean_error"), at("table1", "failure_rate")});
  }
  return table;
}

/// What a damaged frame costs each method.
Table gaps(const std::string& dataset) {
  Table table{.id = "gaps_" + dataset,
              .title = "Clear and damaged frames, " + dataset_title(dataset),
              .caption =
                  "AUC over all frames, over those that are clear, and over those that are hidden, dark, blurred or out of focus. Bridged: "
                  "what whoever knows the damaged frames makes of the plain network's points, by the clear frames before them alone or by "
                  "the nearest to both sides. Smoothed: each frame's points averaged with those before it, by a weight chosen on "
                  "validation: a memory that knows nothing.",
              .corner = "method"};
  const std::vector<reports::Column> columns{{"all", "auc"}, {"clear", "auc_clear"}, {"damaged", "auc_damaged"}};
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc)) table.add_row(method.info.title, "table1", dataset, method.info.id, columns);
  for (const auto& [title, metric] : {std::pair{"CNN, smoothed", "auc_smoothed"},
                                      {"CNN, bridged by earlier frames", "auc_bridged_causal"},
                                      {"CNN, bridged", "auc_bridged"}}) {
    table.rows.emplace_back(title);
    table.entries.push_back({Entry{"table1", dataset, "cnn", metric}, std::nullopt, std::nullopt});
  }
  return table;
}

/// The same methods begun in other ways.
Table starts(const std::string& dataset, const Settings& settings) {
  Table table{
      .id = "starts_" + dataset,
      .title = "How methods begin, " + dataset_title(dataset),
      .caption =
          "AUC. As table 1: the output layer is drawn anew, W_h* are a tenth of an orthogonal matrix, no gate has a bias of ours. Then "
          "one of these changed at a time: the output layer keeps what the CNN has learned; W_h* at full scale; forget gates of "
          "traditional LSTMs begin at 1. Rates are those of table 1.",
      .corner = "method",
      .columns = {"as table 1", "output kept", "full scale", "forget bias"}};
  for (const auto& method : starting_methods(settings)) {
    table.rows.push_back(method.info.title);
    auto& row = table.entries.emplace_back();
    row.push_back(Entry{"table1", dataset, method.info.id, "auc"});
    for (const auto& name : start_tables()) row.push_back(Entry{name, dataset, method.info.id, "auc"});
  }
  return table;
}

/// How each method was trained: what the search on validation chose, and when it was best.
Table training_choices(const std::string& dataset) {
  Table table{
      .id = "training_" + dataset,
      .title = "Training, " + dataset_title(dataset),
      .caption =
          "The learning rate is the one with the least validation error, in the mean over the first seeds, from the same rates for "
          "every method; the epoch is the one with the least validation error of its own seed (0: before the first step). Test clips "
          "have no part in either. Above its best: the validation error above the method's own least one, as a share of that, summed over "
          "epochs (claim 4 own best): what never learns has little. Seconds: one core, training alone; they move with the load of the "
          "machine.",
      .corner = "method",
      .columns = {"learning rate", "best epoch", "validation error", "above its best", "forward", "backward"},
      .column_digits = {5, 1, 4, 2, 1, 1}};
  for (const auto& method : methods_for(NetworkKind::Fc)) {
    table.rows.push_back(method.info.title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"learning_rate", "best_epoch", "validation_error", "above_its_best", "seconds.forward", "seconds.backward"})
      row.push_back(Entry{"table1", dataset, method.info.id, metric});
  }
  return table;
}

Table stills() {
  const auto at = [](const std::string& metric) { return std::optional<Entry>({"cnn", "stills", "cnn", metric}); };
  return {.id = "stills",
          .title = "The CNN before anything recurrent, on unseen people's stills",
          .caption = "Clean crops, no camera motion; and the same stills under the moving camera with its degradations.",
          .corner = "frames",
          .rows = {"clean stills", "moving camera"},
          .columns = {"AUC", "mean error", "failure rate"},
          .entries = {{at("auc"), at("mean_error"), at("failure_rate")},
                      {at("auc_camera"), at("mean_error_camera"), at("failure_rate_camera")}}};
}

/// Claim 2 of the document against its claim 3.
Table ablation(const std::string& dataset) {
  Table table{
      .id = "ablation_" + dataset,
      .title = "PreRNN at fc6: which weights of the recurrent layer learn, " + dataset_title(dataset),
      .caption =
          "Only W_h*: the input-to-hidden weights stay as the CNN had them (claim 2 of the document). Both: they are trained on (its "
          "claim 3). fc7 and the output layer learn in either. AUC; the same search for each.",
      .corner = "cell",
      .columns = {"only W_h", "W_x and W_h"}};
  const auto& all = methods_for(NetworkKind::Fc);
  for (const auto cell : models::document_cells()) {
    table.rows.emplace_back(models::cell_title(cell));
    auto& row = table.entries.emplace_back();
    for (const bool train_inputs : {false, true}) {
      const auto* method = method_with({.kind = Kind::PreRnn, .cell = cell, .layers = {Layer::Fc6}, .train_inputs = train_inputs}, all);
      row.push_back(Entry{"table1", dataset, method->info.id, "auc"});
    }
  }
  return table;
}

Table parameters(const std::string& dataset) {
  Table table{.id = "parameters",
              .title = "Recurrent parameters added",
              .caption =
                  "Weights that recurrence adds to the feedforward network, biases left out: PreRNN (g-1) n_in n_h + g n_h^2, SIH g "
                  "n_h^2, traditional g (n h + h^2). At VGG16's size SIH-LSTM fc6 has 82.1 % fewer than PreLSTM fc6. Multiplications: all "
                  "weights of the recurrent layers that act in a frame, those that were there before among them.",
              .corner = "method",
              .columns = {"at this study's size", "at VGG16's size", "multiplications a frame, VGG16"},
              .digits = 0};
  for (const auto& method : methods_for(NetworkKind::Fc)) {
    if (!has_control(method)) continue;
    table.rows.push_back(method.info.title);
    table.entries.push_back({Entry{"table1", dataset, method.info.id, "parameters.recurrent"},
                             Entry{"table1", dataset, method.info.id, "parameters.recurrent_vgg16"},
                             Entry{"table1", dataset, method.info.id, "parameters.products_vgg16"}});
  }
  return table;
}

/// Which layers the document's rule keeps: those with fewer gate activations inside [0.1, 0.9] than outside.
Table selection(const std::string& dataset) {
  Table table{
      .id = "selection",
      .title = "Gate saturation, and the layer that the rule keeps",
      .caption =
          "Fraction of sigmoid gate activations outside [0.1, 0.9] on validation clips, before the first step of training and after the "
          "last. The rule keeps a transformed layer when the trained fraction is above 0.5 (kept: fraction of seeds); AUC on the test clips "
          "stands beside it.",
      .corner = "method",
      .columns = {"first layer, at the start", "first layer, trained", "first kept", "second layer, at the start", "second layer, trained",
                  "second kept", "AUC"},
      .digits = 3};
  for (const auto& method : methods_for(NetworkKind::Fc)) {
    if (!has_control(method) || !method.facts.has_gates()) continue;
    const auto at = [&](const std::string& metric) { return std::optional<Entry>({"table1", dataset, method.info.id, metric}); };
    const bool two = method.facts.recurrent_layers() == 2;
    const auto second = [&](const std::string& metric) { return two ? at(metric) : std::nullopt; };
    table.rows.push_back(method.info.title);
    table.entries.push_back({at("saturation_first_start"), at("saturation_first"), at("kept_first"), second("saturation_second_start"),
                             second("saturation_second"), second("kept_second"), at("auc")});
  }
  return table;
}

Figure error_curves(const std::string& dataset, Cell cell) {
  Figure figure{.id = fmt::format("ced_{}_{}", dataset, models::cell_name(cell)),
                .title = fmt::format("Cumulative error, {}, {}", models::cell_title(cell), dataset_title(dataset)),
                .caption =
                    "Fraction of test frames with an error below x, less the plain CNN's of the same seed: above 0 more frames are "
                    "that good than without recurrence.",
                .x_label = "error / diagonal of the true box",
                .y_label = "fraction of frames, less the CNN's",
                .less = reports::Series{"CNN", "table1", dataset, "cnn", "ced_x", "ced"},
                .x_min = 0,
                .x_max = 0.08};
  for (const auto& column : columns())
    if (const auto method = column.method(cell)) figure.series.push_back({column.title, "table1", dataset, *method, "ced_x", "ced"});
  return figure;
}

Figure convergence(const std::string& dataset, Cell cell) {
  Figure figure{
      .id = fmt::format("convergence_{}_{}", dataset, models::cell_name(cell)),
      .title = fmt::format("Convergence, {}, {}", models::cell_title(cell), dataset_title(dataset)),
      .caption =
          "Validation error before training (epoch 0) and after each epoch, less that of the traditional network of one layer, seed "
          "by seed (claim 4). Below 0 a network is ahead. What lies beyond the frame is the start, before anything is learned.",
      .x_label = "epoch",
      .y_label = "validation error, less the traditional network's",
      .less = reports::Series{"traditional, 1 layer", "table1", dataset, fmt::format("trad_{}_1", models::cell_name(cell)), "epoch",
                              "validation_error"},
      .y_min = -0.02,
      .y_max = 0.02};
  for (const auto& column : columns())
    if (const auto method = column.method(cell))
      figure.series.push_back({column.title, "table1", dataset, *method, "epoch", "validation_error"});
  return figure;
}

const std::vector<std::pair<std::string, std::string>>& shown_methods() {
  static const std::vector<std::pair<std::string, std::string>> all{{"trad. LSTM", "trad_lstm_1"},   {"trad. GRU", "trad_gru_1"},
                                                                    {"PreVRNN fc6", "pre_vrnn_fc6"}, {"PreLSTM fc6", "pre_lstm_fc6"},
                                                                    {"PreGRU fc6", "pre_gru_fc6"},   {"SIH-LSTM fc6", "sih_lstm_fc6"}};
  return all;
}

/// How long what was seen before lasts.
Figure in_gaps(const std::string& dataset) {
  Figure figure{.id = "gaps_" + dataset,
                .title = "Error of damaged frames by how long ago a clear one was seen, " + dataset_title(dataset),
                .caption =
                    "0: clear frames. 1, 2, ...: the first, second, ... frame of a gap. The plain network has no memory; what lies below "
                    "its line was remembered.",
                .x_label = "frame of the gap (0: clear)",
                .y_label = "mean error / diagonal",
                .x_names = {"0", "1", "2", "3", "4"}};
  figure.series.push_back({"CNN", "table1", dataset, "cnn", "", "error_in_gaps"});
  for (const auto& [label, method] : shown_methods()) figure.series.push_back({label, "table1", dataset, method, "", "error_in_gaps"});
  return figure;
}

/// One test clip with a gap, frame by frame.
Figure gap_clip(const std::string& dataset) {
  Figure figure{
      .id = "gap_clip_" + dataset,
      .title = "One clip with a gap, frame by frame, " + dataset_title(dataset),
      .caption =
          "Error of each frame of the first test clip that has three damaged frames or more among clear ones; the damaged ones are "
          "shaded.",
      .x_label = "frame",
      .y_label = "error / diagonal",
      .seeds = reports::Seeds::First,
      .shade = reports::Series{"damaged", "table1", dataset, "cnn", "", "gap_clip_damaged"}};
  for (const auto& [label, method] :
       std::vector<std::pair<std::string, std::string>>{{"CNN", "cnn"}, {"trad. LSTM", "trad_lstm_1"}, {"PreLSTM fc6", "pre_lstm_fc6"}})
    figure.series.push_back({label, "table1", dataset, method, "", "gap_clip_error"});
  return figure;
}

/// What weights buy.
Figure against_parameters(const std::string& dataset) {
  Figure figure{.id = "parameters_" + dataset,
                .title = "AUC and recurrent parameters, " + dataset_title(dataset),
                .caption = "A point is a method's mean over seeds: what recurrence adds in weights at this study's size, and its AUC.",
                .x_label = "recurrent parameters",
                .y_label = "AUC",
                .mark = reports::Mark::Points};
  const std::string kinds[]{"traditional", "PreRNN", "SIH"};
  for (const auto& column : columns())
    for (const auto cell : models::document_cells()) {
      if (column.facts.kind == Kind::Plain) continue;
      const auto method = column.method(cell);
      if (!method) continue;
      const auto& kind = kinds[column.facts.kind == Kind::Traditional ? 0 : column.facts.input_to_hidden == InputToHidden::Shared ? 2 : 1];
      figure.series.push_back({fmt::format("{}, {}", models::cell_title(cell), column.title), "table1", dataset, *method,
                               "recurrent_parameters", "auc", kind, std::string(models::cell_name(cell))});
    }
  return figure;
}

Figure by_position(const std::string& dataset) {
  Figure figure{
      .id = "position_" + dataset,
      .title = "Error by position in the clip, " + dataset_title(dataset),
      .caption = "Error of each frame, less the plain CNN's on the same frames: memory shows as a difference that falls along the clip.",
      .x_label = "frame",
      .y_label = "mean error / diagonal, less the CNN's",
      .less = reports::Series{"CNN", "table1", dataset, "cnn", "", "error_by_position"}};
  for (const auto& [label, method] : shown_methods()) figure.series.push_back({label, "table1", dataset, method, "", "error_by_position"});
  figure.series.push_back({"PreLSTM fc6, no memory", "nomemory", dataset, "pre_lstm_fc6", "", "error_by_position"});
  return figure;
}

reports::Gallery gallery(const std::string& dataset) {
  reports::Gallery out{
      .id = "gallery_" + dataset,
      .title = "Test clips, " + dataset_title(dataset),
      .caption =
          "Green: true landmarks. Red: predicted. The first clip with a gap of three frames or more, and of the first clips "
          "those with the least, the median and the largest mean error, of the plain CNN and of PreLSTM fc6, first seed. "
          "Time runs from left to right."};
  for (const auto* id : gallery_methods) {
    const auto title = method_named(id, methods_for(NetworkKind::Fc)).info.title;
    for (const std::string which : {"gap", "best", "median", "worst"})
      out.pictures.push_back({"table1", dataset, id, which + ".png", fmt::format("{}, {}", title, which)});
  }
  return out;
}

/// Table 1 on generated heads, whose pictures any page may show.
void report_heads(const Settings& settings, Report& out) {
  if (heads_methods(settings).empty()) return;
  out.tables.push_back(grid("table1", heads_in_motion, "auc", "AUC", ""));
  out.tables.push_back(grid("table1", heads_in_motion, "mean_error", "mean error", ""));
  out.tables.push_back(gaps(heads_in_motion));
  for (auto& figure : {in_gaps(heads_in_motion), gap_clip(heads_in_motion)}) out.figures.push_back(figure);
  out.galleries.push_back(gallery(heads_in_motion));
}

void report_faces(const std::vector<std::string>& datasets, const Settings& settings, Report& out) {
  out.tables.push_back(stills());
  for (const auto& dataset : datasets) {
    out.tables.push_back(grid("table1", dataset, "auc", "AUC", study_dataset(dataset).published));
    out.tables.push_back(grid("table1", dataset, "mean_error", "mean error", ""));
    out.tables.push_back(controls(dataset));
    const bool filmed = study_dataset(dataset).holds == StudyDataset::Holds::FilmedFaces;
    if (filmed) out.tables.push_back(gaps(dataset));
    if (filmed && !starting_methods(settings).empty()) out.tables.push_back(starts(dataset, settings));
    if (const auto extra = extra_tables(settings); filmed && std::count(extra.begin(), extra.end(), short_table) > 0)
      out.tables.push_back(grid(short_table, dataset, "auc", "AUC", ""));
    out.tables.push_back(ablation(dataset));
    out.tables.push_back(training_choices(dataset));
    for (const auto cell : models::document_cells()) out.figures.push_back(error_curves(dataset, cell));
    for (const auto cell : models::document_cells()) out.figures.push_back(convergence(dataset, cell));
    if (filmed)
      for (auto& figure : {in_gaps(dataset), gap_clip(dataset)}) out.figures.push_back(figure);
    else
      out.figures.push_back(by_position(dataset));
    out.figures.push_back(against_parameters(dataset));
    // photographs of people belong to their sets: of real ones the cells keep the pictures for whoever ran them, and no page has them
    if (face_source(settings) == FaceSource::Generated) out.galleries.push_back(gallery(dataset));
  }
  const auto& first = datasets.front();
  out.tables.push_back(parameters(first));
  out.tables.push_back(selection(first));
  out.figures.push_back(forget_gates("table1", first, "", false));
  out.figures.push_back(forget_gates("table1", first, "", true));
  out.figures.push_back(gate_histogram("table1", first, "", "first", false));
  out.figures.push_back(gate_histogram("table1", first, "", "first", true));
  out.figures.push_back(gate_histogram("table1", first, "", "second", false));
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  if (const auto faces = settings.texts("clips.datasets"); !faces.empty()) report_faces(faces, settings, out);
  report_heads(settings, out);
  report_videos(settings, out);
  for (auto& table : selection_tables(settings)) out.tables.push_back(std::move(table));
  out.notes = {
      settings.flag("paper.full_size")
          ? "For faces the CNN is VGG16 with its ImageNet weights. The document does not name its split of 300-VW: ours "
            "is by video, another for each seed."
          : "Published figures are for 300-VW and VGG16; ours are for another network and other faces, so values are not comparable: "
            "claims are judged on the ordering of methods.",
      ("The document does not say how the error is normalised. Ours is over the diagonal of the true landmarks' box (300-VW); the AUC's "
       "limit is 0.08."),
      ("The trunk is frozen after it was trained on stills, and its features are computed once; fc6, fc7, the output layer and all "
       "recurrent weights are trained on, by every method."),
      ("Selection rule: the weights of the epoch with the least mean error on the validation clips; the learning rate with the least "
       "validation error over the first seeds. Test clips are scored once."),
      ("Gestures and actions: a network for each modality is trained on single frames, then its trunk is frozen; every method trains all "
       "that follows the trunk, and is scored in each modality and in both. The document names neither clip lengths nor how steps and "
       "modalities are joined: ours are above each table."),
      ("Seeds are replicates: each has its own split of the people, its own CNN and its own recurrent weights. All methods of a seed share "
       "them, so comparisons are paired."),
  };
  return out;
}

}  // namespace reprise::reproduce::prernn_study
