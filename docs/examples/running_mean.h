// Worked example of a method in C++ (docs/new_method.md): the trained CNN's fc7 averaged over the frames so far.
//
//     x_t = fc7(fc6(features_t))                        as the trained CNN has them
//     h_t = a ⊙ h_{t-1} + (1 - a) ⊙ x_t,  h_1 = x_1      a = σ(w), a weight for each unit
//     y_t = out(h_t)
// With a = 0 it is the plain CNN; w starts at -2, a = 0.12.
#pragma once
#include "models/methods.h"

namespace reprise::baselines {

models::Method running_mean();

}  // namespace reprise::baselines
