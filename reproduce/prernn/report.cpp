#include <fmt/format.h>

#include <map>
#include <optional>

#include "experiments/captions.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/video_report.h"

namespace reprise::reproduce::prernn_study {

std::string caption(const std::string& key, const Settings& settings, const std::map<std::string, std::string>& values) {
  return reproduce::caption("prernn", key, settings, values);
}

reports::Source source(const models::Method& method, const std::string& table, const std::string& dataset) {
  return {method.info.title, table, dataset, method.info.id};
}

std::vector<reports::Source> sources(const std::vector<models::Method>& methods, const std::string& table, const std::string& dataset) {
  std::vector<reports::Source> out;
  for (const auto& method : methods) out.push_back(source(method, table, dataset));
  return out;
}

namespace {

using Columns = std::vector<reports::Column>;
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
  if (metric == "mean_error")
    table.caption = caption("grid_mean_error");
  else if (dataset == heads_in_motion)
    table.caption = caption("grid_heads");
  else
    table.caption = caption("grid_auc", settings, {{"size", clip_size(dataset, settings)}});
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
  Table table{.id = "controls_" + dataset,
              .title = "Methods with and without memory, " + dataset_title(dataset),
              .caption = caption("controls"),
              .corner = "method",
              .digits = 4};
  const Columns columns{{"AUC", "auc"},
                        {.title = "AUC without memory", .metric = "auc", .table = "nomemory"},
                        {"mean error", "mean_error"},
                        {.title = "mean error without memory", .metric = "mean_error", .table = "nomemory"},
                        {"failure rate", "failure_rate"}};
  auto without_control = columns;
  for (auto& column : without_control)
    if (!column.table.empty()) column.metric = "";
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc))
    table.add_row(source(method, "table1", dataset), has_control(method) ? columns : without_control);
  return table;
}

/// AUC of each method in clear and in damaged frames, and bounds from the plain network's landmarks.
Table gaps(const std::string& dataset) {
  Table table{.id = "gaps_" + dataset,
              .title = "AUC of clear and damaged frames, " + dataset_title(dataset),
              .caption = caption("gaps"),
              .corner = "method"};
  table.add_rows(sources(methods_for(NetworkKind::Fc), "table1", dataset),
                 {{"all", "auc"}, {"clear", "auc_clear"}, {"damaged", "auc_damaged"}});
  for (const auto& [title, metric] : {std::pair{"CNN, smoothed over earlier frames", "auc_smoothed"},
                                      {"CNN, oracle, earlier clear frames", "auc_bridged_causal"},
                                      {"CNN, oracle, clear frames on both sides", "auc_bridged"}}) {
    table.add_row({title, "table1", dataset, "cnn"}, {{"all", metric}, {"clear", ""}, {"damaged", ""}});
  }
  return table;
}

/// The same methods with other initial weights.
Table starts(const std::string& dataset, const Settings& settings) {
  static const std::map<std::string, std::string> titles{
      {kept_output_table, "trained output layer"}, {"full_scale", "W_h* at full scale"}, {"forget_bias", "forget bias of 1"}};
  Table table{.id = "starts_" + dataset,
              .title = "AUC with other initial weights, " + dataset_title(dataset),
              .caption = caption("starts"),
              .corner = "method"};
  Columns columns{{"as table 1", "auc"}};
  for (const auto& name : extra_tables(settings))
    if (name != short_table) columns.push_back({.title = titles.at(name), .metric = "auc", .table = name});
  table.add_rows(sources(starting_methods(settings), "table1", dataset), columns);
  return table;
}

/// How each method was trained: the rate that the search chose, and the epoch that validation chose.
Table training_choices(const std::string& dataset) {
  Table table{.id = "training_" + dataset,
              .title = "Learning rates, epochs and training time, " + dataset_title(dataset),
              .caption = caption("training"),
              .corner = "method"};
  table.add_rows(sources(methods_for(NetworkKind::Fc), "table1", dataset), {{"learning rate", "learning_rate", 5},
                                                                            {"best epoch", "best_epoch", 1},
                                                                            {"validation error", "validation_error", 4},
                                                                            {"forward, s", "seconds.forward", 1},
                                                                            {"backward, s", "seconds.backward", 1}});
  return table;
}

Table stills() {
  Table table{.id = "stills", .title = "The plain CNN on still faces of unseen people", .caption = caption("stills"), .corner = "frames"};
  const auto columns_of = [](const std::string& frames) {
    return Columns{{"AUC", "auc" + frames}, {"mean error", "mean_error" + frames}, {"failure rate", "failure_rate" + frames}};
  };
  table.add_columns(columns_of(""));
  table.add_row({"clean stills", "cnn", "stills", "cnn"}, columns_of(""));
  table.add_row({"moving camera", "cnn", "stills", "cnn"}, columns_of("_camera"));
  return table;
}

/// Fixed input weights (claim 2 of the document) against trained ones (its claim 3).
Table ablation(const std::string& dataset) {
  Table table{.id = "ablation_" + dataset,
              .title = "AUC of PreRNN at fc6 with fixed and trained input weights, " + dataset_title(dataset),
              .caption = caption("ablation"),
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
      .id = "parameters", .title = "Weights that recurrence adds", .caption = caption("parameters"), .corner = "method", .digits = 0};
  auto recurrent = methods_for(NetworkKind::Fc);
  std::erase_if(recurrent, [](const auto& method) { return !has_control(method); });
  table.add_rows(sources(recurrent, "table1", dataset), {{"at this study's size", "parameters.recurrent"},
                                                         {"at VGG16's size", "parameters.recurrent_vgg16"},
                                                         {"multiplications per frame, VGG16", "parameters.products_vgg16"}});
  return table;
}

/// Which layers the document's rule keeps: those with fewer gate activations inside [0.1, 0.9] than outside.
Table selection(const std::string& dataset) {
  Table table{.id = "selection",
              .title = "Saturated gates before and after training, and layers that the rule keeps",
              .caption = caption("selection"),
              .corner = "method"};
  const Columns columns{{"first layer, before", "saturation_first_start"},
                        {"first layer, after", "saturation_first"},
                        {"first kept", "kept_first"},
                        {"second layer, before", "saturation_second_start"},
                        {"second layer, after", "saturation_second"},
                        {"second kept", "kept_second"},
                        {"AUC", "auc"}};
  auto of_one_layer = columns;
  for (auto& column : of_one_layer)
    if (column.title.starts_with("second")) column.metric = "";
  table.add_columns(columns);
  for (const auto& method : methods_for(NetworkKind::Fc))
    if (has_control(method) && method.facts.has_gates())
      table.add_row(source(method, "table1", dataset), method.facts.recurrent_layers() == 2 ? columns : of_one_layer);
  return table;
}

Figure error_curves(const std::string& dataset, Cell cell) {
  Figure figure{.id = fmt::format("ced_{}_{}", dataset, models::cell_name(cell)),
                .title = fmt::format("Cumulative error, {}, {}", models::cell_title(cell), dataset_title(dataset)),
                .caption = caption("error_curves"),
                .x_label = "error / diagonal of the true box",
                .y_label = "fraction of frames minus the CNN's",
                .less = reports::Series{"CNN", "table1", dataset, "cnn", "ced_x", "ced"},
                .x_min = 0,
                .x_max = 0.08};
  for (const auto& column : columns())
    if (const auto method = column.method(cell)) figure.add_series({{column.title, "table1", dataset, *method}}, "ced_x", "ced");
  return figure;
}

Figure convergence(const std::string& dataset, Cell cell) {
  Figure figure{.id = fmt::format("convergence_{}_{}", dataset, models::cell_name(cell)),
                .title = fmt::format("Convergence, {}, {}", models::cell_title(cell), dataset_title(dataset)),
                .caption = caption("convergence"),
                .x_label = "epoch",
                .y_label = "validation error minus the traditional network's",
                .less = reports::Series{"traditional, 1 layer", "table1", dataset, fmt::format("trad_{}_1", models::cell_name(cell)),
                                        "epoch", "validation_error"},
                .y_min = -0.02,
                .y_max = 0.02};
  for (const auto& column : columns())
    if (const auto method = column.method(cell))
      figure.add_series({{column.title, "table1", dataset, *method}}, "epoch", "validation_error");
  return figure;
}

/// The methods that figures of frames show.
std::vector<reports::Source> shown_methods(const std::string& dataset) {
  return {{"trad. LSTM", "table1", dataset, "trad_lstm_1"},   {"trad. GRU", "table1", dataset, "trad_gru_1"},
          {"PreVRNN fc6", "table1", dataset, "pre_vrnn_fc6"}, {"PreLSTM fc6", "table1", dataset, "pre_lstm_fc6"},
          {"PreGRU fc6", "table1", dataset, "pre_gru_fc6"},   {"SIH-LSTM fc6", "table1", dataset, "sih_lstm_fc6"}};
}

/// Error by the number of frames since the last clear one.
Figure in_gaps(const std::string& dataset) {
  Figure figure{.id = "gaps_" + dataset,
                .title = "Error in damaged frames by their number since the last clear one, " + dataset_title(dataset),
                .caption = caption("in_gaps"),
                .x_label = "damaged frames since the last clear one",
                .y_label = "mean error / diagonal",
                .x_names = {"0", "1", "2", "3", "4"}};
  figure.add_series({{"CNN", "table1", dataset, "cnn"}}, "", "error_in_gaps");
  figure.add_series(shown_methods(dataset), "", "error_in_gaps");
  return figure;
}

/// One test clip with damaged frames, frame by frame.
Figure gap_clip(const std::string& dataset, const Settings& settings) {
  Figure figure{.id = "gap_clip_" + dataset,
                .title = "Error in each frame of one clip, " + dataset_title(dataset),
                .caption = caption("gap_clip", settings, {{"size", clip_size(dataset, settings)}}),
                .x_label = "frame",
                .y_label = "error / diagonal",
                .seeds = reports::Seeds::First,
                .shade = reports::Series{"damaged", "table1", dataset, "cnn", "", "gap_clip_damaged"}};
  figure.add_series({{"CNN", "table1", dataset, "cnn"},
                     {"trad. LSTM", "table1", dataset, "trad_lstm_1"},
                     {"PreLSTM fc6", "table1", dataset, "pre_lstm_fc6"}},
                    "", "gap_clip_error");
  return figure;
}

/// AUC against the number of recurrent weights.
Figure against_parameters(const std::string& dataset) {
  Figure figure{.id = "parameters_" + dataset,
                .title = "AUC against recurrent weights, " + dataset_title(dataset),
                .caption = caption("against_parameters"),
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
      figure.series.push_back({.label = fmt::format("{}, {}", models::cell_title(cell), column.title),
                               .table = "table1",
                               .dataset = dataset,
                               .method = *method,
                               .x = "recurrent_parameters",
                               .y = "auc",
                               .colour = kind,
                               .dash = std::string(models::cell_name(cell))});
    }
  return figure;
}

Figure by_position(const std::string& dataset) {
  Figure figure{.id = "position_" + dataset,
                .title = "Error by position in the clip, " + dataset_title(dataset),
                .caption = caption("by_position"),
                .x_label = "frame",
                .y_label = "mean error / diagonal, minus the CNN's",
                .less = reports::Series{"CNN", "table1", dataset, "cnn", "", "error_by_position"}};
  figure.add_series(shown_methods(dataset), "", "error_by_position");
  figure.add_series({{"PreLSTM fc6, no memory", "nomemory", dataset, "pre_lstm_fc6"}}, "", "error_by_position");
  return figure;
}

reports::Gallery gallery(const std::string& dataset, const Settings& settings) {
  reports::Gallery out{.id = "gallery_" + dataset,
                       .title = "Landmarks in test clips, " + dataset_title(dataset),
                       .caption = caption("gallery", settings, {{"size", clip_size(dataset, settings)}})};
  for (const auto* id : gallery_methods) {
    const auto title = method_named(id, methods_for(NetworkKind::Fc)).info.title;
    for (const auto& [file, which] : std::vector<std::pair<std::string, std::string>>{
             {"gap", "damaged frames"}, {"best", "least error"}, {"median", "median error"}, {"worst", "largest error"}})
      out.add_pictures({{fmt::format("{}, {}", title, which), "table1", dataset, id}}, file + ".png");
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
    opening.add_pictures({{fmt::format("{}: green points are true, red ones predicted; {}", who, clip_size(heads_in_motion, settings)),
                           "table1", heads_in_motion, id}},
                         "gap.png");
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
