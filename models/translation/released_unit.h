// Weights of UNIT in the authors' NIPS release (github.com/mingyuliutw/UNIT, branch version_02):
// state dictionaries as torch.save writes them, one file for E and G and one for the discriminator.
//
//     COCOResGen2, COCOResGen             UnitNetwork          models/translation/unit_network.h
//     COCOSharedDis, COCODis, COCOMsDis   UnitDiscriminators   the same
//     CoVAE32x32                          DigitCoders          models/translation/digit_networks.h,
//                                                              side 32
//     CoDis32x32                          DigitDiscriminator   the same
// Names and shapes are the release's. Three differences are converted:
//     instance norm statistics   stored by PyTorch of 2017 and never used; skipped
//     num_batches_tracked        missing in 2017; set to 0
//     g_vae.en_sigma             the code's standard deviation softplus(en_sigma(.)), learned there
//                                and 1 in the document. Reading skips it, so means and translations
//                                of means are the release's. Writing sets it to 1
#pragma once
#include <torch/nn/module.h>

#include <filesystem>

namespace reprise::models {

/// Loads a released file. UsageError: as weights::read_weights() and training::load_state(); sizes
/// of `network` that differ from the file's (both shapes are named).
void load_released_unit(torch::nn::Module& network, const std::filesystem::path& path);
/// Writes a file for torch.load() and the release's networks of that name. Error: it cannot be
/// written.
void save_released_unit(const torch::nn::Module& network, const std::filesystem::path& path);

}  // namespace reprise::models
