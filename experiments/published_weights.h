// Published networks from which studies start: their files below --data, and VGG16's weights in a
// network of this program.
#pragma once
#include <filesystem>
#include <string>

#include "experiments/data_folder.h"
#include "models/backbones/backbone.h"

namespace reprise::reproduce {

/// Finds NAME.pth or NAME.safetensors below --data; "" for neither.
std::filesystem::path published_file(const std::string& name, const DataFolder& data);

/// Notes that a run needs these weights, or a CUDA device because it is `large` ("fc6 alone has 103
/// million weights").
void need_published(const std::string& name, const DataFolder& data, const std::string& instead);
void need_cuda(const DataFolder& data, const std::string& large, const std::string& instead);

/// Copies VGG16's weights (features.N, classifier.0, classifier.3) into trunk, fc6 and fc7 of
/// `network`. A gray network's first convolution gets the sum over the colours, which equals three
/// equal channels. The layer `out` stays.
/// UsageError: a file with other layers or shapes (both are named).
void load_vgg16(models::Backbone& network, const std::filesystem::path& file);

}  // namespace reprise::reproduce
