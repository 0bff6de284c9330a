// The baselines of document prernn: the plain CNN, fine-tuned with the same frames and steps, and
// traditional RNNs with 1 or 2 randomly initialised recurrent layers on fc7 (figure 1C, table 1).
#pragma once
#include "models/methods.h"

namespace reprise::baselines {

/// Methods "cnn", and "trad_CELL_LAYERS" for every cell of the document with 1 and 2 layers.
const std::vector<models::Method>& methods();

}  // namespace reprise::baselines
