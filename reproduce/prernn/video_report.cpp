#include "reproduce/prernn/video_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "datasets/generators/gestures.h"
#include "datasets/generators/walkers.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::prernn_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Mark;
using reports::Seeds;
using reports::Table;

bool has(const std::vector<models::Method>& methods, const std::string& name) {
  return std::any_of(methods.begin(), methods.end(), [&](const models::Method& method) { return method.name == name; });
}

std::string kind_title(const std::string& kind) {
  return kind == "fc" ? "fully connected layers" : kind == "conv" ? "a convolutional layer" : "a 3-D network";
}

std::string title_of(const VideoTable& table, const std::string& dataset) {
  return fmt::format("{}, {}", dataset_title(dataset), kind_title(table.kind));
}

/// Names, where they are known before any video is read.
std::vector<std::string> classes_of(const std::string& dataset) {
  if (dataset == "gestures") return datasets::gesture_classes();
  if (dataset == "walkers") return datasets::walker_classes();
  if (dataset == "shapes") return {"0", "1"};
  return {};
}

/// Accuracy of every method in each modality and in both.
Table accuracy(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{
      .id = fmt::format("{}_{}", video.name(), dataset),
      .title = fmt::format("Accuracy: {}", title_of(video, dataset)),
      .caption =
          "Fraction of test clips whose class has the highest score. A clip's score is the mean over its steps of the softmax of the "
          "outputs; both: the mean of the two modalities' scores (late fusion). Higher is better.",
      .corner = "method",
      .published = video.kind == "fc" ? video.task->name : "",
      .digits = 3};
  for (const auto& modality : video.task->modalities) table.columns.push_back(modality);
  table.columns.emplace_back("both");
  for (const auto& method : video_methods(video.kind, settings)) {
    table.rows.push_back(method.title);
    auto& row = table.entries.emplace_back();
    for (const auto& modality : video.task->modalities)
      row.push_back(Entry{video.name(), dataset, method.name, of_part("accuracy", modality)});
    row.push_back(Entry{video.name(), dataset, method.name, "accuracy"});
  }
  if (video.kind == "fc" && video.task->name == "gestures")
    for (const auto* others : {"PreRNN, as published", "R3D-CNN, as published", "C3D, as published"}) {
      table.rows.emplace_back(others);
      table.entries.emplace_back(table.columns.size());
    }
  return table;
}

/// The methods that stand for all in tables and figures of classes.
std::vector<std::pair<std::string, std::string>> examples(const VideoTable& video, const Settings& settings) {
  const auto methods = video_methods(video.kind, settings);
  std::vector<std::pair<std::string, std::string>> chosen;
  for (const auto* name : {"cnn", "trad_gru_1", "pre_gru_fc6", "sih_gru_fc6", "pre_gru_conv"})
    for (const auto& method : methods)
      if (method.name == name) chosen.emplace_back(method.name, method.title);
  return chosen;
}

Table per_class(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{.id = fmt::format("classes_{}_{}", video.name(), dataset),
              .title = fmt::format("Each class: {}", title_of(video, dataset)),
              .caption = "Fraction of a class's test clips that were called by its name, both modalities together.",
              .corner = "class",
              .rows = classes_of(dataset),
              .digits = 2};
  for (const auto& [name, title] : examples(video, settings)) table.columns.push_back(title);
  for (const auto& row : table.rows) {
    auto& entries = table.entries.emplace_back();
    for (const auto& [name, title] : examples(video, settings)) entries.push_back(Entry{video.name(), dataset, name, "accuracy_of_" + row});
  }
  return table;
}

Table ablation(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  const auto methods = video_methods(video.kind, settings);
  const std::string place = video.kind == "conv" ? "conv" : "fc6";
  Table table{.id = fmt::format("ablation_{}_{}", video.name(), dataset),
              .title = fmt::format("Which weights of the recurrent layer learn: {}", title_of(video, dataset)),
              .caption =
                  "Only W_h*: the input-to-hidden weights stay as the trained network had them (claim 2 of the document). Both: they are "
                  "trained on (its claim 3). Accuracy, both modalities; the same search for each.",
              .corner = "cell",
              .columns = {"only W_h", "W_x and W_h"}};
  for (const auto& [cell, title] : std::vector<std::pair<std::string, std::string>>{{"vrnn", "VRNN"}, {"lstm", "LSTM"}, {"gru", "GRU"}}) {
    const auto only = fmt::format("wh_{}_{}", cell, place), both = fmt::format("pre_{}_{}", cell, place);
    if (!has(methods, only) || !has(methods, both)) continue;
    table.rows.push_back(title);
    table.entries.push_back({Entry{video.name(), dataset, only, "accuracy"}, Entry{video.name(), dataset, both, "accuracy"}});
  }
  return table;
}

Table training_choices(const VideoTable& video, const std::string& dataset, const Settings& settings) {
  Table table{
      .id = fmt::format("training_{}_{}", video.name(), dataset),
      .title = fmt::format("Training: {}", title_of(video, dataset)),
      .caption =
          "For each modality the learning rate with the least validation error of seed 0, from the same rates for every method, and "
          "the epoch with the least validation error of its own seed: the mean over validation clips of -log(score of the true "
          "class). Weights: what recurrence adds to one modality's network, biases left out.",
      .corner = "method"};
  const auto& modalities = video.task->modalities;
  for (const auto* what : {"rate", "best epoch", "validation error"})
    for (const auto& modality : modalities) table.columns.push_back(fmt::format("{}, {}", what, modality));
  table.columns.emplace_back("weights added");
  table.column_digits = {4, 4, 1, 1, 3, 3, 0};
  for (const auto& method : video_methods(video.kind, settings)) {
    table.rows.push_back(method.title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"learning_rate", "best_epoch", "validation_error"})
      for (const auto& modality : modalities) row.push_back(Entry{video.name(), dataset, method.name, of_part(metric, modality)});
    row.push_back(Entry{video.name(), dataset, method.name, of_part("parameters.recurrent", modalities.front())});
  }
  return table;
}

Table networks(const VideoTask& task, const std::string& dataset, const Settings& settings) {
  Table table{
      .id = "networks_" + dataset,
      .title = "The networks before anything recurrent: " + dataset_title(dataset),
      .caption =
          "Accuracy on single steps of the test clips: frames, or the snippets that a 3-D network takes. Classes that differ only in "
          "the order of time cannot be told apart by a frame.",
      .corner = "network"};
  for (const auto* step : {"frame", "snippet"})
    for (const auto& modality : task.modalities) table.columns.push_back(fmt::format("{}, {}", modality, step));
  for (const auto& kind : settings.texts(task.name + ".networks")) {
    table.rows.push_back(kind_title(kind));
    std::vector<std::optional<Entry>> measured, none(task.modalities.size());
    for (const auto& modality : task.modalities)
      measured.push_back(Entry{"networks_" + kind, dataset, "cnn", of_part("step_accuracy", modality)});
    auto& row = table.entries.emplace_back(kind == "3d" ? none : measured);
    const auto& rest = kind == "3d" ? measured : none;
    row.insert(row.end(), rest.begin(), rest.end());
  }
  return table;
}

Figure confusion(const VideoTable& video, const std::string& dataset, const std::string& method, const std::string& title) {
  return {.id = fmt::format("confusion_{}_{}_{}", video.name(), dataset, method),
          .title = fmt::format("Confusion: {}, {}", title, title_of(video, dataset)),
          .caption = "Rows: true classes. Columns: what their test clips were called, in per cent; both modalities together.",
          .x_label = "called",
          .y_label = "true class",
          .mark = Mark::Matrix,
          .series = {{title, video.name(), dataset, method, "", "confusion"}},
          .x_names = classes_of(dataset)};
}

Figure convergence(const VideoTable& video, const std::string& dataset, const std::string& modality, const Settings& settings) {
  Figure figure{.id = fmt::format("convergence_{}_{}_{}", video.name(), dataset, modality),
                .title = fmt::format("Convergence: {}, {}", title_of(video, dataset), modality),
                .caption = "Validation error after each epoch. Mean over seeds.",
                .x_label = "epoch",
                .y_label = "-log(score of the true class)"};
  for (const auto& method : video_methods(video.kind, settings))
    if (!method.name.starts_with("wh_") && !method.name.ends_with("_2") && method.name.find("vrnn") == std::string::npos)
      figure.series.push_back({method.title, video.name(), dataset, method.name, "", of_part("validation_error", modality)});
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

/// The cells of table selection that the settings plan for a data set: their names and the modality of each row.
struct Row {
  std::string title, method, part;
};

std::vector<Row> selection_rows(const std::vector<std::string>& kinds, const std::vector<std::string>& parts, const Settings& settings) {
  std::vector<Row> rows;
  for (const auto& kind : kinds)
    for (const auto& part : parts)
      for (const auto& [cell, name] : std::vector<std::pair<std::string, std::string>>{{"lstm", "LSTM"}, {"gru", "GRU"}}) {
        const auto method = cell + "_" + kind;
        const auto candidates = selection_candidates(method);
        const auto methods = part.empty() ? all_methods() : video_methods(kind, settings);
        if (std::all_of(candidates.begin(), candidates.end(), [&](const std::string& c) { return has(methods, c); }))
          rows.push_back({fmt::format("{}{}, {}", part.empty() ? "" : part + ", ", kind, name), method, part});
      }
  return rows;
}

Table selection(const std::string& dataset, const std::vector<Row>& rows, const std::string& score) {
  Table table{
      .id = "rule_" + dataset,
      .title = fmt::format("Which layers the rule keeps, and whether it is right (figure 2D): {}", dataset_title(dataset)),
      .caption = fmt::format(
          "Candidates: the plain network, each layer recurrent, all layers recurrent. The rule keeps a layer where fewer of its gates' "
          "activations lie within [0.1, 0.9] than outside, in the network with all layers recurrent. Kept: fraction of seeds. Pick, best, "
          "mean: test {} of the rule's pick, of the best candidate, and the mean of all; right: fraction of seeds in which the pick is "
          "the best. Trained anew: the pick again with newly drawn W_h*{}. By validation: the candidate with the least validation "
          "error instead.",
          score == "auc" ? "AUC" : "accuracy", score == "auc" ? "" : "; the two modalities each have their own"),
      .corner = "network, cell",
      .columns = {"fc6 kept", "fc7 kept", "conv kept", "pick", "best", "mean", "right", "trained anew", "by validation",
                  "right by validation"},
      .column_digits = {1, 1, 1, 3, 3, 3, 1, 3, 3, 1}};
  for (const auto& row : rows) {
    const auto at = [&](const std::string& metric) {
      return std::optional<Entry>({"selection", dataset, row.method, of_part(metric, row.part)});
    };
    const bool convolution = row.method.ends_with("_conv");
    table.rows.push_back(row.title);
    table.entries.push_back({convolution ? std::nullopt : at("kept_fc6"), convolution ? std::nullopt : at("kept_fc7"),
                             convolution ? at("kept_conv") : std::nullopt, at("pick_" + score), at("best_" + score), at("mean_" + score),
                             at("agrees"), at(score), at("validation_" + score), at("validation_agrees")});
  }
  return table;
}

}  // namespace

std::string dataset_title(const std::string& dataset) {
  if (dataset == motion) return "faces in motion";
  if (dataset == bursts) return "real three-frame bursts";
  if (dataset == videos) return "300-VW";
  if (dataset == "gestures") return "generated gestures";
  if (dataset == "walkers") return "generated actions";
  if (dataset == "shapes") return "real shape-motion videos";
  if (dataset == "nvgesture") return "NVGesture";
  return dataset == "ucf101" ? "UCF101" : dataset == "hmdb51" ? "HMDB51" : dataset;
}

void report_videos(const Settings& settings, Report& report) {
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings)) {
      report.tables.push_back(networks(task, dataset, settings));
      report.galleries.push_back({.id = "clips_" + dataset,
                                  .title = "Test clips: " + dataset_title(dataset),
                                  .caption = "One clip of each of the first classes, first seed; time runs from left to right.",
                                  .pictures = {{"clips", dataset, "clips", "examples.png", join(task.modalities, ", then ")}}});
    }
  for (const auto& video : video_tables(settings))
    for (const auto& dataset : datasets_of(*video.task, settings)) {
      report.tables.push_back(accuracy(video, dataset, settings));
      const auto which = ablation(video, dataset, settings);
      if (!which.rows.empty()) report.tables.push_back(which);
      if (video.kind == "fc" && !classes_of(dataset).empty()) report.tables.push_back(per_class(video, dataset, settings));
      report.tables.push_back(training_choices(video, dataset, settings));
      for (const auto& modality : video.task->modalities) report.figures.push_back(convergence(video, dataset, modality, settings));
      if (video.kind != "fc") continue;
      for (const auto& [name, title] : examples(video, settings))
        if (name == "cnn" || name.starts_with("pre")) report.figures.push_back(confusion(video, dataset, name, title));
      const auto methods = video_methods(video.kind, settings);
      for (const auto& modality : video.task->modalities) {
        if (has(methods, "pre_lstm_fc67")) report.figures.push_back(forget_gates(video.name(), dataset, modality, false));
        if (!has(methods, "pre_gru_fc67")) continue;
        for (const auto* layer : {"first", "second"})
          report.figures.push_back(gate_histogram(video.name(), dataset, modality, layer, false));
      }
    }
}

std::vector<Table> selection_tables(const Settings& settings) {
  std::vector<Table> tables;
  for (const auto& dataset : settings.texts("clips.datasets"))
    tables.push_back(selection(dataset, selection_rows({"fc"}, {""}, settings), "auc"));
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings))
      tables.push_back(selection(dataset, selection_rows(settings.texts(task.name + ".networks"), task.modalities, settings), "accuracy"));
  return tables;
}

Figure forget_gates(const std::string& table, const std::string& dataset, const std::string& part, bool start) {
  Figure figure{
      .id = figure_id("figure_2a", dataset, part, start),
      .title = fmt::format("Forget gates{} (figure 2A), {}", start ? " before the first step of training" : "", of_what(dataset, part)),
      .caption =
          "Each point is a unit: the fraction of steps at which its forget gate is below 0.1 (left saturated) and above 0.9 (right "
          "saturated), over validation "
          "clips. First seed. Points near the line x + y = 1 are nearly always saturated.",
      .x_label = "left saturated (fraction of steps)",
      .y_label = "right saturated (fraction of steps)",
      .mark = Mark::Points,
      .seeds = Seeds::First,
      .x_min = 0,
      .x_max = 1,
      .y_min = 0,
      .y_max = 1,
      .diagonal = true};
  for (const auto& [label, method] :
       std::vector<std::pair<std::string, std::string>>{{"PreLSTM", "pre_lstm_fc67"}, {"TraLSTM", "trad_lstm_2"}})
    for (const std::string layer : {"first", "second"})
      figure.series.push_back({fmt::format("{} {} layer", label, layer), table, dataset, method, curve(part, start, layer + ".f.left"),
                               curve(part, start, layer + ".f.right")});
  return figure;
}

Figure gate_histogram(const std::string& table, const std::string& dataset, const std::string& part, const std::string& layer, bool start) {
  Figure figure{
      .id = figure_id(layer == "first" ? "figure_2b" : "figure_2c", dataset, part, start),
      .title = fmt::format("Reset and update gates of the {} layer{} (figure {}), {}", layer,
                           start ? " before the first step of training" : "", layer == "first" ? "2B" : "2C", of_what(dataset, part)),
      .caption = "Fraction of activations in ten equal bins of [0, 1], over units, steps and validation clips. Mean over seeds.",
      .x_label = "gate activation",
      .y_label = "fraction of activations",
      .mark = Mark::Bars,
      .y_min = 0,
      .x_names = {"0.0-0.1", "0.1-0.2", "0.2-0.3", "0.3-0.4", "0.4-0.5", "0.5-0.6", "0.6-0.7", "0.7-0.8", "0.8-0.9", "0.9-1.0"}};
  for (const auto& [label, method] : std::vector<std::pair<std::string, std::string>>{{"PreGRU", "pre_gru_fc67"}, {"TraGRU", "trad_gru_2"}})
    for (const auto& [gate, name] : std::vector<std::pair<std::string, std::string>>{{"reset", "r"}, {"update", "z"}})
      figure.series.push_back(
          {fmt::format("{} {}", label, gate), table, dataset, method, "", curve(part, start, fmt::format("{}.{}.histogram", layer, name))});
  return figure;
}

}  // namespace reprise::reproduce::prernn_study
