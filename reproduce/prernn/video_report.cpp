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
using models::MethodFacts;
using Kind = MethodFacts::Kind;

/// PreRNN, with fc6 and fc7 recurrent, as figure 2 has it.
MethodFacts both_layers(models::Cell cell) {
  return {.kind = Kind::PreRnn, .cell = cell, .layers = {Layer::Fc6, Layer::Fc7}};
}

MethodFacts two_appended(models::Cell cell) {
  return {.kind = Kind::Traditional, .cell = cell, .appended = 2};
}

/// The id of the study's method with these facts.
std::string id_of(const MethodFacts& facts) {
  return method_with(facts, methods_for(NetworkKind::Fc))->info.id;
}

/// Values of the texts on a table of a data set.
CaptionValues values_of_table(const VideoTable& video, const std::string& dataset) {
  return {{"table", video.name()},
          {"dataset", dataset},
          {"data", dataset_title(dataset)},
          {"network", facts_of(video.kind).title}};
}

/// Accuracy of every method in each modality and in both.
Table accuracy(const VideoTable& video, const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("accuracy", values_of_table(video, dataset));
  if (dataset == "nvgesture") table.data = reports::DataProtocol{.set = "NVGesture"};
  for (const auto& modality : video.task->modalities)
    columns.push_back({modality, of_part("accuracy", modality)});
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

/// The methods that tables and figures of classes show.
std::vector<models::Method> examples(const VideoTable& video, const Settings& settings) {
  const auto methods = video_methods(video.kind, settings);
  std::vector<models::Method> shown;
  for (const auto* id : {"cnn", "trad_gru_1", "pre_gru_fc6", "sih_gru_fc6", "pre_gru_conv"})
    for (const auto& method : methods)
      if (method.info.id == id) shown.push_back(method);
  return shown;
}

Table per_class(const VideoTable& video, const std::string& dataset, const Captions& captions) {
  auto table = captions.table("classes", values_of_table(video, dataset)).table;
  table.rows = study_dataset(dataset).classes;
  const auto methods = examples(video, captions.settings());
  for (const auto& method : methods) table.columns.push_back(method.info.title);
  for (const auto& row : table.rows) {
    auto& entries = table.entries.emplace_back();
    for (const auto& method : methods)
      entries.push_back(Entry{video.name(), dataset, method.info.id, "accuracy_of_" + row});
  }
  return table;
}

Table training_choices(const VideoTable& video, const std::string& dataset,
                       const Captions& captions) {
  auto [table, columns] = captions.table("training_video", values_of_table(video, dataset));
  const auto& modalities = video.task->modalities;
  for (const auto& [title, metric, digits] :
       {std::tuple{"rate", "learning_rate", 4}, std::tuple{"best epoch", "best_epoch", 1},
        std::tuple{"validation error", "validation_error", 3}})
    for (const auto& modality : modalities)
      columns.push_back(
          {fmt::format("{}, {}", title, modality), of_part(metric, modality), digits});
  columns.push_back({"weights added", of_part("parameters.recurrent", modalities.front()), 0});
  table.add_rows(sources(video_methods(video.kind, captions.settings()), video.name(), dataset),
                 columns);
  return table;
}

Table networks(const VideoTask& task, const std::string& dataset, const Captions& captions) {
  auto table =
      captions.table("networks", {{"dataset", dataset}, {"data", dataset_title(dataset)}}).table;
  for (const auto* step : {"frame", "snippet"})
    for (const auto& modality : task.modalities)
      table.columns.push_back(fmt::format("{}, {}", modality, step));
  for (const auto kind : networks_of(task, captions.settings())) {
    const auto& facts = facts_of(kind);
    table.rows.push_back(facts.title);
    std::vector<std::optional<Entry>> measured, none(task.modalities.size());
    for (const auto& modality : task.modalities)
      measured.push_back(
          Entry{networks_table(kind), dataset, "cnn", of_part("step_accuracy", modality)});
    auto& row = table.entries.emplace_back(facts.snippets ? none : measured);
    const auto& rest = facts.snippets ? measured : none;
    row.insert(row.end(), rest.begin(), rest.end());
  }
  return table;
}

Figure confusion(const VideoTable& video, const std::string& dataset,
                 const training::MethodInfo& method, const Captions& captions) {
  auto values = values_of_table(video, dataset);
  values["method"] = method.id;
  values["method_title"] = method.title;
  auto figure = captions.figure("confusion", values);
  figure.add_series({{method.title, video.name(), dataset, method.id}}, "", "confusion");
  figure.x_names = study_dataset(dataset).classes;
  return figure;
}

Figure convergence(const VideoTable& video, const std::string& dataset, const std::string& modality,
                   const Captions& captions) {
  auto values = values_of_table(video, dataset);
  values["modality"] = modality;
  auto figure = captions.figure("convergence_video", values);
  for (const auto& method : video_methods(video.kind, captions.settings()))
    if (method.facts.train_inputs && method.facts.appended < 2 &&
        method.facts.cell != models::Cell::Vrnn)
      figure.add_series({source(method, video.name(), dataset)}, of_part("epoch", modality),
                        of_part("validation_error", modality));
  return figure;
}

/// Where classes come in pairs of opposite temporal order: accuracy of the pair, and of the order
/// within it.
Table directions(const VideoTable& video, const std::string& dataset, const Captions& captions) {
  auto [table, columns] = captions.table("directions", values_of_table(video, dataset));
  for (const auto& part : video.task->modalities) {
    columns.push_back({part + ": pair", of_part("pair_accuracy", part)});
    columns.push_back({"order", of_part("direction_accuracy", part)});
  }
  table.add_rows(sources(video_methods(video.kind, captions.settings()), video.name(), dataset),
                 columns);
  return table;
}

Figure direction_bars(const VideoTable& video, const std::string& dataset,
                      const Captions& captions) {
  auto figure = captions.figure("direction_bars", values_of_table(video, dataset));
  for (const auto& method : video_methods(video.kind, captions.settings())) {
    const auto& facts = method.facts;
    if (facts.cell == models::Cell::Vrnn || !facts.train_inputs || facts.appended > 1 ||
        facts.layers.size() > 1)
      continue;
    if (!facts.layers.empty() && facts.layers.front() == models::Layer::Fc7) continue;
    figure.add_series({source(method, video.name(), dataset)}, "", "pair_and_direction");
  }
  return figure;
}

std::string curve(const std::string& part, bool start, const std::string& rest) {
  return (part.empty() ? "" : part + ".") + (start ? "start." : "") + rest;
}

/// Values of the texts on gates of a data set; `part`: the modality, "" for faces.
CaptionValues values_of_gates(const std::string& dataset, const std::string& part, bool start) {
  return {{"place", (part.empty() ? "" : "_" + dataset + "_" + part) + (start ? "_start" : "")},
          {"before", start ? " before training" : ""},
          {"what", part.empty() ? dataset_title(dataset) : dataset_title(dataset) + ", " + part}};
}

/// The cells of table selection that the settings plan for a data set, and the modality of each
/// row.
struct Row {
  Choice choice;
  std::string part;
  std::string title() const {
    return fmt::format("{}{}, {}", part.empty() ? "" : part + ", ", facts_of(choice.kind).name,
                       models::cell_title(choice.cell));
  }
};

std::vector<Row> selection_rows(const std::vector<NetworkKind>& kinds,
                                const std::vector<std::string>& parts, const Settings& settings) {
  std::vector<Row> rows;
  for (const auto kind : kinds)
    for (const auto& part : parts)
      for (const auto& choice :
           choices_among(part.empty() ? methods_for(kind) : video_methods(kind, settings), kind))
        rows.push_back({choice, part});
  return rows;
}

/// The rule's choice of layers (figure 2D) against the best, a random one and validation's.
Table selection(const std::string& dataset, const std::vector<Row>& rows, const std::string& score,
                const Captions& captions) {
  auto [table, columns] =
      captions.table("rule", {{"dataset", dataset},
                              {"data", dataset_title(dataset)},
                              {"score", score},
                              {"score_title", score == "auc" ? "AUC" : "accuracy"}});
  const auto is_convolutional = [](const Row& row) {
    return facts_of(row.choice.kind).convolutional;
  };
  if (std::none_of(rows.begin(), rows.end(), is_convolutional))
    std::erase_if(columns,
                  [](const reports::Column& column) { return column.metric == "kept_conv"; });
  table.add_columns(columns);
  for (const auto& row : rows) {
    auto own = columns;
    for (auto& column : own) {
      // A network with recurrent convolutions keeps or reverts these, any other one fc6 and fc7.
      const bool other_layer = column.metric.starts_with("kept_") &&
                               is_convolutional(row) != (column.metric == "kept_conv");
      column.metric = other_layer ? "" : of_part(column.metric, row.part);
    }
    table.add_row({row.title(), "selection", dataset, row.choice.name()}, own);
  }
  return table;
}

/// Figure 2, of the methods with both layers recurrent that the settings choose.
void report_gates(const VideoTable& video, const std::string& dataset, const Captions& captions,
                  Report& report) {
  const auto methods = video_methods(video.kind, captions.settings());
  for (const auto& modality : video.task->modalities) {
    if (method_with(both_layers(models::Cell::Lstm), methods))
      report.figures.push_back(forget_gates(video.name(), dataset, modality, false, captions));
    if (!method_with(both_layers(models::Cell::Gru), methods)) continue;
    for (const auto* layer : {"first", "second"})
      report.figures.push_back(
          gate_histogram(video.name(), dataset, modality, layer, false, captions));
  }
}

/// As draw_examples() of video_networks.cpp draws them: a row for each of the first four classes in
/// each modality.
reports::Picture example_clips(const VideoTask& task, const std::string& dataset) {
  reports::Picture out{"clips", dataset, "clips", "examples.png", join(task.modalities, ", then ")};
  const auto& classes = study_dataset(dataset).classes;
  for (std::size_t c = 0; c < std::min<std::size_t>(4, classes.size()); ++c)
    for (const auto& modality : task.modalities)
      out.rows.push_back(fmt::format("{}, {}", classes[c], modality));
  return out;
}

/// What is shown of a table of methods on one data set.
void report_table(const VideoTable& video, const std::string& dataset, const Captions& captions,
                  Report& report) {
  const auto& set = study_dataset(dataset);
  const bool fc = video.kind == NetworkKind::Fc;
  report.tables.push_back(accuracy(video, dataset, captions));
  const auto layer = facts_of(video.kind).convolutional ? Layer::LastConvolution : Layer::Fc6;
  const auto weights = input_weights(
      captions.table("ablation_video", values_of_table(video, dataset)).table,
      {video.name(), dataset}, layer, video_methods(video.kind, captions.settings()), "accuracy");
  if (!weights.rows.empty()) report.tables.push_back(weights);
  if (fc && !set.classes.empty()) report.tables.push_back(per_class(video, dataset, captions));
  if (!set.opposite.empty()) {
    report.tables.push_back(directions(video, dataset, captions));
    report.figures.push_back(direction_bars(video, dataset, captions));
  }
  report.tables.push_back(training_choices(video, dataset, captions));
  for (const auto& modality : video.task->modalities)
    report.figures.push_back(convergence(video, dataset, modality, captions));
  if (!fc) return;
  for (const auto& method : examples(video, captions.settings()))
    if (method.facts.kind == Kind::Plain ||
        (method.facts.kind == Kind::PreRnn &&
         method.facts.input_to_hidden == InputToHidden::PerGate))
      report.figures.push_back(confusion(video, dataset, method.info, captions));
  report_gates(video, dataset, captions, report);
}

}  // namespace

Table input_weights(Table table, const TableCells& cells, Layer layer,
                    const std::vector<models::Method>& methods, const std::string& metric) {
  table.columns = {"only W_h", "W_x and W_h"};
  for (const auto cell : models::document_cells()) {
    MethodFacts facts{.kind = Kind::PreRnn, .cell = cell, .layers = {layer}};
    const auto* both = method_with(facts, methods);
    facts.train_inputs = false;
    const auto* only = method_with(facts, methods);
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
    for (const auto& dataset : datasets_of(task, settings)) {
      report.tables.push_back(networks(task, dataset, captions));
      // Recorded videos belong to their data sets: no page shows their frames, the cell alone keeps
      // them.
      if (!study_dataset(dataset).generated()) continue;
      report.galleries.push_back(
          captions.gallery("clips", {{"dataset", dataset}, {"data", dataset_title(dataset)}}));
      report.galleries.back().pictures = {example_clips(task, dataset)};
    }
  for (const auto& video : video_tables(settings))
    for (const auto& dataset : datasets_of(*video.task, settings))
      report_table(video, dataset, captions, report);
}

std::vector<Table> selection_tables(const Captions& captions) {
  const auto& settings = captions.settings();
  std::vector<Table> tables;
  for (const auto& dataset : settings.texts("clips.datasets"))
    tables.push_back(
        selection(dataset, selection_rows({NetworkKind::Fc}, {""}, settings), "auc", captions));
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings))
      tables.push_back(
          selection(dataset, selection_rows(networks_of(task, settings), task.modalities, settings),
                    "accuracy", captions));
  return tables;
}

Figure forget_gates(const std::string& table, const std::string& dataset, const std::string& part,
                    bool start, const Captions& captions) {
  auto figure = captions.figure("forget_gates", values_of_gates(dataset, part, start));
  for (const auto& [label, method] :
       {std::pair{"PreLSTM", id_of(both_layers(models::Cell::Lstm))},
        std::pair{"trad. LSTM", id_of(two_appended(models::Cell::Lstm))}})
    for (const std::string layer : {"first", "second"})
      figure.add_series({{fmt::format("{} {} layer", label, layer), table, dataset, method}},
                        curve(part, start, layer + ".f.right"),
                        curve(part, start, layer + ".f.left"));
  return figure;
}

Figure gate_histogram(const std::string& table, const std::string& dataset, const std::string& part,
                      const std::string& layer, bool start, const Captions& captions) {
  auto values = values_of_gates(dataset, part, start);
  values["layer"] = layer;
  values["figure"] = layer == "first" ? "2B" : "2C";
  values["figure_id"] = layer == "first" ? "2b" : "2c";
  auto figure = captions.figure("gate_histogram", values);
  for (const auto& [label, method] :
       {std::pair{"PreGRU", id_of(both_layers(models::Cell::Gru))},
        std::pair{"trad. GRU", id_of(two_appended(models::Cell::Gru))}})
    for (const auto& [gate, name] : {std::pair{"reset", "r"}, std::pair{"update", "z"}})
      figure.add_series({{fmt::format("{} {}", label, gate), table, dataset, method}}, "",
                        curve(part, start, fmt::format("{}.{}.histogram", layer, name)));
  return figure;
}

}  // namespace reprise::reproduce::prernn_study
