#include "baselines/adversarial/methods.h"

namespace reprise::baselines {

std::vector<training::GeneratorMethod> adversarial_clip_generators(const ClipGanOptions& vgan, const ClipGanOptions& tgan) {
  const auto row = [](training::MethodInfo info, ClipGanOptions options, ClipNetworkKind kind) {
    options.kind = kind;
    return training::GeneratorMethod{.info = std::move(info), .make = [options] { return std::make_unique<ClipGan>(options); }};
  };
  using training::Role;
  using enum ClipNetworkKind;
  const std::string cost = "G, D per iteration";
  return {
      row({"vgan", "VGAN", Role::Baseline, "Vondrick et al. 2016", cost}, vgan, Vgan),
      row({"vgan_one_stream", "VGAN, one stream", Role::Baseline, "Vondrick et al. 2016", cost}, vgan, VganOneStream),
      row({"tgan", "TGAN", Role::Baseline, "Saito et al. 2017", cost}, tgan, Tgan),
  };
}

}  // namespace reprise::baselines
