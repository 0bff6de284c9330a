// Running mean of the trained CNN's fc7 over the past frames: the simplest memory of a network.
//
//     x_t = fc7(fc6(features_t))                        trained CNN
//     h_t = a * h_{t-1} + (1 - a) * x_t,  h_1 = x_1     a = sigmoid(w), one per unit
//     y_t = out(h_t)                                    output layer (models::MethodStart)
//
// With the trained output layer it equals the plain CNN on a clip of one frame. w starts at -2, so
// a = 0.12.
#pragma once
#include "models/methods.h"

namespace reprise::baselines {

/// Returns the method, for a registry.
models::Method running_mean();

}  // namespace reprise::baselines
