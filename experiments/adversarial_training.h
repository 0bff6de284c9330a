// Records of adversarial training that all studies share.
#pragma once
#include <string>

#include "records/record.h"
#include "training/adversarial.h"

namespace reprise::reproduce {

/// Records the outcome of a training: collapsed, discriminator_won, bfloat16 (1 or 0 each), and the
/// seconds of its phases.
void record_adversarial(const training::AdversarialReport& report, records::Record& record);

/// Records the number of weights as "network"; nothing for a network without weights.
void record_network(const torch::nn::Module& network, records::Record& record);

}  // namespace reprise::reproduce
