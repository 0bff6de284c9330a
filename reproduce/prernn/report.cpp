#include <fmt/format.h>

#include <map>
#include <optional>

#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
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

/// Size of the clips' frames, and their number where the virtual camera makes them: bursts and videos have their own.
std::string clip_size(const std::string& dataset, const Settings& settings) {
  const auto frames = fmt::format("frames of {0} x {0} pixels", settings.integer("image.size"));
  if (study_dataset(dataset).holds != StudyDataset::Holds::FilmedFaces) return frames;
  return fmt::format("{} {}", settings.integer("camera.frames"), frames);
}

/// Table 1 of the document for one dataset and metric.
Table grid(const std::string& of, const std::string& dataset, const std::string& metric, const std::string& published,
           const Settings& settings) {
  const std::string title = metric == "auc" ? "AUC" : "Mean error";
  Table table{.id = fmt::format("{}_{}{}", of, dataset, metric == "auc" ? "" : "_" + metric),
              .title = of == short_table ? fmt::format("{} of facial landmarks after {} epochs, {}", title,
                                                       settings.integer("search.epochs"), dataset_title(dataset))
                                         : fmt::format("Table 1: {} of facial landmarks, {}", title, dataset_title(dataset)),
              .corner = "cell",
              .published = published,
              .data = dataset == "300vw" ? std::optional<reports::DataProtocol>({.set = "300-VW"}) : std::nullopt,
              .digits = metric == "auc" ? 3 : 4};
  if (metric == "auc" && dataset == heads_in_motion)
    table.caption = "Generated heads; learning rates of the faces, a CNN trained on such heads.";
  else if (metric == "auc")
    table.caption = fmt::format(
        "AUC over all frames of the test clips ({}), from 0 to 1; higher is better. An error is the mean distance of 68 points over the "
        "diagonal of the true face's box, and the AUC counts errors up to 0.08.",
        clip_size(dataset, settings));
  else
    table.caption =
        "Mean distance of 68 points from the true ones, as a fraction of the diagonal of the true face's box; lower is better. Unlike the "
        "AUC it counts large errors in full.";
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

/// Every method with and without memory.
Table controls(const std::string& dataset) {
  Table table{
      .id = "controls_" + dataset,
      .title = "Methods with and without memory, " + dataset_title(dataset),
      .caption =
          "Without memory a method is trained and tested on clips of one frame; CNN is the plain network, trained further on the same "
          "frames. Errors are fractions of the box's diagonal, and the failure rate is the fraction of frames with an error above 0.08.",
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

/// AUC of each method in clear and in damaged frames, and bounds from the plain network's landmarks.
Table gaps(const std::string& dataset) {
  Table table{
      .id = "gaps_" + dataset,
      .title = "AUC of clear and damaged frames, " + dataset_title(dataset),
      .caption =
          "Damaged frames are hidden, dark, blurred or out of focus. The oracle knows which frames are damaged and fills them in from the "
          "CNN's landmarks in clear frames; smoothing averages each frame with earlier ones.",
      .corner = "method"};
  const std::vector<reports::Column> columns{{"all", "auc"}, {"clear", "auc_clear"}, {"damaged", "auc_damaged"}};
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc)) table.add_row({method.info.title, "table1", dataset, method.info.id}, columns);
  for (const auto& [title, metric] : {std::pair{"CNN, smoothed over earlier frames", "auc_smoothed"},
                                      {"CNN, oracle, earlier clear frames", "auc_bridged_causal"},
                                      {"CNN, oracle, clear frames on both sides", "auc_bridged"}}) {
    table.rows.emplace_back(title);
    table.entries.push_back({Entry{"table1", dataset, "cnn", metric}, std::nullopt, std::nullopt});
  }
  return table;
}

/// The same methods with other initial weights.
Table starts(const std::string& dataset, const Settings& settings) {
  static const std::map<std::string, std::string> titles{
      {kept_output_table, "trained output layer"}, {"full_scale", "W_h* at full scale"}, {"forget_bias", "forget bias of 1"}};
  Table table{
      .id = "starts_" + dataset,
      .title = "AUC with other initial weights, " + dataset_title(dataset),
      .caption =
          "Each column changes one thing, at the learning rates of table 1. In table 1 the output layer is random, W_h* are a tenth of "
          "an orthogonal matrix, and forget gates have no added bias.",
      .corner = "method"};
  std::vector<reports::Column> columns{{"as table 1", "table1"}};
  for (const auto& name : extra_tables(settings))
    if (name != short_table) columns.push_back({titles.at(name), name});
  for (const auto& column : columns) table.columns.push_back(column.title);
  for (const auto& method : starting_methods(settings)) {
    table.rows.push_back(method.info.title);
    auto& row = table.entries.emplace_back();
    for (const auto& column : columns) row.push_back(Entry{column.metric, dataset, method.info.id, "auc"});
  }
  return table;
}

/// How each method was trained: the rate that the search chose, and the epoch that validation chose.
Table training_choices(const std::string& dataset) {
  Table table{
      .id = "training_" + dataset,
      .title = "Learning rates, epochs and training time, " + dataset_title(dataset),
      .caption =
          "The rate has the least validation error over the first seeds, from one list for all methods; the epoch has the least in its "
          "seed (0: before training). Errors are fractions of the box's diagonal; forward and backward passes of the training are seconds "
          "of one core.",
      .corner = "method",
      .columns = {"learning rate", "best epoch", "validation error", "forward, s", "backward, s"},
      .column_digits = {5, 1, 4, 1, 1}};
  for (const auto& method : methods_for(NetworkKind::Fc)) {
    table.rows.push_back(method.info.title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"learning_rate", "best_epoch", "validation_error", "seconds.forward", "seconds.backward"})
      row.push_back(Entry{"table1", dataset, method.info.id, metric});
  }
  return table;
}

Table stills() {
  const auto at = [](const std::string& metric) { return std::optional<Entry>({"cnn", "stills", "cnn", metric}); };
  return {
      .id = "stills",
      .title = "The plain CNN on still faces of unseen people",
      .caption =
          "Scores before any layer is made recurrent; errors are fractions of the box's diagonal. The moving camera shows the same stills "
          "with damaged frames.",
      .corner = "frames",
      .rows = {"clean stills", "moving camera"},
      .columns = {"AUC", "mean error", "failure rate"},
      .entries = {{at("auc"), at("mean_error"), at("failure_rate")},
                  {at("auc_camera"), at("mean_error_camera"), at("failure_rate_camera")}}};
}

/// Fixed input weights (claim 2 of the document) against trained ones (its claim 3).
Table ablation(const std::string& dataset) {
  Table table{
      .id = "ablation_" + dataset,
      .title = "AUC of PreRNN at fc6 with fixed and trained input weights, " + dataset_title(dataset),
      .caption =
          "Only W_h: the copied input weights W_x stay fixed (claim 2 of the document); W_x and W_h: both are trained (its claim 3). "
          "fc7 and the output layer are trained in both, and each has its own search of rates.",
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
  Table table{
      .id = "parameters",
      .title = "Weights that recurrence adds",
      .caption =
          "Without biases, for g gates: PreRNN adds (g-1) n_in n_h + g n_h^2 weights, PreRNN-SIH g n_h^2, traditional layers g (n h + "
          "h^2). Multiplications count all weights of the recurrent layers, the copied ones included.",
      .corner = "method",
      .columns = {"at this study's size", "at VGG16's size", "multiplications per frame, VGG16"},
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
      .title = "Saturated gates before and after training, and layers that the rule keeps",
      .caption =
          "Fraction of sigmoid gate activations outside [0.1, 0.9] on validation clips. The rule keeps a transformed layer when the "
          "trained fraction is above 0.5; kept: fraction of seeds.",
      .corner = "method",
      .columns = {"first layer, before", "first layer, after", "first kept", "second layer, before", "second layer, after", "second kept",
                  "AUC"},
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
  Figure figure{
      .id = fmt::format("ced_{}_{}", dataset, models::cell_name(cell)),
      .title = fmt::format("Cumulative error, {}, {}", models::cell_title(cell), dataset_title(dataset)),
      .caption =
          "Fraction of test frames with an error below x, minus that of the plain CNN with the same seed. Above 0 a method has more such "
          "frames than the CNN.",
      .x_label = "error / diagonal of the true box",
      .y_label = "fraction of frames minus the CNN's",
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
          "Validation error before training (epoch 0) and after each epoch, minus that of the traditional network with one layer and the "
          "same seed. Below 0 a method is ahead; the start lies outside the plot.",
      .x_label = "epoch",
      .y_label = "validation error minus the traditional network's",
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

/// Error by the number of frames since the last clear one.
Figure in_gaps(const std::string& dataset) {
  Figure figure{
      .id = "gaps_" + dataset,
      .title = "Error in damaged frames by their number since the last clear one, " + dataset_title(dataset),
      .caption =
          "0 are clear frames; 1, 2, ... are the first, second, ... damaged frame in a row. The CNN has no memory: a method below its line "
          "uses earlier frames.",
      .x_label = "damaged frames since the last clear one",
      .y_label = "mean error / diagonal",
      .x_names = {"0", "1", "2", "3", "4"}};
  figure.series.push_back({"CNN", "table1", dataset, "cnn", "", "error_in_gaps"});
  for (const auto& [label, method] : shown_methods()) figure.series.push_back({label, "table1", dataset, method, "", "error_in_gaps"});
  return figure;
}

/// One test clip with damaged frames, frame by frame.
Figure gap_clip(const std::string& dataset, const Settings& settings) {
  Figure figure{
      .id = "gap_clip_" + dataset,
      .title = "Error in each frame of one clip, " + dataset_title(dataset),
      .caption = fmt::format(
          "The first test clip ({}) with three or more damaged frames in a row between clear ones; the damaged ones are shaded. Errors are "
          "mean distances of 68 points over the diagonal of the true face's box.",
          clip_size(dataset, settings)),
      .x_label = "frame",
      .y_label = "error / diagonal",
      .seeds = reports::Seeds::First,
      .shade = reports::Series{"damaged", "table1", dataset, "cnn", "", "gap_clip_damaged"}};
  for (const auto& [label, method] :
       std::vector<std::pair<std::string, std::string>>{{"CNN", "cnn"}, {"trad. LSTM", "trad_lstm_1"}, {"PreLSTM fc6", "pre_lstm_fc6"}})
    figure.series.push_back({label, "table1", dataset, method, "", "gap_clip_error"});
  return figure;
}

/// AUC against the number of recurrent weights.
Figure against_parameters(const std::string& dataset) {
  Figure figure{.id = "parameters_" + dataset,
                .title = "AUC against recurrent weights, " + dataset_title(dataset),
                .caption = "Each point is a method's mean over seeds. The weights are those that recurrence adds at this study's size.",
                .x_label = "recurrent weights",
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
      .caption =
          "Error of each frame, minus that of the plain CNN on the same frame. A difference that falls along the clip shows the use of "
          "earlier frames.",
      .x_label = "frame",
      .y_label = "mean error / diagonal, minus the CNN's",
      .less = reports::Series{"CNN", "table1", dataset, "cnn", "", "error_by_position"}};
  for (const auto& [label, method] : shown_methods()) figure.series.push_back({label, "table1", dataset, method, "", "error_by_position"});
  figure.series.push_back({"PreLSTM fc6, no memory", "nomemory", dataset, "pre_lstm_fc6", "", "error_by_position"});
  return figure;
}

reports::Gallery gallery(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{
      .id = "gallery_" + dataset,
      .title = "Landmarks in test clips, " + dataset_title(dataset),
      .caption = fmt::format(
          "Green points are true, red ones predicted, in {}; time runs from left to right. Of the first clips of one seed: one with three "
          "damaged frames in a row, and those with a method's least, median and largest error.",
          clip_size(dataset, settings))};
  for (const auto* id : gallery_methods) {
    const auto title = method_named(id, methods_for(NetworkKind::Fc)).info.title;
    for (const auto& [file, which] : std::vector<std::pair<std::string, std::string>>{
             {"gap", "damaged frames"}, {"best", "least error"}, {"median", "median error"}, {"worst", "largest error"}})
      out.pictures.push_back({"table1", dataset, id, file + ".png", fmt::format("{}, {}", title, which)});
  }
  return out;
}

/// Table 1 on generated heads. Their pictures show no real person, so that every page may show them.
void report_heads(const Settings& settings, Report& out) {
  if (heads_methods(settings).empty()) return;
  for (const auto* metric : {"auc", "mean_error"}) out.tables.push_back(grid("table1", heads_in_motion, metric, "", settings));
  out.tables.push_back(gaps(heads_in_motion));
  for (auto& figure : {in_gaps(heads_in_motion), gap_clip(heads_in_motion, settings)}) out.figures.push_back(figure);
  out.galleries.push_back(gallery(heads_in_motion, settings));
  reports::Gallery opening{.id = "opening", .title = "A face that is hidden for three frames", .wide = true};
  for (const auto& [id, who] : {std::pair{"cnn", "The plain network sees single frames"}, {"pre_lstm_fc6", "PreLSTM remembers"}})
    opening.pictures.push_back(
        {"table1", heads_in_motion, id, "gap.png",
         fmt::format("{}: green points are true, red ones predicted; {}", who, clip_size(heads_in_motion, settings))});
  out.galleries.push_back(opening);
}

void report_faces(const std::vector<std::string>& datasets, const Settings& settings, Report& out) {
  out.tables.push_back(stills());
  for (const auto& dataset : datasets) {
    out.tables.push_back(grid("table1", dataset, "auc", study_dataset(dataset).published, settings));
    out.tables.push_back(grid("table1", dataset, "mean_error", "", settings));
    out.tables.push_back(controls(dataset));
    const bool filmed = study_dataset(dataset).holds == StudyDataset::Holds::FilmedFaces;
    if (filmed) out.tables.push_back(gaps(dataset));
    if (filmed && !starting_methods(settings).empty()) out.tables.push_back(starts(dataset, settings));
    if (const auto extra = extra_tables(settings); filmed && std::count(extra.begin(), extra.end(), short_table) > 0)
      out.tables.push_back(grid(short_table, dataset, "auc", "", settings));
    out.tables.push_back(ablation(dataset));
    out.tables.push_back(training_choices(dataset));
    for (const auto cell : models::document_cells()) out.figures.push_back(error_curves(dataset, cell));
    for (const auto cell : models::document_cells()) out.figures.push_back(convergence(dataset, cell));
    if (filmed)
      for (auto& figure : {in_gaps(dataset), gap_clip(dataset, settings)}) out.figures.push_back(figure);
    else
      out.figures.push_back(by_position(dataset));
    out.figures.push_back(against_parameters(dataset));
    // Photographs of people are for research only: cells keep such pictures in their folders, and no page shows them.
    if (face_source(settings) == FaceSource::Generated) out.galleries.push_back(gallery(dataset, settings));
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
  out.data_notes = {{"gestures", generated_data},
                    {"walkers", generated_data},
                    {heads_in_motion, generated_data},
                    {"faces_in_motion", face_source(settings) == FaceSource::Generated
                                            ? generated_data
                                            : "300-W (HELEN, AFW) and YouTube Faces, for research only; numbers alone"},
                    {"ytf_bursts", "YouTube Faces, for research only; numbers alone"},
                    {"shapes", "videos of moving shapes by the authors of MoCoGAN, for research only; numbers alone"}};
  if (const auto faces = settings.texts("clips.datasets"); !faces.empty()) report_faces(faces, settings, out);
  report_heads(settings, out);
  report_videos(settings, out);
  for (auto& table : selection_tables(settings)) out.tables.push_back(std::move(table));
  out.notes = {
      settings.flag("paper.full_size")
          ? "For faces the CNN is VGG16 with its ImageNet weights. The document does not name its split of 300-VW. Ours is by video, and "
            "differs between seeds."
          : "Published values are for 300-VW and VGG16. Ours are for another network and other faces, so that only the order of methods "
            "can be compared.",
      ("The document does not say how the error is normalised. Ours is divided by the diagonal of the true landmarks' box, as for 300-VW; "
       "the AUC's limit is 0.08."),
      ("The trunk is trained on stills and then frozen; its features are computed once. Every method trains fc6, fc7, the output layer and "
       "all recurrent weights."),
      ("The epoch has the least mean error on the validation clips, the learning rate the least one over the first seeds. Test clips are "
       "scored once."),
      ("For gestures and actions each modality has a network, trained on single frames, whose trunk is then frozen. Every method trains "
       "the layers behind it and is scored in each modality and in both."),
      ("The document names neither the length of clips nor how frames and modalities are combined. The captions say what is done here."),
      ("Each seed has its own split of the people, CNN and recurrent weights. All methods of a seed share split and CNN, so that "
       "comparisons are paired."),
  };
  return out;
}

}  // namespace reprise::reproduce::prernn_study
