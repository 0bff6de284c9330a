// TorchScript sequence networks on the features of a trained CNN: external methods of prernn and
// dynamic_face.
#pragma once
#include <filesystem>
#include <memory>

#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "training/sequence_network.h"

namespace reprise::reproduce {

/// Loads a script as a network. Parameters named fc6.weight, fc6.bias, fc7.* start from the trained
/// network (training/scripted_network.h). The output layer starts as in the study's own methods:
///   - draw_output: with the weights in the file, which are not trained.
///   - otherwise: from the trained output layer.
///
/// The output layer of a script is the linear layer with the shapes of the trained one, whatever
/// its name; of several, the one named "out". A script without trainable parameters is measured
/// like the plain network, with the trained output layer. UsageError: not a script; fc6 or fc7 has
/// another shape; several layers could be the output layer (all are named).
std::unique_ptr<training::SequenceNetwork> scripted_network(const std::filesystem::path& file,
                                                            const models::Backbone& trained,
                                                            bool draw_output);

/// Tries the script on zeros in place of the layers after the network's trunk, so that errors
/// appear before the run.
ScriptCheck check_script(const std::filesystem::path& file, const models::Backbone& network,
                         bool draw_output, bool call);

}  // namespace reprise::reproduce
