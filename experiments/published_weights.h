// Networks that others trained, for studies that start from them: their files below --data, and
// VGG16's weights in a network of ours.
#pragma once
#include <filesystem>
#include <string>

#include "experiments/data_folder.h"
#include "models/backbones/backbone.h"

namespace reprise::reproduce {

/// NAME.pth or NAME.safetensors below --data; "" for neither.
std::filesystem::path published_file(const std::string& name, const DataFolder& data);

/// Notes that a run needs these weights, and that it needs a CUDA device because it is `large`
/// ("fc6 alone has 103 million weights").
void need_published(const std::string& name, const DataFolder& data, const std::string& instead);
void need_cuda(const DataFolder& data, const std::string& large, const std::string& instead);

/// The trunk, fc6 and fc7 of `network` get VGG16's weights (features.N, classifier.0,
/// classifier.3), in order; a gray network's first convolution gets the sum over the three colours,
/// which is what three equal channels give. out stays as it is, for its task is another.
/// UsageError: a file with other layers or shapes (both are named).
void load_vgg16(models::Backbone& network, const std::filesystem::path& file);

}  // namespace reprise::reproduce
