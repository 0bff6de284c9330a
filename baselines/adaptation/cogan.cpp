#include "baselines/adaptation/cogan.h"

#include <torch/torch.h>

#include "training/torch_generator.h"

namespace reprise::baselines {

using training::Domain;
using training::Items;

void Cogan::fit(const training::AdaptationData& data, std::uint64_t seed,
                training::Progress& progress) {
  const auto networks = networks_for(data);
  G_ = models::DigitDecoder(networks);
  auto weights = Random(seed).split("weights of G");
  models::draw_digit_coders(*G_, options_.equal_start, weights);
  DigitGanTask task{.G = G_.ptr(), .generate = {}};
  task.generate = [this, device = data.source.device()](const Items& real, Random& random) {
    const auto generator =
        training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
    const auto z = torch::randn({real[0].size(0), G_->code_size(), 1, 1}, generator).to(device);
    return Items{G_->decode(z, Domain::B), G_->decode(z, Domain::A)};
  };
  train_gan(data, networks, task, seed, progress);
}

}  // namespace reprise::baselines
