#include "models/diffusion/bfloat16.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <utility>

namespace reprise::models {
namespace {

class Autocast {
 public:
  explicit Autocast(at::DeviceType device)
      : device_(device), enabled_(at::autocast::is_autocast_enabled(device)), type_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    // The last one out forgets the weights' copies: they may change.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_dtype(device_, type_);
    at::autocast::set_autocast_enabled(device_, enabled_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool enabled_;
  at::ScalarType type_;
};

}  // namespace

BFloat16Denoiser::BFloat16Denoiser(std::shared_ptr<Denoiser> D) : D_(register_module("D", std::move(D))) {}

at::Tensor BFloat16Denoiser::forward(const at::Tensor& x, const at::Tensor& sigma, const at::Tensor& labels) {
  const at::NoGradGuard no_gradient;
  const Autocast bfloat16(x.device().type());
  return (*D_)(x, sigma, labels).to(x.scalar_type());
}

}  // namespace reprise::models
