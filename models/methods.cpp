#include "models/methods.h"

#include <fmt/format.h>

namespace reprise::models {
namespace {

/// W_h* starts small so that a transformed layer first does what the trained one did (as nearly as its cell can).
constexpr double hidden_scale = 0.1;

Method pre_rnn(Cell cell, InputToHidden sharing, const std::vector<std::string>& layers, const std::string& where,
               const std::string& where_title) {
  const bool shared = sharing == InputToHidden::Shared;
  return {
      .name = fmt::format("{}_{}_{}", shared ? "sih" : "pre", cell_name(cell), where),
      .title = fmt::format("{}{} {}", shared ? "SIH-" : "Pre", cell_title(cell), where_title),
      .make =
          [=](const TrainedLayers& trained, Random& random) {
            auto head = std::make_unique<SequenceHead>(trained);
            for (const auto& layer : layers) head->make_recurrent(layer, cell, sharing, hidden_scale, random);
            return head;
          },
  };
}

std::vector<Method> table() {
  std::vector<Method> all;
  for (const auto sharing : {InputToHidden::PerGate, InputToHidden::Shared})
    for (const auto cell : {Cell::Vrnn, Cell::Lstm, Cell::Gru}) {
      if (cell == Cell::Vrnn && sharing == InputToHidden::Shared) continue;  // one gate: nothing to share
      all.push_back(pre_rnn(cell, sharing, {"fc6"}, "fc6", "fc6"));
      all.push_back(pre_rnn(cell, sharing, {"fc7"}, "fc7", "fc7"));
      all.push_back(pre_rnn(cell, sharing, {"fc6", "fc7"}, "fc67", "fc6/7"));
    }
  return all;
}

}  // namespace

const std::vector<Method>& methods() {
  static const auto all = table();
  return all;
}

std::string_view cell_name(Cell cell) { return cell == Cell::Vrnn ? "vrnn" : cell == Cell::Lstm ? "lstm" : "gru"; }
std::string_view cell_title(Cell cell) { return cell == Cell::Vrnn ? "VRNN" : cell == Cell::Lstm ? "LSTM" : "GRU"; }

}  // namespace reprise::models
