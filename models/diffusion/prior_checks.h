// Whether the metadata of a prior's file agree with its tensors. A file may come from a stranger,
// and metadata say how much is built: every number is held against a tensor, whose bytes the file
// really has, before anything is made by it.
#pragma once
#include <string>

#include "models/diffusion/prior.h"
#include "weights/state_dict.h"

namespace reprise::models {

/// UsageError: a number outside its range, facts and network that disagree, or a tensor that is
/// missing or of another shape than the metadata ask for (file, field, and both shapes are named).
void check_prior(const PriorFacts& facts, const UNetOptions& options,
                 const weights::StateDict& tensors, const std::string& where);

}  // namespace reprise::models
