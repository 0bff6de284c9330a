// Report of faces: table 1 of the document, its controls, and figures of frames.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/report_parts.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Column of table 1: one method per cell type.
struct MethodColumn {
  std::string title;
  MethodTraits traits;  ///< traits without the cell type
  /// Returns the id of the method with this cell type. None for SIH of a VRNN, which has no gates
  /// to share an input product.
  std::optional<std::string> method(RecurrentCell cell) const {
    auto with_cell = traits;
    if (traits.kind != MethodKind::Plain) with_cell.cell = cell;
    const auto* method = find_method(with_cell, methods_for(NetworkKind::Fc));
    return method ? std::optional(method->info.id) : std::nullopt;
  }
};

const std::vector<MethodColumn>& method_columns() {
  static const std::vector<Layer> fc6{Layer::Fc6};
  static const std::vector<Layer> fc7{Layer::Fc7};
  static const std::vector<Layer> both{Layer::Fc6, Layer::Fc7};
  const auto pre_rnn = [](const std::vector<Layer>& layers, InputToHidden inputs) -> MethodTraits {
    return {.kind = MethodKind::PreRnn, .layers = layers, .input_to_hidden = inputs};
  };
  static const std::vector<MethodColumn> all{
      {.title = "CNN", .traits = {.kind = MethodKind::Plain}},
      {.title = "trad. 1 layer", .traits = {.kind = MethodKind::Traditional, .appended = 1}},
      {.title = "trad. 2 layers", .traits = {.kind = MethodKind::Traditional, .appended = 2}},
      {.title = "Pre fc6", .traits = pre_rnn(fc6, InputToHidden::PerGate)},
      {.title = "Pre fc7", .traits = pre_rnn(fc7, InputToHidden::PerGate)},
      {.title = "Pre fc6/7", .traits = pre_rnn(both, InputToHidden::PerGate)},
      {.title = "SIH fc6", .traits = pre_rnn(fc6, InputToHidden::Shared)},
      {.title = "SIH fc7", .traits = pre_rnn(fc7, InputToHidden::Shared)},
      {.title = "SIH fc6/7", .traits = pre_rnn(both, InputToHidden::Shared)},
  };
  return all;
}

/// Returns the cells of a method in table 1, under a label.
reports::Source table1_source(const std::string& label, const std::string& dataset,
                              const std::string& method) {
  return {.title = label, .table = "table1", .dataset = dataset, .method = method};
}

/// Returns the curve x, y of a method in table 1, for differences and shades.
reports::Series table1_series(const std::string& label, const std::string& dataset,
                              const std::string& method, const std::string& x,
                              const std::string& y) {
  return {.label = label, .table = "table1", .dataset = dataset, .method = method, .x = x, .y = y};
}

/// Returns the rows of all methods in table 1.
std::vector<reports::Source> table1_rows(const std::string& dataset) {
  return method_sources(methods_for(NetworkKind::Fc), "table1", dataset);
}

/// Returns the size of frames, and their number if the virtual camera makes the clips.
std::string clip_size(const std::string& dataset, const Settings& settings) {
  const auto frames = fmt::format("frames of {0} x {0} pixels", settings.integer("image.size"));
  if (study_dataset(dataset).content != StudyDataset::Content::SyntheticFaceClips) return frames;
  return fmt::format("{} {}", settings.integer("camera.frames"), frames);
}

/// Returns values for the texts on a data set of faces.
CaptionValues dataset_caption_values(const std::string& dataset, const Captions& captions) {
  return {{"dataset", dataset},
          {"data", dataset_title(dataset)},
          {"size", clip_size(dataset, captions.settings())}};
}

/// Returns table 1 of the document for one data set and metric, from the cells of a table.
Table method_grid(const std::string& from, const std::string& dataset, const std::string& metric,
                  const std::string& published, const Captions& captions) {
  std::string key = dataset == heads_in_motion ? "grid_auc_heads" : "grid_auc";
  if (from == short_table) key = "grid_auc_short";
  if (metric == "mean_error") key = "grid_mean_error";
  auto values = dataset_caption_values(dataset, captions);
  values["table"] = from;
  auto table = captions.table(key, values).table;
  table.published = published;
  // Published values appear next to ours only on the same data.
  if (dataset == "300vw") table.data = reports::DataProtocol{.set = "300-VW"};
  for (const auto& column : method_columns()) table.columns.push_back(column.title);
  for (const auto cell : models::document_cells()) {
    table.rows.emplace_back(models::cell_title(cell));
    auto& row = table.entries.emplace_back();
    for (const auto& column : method_columns()) {
      const auto method = column.method(cell);
      // A VRNN has no SIH variants: their cells of the grid stay empty.
      row.emplace_back();
      if (method)
        row.back() = Entry{.table = from, .dataset = dataset, .method = *method, .metric = metric};
    }
  }
  return table;
}

/// Compares every method with and without memory.
Table control_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("controls", dataset_caption_values(dataset, captions));
  // Methods without a control have empty cells in the columns of other tables.
  auto without_control = columns;
  for (auto& column : without_control)
    if (!column.table.empty()) column.metric = "";
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc))
    table.add_row(method_source(method, "table1", dataset),
                  has_control(method) ? columns : without_control);
  return table;
}

/// Returns the AUC in clear and in damaged frames, and bounds from the plain network's landmarks.
Table gap_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("gaps", dataset_caption_values(dataset, captions));
  table.add_rows(table1_rows(dataset), columns);
  // Bounds: what smoothing and an oracle of the gaps gain without a recurrent network.
  for (const auto& [title, metric] :
       {std::pair{"CNN, smoothed over earlier frames", "auc_smoothed"},
        {"CNN, oracle, earlier clear frames", "auc_bridged_causal"},
        {"CNN, oracle, clear frames on both sides", "auc_bridged"}})
    table.add_row(table1_source(title, dataset, "cnn"), {{.title = "all", .metric = metric},
                                                         {.title = "clear", .metric = ""},
                                                         {.title = "damaged", .metric = ""}});
  return table;
}

/// Compares methods with other initial weights.
Table start_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("starts", dataset_caption_values(dataset, captions));
  for (const auto& name : extra_tables(captions.settings()))
    if (name != short_table)  // it differs by training, not by initial weights
      columns.push_back({.title = captions.text("start_" + name), .metric = "auc", .table = name});
  table.add_rows(method_sources(methods_with_other_starts(captions.settings()), "table1", dataset),
                 columns);
  return table;
}

/// Returns the learning rate that the search chose, and the epoch that validation chose.
Table training_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("training", dataset_caption_values(dataset, captions));
  table.add_rows(table1_rows(dataset), columns);
  return table;
}

Table stills_table(const Captions& captions) {
  auto [table, columns] = captions.table("stills", {{"frames", ""}});
  table.add_columns(columns);
  const auto cnn = [](const std::string& label) -> reports::Source {
    return {.title = label, .table = "cnn", .dataset = "stills", .method = "cnn"};
  };
  table.add_row(cnn("clean stills"), columns);
  // The same cells, with the metrics that end in "_camera".
  table.add_row(cnn("moving camera"), captions.table("stills", {{"frames", "_camera"}}).columns);
  return table;
}

Table parameter_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("parameters");
  auto recurrent = methods_for(NetworkKind::Fc);
  std::erase_if(recurrent, [](const auto& method) { return !has_control(method); });
  table.add_rows(method_sources(recurrent, "table1", dataset), columns);
  return table;
}

/// Returns the layers that the document's rule keeps: fewer gate activations inside [0.1, 0.9] than
/// outside.
Table kept_layers_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("selection");
  // A network with one recurrent layer has no gates of a second one.
  auto of_one_layer = columns;
  for (auto& column : of_one_layer)
    if (column.title.starts_with("second")) column.metric = "";
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc))
    if (has_control(method) && method.traits.has_gates())
      table.add_row(method_source(method, "table1", dataset),
                    method.traits.recurrent_layers() == 2 ? columns : of_one_layer);
  return table;
}

/// Returns a figure of one cell type with a curve per column of table 1, minus the curve of `less`.
Figure figure_by_column(const std::string& key, const std::string& dataset, RecurrentCell cell,
                        const reports::Series& less, const Captions& captions) {
  auto values = dataset_caption_values(dataset, captions);
  values["cell"] = models::cell_name(cell);
  values["cell_title"] = models::cell_title(cell);
  auto figure = captions.figure(key, values);
  figure.less = less;
  for (const auto& column : method_columns())
    if (const auto method = column.method(cell))
      figure.add_series({table1_source(column.title, dataset, *method)}, less.x, less.y);
  return figure;
}

Figure error_curve_figure(const std::string& dataset, RecurrentCell cell,
                          const Captions& captions) {
  auto figure = figure_by_column("error_curves", dataset, cell,
                                 table1_series("CNN", dataset, "cnn", "ced_x", "ced"), captions);
  figure.x_max = metrics::ced_limit;
  return figure;
}

Figure convergence_figure(const std::string& dataset, RecurrentCell cell,
                          const Captions& captions) {
  const auto traditional = fmt::format("trad_{}_1", models::cell_name(cell));
  return figure_by_column(
      "convergence", dataset, cell,
      table1_series("traditional, 1 layer", dataset, traditional, "epoch", "validation_error"),
      captions);
}

/// Returns the methods that figures of frames show.
std::vector<reports::Source> shown_methods(const std::string& dataset) {
  return {table1_source("trad. LSTM", dataset, "trad_lstm_1"),
          table1_source("trad. GRU", dataset, "trad_gru_1"),
          table1_source("PreVRNN fc6", dataset, "pre_vrnn_fc6"),
          table1_source("PreLSTM fc6", dataset, "pre_lstm_fc6"),
          table1_source("PreGRU fc6", dataset, "pre_gru_fc6"),
          table1_source("SIH-LSTM fc6", dataset, "sih_lstm_fc6")};
}

/// Returns the error by the number of frames since the last clear one.
Figure error_in_gaps_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("in_gaps", dataset_caption_values(dataset, captions));
  figure.add_series({table1_source("CNN", dataset, "cnn")}, "", "error_in_gaps");
  figure.add_series(shown_methods(dataset), "", "error_in_gaps");
  return figure;
}

/// Returns the error of each frame of one test clip with damaged frames.
Figure gap_clip_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("gap_clip", dataset_caption_values(dataset, captions));
  figure.shade = table1_series("damaged", dataset, "cnn", "", "gap_clip_damaged");
  figure.add_series(
      {table1_source("CNN", dataset, "cnn"), table1_source("trad. LSTM", dataset, "trad_lstm_1"),
       table1_source("PreLSTM fc6", dataset, "pre_lstm_fc6")},
      "", "gap_clip_error");
  return figure;
}

/// Returns AUC over the number of recurrent weights.
Figure parameter_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("against_parameters", dataset_caption_values(dataset, captions));
  const auto kind_of = [](const MethodTraits& traits) -> std::string {
    if (traits.kind == MethodKind::Traditional) return "traditional";
    return traits.input_to_hidden == InputToHidden::Shared ? "SIH" : "PreRNN";
  };
  for (const auto& column : method_columns())
    for (const auto cell : models::document_cells()) {
      // The plain network has no recurrent weights.
      if (column.traits.kind == MethodKind::Plain) continue;
      const auto method = column.method(cell);
      if (!method) continue;
      figure.series.push_back(
          {.label = fmt::format("{}, {}", models::cell_title(cell), column.title),
           .table = "table1",
           .dataset = dataset,
           .method = *method,
           .x = "recurrent_parameters",
           .y = "auc",
           .colour = kind_of(column.traits),
           .dash = std::string(models::cell_name(cell))});
    }
  return figure;
}

Figure position_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("by_position", dataset_caption_values(dataset, captions));
  figure.less = table1_series("CNN", dataset, "cnn", "", "error_by_position");
  figure.add_series(shown_methods(dataset), "", "error_by_position");
  figure.add_series({{.title = "PreLSTM fc6, no memory",
                      .table = "nomemory",
                      .dataset = dataset,
                      .method = "pre_lstm_fc6"}},
                    "", "error_by_position");
  return figure;
}

reports::Gallery gallery(const std::string& dataset, const Captions& captions) {
  auto out = captions.gallery("gallery", dataset_caption_values(dataset, captions));
  for (const auto* id : gallery_methods) {
    const auto title = method_named(id, methods_for(NetworkKind::Fc)).info.title;
    for (const auto& [file, which] : {std::pair{"gap", "damaged frames"},
                                      {"best", "least error"},
                                      {"median", "median error"},
                                      {"worst", "largest error"}})
      out.add_pictures({table1_source(fmt::format("{}, {}", title, which), dataset, id)},
                       std::string(file) + ".png");
  }
  return out;
}

/// Adds table 1 on generated heads. Every page may show their pictures: nobody is in them.
void report_heads(const Captions& captions, Report& out) {
  if (heads_methods(captions.settings()).empty()) return;
  for (const auto* metric : {"auc", "mean_error"})
    out.tables.push_back(method_grid("table1", heads_in_motion, metric, "", captions));
  out.tables.push_back(gap_table(heads_in_motion, captions));
  for (auto& figure : {error_in_gaps_figure(heads_in_motion, captions),
                       gap_clip_figure(heads_in_motion, captions)})
    out.figures.push_back(figure);
  out.galleries.push_back(gallery(heads_in_motion, captions));
  // The page opens with one clip with a gap, by a network without and one with memory.
  auto opening = captions.gallery("opening");
  const auto size = clip_size(heads_in_motion, captions.settings());
  for (const auto& [id, who] : {std::pair{"cnn", "The plain network sees single frames"},
                                {"pre_lstm_fc6", "PreLSTM remembers"}})
    opening.add_pictures(
        {table1_source(captions.text("opening_picture", {{"who", who}, {"size", size}}),
                       heads_in_motion, id)},
        "gap.png");
  out.galleries.push_back(opening);
}

/// Adds tables, figures and pictures of one data set of faces.
void report_dataset(const std::string& dataset, const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  const auto& set = study_dataset(dataset);
  const bool synthetic = set.content == StudyDataset::Content::SyntheticFaceClips;
  out.tables.push_back(method_grid("table1", dataset, "auc", set.published, captions));
  out.tables.push_back(method_grid("table1", dataset, "mean_error", "", captions));
  out.tables.push_back(control_table(dataset, captions));
  if (synthetic) out.tables.push_back(gap_table(dataset, captions));
  if (synthetic && !methods_with_other_starts(settings).empty())
    out.tables.push_back(start_table(dataset, captions));
  if (const auto extra = extra_tables(settings);
      synthetic && std::count(extra.begin(), extra.end(), short_table) > 0)
    out.tables.push_back(method_grid(short_table, dataset, "auc", "", captions));
  out.tables.push_back(fill_input_weights(
      captions.table("ablation", dataset_caption_values(dataset, captions)).table,
      {.table = "table1", .dataset = dataset}, Layer::Fc6, methods_for(NetworkKind::Fc), "auc"));
  out.tables.push_back(training_table(dataset, captions));
  for (const auto cell : models::document_cells())
    out.figures.push_back(error_curve_figure(dataset, cell, captions));
  for (const auto cell : models::document_cells())
    out.figures.push_back(convergence_figure(dataset, cell, captions));
  if (synthetic)
    for (auto& figure :
         {error_in_gaps_figure(dataset, captions), gap_clip_figure(dataset, captions)})
      out.figures.push_back(figure);
  else
    out.figures.push_back(position_figure(dataset, captions));
  out.figures.push_back(parameter_figure(dataset, captions));
  // Photographs of people are for research only: pictures stay in the cells' folders, and no page
  // shows them.
  if (settings.text("stills.source") == generated_faces)
    out.galleries.push_back(gallery(dataset, captions));
}

void report_face_datasets(const Captions& captions, Report& out) {
  const auto datasets = captions.settings().texts("clips.datasets");
  if (datasets.empty()) return;
  out.tables.push_back(stills_table(captions));
  for (const auto& dataset : datasets) report_dataset(dataset, captions, out);
  const auto& first = datasets.front();
  // Numbers of weights do not depend on the data; gates are shown for the first data set.
  out.tables.push_back(parameter_table(first, captions));
  out.tables.push_back(kept_layers_table(first, captions));
  const GateCells trained{.table = "table1", .dataset = first};
  const GateCells untrained{.table = "table1", .dataset = first, .start = true};
  for (const auto& cells : {trained, untrained})
    out.figures.push_back(forget_gate_figure(cells, captions));
  for (const auto& cells : {trained, untrained})
    out.figures.push_back(gate_histogram_figure(cells, "first", captions));
  out.figures.push_back(gate_histogram_figure(trained, "second", captions));
}

}  // namespace

void report_faces(const Captions& captions, Report& report) {
  report_face_datasets(captions, report);
  report_heads(captions, report);
}

}  // namespace reprise::reproduce::prernn_study
