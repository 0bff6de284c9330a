#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/text.h"
#include "experiments/captions.h"
#include "experiments/dataset_list.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/video_report.h"

namespace reprise::reproduce::prernn_study {

reports::Source source(const models::Method& method, const std::string& table,
                       const std::string& dataset) {
  return {method.info.title, table, dataset, method.info.id};
}

std::vector<reports::Source> sources(const std::vector<models::Method>& methods,
                                     const std::string& table, const std::string& dataset) {
  std::vector<reports::Source> out;
  for (const auto& method : methods) out.push_back(source(method, table, dataset));
  return out;
}

namespace {

using models::RecurrentCell;
using reports::Entry;
using reports::Figure;
using reports::Table;

using models::InputToHidden;
using models::Layer;
using models::MethodTraits;
using Kind = MethodTraits::Kind;

/// Column of table 1: one method per cell type.
struct Column {
  std::string title;
  MethodTraits traits;  ///< traits without the cell type
  /// Returns the id of the method with this cell type. None for SIH of a VRNN, which has no gates
  /// to share an input product.
  std::optional<std::string> method(RecurrentCell cell) const {
    auto with_cell = traits;
    if (traits.kind != Kind::Plain) with_cell.cell = cell;
    const auto* method = find_method(with_cell, methods_for(NetworkKind::Fc));
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
      {"SIH fc6/7",
       {.kind = Kind::PreRnn, .layers = both, .input_to_hidden = InputToHidden::Shared}},
  };
  return all;
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
Table method_grid(const std::string& of, const std::string& dataset, const std::string& metric,
                  const std::string& published, const Captions& captions) {
  std::string key = dataset == heads_in_motion ? "grid_auc_heads" : "grid_auc";
  if (of == short_table) key = "grid_auc_short";
  if (metric == "mean_error") key = "grid_mean_error";
  auto values = dataset_caption_values(dataset, captions);
  values["table"] = of;
  auto table = captions.table(key, values).table;
  table.published = published;
  if (dataset == "300vw") table.data = reports::DataProtocol{.set = "300-VW"};
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

/// Compares every method with and without memory.
Table control_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("controls", dataset_caption_values(dataset, captions));
  auto without_control = columns;
  for (auto& column : without_control)
    if (!column.table.empty()) column.metric = "";
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc))
    table.add_row(source(method, "table1", dataset),
                  has_control(method) ? columns : without_control);
  return table;
}

/// Returns the AUC in clear and in damaged frames, and bounds from the plain network's landmarks.
Table gap_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("gaps", dataset_caption_values(dataset, captions));
  table.add_rows(sources(methods_for(NetworkKind::Fc), "table1", dataset), columns);
  for (const auto& [title, metric] :
       {std::pair{"CNN, smoothed over earlier frames", "auc_smoothed"},
        {"CNN, oracle, earlier clear frames", "auc_bridged_causal"},
        {"CNN, oracle, clear frames on both sides", "auc_bridged"}})
    table.add_row({title, "table1", dataset, "cnn"},
                  {{"all", metric}, {"clear", ""}, {"damaged", ""}});
  return table;
}

/// Compares methods with other initial weights.
Table start_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("starts", dataset_caption_values(dataset, captions));
  for (const auto& name : extra_tables(captions.settings()))
    if (name != short_table)
      columns.push_back({.title = captions.text("start_" + name), .metric = "auc", .table = name});
  table.add_rows(sources(methods_with_other_starts(captions.settings()), "table1", dataset),
                 columns);
  return table;
}

/// Returns the learning rate that the search chose, and the epoch that validation chose.
Table training_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("training", dataset_caption_values(dataset, captions));
  table.add_rows(sources(methods_for(NetworkKind::Fc), "table1", dataset), columns);
  return table;
}

Table stills_table(const Captions& captions) {
  auto [table, columns] = captions.table("stills", {{"frames", ""}});
  table.add_columns(columns);
  table.add_row({"clean stills", "cnn", "stills", "cnn"}, columns);
  table.add_row({"moving camera", "cnn", "stills", "cnn"},
                captions.table("stills", {{"frames", "_camera"}}).columns);
  return table;
}

Table parameter_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("parameters");
  auto recurrent = methods_for(NetworkKind::Fc);
  std::erase_if(recurrent, [](const auto& method) { return !has_control(method); });
  table.add_rows(sources(recurrent, "table1", dataset), columns);
  return table;
}

/// Returns the layers that the document's rule keeps: fewer gate activations inside [0.1, 0.9] than
/// outside.
Table kept_layers_table(const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("selection");
  auto of_one_layer = columns;
  for (auto& column : of_one_layer)
    if (column.title.starts_with("second")) column.metric = "";
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc))
    if (has_control(method) && method.traits.has_gates())
      table.add_row(source(method, "table1", dataset),
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
  for (const auto& column : columns())
    if (const auto method = column.method(cell))
      figure.add_series({{column.title, "table1", dataset, *method}}, less.x, less.y);
  return figure;
}

Figure error_curve_figure(const std::string& dataset, RecurrentCell cell,
                          const Captions& captions) {
  auto figure = figure_by_column("error_curves", dataset, cell,
                                 {.label = "CNN",
                                  .table = "table1",
                                  .dataset = dataset,
                                  .method = "cnn",
                                  .x = "ced_x",
                                  .y = "ced"},
                                 captions);
  figure.x_max = metrics::ced_limit;
  return figure;
}

Figure convergence_figure(const std::string& dataset, RecurrentCell cell,
                          const Captions& captions) {
  const auto traditional = fmt::format("trad_{}_1", models::cell_name(cell));
  return figure_by_column("convergence", dataset, cell,
                          {.label = "traditional, 1 layer",
                           .table = "table1",
                           .dataset = dataset,
                           .method = traditional,
                           .x = "epoch",
                           .y = "validation_error"},
                          captions);
}

/// The methods that figures of frames show.
std::vector<reports::Source> shown_methods(const std::string& dataset) {
  return {{"trad. LSTM", "table1", dataset, "trad_lstm_1"},
          {"trad. GRU", "table1", dataset, "trad_gru_1"},
          {"PreVRNN fc6", "table1", dataset, "pre_vrnn_fc6"},
          {"PreLSTM fc6", "table1", dataset, "pre_lstm_fc6"},
          {"PreGRU fc6", "table1", dataset, "pre_gru_fc6"},
          {"SIH-LSTM fc6", "table1", dataset, "sih_lstm_fc6"}};
}

/// Returns the error by the number of frames since the last clear one.
Figure error_in_gaps_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("in_gaps", dataset_caption_values(dataset, captions));
  figure.add_series({{"CNN", "table1", dataset, "cnn"}}, "", "error_in_gaps");
  figure.add_series(shown_methods(dataset), "", "error_in_gaps");
  return figure;
}

/// Returns the error of each frame of one test clip with damaged frames.
Figure gap_clip_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("gap_clip", dataset_caption_values(dataset, captions));
  figure.shade = reports::Series{.label = "damaged",
                                 .table = "table1",
                                 .dataset = dataset,
                                 .method = "cnn",
                                 .x = "",
                                 .y = "gap_clip_damaged"};
  figure.add_series({{"CNN", "table1", dataset, "cnn"},
                     {"trad. LSTM", "table1", dataset, "trad_lstm_1"},
                     {"PreLSTM fc6", "table1", dataset, "pre_lstm_fc6"}},
                    "", "gap_clip_error");
  return figure;
}

/// Returns AUC over the number of recurrent weights.
Figure parameter_figure(const std::string& dataset, const Captions& captions) {
  auto figure = captions.figure("against_parameters", dataset_caption_values(dataset, captions));
  const auto kind_of = [](const MethodTraits& traits) -> std::string {
    if (traits.kind == Kind::Traditional) return "traditional";
    return traits.input_to_hidden == InputToHidden::Shared ? "SIH" : "PreRNN";
  };
  for (const auto& column : columns())
    for (const auto cell : models::document_cells()) {
      if (column.traits.kind == Kind::Plain) continue;
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
  figure.less = reports::Series{.label = "CNN",
                                .table = "table1",
                                .dataset = dataset,
                                .method = "cnn",
                                .x = "",
                                .y = "error_by_position"};
  figure.add_series(shown_methods(dataset), "", "error_by_position");
  figure.add_series({{"PreLSTM fc6, no memory", "nomemory", dataset, "pre_lstm_fc6"}}, "",
                    "error_by_position");
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
      out.add_pictures({{fmt::format("{}, {}", title, which), "table1", dataset, id}},
                       std::string(file) + ".png");
  }
  return out;
}

/// Adds table 1 on generated heads. Every page may show their pictures, which contain no real
/// person.
void report_heads(const Captions& captions, Report& out) {
  if (heads_methods(captions.settings()).empty()) return;
  for (const auto* metric : {"auc", "mean_error"})
    out.tables.push_back(method_grid("table1", heads_in_motion, metric, "", captions));
  out.tables.push_back(gap_table(heads_in_motion, captions));
  for (auto& figure : {error_in_gaps_figure(heads_in_motion, captions),
                       gap_clip_figure(heads_in_motion, captions)})
    out.figures.push_back(figure);
  out.galleries.push_back(gallery(heads_in_motion, captions));
  auto opening = captions.gallery("opening");
  const auto size = clip_size(heads_in_motion, captions.settings());
  for (const auto& [id, who] : {std::pair{"cnn", "The plain network sees single frames"},
                                {"pre_lstm_fc6", "PreLSTM remembers"}})
    opening.add_pictures({{captions.text("opening_picture", {{"who", who}, {"size", size}}),
                           "table1", heads_in_motion, id}},
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
  out.tables.push_back(
      input_weights(captions.table("ablation", dataset_caption_values(dataset, captions)).table,
                    {"table1", dataset}, Layer::Fc6, methods_for(NetworkKind::Fc), "auc"));
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

void report_faces(const Captions& captions, Report& out) {
  const auto datasets = captions.settings().texts("clips.datasets");
  if (datasets.empty()) return;
  out.tables.push_back(stills_table(captions));
  for (const auto& dataset : datasets) report_dataset(dataset, captions, out);
  const auto& first = datasets.front();
  out.tables.push_back(parameter_table(first, captions));
  out.tables.push_back(kept_layers_table(first, captions));
  for (const bool start : {false, true})
    out.figures.push_back(forget_gates("table1", first, "", start, captions));
  for (const bool start : {false, true})
    out.figures.push_back(gate_histogram("table1", first, "", "first", start, captions));
  out.figures.push_back(gate_histogram("table1", first, "", "second", false, captions));
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {
      {"gestures", generated_data},
      {"walkers", generated_data},
      {heads_in_motion, generated_data},
      {"faces_in_motion",
       settings.text("stills.source") == generated_faces
           ? generated_data
           : "300-W (HELEN, AFW) and YouTube Faces, for research only; numbers alone"},
      {"ytf_bursts", join_licences({"ytf_keypoints"}) + "; numbers alone"},
      {"shapes", join_licences({"shapes"}) + "; numbers alone"}};
  const Captions captions("prernn", settings, {{"ced_limit", number_text(metrics::ced_limit)}});
  report_faces(captions, out);
  report_heads(captions, out);
  report_videos(captions, out);
  for (auto& table : selection_tables(captions)) out.tables.push_back(std::move(table));
  out.notes.push_back(
      captions.text(settings.flag("paper.full_size") ? "note_full_size" : "note_small"));
  for (const auto* note : {"note_error", "note_trunk", "note_choices", "note_modalities",
                           "note_unnamed", "note_seeds"})
    out.notes.push_back(captions.text(note));
  return out;
}

}  // namespace reprise::reproduce::prernn_study
