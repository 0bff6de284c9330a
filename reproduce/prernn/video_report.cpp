#include "reproduce/prernn/video_report.h"

#include <fmt/format.h>

#include <tuple>

#include "core/text.h"
#include "experiments/sequence_training.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/selection.h"

namespace reprise::reproduce::prernn_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

using models::InputToHidden;
using models::Layer;
using models::MethodTraits;
using Kind = MethodTraits::Kind;

/// Returns PreRNN with recurrent fc6 and fc7, as in figure 2.
MethodTraits both_layers(models::RecurrentCell cell) {
  return {.kind = Kind::PreRnn, .cell = cell, .layers = {Layer::Fc6, Layer::Fc7}};
}

MethodTraits two_appended(models::RecurrentCell cell) {
  return {.kind = Kind::Traditional, .cell = cell, .appended = 2};
}

/// Returns the id of the study's method with these traits.
std::string method_id(const MethodTraits& traits) {
  return find_method(traits, methods_for(NetworkKind::Fc))->info.id;
}

/// Returns values for the texts on a table of a data set.
CaptionValues table_caption_values(const VideoTable& video, const std::string& dataset) {
  return {{"table", video.name()},
          {"dataset", dataset},
          {"data", dataset_title(dataset)},
          {"network", network_traits(video.kind).title}};
}

/// Returns the accuracy of each method per modality and with late fusion.
Table accuracy_table(const VideoTable& video, const std::string& dataset,
                     const Captions& captions) {
  auto [table, columns] = captions.table("accuracy", table_caption_values(video, dataset));
  if (dataset == "nvgesture") table.data = reports::DataProtocol{.set = "NVGesture"};
  for (const auto& modality : video.task->modalities)
    columns.push_back({modality, name_with_part("accuracy", modality)});
  columns.push_back({"both", "accuracy"});
  table.add_rows(sources(video_methods(video.kind, captions.settings()), video.name(), dataset),
                 columns);
  if (video.kind != NetworkKind::Fc) return table;
  table.published = video.task->name;
  for (const auto& published : video.task->published) {
    table.rows.push_back(published);
    table.entries.emplace_back(table.columns.size());
  }
  return table;
}

/// Returns the methods that tables and figures of classes show.
std::vector<models::Method> example_methods(const VideoTable& video, const Settings& settings) {
  const auto methods = video_methods(video.kind, settings);
  std::vector<models::Method> shown;
  for (const auto* id : {"cnn", "trad_gru_1", "pre_gru_fc6", "sih_gru_fc6", "pre_gru_conv"})
    for (const auto& method : methods)
      if (method.info.id == id) shown.push_back(method);
  return shown;
}

Table class_table(const VideoTable& video, const std::string& dataset, const Captions& captions) {
  auto table = captions.table("classes", table_caption_values(video, dataset)).table;
  table.rows = study_dataset(dataset).classes;
  const auto methods = example_methods(video, captions.settings());
  for (const auto& method : methods) table.columns.push_back(method.info.title);
  for (const auto& row : table.rows) {
    auto& entries = table.entries.emplace_back();
    for (const auto& method : methods)
      entries.push_back(Entry{video.name(), dataset, method.info.id, "accuracy_of_" + row});
  }
  return table;
}

Table training_table(const VideoTable& video, const std::string& dataset,
                     const Captions& captions) {
  auto [table, columns] = captions.table("training_video", table_caption_values(video, dataset));
  const auto& modalities = video.task->modalities;
  for (const auto& [title, metric, digits] :
       {std::tuple{"rate", "learning_rate", 4}, std::tuple{"best epoch", "best_epoch", 1},
        std::tuple{"validation error", "validation_error", 3}})
    for (const auto& modality : modalities)
      columns.push_back(
          {fmt::format("{}, {}", title, modality), name_with_part(metric, modality), digits});
  columns.push_back(
      {"weights added", name_with_part("parameters.recurrent", modalities.front()), 0});
  table.add_rows(sources(video_methods(video.kind, captions.settings()), video.name(), dataset),
                 columns);
  return table;
}

Table frame_accuracy_table(const VideoTask& task, const std::string& dataset,
                           const Captions& captions) {
  auto table =
      captions.table("networks", {{"dataset", dataset}, {"data", dataset_title(dataset)}}).table;
  for (const auto* step : {"frame", "snippet"})
    for (const auto& modality : task.modalities)
      table.columns.push_back(fmt::format("{}, {}", modality, step));
  for (const auto kind : task_networks(task, captions.settings())) {
    const auto& traits = network_traits(kind);
    table.rows.push_back(traits.title);
    std::vector<std::optional<Entry>> measured, none(task.modalities.size());
    for (const auto& modality : task.modalities)
      measured.push_back(
          Entry{networks_table(kind), dataset, "cnn", name_with_part("step_accuracy", modality)});
    auto& row = table.entries.emplace_back(traits.snippets ? none : measured);
    const auto& rest = traits.snippets ? measured : none;
    row.insert(row.end(), rest.begin(), rest.end());
  }
  return table;
}

Figure confusion_figure(const VideoTable& video, const std::string& dataset,
                        const training::MethodInfo& method, const Captions& captions) {
  auto values = table_caption_values(video, dataset);
  values["method"] = method.id;
  values["method_title"] = method.title;
  auto figure = captions.figure("confusion", values);
  figure.add_series({{method.title, video.name(), dataset, method.id}}, "", "confusion");
  figure.x_names = study_dataset(dataset).classes;
  return figure;
}

Figure convergence_figure(const VideoTable& video, const std::string& dataset,
                          const std::string& modality, const Captions& captions) {
  auto values = table_caption_values(video, dataset);
  values["modality"] = modality;
  auto figure = captions.figure("convergence_video", values);
  for (const auto& method : video_methods(video.kind, captions.settings()))
    if (method.traits.train_inputs && method.traits.appended < 2 &&
        method.traits.cell != models::RecurrentCell::Vrnn)
      figure.add_series({source(method, video.name(), dataset)}, name_with_part("epoch", modality),
                        name_with_part("validation_error", modality));
  return figure;
}

/// Returns, for classes in pairs of opposite temporal order, the accuracy of the pair and of the
/// order within it.
Table direction_table(const VideoTable& video, const std::string& dataset,
                      const Captions& captions) {
  auto [table, columns] = captions.table("directions", table_caption_values(video, dataset));
  for (const auto& part : video.task->modalities) {
    columns.push_back({part + ": pair", name_with_part("pair_accuracy", part)});
    columns.push_back({"order", name_with_part("direction_accuracy", part)});
  }
  table.add_rows(sources(video_methods(video.kind, captions.settings()), video.name(), dataset),
                 columns);
  return table;
}

Figure direction_figure(const VideoTable& video, const std::string& dataset,
                        const Captions& captions) {
  auto figure = captions.figure("direction_bars", table_caption_values(video, dataset));
  for (const auto& method : video_methods(video.kind, captions.settings())) {
    const auto& traits = method.traits;
    if (traits.cell == models::RecurrentCell::Vrnn || !traits.train_inputs || traits.appended > 1 ||
        traits.layers.size() > 1)
      continue;
    if (!traits.layers.empty() && traits.layers.front() == models::Layer::Fc7) continue;
    figure.add_series({source(method, video.name(), dataset)}, "", "pair_and_direction");
  }
  return figure;
}

std::string gate_curve(const std::string& part, bool start, const std::string& rest) {
  return (part.empty() ? "" : part + ".") + (start ? "start." : "") + rest;
}

/// Returns values for the texts on gates of a data set. part: modality, "" for faces.
CaptionValues gate_caption_values(const std::string& dataset, const std::string& part, bool start) {
  return {{"place", (part.empty() ? "" : "_" + dataset + "_" + part) + (start ? "_start" : "")},
          {"before", start ? " before training" : ""},
          {"what", part.empty() ? dataset_title(dataset) : dataset_title(dataset) + ", " + part}};
}

/// Row of the selection tables: a cell of table selection and a modality.
struct Row {
  LayerSelection selection;
  std::string part;
  std::string title() const {
    return fmt::format("{}{}, {}", part.empty() ? "" : part + ", ",
                       network_traits(selection.kind).name, models::cell_title(selection.cell));
  }
};

std::vector<Row> selection_rows(const std::vector<NetworkKind>& kinds,
                                const std::vector<std::string>& parts, const Settings& settings) {
  std::vector<Row> rows;
  for (const auto kind : kinds)
    for (const auto& part : parts)
      for (const auto& selection :
           selections_among(part.empty() ? methods_for(kind) : video_methods(kind, settings), kind))
        rows.push_back({selection, part});
  return rows;
}

/// Compares the rule's selection of layers (figure 2D) with the best, a random and the validated
/// candidate.
Table rule_table(const std::string& dataset, const std::vector<Row>& rows, const std::string& score,
                 const Captions& captions) {
  auto [table, columns] =
      captions.table("rule", {{"dataset", dataset},
                              {"data", dataset_title(dataset)},
                              {"score", score},
                              {"score_title", score == "auc" ? "AUC" : "accuracy"}});
  const auto is_convolutional = [](const Row& row) {
    return network_traits(row.selection.kind).convolutional;
  };
  if (std::none_of(rows.begin(), rows.end(), is_convolutional))
    std::erase_if(columns,
                  [](const reports::Column& column) { return column.metric == "kept_conv"; });
  table.add_columns(columns);
  for (const auto& row : rows) {
    auto own = columns;
    for (auto& column : own) {
      // Networks have either a recurrent convolution or recurrent fc6 and fc7.
      const bool other_layer = column.metric.starts_with("kept_") &&
                               is_convolutional(row) != (column.metric == "kept_conv");
      column.metric = other_layer ? "" : name_with_part(column.metric, row.part);
    }
    table.add_row({row.title(), "selection", dataset, row.selection.name()}, own);
  }
  return table;
}

/// Adds figure 2 for the chosen methods with two recurrent layers.
void report_gates(const VideoTable& video, const std::string& dataset, const Captions& captions,
                  Report& report) {
  const auto methods = video_methods(video.kind, captions.settings());
  for (const auto& modality : video.task->modalities) {
    if (find_method(both_layers(models::RecurrentCell::Lstm), methods))
      report.figures.push_back(forget_gates(video.name(), dataset, modality, false, captions));
    if (!find_method(both_layers(models::RecurrentCell::Gru), methods)) continue;
    for (const auto* layer : {"first", "second"})
      report.figures.push_back(
          gate_histogram(video.name(), dataset, modality, layer, false, captions));
  }
}

/// Returns the picture of draw_examples() in video_networks.cpp: a row per class and modality,
/// first four classes.
reports::Picture example_clips(const VideoTask& task, const std::string& dataset) {
  reports::Picture out{"clips", dataset, "clips", "examples.png", join(task.modalities, ", then ")};
  const auto& classes = study_dataset(dataset).classes;
  for (std::size_t c = 0; c < std::min<std::size_t>(4, classes.size()); ++c)
    for (const auto& modality : task.modalities)
      out.rows.push_back(fmt::format("{}, {}", classes[c], modality));
  return out;
}

/// Adds the tables and figures of one table and data set.
void report_table(const VideoTable& video, const std::string& dataset, const Captions& captions,
                  Report& report) {
  const auto& set = study_dataset(dataset);
  const bool fc = video.kind == NetworkKind::Fc;
  report.tables.push_back(accuracy_table(video, dataset, captions));
  const auto layer = network_traits(video.kind).convolutional ? Layer::LastConvolution : Layer::Fc6;
  const auto weights = input_weights(
      captions.table("ablation_video", table_caption_values(video, dataset)).table,
      {video.name(), dataset}, layer, video_methods(video.kind, captions.settings()), "accuracy");
  if (!weights.rows.empty()) report.tables.push_back(weights);
  if (fc && !set.classes.empty()) report.tables.push_back(class_table(video, dataset, captions));
  if (!set.opposite.empty()) {
    report.tables.push_back(direction_table(video, dataset, captions));
    report.figures.push_back(direction_figure(video, dataset, captions));
  }
  report.tables.push_back(training_table(video, dataset, captions));
  for (const auto& modality : video.task->modalities)
    report.figures.push_back(convergence_figure(video, dataset, modality, captions));
  if (!fc) return;
  for (const auto& method : example_methods(video, captions.settings()))
    if (method.traits.kind == Kind::Plain ||
        (method.traits.kind == Kind::PreRnn &&
         method.traits.input_to_hidden == InputToHidden::PerGate))
      report.figures.push_back(confusion_figure(video, dataset, method.info, captions));
  report_gates(video, dataset, captions, report);
}

}  // namespace

Table input_weights(Table table, const TableCells& cells, Layer layer,
                    const std::vector<models::Method>& methods, const std::string& metric) {
  table.columns = {"only W_h", "W_x and W_h"};
  for (const auto cell : models::document_cells()) {
    MethodTraits traits{.kind = Kind::PreRnn, .cell = cell, .layers = {layer}};
    const auto* both = find_method(traits, methods);
    traits.train_inputs = false;
    const auto* only = find_method(traits, methods);
    if (!only || !both) continue;
    table.rows.emplace_back(models::cell_title(cell));
    auto& row = table.entries.emplace_back();
    for (const auto* method : {only, both})
      row.push_back(Entry{cells.table, cells.dataset, method->info.id, metric});
  }
  return table;
}

void report_videos(const Captions& captions, Report& report) {
  const auto& settings = captions.settings();
  for (const auto& task : video_tasks())
    for (const auto& dataset : task_datasets(task, settings)) {
      report.tables.push_back(frame_accuracy_table(task, dataset, captions));
      // Licences of recorded videos: their frames stay in the cell's folder, and no page shows
      // them.
      if (!study_dataset(dataset).generated()) continue;
      report.galleries.push_back(
          captions.gallery("clips", {{"dataset", dataset}, {"data", dataset_title(dataset)}}));
      report.galleries.back().pictures = {example_clips(task, dataset)};
    }
  for (const auto& video : video_tables(settings))
    for (const auto& dataset : task_datasets(*video.task, settings))
      report_table(video, dataset, captions, report);
}

std::vector<Table> selection_tables(const Captions& captions) {
  const auto& settings = captions.settings();
  std::vector<Table> tables;
  for (const auto& dataset : settings.texts("clips.datasets"))
    tables.push_back(
        rule_table(dataset, selection_rows({NetworkKind::Fc}, {""}, settings), "auc", captions));
  for (const auto& task : video_tasks())
    for (const auto& dataset : task_datasets(task, settings))
      tables.push_back(rule_table(
          dataset, selection_rows(task_networks(task, settings), task.modalities, settings),
          "accuracy", captions));
  return tables;
}

Figure forget_gates(const std::string& table, const std::string& dataset, const std::string& part,
                    bool start, const Captions& captions) {
  auto figure = captions.figure("forget_gates", gate_caption_values(dataset, part, start));
  for (const auto& [label, method] :
       {std::pair{"PreLSTM", method_id(both_layers(models::RecurrentCell::Lstm))},
        std::pair{"trad. LSTM", method_id(two_appended(models::RecurrentCell::Lstm))}})
    for (const std::string layer : {"first", "second"})
      figure.add_series({{fmt::format("{} {} layer", label, layer), table, dataset, method}},
                        gate_curve(part, start, layer + ".f.right"),
                        gate_curve(part, start, layer + ".f.left"));
  return figure;
}

Figure gate_histogram(const std::string& table, const std::string& dataset, const std::string& part,
                      const std::string& layer, bool start, const Captions& captions) {
  auto values = gate_caption_values(dataset, part, start);
  values["layer"] = layer;
  values["figure"] = layer == "first" ? "2B" : "2C";
  values["figure_id"] = layer == "first" ? "2b" : "2c";
  auto figure = captions.figure("gate_histogram", values);
  for (const auto& [label, method] :
       {std::pair{"PreGRU", method_id(both_layers(models::RecurrentCell::Gru))},
        std::pair{"trad. GRU", method_id(two_appended(models::RecurrentCell::Gru))}})
    for (const auto& [gate, name] : {std::pair{"reset", "r"}, std::pair{"update", "z"}})
      figure.add_series({{fmt::format("{} {}", label, gate), table, dataset, method}}, "",
                        gate_curve(part, start, fmt::format("{}.{}.histogram", layer, name)));
  return figure;
}

}  // namespace reprise::reproduce::prernn_study
