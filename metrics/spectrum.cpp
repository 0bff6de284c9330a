#include "metrics/spectrum.h"

#include <ATen/ATen.h>

#include "core/error.h"

namespace reprise::metrics {

at::Tensor mean_frequency(const at::Tensor& pictures) {
  if (pictures.dim() < 3 || pictures.size(-1) < 2 || pictures.size(-2) < 2)
    throw UsageError("pictures of shape " + c10::str(pictures.sizes()),
                     "give [N, ..., H, W], with sides of at least two pixels");
  if (!pictures.isfinite().all().item<bool>())
    throw UsageError("pictures with values that are not finite",
                     "check the source of the pictures");
  const auto x = pictures.to(at::kDouble);
  // Without the mean, whose frequency 0 would dominate.
  const auto power = at::fft_fft2(x - x.mean({-2, -1}, true)).abs().square();
  const auto across = at::fft_fftfreq(x.size(-1), 1.0, x.options()),
             down = at::fft_fftfreq(x.size(-2), 1.0, x.options());
  // Length of each frequency vector, cycles per pixel.
  const auto length = (down.square().unsqueeze(1) + across.square().unsqueeze(0)).sqrt();
  const auto weighted = (power * length).flatten(1).sum(1), all = power.flatten(1).sum(1);
  return at::where(all > 0, weighted / all.clamp_min(1e-300), at::zeros_like(all));
}

}  // namespace reprise::metrics
