// What document prernn compares with: the plain CNN, trained on with the same frames and steps, and
// the traditional RNNs, 1 or 2 recurrent layers with random weights on top of fc7 (figure 1C, table
// 1).
#pragma once
#include "models/methods.h"

namespace reprise::baselines {

/// "cnn", and "trad_CELL_LAYERS" for every cell of the document with 1 and 2 layers.
const std::vector<models::Method>& methods();

}  // namespace reprise::baselines
