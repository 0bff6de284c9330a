// Compares the metadata of a prior's file with its tensors. Files can come from untrusted sources,
// and the metadata determine how much memory is allocated. Every number is therefore checked
// against a tensor that the file really holds.
#pragma once
#include <string>

#include "models/diffusion/prior.h"
#include "weights/state_dict.h"

namespace reprise::models {

/// UsageError: a number outside its range; metadata and network that disagree; a tensor that is
/// missing or has another shape than the metadata require (file, field and both shapes are named).
void check_prior(const PriorMetadata& metadata, const UNetOptions& options,
                 const weights::StateDict& tensors, const std::string& where);

}  // namespace reprise::models
