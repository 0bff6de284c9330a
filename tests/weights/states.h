// State dictionaries that the tests of several formats share.
#pragma once
#include <ATen/ATen.h>

#include "weights/state_dict.h"

namespace reprise::weights {

inline StateDict one_of_each_type() {
  StateDict state;
  for (const auto type : {at::kBool, at::kByte, at::kDouble, at::kHalf, at::kChar, at::kFloat,
                          at::kBFloat16, at::kShort, at::kLong, at::kInt})
    state.emplace_back("layer." + type_name(type), at::arange(6).reshape({2, 3}).to(type));
  state.emplace_back("scalar", at::scalar_tensor(3.5));
  state.emplace_back("empty", at::empty({0, 4}));
  state.emplace_back("transposed", at::arange(6).to(at::kFloat).reshape({2, 3}).t());
  state.emplace_back("größe", at::arange(3).to(at::kFloat));
  return state;
}

/// Types that no layer computes with, but that files hold.
inline StateDict rare_types() {
  StateDict state;
  for (const auto type :
       {at::kUInt16, at::kUInt32, at::kUInt64, at::kComplexFloat, at::kFloat8_e4m3fn,
        at::kFloat8_e5m2, at::kFloat8_e8m0fnu, at::kFloat8_e4m3fnuz, at::kFloat8_e5m2fnuz})
    state.emplace_back("rare." + type_name(type), at::tensor({1.0F, 2.0F, 4.0F}).to(type));
  return state;
}

/// The bytes of elements, which may be of a type that at::equal does not know.
inline at::Tensor raw_bytes(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), {static_cast<std::int64_t>(tensor.nbytes())}, at::kByte)
      .clone();
}

}  // namespace reprise::weights
