#include "baselines/adversarial/methods.h"

namespace reprise::baselines {
namespace {

const std::string cost = "G, D per iteration";

training::GeneratorMethod row(training::MethodInfo info, ClipGanOptions options,
                              ClipNetworkKind kind) {
  options.kind = kind;
  return {.info = std::move(info),
          .make = [options] { return std::make_unique<ClipGan>(options); }};
}

}  // namespace

using training::Role;
using enum ClipNetworkKind;

std::vector<training::GeneratorMethod> vgans(const ClipGanOptions& options) {
  return {
      row({"vgan", "VGAN", Role::Baseline, "Vondrick et al. 2016", cost}, options, Vgan),
      row({"vgan_one_stream", "VGAN, one stream", Role::Baseline, "Vondrick et al. 2016", cost},
          options, VganOneStream),
  };
}

std::vector<training::GeneratorMethod> tgans(const ClipGanOptions& options) {
  return {row({"tgan", "TGAN", Role::Baseline, "Saito et al. 2017", cost}, options, Tgan)};
}

}  // namespace reprise::baselines
