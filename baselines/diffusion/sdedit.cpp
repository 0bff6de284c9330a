#include "baselines/diffusion/sdedit.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"

namespace reprise::baselines {

at::Tensor sdedit(models::Denoiser& D, const at::Tensor& x_0, double sigma,
                  models::SamplerOptions sampler, const at::Generator& generator,
                  const at::Tensor& labels) {
  if (!(sigma > sampler.sigma_min))
    throw UsageError(
        fmt::format("SDEdit from sigma = {} down to sigma_min = {}", sigma, sampler.sigma_min),
        "give a sigma above sigma_min");
  sampler.sigma_max = sigma;
  const auto image = x_0.detach();
  return models::edm_sample(D, image + sigma * models::draw_unit_noise(image, generator), sampler,
                            generator, labels);
}

}  // namespace reprise::baselines
