// Weights of UNIT in the authors' NIPS release (github.com/mingyuliutw/UNIT, branch version_02):
// state dictionaries as torch.save writes them, a file of the generator (E and G) and one of the
// discriminator.
//
//     COCOResGen2, COCOResGen, COCOSharedDis, COCODis    UnitNetwork, UnitJudges    (models/translation/unit_network.h)
//     CoVAE32x32, CoDis32x32                             DigitCoders, DigitJudge    (models/translation/digit_networks.h, side 32)
// Names and shapes are the release's. Three things differ, and are put right on the way:
//     statistics of instance norms    kept by PyTorch of 2017 and never used; passed over
//     num_batches_tracked             not there in 2017; 0 then
//     g_vae.en_sigma                  the code's standard deviation softplus(en_sigma(.)), learned there and 1 in the document: passed over when
//                                     read (means, and so translations of means, are the release's), and written such that it is 1
#pragma once
#include <torch/nn/module.h>

#include <filesystem>

namespace reprise::models {

/// UsageError: as weights::read_weights() and training::load_state(): the sizes of `network` are
/// not the file's (both shapes are named).
void load_released_unit(torch::nn::Module& network, const std::filesystem::path& path);
/// A file that torch.load() reads and the release's networks of that name take. Error: it cannot be
/// written.
void save_released_unit(const torch::nn::Module& network, const std::filesystem::path& path);

}  // namespace reprise::models
