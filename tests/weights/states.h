// State dictionaries that the tests of several formats share.
#pragma once
#include <ATen/ATen.h>

#include "weights/state_dict.h"

namespace reprise::weights {

inline StateDict one_of_each_type() {
  StateDict state;
  for (const auto type :
       {at::kBool, at::kByte, at::kDouble, at::kHalf, at::kChar, at::kFloat, at::kBFloat16, at::kShort, at::kLong, at::kInt})
    state.emplace_back("layer." + type_name(type), at::arange(6).reshape({2, 3}).to(type));
  state.emplace_back("scalar", at::scalar_tensor(3.5));
  state.emplace_back("empty", at::empty({0, 4}));
  state.emplace_back("transposed", at::arange(6).to(at::kFloat).reshape({2, 3}).t());
  state.emplace_back("größe", at::arange(3).to(at::kFloat));
  return state;
}

}  // namespace reprise::weights
