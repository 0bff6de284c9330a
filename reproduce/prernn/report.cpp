#include <fmt/format.h>

#include <algorithm>

#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/outside.h"
#include "reproduce/prernn/video_report.h"

namespace reprise::reproduce::prernn_study {
namespace {

using models::Cell;
using reports::Entry;
using reports::Figure;
using reports::Mark;
using reports::Series;
using reports::Table;

const std::vector<std::string> cells{"vrnn", "lstm", "gru"};
const std::vector<std::string> cell_titles{"VRNN", "LSTM", "GRU"};
const std::vector<std::string> columns{"trad. 1 layer", "trad. 2 layers", "Pre fc6", "Pre fc7",
                                       "Pre fc6/7",     "SIH fc6",        "SIH fc7", "SIH fc6/7"};

std::string method_at(const std::string& cell, std::size_t column) {
  static const std::vector<std::string> forms{"trad_{}_1",   "trad_{}_2",  "pre_{}_fc6", "pre_{}_fc7",
                                              "pre_{}_fc67", "sih_{}_fc6", "sih_{}_fc7", "sih_{}_fc67"};
  return fmt::format(fmt::runtime(forms[column]), cell);
}

/// Table 1 of the document for one dataset and metric.
Table grid(const std::string& dataset, const std::string& metric, const std::string& title, bool published) {
  Table table{.id = fmt::format("table1_{}{}", dataset, metric == "auc" ? "" : "_" + metric),
              .title = fmt::format("Table 1: sequential face alignment, {}, {}", title, dataset_title(dataset)),
              .corner = "cell",
              .rows = cell_titles,
              .columns = columns,
              .published = published ? "table1" : "",
              .digits = metric == "auc" ? 3 : 4};
  table.caption =
      metric == "auc"
          ? "Area under the cumulative error curve up to 0.08; a frame's error is the mean distance of its 68 points over the diagonal of "
            "the true face's box. Higher is better."
          : "Mean error, as a fraction of the diagonal of the true face's box. Lower is better. It sees the bad frames that the AUC does not.";
  for (const auto& cell : cells) {
    std::vector<std::optional<Entry>> row;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool there = cell != "vrnn" || c < 5;
      row.push_back(there ? std::optional<Entry>({"table1", dataset, method_at(cell, c), metric}) : std::nullopt);
    }
    table.entries.push_back(row);
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
  for (const auto& method : all_methods()) {
    table.rows.push_back(method.title);
    const auto at = [&](const std::string& in, const std::string& metric) {
      return std::optional<Entry>({in, dataset, method.name, metric});
    };
    const auto without = [&](const std::string& metric) { return has_control(method.name) ? at("nomemory", metric) : std::nullopt; };
    table.entries.push_back(
        {at("table1", "auc"), without("auc"), at("table1", "mean_error"), without("mean_error"), at("table1", "failure_rate")});
  }
  return table;
}

/// How each method was trained: what the search on validation chose, and when it was best.
Table training_choices(const std::string& dataset) {
  Table table{.id = "training_" + dataset,
              .title = "Training, " + dataset_title(dataset),
              .caption =
                  "The learning rate is the one with the least validation error of seed 0, from the same rates for every method; the epoch "
                  "is the one with the "
                  "least validation error of its own seed. Test clips have no part in either.",
              .corner = "method",
              .columns = {"learning rate", "best epoch", "validation error"},
              .column_digits = {4, 1, 4}};
  for (const auto& method : all_methods()) {
    table.rows.push_back(method.title);
    auto& row = table.entries.emplace_back();
    for (const auto* metric : {"learning_rate", "best_epoch", "validation_error"})
      row.push_back(Entry{"table1", dataset, method.name, metric});
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
      .rows = cell_titles,
      .columns = {"only W_h", "W_x and W_h"}};
  for (const auto& cell : cells)
    table.entries.push_back({Entry{"table1", dataset, fmt::format("wh_{}_fc6", cell), "auc"},
                             Entry{"table1", dataset, fmt::format("pre_{}_fc6", cell), "auc"}});
  return table;
}

Table parameters(const std::string& dataset) {
  Table table{.id = "parameters",
              .title = "Recurrent parameters added",
              .caption =
                  "Weights that recurrence adds to the feedforward network, biases left out: PreRNN (g-1) n_in n_h + g n_h^2, SIH g "
                  "n_h^2, traditional g (n h + h^2). At VGG16's size SIH-LSTM fc6 has 82.1 % fewer than PreLSTM fc6.",
              .corner = "method",
              .columns = {"at this study's size", "at VGG16's size"},
              .digits = 0};
  for (const auto& method : all_methods()) {
    if (!has_control(method.name)) continue;
    table.rows.push_back(method.title);
    table.entries.push_back({Entry{"table1", dataset, method.name, "parameters.recurrent"},
                             Entry{"table1", dataset, method.name, "parameters.recurrent_vgg16"}});
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
  for (const auto& method : all_methods()) {
    if (!has_control(method.name) || method.name.find("vrnn") != std::string::npos) continue;
    const auto at = [&](const std::string& metric) { return std::optional<Entry>({"table1", dataset, method.name, metric}); };
    const bool two = method.name.ends_with("fc67") || method.name.ends_with("_2");
    const auto second = [&](const std::string& metric) { return two ? at(metric) : std::nullopt; };
    table.rows.push_back(method.title);
    table.entries.push_back({at("saturation_first_start"), at("saturation_first"), at("kept_first"), second("saturation_second_start"),
                             second("saturation_second"), second("kept_second"), at("auc")});
  }
  return table;
}

Figure error_curves(const std::string& dataset, const std::string& cell, const std::string& title) {
  Figure figure{.id = fmt::format("ced_{}_{}", dataset, cell),
                .title = fmt::format("Cumulative error, {}, {}", title, dataset_title(dataset)),
                .caption = "Fraction of test frames with an error below x. Mean over seeds.",
                .x_label = "error / diagonal of the true box",
                .y_label = "fraction of frames",
                .x_min = 0,
                .x_max = 0.08,
                .y_min = 0,
                .y_max = 1};
  figure.series.push_back({"CNN", "table1", dataset, "cnn", "ced_x", "ced"});
  for (std::size_t c = 0; c < (cell == "vrnn" ? 5 : columns.size()); ++c)
    figure.series.push_back({columns[c], "table1", dataset, method_at(cell, c), "ced_x", "ced"});
  return figure;
}

Figure convergence(const std::string& dataset, const std::string& cell, const std::string& title) {
  Figure figure{.id = fmt::format("convergence_{}_{}", dataset, cell),
                .title = fmt::format("Convergence, {}, {}", title, dataset_title(dataset)),
                .caption = "Validation error after each epoch (claim 4). Mean over seeds.",
                .x_label = "epoch",
                .y_label = "validation error / diagonal"};
  for (std::size_t c = 0; c < (cell == "vrnn" ? 5 : columns.size()); ++c)
    figure.series.push_back({columns[c], "table1", dataset, method_at(cell, c), "", "validation_error"});
  return figure;
}

Figure by_position(const std::string& dataset) {
  Figure figure{.id = "position_" + dataset,
                .title = "Error by position in the clip, " + dataset_title(dataset),
                .caption = "Memory shows as an error that falls along the clip. Mean over seeds.",
                .x_label = "frame",
                .y_label = "mean error / diagonal"};
  for (const auto& [label, method] : std::vector<std::pair<std::string, std::string>>{{"CNN", "cnn"},
                                                                                      {"trad. LSTM", "trad_lstm_1"},
                                                                                      {"trad. GRU", "trad_gru_1"},
                                                                                      {"PreVRNN fc6", "pre_vrnn_fc6"},
                                                                                      {"PreLSTM fc6", "pre_lstm_fc6"},
                                                                                      {"PreGRU fc6", "pre_gru_fc6"},
                                                                                      {"SIH-LSTM fc6", "sih_lstm_fc6"}})
    figure.series.push_back({label, "table1", dataset, method, "", "error_by_position"});
  figure.series.push_back({"PreLSTM fc6, no memory", "nomemory", dataset, "pre_lstm_fc6", "", "error_by_position"});
  return figure;
}

reports::Gallery gallery(const std::string& dataset) {
  reports::Gallery out{.id = "gallery_" + dataset,
                       .title = "Test clips, " + dataset_title(dataset),
                       .caption =
                           "Green: true landmarks. Red: predicted. The clip with the least, the median and the largest mean error of the "
                           "plain CNN and of PreLSTM fc6, first seed."};
  for (const auto& [label, method] : std::vector<std::pair<std::string, std::string>>{{"CNN", "cnn"}, {"PreLSTM fc6", "pre_lstm_fc6"}})
    for (const std::string which : {"best", "median", "worst"})
      out.pictures.push_back({"table1", dataset, method, which + ".png", fmt::format("{}, {}", label, which)});
  return out;
}

void report_faces(const std::vector<std::string>& datasets, Report& out) {
  out.tables.push_back(stills());
  for (const auto& dataset : datasets) {
    out.tables.push_back(grid(dataset, "auc", "AUC", dataset != bursts));
    out.tables.push_back(grid(dataset, "mean_error", "mean error", false));
    out.tables.push_back(controls(dataset));
    out.tables.push_back(ablation(dataset));
    out.tables.push_back(training_choices(dataset));
    for (std::size_t c = 0; c < cells.size(); ++c) out.figures.push_back(error_curves(dataset, cells[c], cell_titles[c]));
    for (std::size_t c = 0; c < cells.size(); ++c) out.figures.push_back(convergence(dataset, cells[c], cell_titles[c]));
    out.figures.push_back(by_position(dataset));
    out.galleries.push_back(gallery(dataset));
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
  if (const auto faces = settings.texts("clips.datasets"); !faces.empty()) report_faces(faces, out);
  report_videos(settings, out);
  for (auto& table : selection_tables(settings)) out.tables.push_back(std::move(table));
  out.notes = {
      settings.flag("paper.full_size")
          ? "For faces the CNN is VGG16 with its ImageNet weights, fed gray crops. The document does not name its split of 300-VW: ours "
            "is by video, another for each seed."
          : "Published figures are for 300-VW and VGG16; ours are for another network and other faces, so values are not comparable: "
            "claims are judged on the ordering of methods.",
      "The document does not say how the error is normalised. Ours is over the diagonal of the true landmarks' box (300-VW); the AUC's "
      "limit is 0.08.",
      "The trunk is frozen after it was trained on stills, and its features are computed once; fc6, fc7, the output layer and all "
      "recurrent weights are trained on, by every method.",
      "Selection rule: the weights of the epoch with the least mean error on the validation clips; the learning rate with the least "
      "validation error of seed 0. Test clips are scored once.",
      "Gestures and actions: a network for each modality is trained on single frames, then its trunk is frozen; every method trains all "
      "that follows the trunk, and is scored in each modality and in both. The document names neither clip lengths nor how steps and "
      "modalities are joined: ours are above each table.",
      "Seeds are replicates: each has its own split of the people, its own CNN and its own recurrent weights. All methods of a seed share "
      "them, so comparisons are paired.",
  };
  return out;
}

}  // namespace reprise::reproduce::prernn_study
