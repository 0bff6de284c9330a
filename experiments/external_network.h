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
/// network (training/scripted_network.h). Its output layer, whatever its name, starts as in the
/// study's own methods:
///   draw_output   from weights that are not trained: those in the file
///   otherwise     from the trained output layer. It is the linear layer with that layer's shapes, or the one named "out" of several
/// A script without trainable parameters is measured like the plain network: its output layer is
/// the trained one.
/// UsageError: not a script; fc6 or fc7 has another shape; several layers could be the output layer
/// (all are named).
std::unique_ptr<training::SequenceNetwork> scripted_network(const std::filesystem::path& file,
                                                            const models::Backbone& trained,
                                                            bool draw_output);

/// Tries the script on zeros in place of the layers behind the network's trunk, so that errors
/// appear before the run:
ScriptCheck check_script(const std::filesystem::path& file, const models::Backbone& network,
                         bool draw_output, bool call);

}  // namespace reprise::reproduce
