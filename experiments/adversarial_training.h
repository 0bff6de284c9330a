// What every study that trains generators against discriminators reads from its settings and notes
// in its records.
#pragma once
#include <string>

#include "records/record.h"
#include "training/adversarial.h"

namespace reprise::reproduce {

/// How a training went: collapsed, discriminator_won, bfloat16 (1 or 0 each), and the seconds of
/// its phases.
void note_adversarial(const training::AdversarialReport& report, records::Record& record);

/// The number of its weights, as "network"; none for what has no weights.
void note_network(const torch::nn::Module& network, records::Record& record);

}  // namespace reprise::reproduce
