#include "training/precision.h"

#include <ATen/autocast_mode.h>

namespace reprise::training {

PassesIn::PassesIn(Precision precision, c10::DeviceType device)
    : device_(device), was_enabled_(at::autocast::is_autocast_enabled(device)), was_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::set_autocast_enabled(device, precision == Precision::BFloat16);
  at::autocast::set_autocast_dtype(device, at::kBFloat16);
  at::autocast::increment_nesting();
}

PassesIn::~PassesIn() {
  // Weights that were rounded are kept for the guard's life alone: a step of the optimiser changes them.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, was_);
}

}  // namespace reprise::training
