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
using reports::Mark;
using reports::Seeds;
using reports::Table;
using Columns = std::vector<reports::Column>;

using models::InputToHidden;
using models::Layer;
using models::MethodFacts;
using Kind = MethodFacts::Kind;

/// PreRNN, with fc6 and fc7 recurrent, as figure 2 has it.
MethodFacts both_layers(models::Cell cell) { return {.kind = Kind::PreRnn, .cell = cell, .layers = {Layer::Fc6, Layer::Fc7}}; }

MethodFacts two_appended(models::Cell cell) { return {.kind = Kind::Traditional, .cell = cell, .appended = 2}; }

/// The id of the study's method with these facts.
std::string id_of(const MethodFacts& facts) { return method_with(facts, methods_for(NetworkKind::Fc))->info.id; }

std::string title_of(const VideoTable& table, const std::string& dataset) {
  return fmt::format("{}, {}", dataset_title(dataset), facts_of(table.kind).title);
}

/// Accuracy of every method in each modality and in both.
Table accuracy(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{.id = fmt::format("{}_{}", video.name(), dataset),
              .title = fmt::format("Accuracy: {}", title_of(video, dataset)),
              .caption = caption("accuracy"),
              .corner = "method",
              .published = video.kind == NetworkKind::Fc ? video.task->name : "",
              .data = dataset == "nvgesture" ? std::optional<reports::DataProtocol>({.set = "NVGesture"}) : std::nullopt,
              .digits = 3};
  Columns columns;
  for (const auto& modality : video.task->modalities) columns.push_back({modality, of_part("accuracy", modality)});
  columns.push_back({"both", "accuracy"});
  table.add_rows(sources(video_methods(video.kind, settings), video.name(), dataset), columns);
  if (video.kind == NetworkKind::Fc)
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

Table per_class(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{.id = fmt::format("classes_{}_{}", video.name(), dataset),
              .title = fmt::format("Accuracy of each class: {}", title_of(video, dataset)),
              .caption = caption("classes"),
              .corner = "class",
              .rows = study_dataset(dataset).classes,
              .digits = 2};
  const auto methods = examples(video, settings);
  for (const auto& method : methods) table.columns.push_back(method.info.title);
  for (const auto& row : table.rows) {
    auto& entries = table.entries.emplace_back();
    for (const auto& method : methods) entries.push_back(Entry{video.name(), dataset, method.info.id, "accuracy_of_" + row});
  }
  return table;
}

Table ablation(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  const auto methods = video_methods(video.kind, settings);
  const auto layer = facts_of(video.kind).convolutional ? Layer::LastConvolution : Layer::Fc6;
  Table table{.id = fmt::format("ablation_{}_{}", video.name(), dataset),
              .title = fmt::format("Accuracy of PreRNN with fixed and trained input weights: {}", title_of(video, dataset)),
              .caption = caption("ablation_video"),
              .corner = "cell",
              .columns = {"only W_h", "W_x and W_h"}};
  for (const auto cell : models::document_cells()) {
    MethodFacts facts{.kind = Kind::PreRnn, .cell = cell, .layers = {layer}};
    const auto* both = method_with(facts, methods);
    facts.train_inputs = false;
    const auto* only = method_with(facts, methods);
    if (!only || !both) continue;
    table.rows.emplace_back(models::cell_title(cell));
    table.entries.push_back(
        {Entry{video.name(), dataset, only->info.id, "accuracy"}, Entry{video.name(), dataset, both->info.id, "accuracy"}});
  }
  return table;
}

Table training_choices(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{.id = fmt::format("training_{}_{}", video.name(), dataset),
              .title = fmt::format("Learning rates and epochs: {}", title_of(video, dataset)),
              .caption = caption("training_video"),
              .corner = "method"};
  const auto& modalities = video.task->modalities;
  Columns columns;
  for (const auto& [title, metric, digits] : {std::tuple{"rate", "learning_rate", 4}, std::tuple{"best epoch", "best_epoch", 1},
                                              std::tuple{"validation error", "validation_error", 3}})
    for (const auto& modality : modalities) columns.push_back({fmt::format("{}, {}", title, modality), of_part(metric, modality), digits});
  columns.push_back({"weights added", of_part("parameters.recurrent", modalities.front()), 0});
  table.add_rows(sources(video_methods(video.kind, settings), video.name(), dataset), columns);
  return table;
}

Table networks(const VideoTask& task, const std::string& dataset, const Settings& settings) {
  Table table{.id = "networks_" + dataset,
              .title = "Accuracy of the networks without recurrence: " + dataset_title(dataset),
              .caption = caption("networks"),
              .corner = "network"};
  for (const auto* step : {"frame", "snippet"})
    for (const auto& modality : task.modalities) table.columns.push_back(fmt::format("{}, {}", modality, step));
  for (const auto kind : networks_of(task, settings)) {
    const auto& facts = facts_of(kind);
    table.rows.push_back(facts.title);
    std::vector<std::optional<Entry>> measured, none(task.modalities.size());
    for (const auto& modality : task.modalities)
      measured.push_back(Entry{networks_table(kind), dataset, "cnn", of_part("step_accuracy", modality)});
    auto& row = table.entries.emplace_back(facts.snippets ? none : measured);
    const auto& rest = facts.snippets ? measured : none;
    row.insert(row.end(), rest.begin(), rest.end());
  }
  return table;
}

Figure confusion(const VideoTable& video, const std::string& dataset, const training::MethodInfo& method) {
  return {.id = fmt::format("confusion_{}_{}_{}", video.name(), dataset, method.id),
          .title = fmt::format("Confusion: {}, {}", method.title, title_of(video, dataset)),
          .caption = caption("confusion"),
          .x_label = "predicted class",
          .y_label = "true class",
          .mark = Mark::Matrix,
          .series = {{method.title, video.name(), dataset, method.id, "", "confusion"}},
          .x_names = study_dataset(dataset).classes};
}

Figure convergence(const VideoTable& video, const std::string& dataset, const std::string& modality, const Settings& settings) {
  Figure figure{.id = fmt::format("convergence_{}_{}_{}", video.name(), dataset, modality),
                .title = fmt::format("Convergence: {}, {}", title_of(video, dataset), modality),
                .caption = caption("convergence_video"),
                .x_label = "epoch",
                .y_label = "-log(score of the true class)"};
  for (const auto& method : video_methods(video.kind, settings))
    if (method.facts.train_inputs && method.facts.appended < 2 && method.facts.cell != models::Cell::Vrnn)
      figure.add_series({source(method, video.name(), dataset)}, of_part("epoch", modality), of_part("validation_error", modality));
  return figure;
}

/// Where classes come in pairs of opposite temporal order: accuracy of the pair, and of the order within it.
Table directions(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{.id = fmt::format("directions_{}_{}", video.name(), dataset),
              .title = fmt::format("Accuracy of the pair of gestures and of their order: {}", title_of(video, dataset)),
              .caption = caption("directions"),
              .corner = "method"};
  Columns columns{{"both: pair", "pair_accuracy"}, {"order", "direction_accuracy"}};
  for (const auto& part : video.task->modalities) {
    columns.push_back({part + ": pair", of_part("pair_accuracy", part)});
    columns.push_back({"order", of_part("direction_accuracy", part)});
  }
  table.add_rows(sources(video_methods(video.kind, settings), video.name(), dataset), columns);
  return table;
}

Figure direction_bars(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Figure figure{.id = fmt::format("directions_{}_{}", video.name(), dataset),
                .title = fmt::format("Accuracy of the pair of gestures and of their order: {}", title_of(video, dataset)),
                .caption = caption("direction_bars"),
                .x_label = "",
                .y_label = "fraction of clips",
                .mark = Mark::Bars,
                .y_min = 0,
                .x_names = {"pair", "order"}};
  for (const auto& method : video_methods(video.kind, settings)) {
    const auto& facts = method.facts;
    if (facts.cell == models::Cell::Vrnn || !facts.train_inputs || facts.appended > 1 || facts.layers.size() > 1) continue;
    if (!facts.layers.empty() && facts.layers.front() == models::Layer::Fc7) continue;
    figure.add_series({source(method, video.name(), dataset)}, "", "pair_and_direction");
  }
  return figure;
}

std::string curve(const std::string& part, bool start, const std::string& rest) {
  return (part.empty() ? "" : part + ".") + (start ? "start." : "") + rest;
}

std::string figure_id(const std::string& figure, const std::string& dataset, const std::string& part, bool start) {
  auto id = figure;
  if (!part.empty()) id += "_" + dataset + "_" + part;
  return start ? id + "_start" : id;
}

std::string of_what(const std::string& dataset, const std::string& part) {
  return part.empty() ? dataset_title(dataset) : dataset_title(dataset) + ", " + part;
}

/// The cells of table selection that the settings plan for a data set, and the modality of each row.
struct Row {
  Choice choice;
  std::string part;
  std::string title() const {
    return fmt::format("{}{}, {}", part.empty() ? "" : part + ", ", facts_of(choice.kind).name, models::cell_title(choice.cell));
  }
};

std::vector<Row> selection_rows(const std::vector<NetworkKind>& kinds, const std::vector<std::string>& parts, const Settings& settings) {
  std::vector<Row> rows;
  for (const auto kind : kinds)
    for (const auto& part : parts)
      for (const auto& choice : choices_among(part.empty() ? methods_for(kind) : video_methods(kind, settings), kind))
        rows.push_back({choice, part});
  return rows;
}

/// The rule's choice of layers (figure 2D) against the best, a random one and validation's.
Table selection(const std::string& dataset, const std::vector<Row>& rows, const std::string& score) {
  Table table{.id = "rule_" + dataset,
              .title = fmt::format("Layers that the rule of figure 2D chooses, {}", dataset_title(dataset)),
              .caption = caption("rule", {}, {{"score", score == "auc" ? "AUC" : "accuracy"}}),
              .corner = "network, cell"};
  const auto is_convolutional = [](const Row& row) { return facts_of(row.choice.kind).convolutional; };
  Columns columns{{"fc6 kept", "kept_fc6", 1}, {"fc7 kept", "kept_fc7", 1}};
  if (std::any_of(rows.begin(), rows.end(), is_convolutional)) columns.push_back({"conv kept", "kept_conv", 1});
  const Columns scores{{"rule's choice", "pick_" + score, 3},
                       {"best choice", "best_" + score, 3},
                       {"random choice of layers", "recurrent_" + score, 3},
                       {"rule's is best", "agrees", 1},
                       {"rule's choice, new W_h*", score, 3},
                       {"validation's choice", "validation_" + score, 3},
                       {"validation's is best", "validation_agrees", 1}};
  columns.insert(columns.end(), scores.begin(), scores.end());
  table.add_columns(columns);
  for (const auto& row : rows) {
    auto own = columns;
    for (auto& column : own) {
      // A network with recurrent convolutions keeps or reverts these, any other one fc6 and fc7.
      const bool other_layer = column.metric.starts_with("kept_") && is_convolutional(row) != (column.metric == "kept_conv");
      column.metric = other_layer ? "" : of_part(column.metric, row.part);
    }
    table.add_row({row.title(), "selection", dataset, row.choice.name()}, own);
  }
  return table;
}

/// Figure 2, of the methods with both layers recurrent that the settings choose.
void report_gates(const VideoTable& video, const std::string& dataset, const Settings& settings, Report& report) {
  const auto methods = video_methods(video.kind, settings);
  for (const auto& modality : video.task->modalities) {
    if (method_with(both_layers(models::Cell::Lstm), methods))
      report.figures.push_back(forget_gates(video.name(), dataset, modality, false));
    if (!method_with(both_layers(models::Cell::Gru), methods)) continue;
    for (const auto* layer : {"first", "second"}) report.figures.push_back(gate_histogram(video.name(), dataset, modality, layer, false));
  }
}

}  // namespace

/// As draw_examples() of video_networks.cpp draws them: a row for each of the first four classes in each modality.
reports::Picture example_clips(const VideoTask& task, const std::string& dataset) {
  reports::Picture out{"clips", dataset, "clips", "examples.png", join(task.modalities, ", then ")};
  const auto& classes = study_dataset(dataset).classes;
  for (std::size_t c = 0; c < std::min<std::size_t>(4, classes.size()); ++c)
    for (const auto& modality : task.modalities) out.rows.push_back(fmt::format("{}, {}", classes[c], modality));
  return out;
}

void report_videos(const Settings& settings, Report& report) {
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings)) {
      report.tables.push_back(networks(task, dataset, settings));
      // Recorded videos belong to their data sets: no page shows their frames, the cell alone keeps them.
      if (!study_dataset(dataset).generated()) continue;
      report.galleries.push_back({.id = "clips_" + dataset,
                                  .title = "Test clips: " + dataset_title(dataset),
                                  .caption = caption("clips", settings),
                                  .pictures = {example_clips(task, dataset)}});
    }
  for (const auto& video : video_tables(settings))
    for (const auto& dataset : datasets_of(*video.task, settings)) {
      report.tables.push_back(accuracy(video, dataset, settings));
      const auto which = ablation(video, dataset, settings);
      if (!which.rows.empty()) report.tables.push_back(which);
      if (video.kind == NetworkKind::Fc && !study_dataset(dataset).classes.empty())
        report.tables.push_back(per_class(video, dataset, settings));
      if (!study_dataset(dataset).opposite.empty()) {
        report.tables.push_back(directions(video, dataset, settings));
        report.figures.push_back(direction_bars(video, dataset, settings));
      }
      report.tables.push_back(training_choices(video, dataset, settings));
      for (const auto& modality : video.task->modalities) report.figures.push_back(convergence(video, dataset, modality, settings));
      if (video.kind != NetworkKind::Fc) continue;
      for (const auto& method : examples(video, settings))
        if (method.facts.kind == Kind::Plain ||
            (method.facts.kind == Kind::PreRnn && method.facts.input_to_hidden == InputToHidden::PerGate))
          report.figures.push_back(confusion(video, dataset, method.info));
      report_gates(video, dataset, settings, report);
    }
}

std::vector<Table> selection_tables(const Settings& settings) {
  std::vector<Table> tables;
  for (const auto& dataset : settings.texts("clips.datasets"))
    tables.push_back(selection(dataset, selection_rows({NetworkKind::Fc}, {""}, settings), "auc"));
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings))
      tables.push_back(selection(dataset, selection_rows(networks_of(task, settings), task.modalities, settings), "accuracy"));
  return tables;
}

Figure forget_gates(const std::string& table, const std::string& dataset, const std::string& part, bool start) {
  Figure figure{
      .id = figure_id("figure_2a", dataset, part, start),
      .title = fmt::format("Saturation of forget gates{} (figure 2A), {}", start ? " before training" : "", of_what(dataset, part)),
      .caption = caption("forget_gates"),
      .x_label = "open (fraction of steps)",
      .y_label = "shut (fraction of steps)",
      .mark = Mark::Points,
      .seeds = Seeds::First,
      .x_min = 0,
      .x_max = 1,
      .y_min = 0,
      .y_max = 1,
      .diagonal = true};
  for (const auto& [label, method] : std::vector<std::pair<std::string, std::string>>{
           {"PreLSTM", id_of(both_layers(models::Cell::Lstm))}, {"trad. LSTM", id_of(two_appended(models::Cell::Lstm))}})
    for (const std::string layer : {"first", "second"})
      figure.add_series({{fmt::format("{} {} layer", label, layer), table, dataset, method}}, curve(part, start, layer + ".f.right"),
                        curve(part, start, layer + ".f.left"));
  return figure;
}

Figure gate_histogram(const std::string& table, const std::string& dataset, const std::string& part, const std::string& layer, bool start) {
  Figure figure{.id = figure_id(layer == "first" ? "figure_2b" : "figure_2c", dataset, part, start),
                .title = fmt::format("Reset and update gates of the {} layer{} (figure {}), {}", layer, start ? " before training" : "",
                                     layer == "first" ? "2B" : "2C", of_what(dataset, part)),
                .caption = caption("gate_histogram"),
                .x_label = "gate activation",
                .y_label = "fraction of activations",
                .mark = Mark::Bars,
                .y_min = 0,
                .x_names = {"0.0-0.1", "0.1-0.2", "0.2-0.3", "0.3-0.4", "0.4-0.5", "0.5-0.6", "0.6-0.7", "0.7-0.8", "0.8-0.9", "0.9-1.0"}};
  for (const auto& [label, method] : std::vector<std::pair<std::string, std::string>>{
           {"PreGRU", id_of(both_layers(models::Cell::Gru))}, {"trad. GRU", id_of(two_appended(models::Cell::Gru))}})
    for (const auto& [gate, name] : std::vector<std::pair<std::string, std::string>>{{"reset", "r"}, {"update", "z"}})
      figure.add_series({{fmt::format("{} {}", label, gate), table, dataset, method}}, "",
                        curve(part, start, fmt::format("{}.{}.histogram", layer, name)));
  return figure;
}

}  // namespace reprise::reproduce::prernn_study
