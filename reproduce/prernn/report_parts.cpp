#include "reproduce/prernn/report_parts.h"

#include <fmt/format.h>

#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"

namespace reprise::reproduce::prernn_study {

reports::Source method_source(const models::Method& method, const std::string& table,
                              const std::string& dataset) {
  return {.title = method.info.title, .table = table, .dataset = dataset, .method = method.info.id};
}

std::vector<reports::Source> method_sources(const std::vector<models::Method>& methods,
                                            const std::string& table, const std::string& dataset) {
  std::vector<reports::Source> out;
  for (const auto& method : methods) out.push_back(method_source(method, table, dataset));
  return out;
}

Table fill_input_weights(Table table, const TableCells& cells, Layer layer,
                         const std::vector<models::Method>& methods, const std::string& metric) {
  table.columns = {"only W_h", "W_x and W_h"};
  for (const auto cell : models::document_cells()) {
    MethodTraits traits{.kind = MethodKind::PreRnn, .cell = cell, .layers = {layer}};
    const auto* both = find_method(traits, methods);
    traits.train_inputs = false;
    const auto* only = find_method(traits, methods);
    // Settings may leave out methods: a row without its partner compares nothing.
    if (!only || !both) continue;
    table.rows.emplace_back(models::cell_title(cell));
    auto& row = table.entries.emplace_back();
    for (const auto* method : {only, both})
      row.push_back(Entry{.table = cells.table,
                          .dataset = cells.dataset,
                          .method = method->info.id,
                          .metric = metric});
  }
  return table;
}

MethodTraits traits_of_both_layers(RecurrentCell cell) {
  return {.kind = MethodKind::PreRnn, .cell = cell, .layers = {Layer::Fc6, Layer::Fc7}};
}

MethodTraits traits_of_two_appended(RecurrentCell cell) {
  return {.kind = MethodKind::Traditional, .cell = cell, .appended = 2};
}

namespace {

/// Returns the cells of the study's method with these traits, under a label.
reports::Source labelled_source(const std::string& label, const MethodTraits& traits,
                                const GateCells& cells) {
  return {.title = label,
          .table = cells.table,
          .dataset = cells.dataset,
          .method = find_method(traits, methods_for(NetworkKind::Fc))->info.id};
}

/// Returns the name of a curve of gates: "depth.start.first.f.left", "first.f.left".
std::string gate_curve(const GateCells& cells, const std::string& curve) {
  const std::string part = cells.part.empty() ? "" : cells.part + ".";
  return part + (cells.start ? "start." : "") + curve;
}

/// Returns values for the texts on gates of a data set.
CaptionValues gate_caption_values(const GateCells& cells) {
  // "place" ends the figure's id. Faces have one figure, so their ids name no data set.
  std::string place;
  std::string what = dataset_title(cells.dataset);
  if (!cells.part.empty()) {
    place = "_" + cells.dataset + "_" + cells.part;
    what += ", " + cells.part;
  }
  return {{"place", place + (cells.start ? "_start" : "")},
          {"before", cells.start ? " before training" : ""},
          {"what", what}};
}

}  // namespace

Figure forget_gate_figure(const GateCells& cells, const Captions& captions) {
  auto figure = captions.figure("forget_gates", gate_caption_values(cells));
  for (const auto& [label, traits] :
       {std::pair{"PreLSTM", traits_of_both_layers(RecurrentCell::Lstm)},
        std::pair{"trad. LSTM", traits_of_two_appended(RecurrentCell::Lstm)}})
    for (const std::string layer : {"first", "second"})
      // One point per unit: how often its gate is open (x) and shut (y).
      figure.add_series({labelled_source(fmt::format("{} {} layer", label, layer), traits, cells)},
                        gate_curve(cells, layer + ".f.right"),
                        gate_curve(cells, layer + ".f.left"));
  return figure;
}

Figure gate_histogram_figure(const GateCells& cells, const std::string& layer,
                             const Captions& captions) {
  const bool first = layer == "first";
  auto values = gate_caption_values(cells);
  values["layer"] = layer;
  values["figure"] = first ? "2B" : "2C";
  values["figure_id"] = first ? "2b" : "2c";
  auto figure = captions.figure("gate_histogram", values);
  for (const auto& [label, traits] :
       {std::pair{"PreGRU", traits_of_both_layers(RecurrentCell::Gru)},
        std::pair{"trad. GRU", traits_of_two_appended(RecurrentCell::Gru)}})
    for (const auto& [gate, name] : {std::pair{"reset", "r"}, std::pair{"update", "z"}})
      figure.add_series({labelled_source(fmt::format("{} {}", label, gate), traits, cells)}, "",
                        gate_curve(cells, fmt::format("{}.{}.histogram", layer, name)));
  return figure;
}

}  // namespace reprise::reproduce::prernn_study
