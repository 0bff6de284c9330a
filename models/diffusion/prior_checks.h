// Compares the metadata of a prior's file with its tensors. Files can come from untrusted sources,
// and the metadata determine how much memory is allocated. Every number is therefore checked
// against a tensor that the file really holds.
#pragma once
#include <string>

#include "models/diffusion/prior.h"
#include "weights/state_dict.h"

namespace reprise::models {

/// UsageError: a number outside its range; metadata and network that disagree; a missing tensor, or
/// one of another shape. The error names file, field and both shapes.
void check_prior(const PriorMetadata& metadata, const UNetOptions& options,
                 const weights::StateDict& tensors, const std::string& where);

}  // namespace reprise::models
