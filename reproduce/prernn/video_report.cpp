// Report of gestures and actions, and of the selection of layers.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/text.h"
#include "experiments/sequence_training.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/report_parts.h"
#include "reproduce/prernn/selection.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Returns values for the texts on a table of a data set.
CaptionValues table_caption_values(const VideoTable& video, const std::string& dataset) {
  return {{"table", video.name()},
          {"dataset", dataset},
          {"data", dataset_title(dataset)},
          {"network", network_traits(video.kind).title}};
}

/// Returns the rows of all methods of a table.
std::vector<reports::Source> table_rows(const VideoTable& video, const std::string& dataset,
                                        const Captions& captions) {
  return method_sources(video_methods(video.kind, captions.settings()), video.name(), dataset);
}

/// Returns the accuracy of each method per modality and with late fusion.
Table accuracy_table(const VideoTable& video, const std::string& dataset,
                     const Captions& captions) {
  auto [table, columns] = captions.table("accuracy", table_caption_values(video, dataset));
  if (dataset == "nvgesture") table.data = reports::DataProtocol{.set = "NVGesture"};
  for (const auto& modality : video.task->modalities)
    columns.push_back({.title = modality, .metric = name_with_part("accuracy", modality)});
  columns.push_back({.title = "both", .metric = "accuracy"});  // late fusion
  table.add_rows(table_rows(video, dataset, captions), columns);
  if (video.kind != NetworkKind::Fc) return table;
  table.published = video.task->name;
  // Published methods without a row of ours: their own cells are empty.
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
      entries.push_back(Entry{.table = video.name(),
                              .dataset = dataset,
                              .method = method.info.id,
                              .metric = "accuracy_of_" + row});
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
      columns.push_back({.title = fmt::format("{}, {}", title, modality),
                         .metric = name_with_part(metric, modality),
                         .digits = digits});
  // Networks of both modalities add equally many weights.
  columns.push_back({.title = "weights added",
                     .metric = name_with_part("parameters.recurrent", modalities.front()),
                     .digits = 0});
  table.add_rows(table_rows(video, dataset, captions), columns);
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
    // A network is measured on frames or on snippets; the other columns are empty.
    std::vector<std::optional<Entry>> measured;
    const std::vector<std::optional<Entry>> none(task.modalities.size());
    for (const auto& modality : task.modalities)
      measured.push_back(Entry{.table = networks_table(kind),
                               .dataset = dataset,
                               .method = "cnn",
                               .metric = name_with_part("step_accuracy", modality)});
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
  figure.add_series(
      {{.title = method.title, .table = video.name(), .dataset = dataset, .method = method.id}}, "",
      "confusion");
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
        method.traits.cell != RecurrentCell::Vrnn)
      figure.add_series({method_source(method, video.name(), dataset)},
                        name_with_part("epoch", modality),
                        name_with_part("validation_error", modality));
  return figure;
}

/// Returns, for classes in pairs of opposite temporal order, the accuracy of the pair and of the
/// order within it.
Table direction_table(const VideoTable& video, const std::string& dataset,
                      const Captions& captions) {
  auto [table, columns] = captions.table("directions", table_caption_values(video, dataset));
  for (const auto& part : video.task->modalities) {
    columns.push_back({.title = part + ": pair", .metric = name_with_part("pair_accuracy", part)});
    columns.push_back({.title = "order", .metric = name_with_part("direction_accuracy", part)});
  }
  table.add_rows(table_rows(video, dataset, captions), columns);
  return table;
}

Figure direction_figure(const VideoTable& video, const std::string& dataset,
                        const Captions& captions) {
  auto figure = captions.figure("direction_bars", table_caption_values(video, dataset));
  for (const auto& method : video_methods(video.kind, captions.settings())) {
    const auto& traits = method.traits;
    // Few bars stay readable: gated cells with trained inputs, one recurrent layer, not at fc7.
    if (traits.cell == RecurrentCell::Vrnn || !traits.train_inputs || traits.appended > 1 ||
        traits.layers.size() > 1)
      continue;
    if (!traits.layers.empty() && traits.layers.front() == models::Layer::Fc7) continue;
    figure.add_series({method_source(method, video.name(), dataset)}, "", "pair_and_direction");
  }
  return figure;
}

/// Row of the selection tables: a cell of table selection and a modality.
struct SelectionRow {
  LayerSelection selection;
  std::string part;
  std::string title() const {
    return fmt::format("{}{}, {}", part.empty() ? "" : part + ", ",
                       network_traits(selection.kind).name, models::cell_title(selection.cell));
  }
};

std::vector<SelectionRow> selection_rows(const std::vector<NetworkKind>& kinds,
                                         const std::vector<std::string>& parts,
                                         const Settings& settings) {
  std::vector<SelectionRow> rows;
  for (const auto kind : kinds)
    for (const auto& part : parts)
      for (const auto& selection :
           selections_among(part.empty() ? methods_for(kind) : video_methods(kind, settings), kind))
        rows.push_back({.selection = selection, .part = part});
  return rows;
}

/// Compares the rule's selection of layers (figure 2D) with the best, a random and the validated
/// candidate.
Table rule_table(const std::string& dataset, const std::vector<SelectionRow>& rows,
                 const std::string& score, const Captions& captions) {
  auto [table, columns] =
      captions.table("rule", {{"dataset", dataset},
                              {"data", dataset_title(dataset)},
                              {"score", score},
                              {"score_title", score == "auc" ? "AUC" : "accuracy"}});
  const auto is_convolutional = [](const SelectionRow& row) {
    return network_traits(row.selection.kind).convolutional;
  };
  // A page without convolutional networks needs no column for their layer.
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
    table.add_row({.title = row.title(),
                   .table = selection_table,
                   .dataset = dataset,
                   .method = row.selection.name()},
                  own);
  }
  return table;
}

/// Adds figure 2 for the chosen methods with two recurrent layers.
void report_gates(const VideoTable& video, const std::string& dataset, const Captions& captions,
                  Report& report) {
  const auto methods = video_methods(video.kind, captions.settings());
  for (const auto& modality : video.task->modalities) {
    const GateCells cells{.table = video.name(), .dataset = dataset, .part = modality};
    if (find_method(traits_of_both_layers(RecurrentCell::Lstm), methods))
      report.figures.push_back(forget_gate_figure(cells, captions));
    if (!find_method(traits_of_both_layers(RecurrentCell::Gru), methods)) continue;
    for (const auto* layer : {"first", "second"})
      report.figures.push_back(gate_histogram_figure(cells, layer, captions));
  }
}

/// Returns the picture of draw_examples() in video_networks.cpp: a row per class and modality,
/// first four classes.
reports::Picture example_clips(const VideoTask& task, const std::string& dataset) {
  reports::Picture out{.table = "clips",
                       .dataset = dataset,
                       .method = "clips",
                       .file = "examples.png",
                       .caption = join(task.modalities, ", then ")};
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
  const auto weights = fill_input_weights(
      captions.table("ablation_video", table_caption_values(video, dataset)).table,
      {.table = video.name(), .dataset = dataset}, layer,
      video_methods(video.kind, captions.settings()), "accuracy");
  if (!weights.rows.empty()) report.tables.push_back(weights);
  if (fc && !set.classes.empty()) report.tables.push_back(class_table(video, dataset, captions));
  if (!set.opposite.empty()) {
    report.tables.push_back(direction_table(video, dataset, captions));
    report.figures.push_back(direction_figure(video, dataset, captions));
  }
  report.tables.push_back(training_table(video, dataset, captions));
  for (const auto& modality : video.task->modalities)
    report.figures.push_back(convergence_figure(video, dataset, modality, captions));
  // Gates and confusion are shown for one kind of network only.
  if (!fc) return;
  for (const auto& method : example_methods(video, captions.settings()))
    if (method.traits.kind == MethodKind::Plain ||
        (method.traits.kind == MethodKind::PreRnn &&
         method.traits.input_to_hidden == InputToHidden::PerGate))
      report.figures.push_back(confusion_figure(video, dataset, method.info, captions));
  report_gates(video, dataset, captions, report);
}

}  // namespace

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

}  // namespace reprise::reproduce::prernn_study
