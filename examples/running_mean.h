// Running mean: the trained CNN's fc7 averaged over the frames so far, which is the least memory
// that a network can have.
//
//     x_t = fc7(fc6(features_t))                        as the trained CNN has them
//     h_t = a * h_{t-1} + (1 - a) * x_t,  h_1 = x_1     a = sigmoid(w), one for each unit
//     y_t = out(h_t)                                    starts as every method's output layer: models::MethodStart
// With the trained output layer it is the plain CNN on a clip of one frame. w starts at -2: a =
// 0.12.
#pragma once
#include "models/methods.h"

namespace reprise::baselines {

models::Method running_mean();

}  // namespace reprise::baselines
