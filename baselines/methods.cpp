#include "baselines/methods.h"

#include <fmt/format.h>

namespace reprise::baselines {
namespace {

using models::Cell;
using models::Method;
using models::SequenceHead;
using models::TrainedLayers;

Method plain_cnn() {
  return {
      .name = "cnn", .title = "CNN", .make = [](const TrainedLayers& trained, Random&) { return std::make_unique<SequenceHead>(trained); }};
}

/// W_hh of a traditional cell starts orthogonal at full scale, as is usual for a layer trained from nothing.
Method traditional(Cell cell, int layers) {
  return {
      .name = fmt::format("trad_{}_{}", models::cell_name(cell), layers),
      .title = fmt::format("{} {} layer{}", models::cell_title(cell), layers, layers > 1 ? "s" : ""),
      .make =
          [=](const TrainedLayers& trained, Random& random) {
            auto head = std::make_unique<SequenceHead>(trained);
            for (int l = 1; l <= layers; ++l) head->append_recurrent(fmt::format("rnn{}", l), cell, 1.0, random);
            return head;
          },
  };
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      plain_cnn(),
      traditional(Cell::Vrnn, 1),
      traditional(Cell::Vrnn, 2),
      traditional(Cell::Lstm, 1),
      traditional(Cell::Lstm, 2),
      traditional(Cell::Gru, 1),
      traditional(Cell::Gru, 2),
  };
  return all;
}

}  // namespace reprise::baselines
