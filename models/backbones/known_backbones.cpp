#include "models/backbones/known_backbones.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "core/error.h"
#include "core/text.h"
#include "training/module_state.h"
#include "weights/state_dict.h"

namespace reprise::models {
namespace {

using Kind = StageOptions::Kind;
using Stages = std::vector<StageOptions>;

StageOptions linear_stage(const std::string& name, const std::string& path, std::int64_t inputs,
                          std::int64_t outputs, Activation activation) {
  return {.kind = Kind::Linear,
          .name = name,
          .path = path,
          .inputs = inputs,
          .outputs = outputs,
          .activation = activation};
}

StageOptions average_pool(const std::string& name, std::vector<std::int64_t> size) {
  return {
      .kind = Kind::AveragePool, .name = name, .path = name, .window = {.size = std::move(size)}};
}

/// Appends the bottleneck blocks of one layer of a ResNet.
Stages bottlenecks(Stages stages, int layer, std::int64_t count, std::int64_t inputs,
                   std::int64_t outputs) {
  for (std::int64_t block = 0; block < count; ++block) {
    const auto name = fmt::format("layer{}.{}", layer, block);
    // The first block of layers 2 to 4 halves the sides.
    const std::int64_t stride = block == 0 && layer > 1 ? 2 : 1;
    stages.push_back({.kind = Kind::Bottleneck,
                      .name = name,
                      .path = name,
                      .inputs = block == 0 ? inputs : outputs,
                      .outputs = outputs,
                      .window = {.stride = {stride, stride}}});
  }
  return stages;
}

/// Parses a trunk into stages and tracks the remaining size of the image.
class Trunk {
 public:
  explicit Trunk(const SmallNetworkOptions& options)
      : options_(options), channels_(options.channels), sides_(2, options.size) {
    if (options.frames > 0) sides_.insert(sides_.begin(), options.frames);
    std::istringstream words(options.trunk);
    for (std::string word; words >> word;) word == "p" ? pool() : convolution(word);
    if (convolutions_ == 0 || std::ranges::min(sides_) < 1)
      throw UsageError(
          fmt::format("the trunk \"{}\" has no convolution, or leaves no pixel of {} and {} frames",
                      options.trunk, options.size, options.frames),
          "take fewer poolings, a larger image or longer clips");
  }

  Stages stages;
  std::int64_t channels() const { return channels_; }
  std::size_t dimensions() const { return sides_.size(); }
  std::int64_t values() const {
    std::int64_t count = channels_;
    for (const auto side : sides_) count *= side;
    return count;
  }

 private:
  std::string next_path() { return fmt::format("trunk.{}", modules_++); }

  void pool() {
    stages.push_back({.kind = Kind::MaxPool,
                      .name = fmt::format("pool{}", ++poolings_),
                      .path = next_path(),
                      .window = square_window(dimensions(), 2, 2, 0)});
    // A window of 2 without padding drops the last pixel of an odd side.
    for (auto& side : sides_) side /= 2;
  }

  void convolution(const std::string& word) {
    // Up to five digits: a longer number cannot be allocated, and would overflow stoll().
    const bool halves = word.ends_with("/2");
    const auto digits = halves ? word.substr(0, word.size() - 2) : word;
    if (digits.empty() || digits.size() > 5 ||
        digits.find_first_not_of("0123456789") != std::string::npos || std::stoll(digits) < 1)
      throw UsageError(
          fmt::format("\"{}\" in the trunk \"{}\" is not a layer", word, options_.trunk),
          "write channels (64), channels with stride 2 (64/2), or p for pooling, "
          "separated by spaces");
    // Kernels of 3 with padding 1 keep the sides. "/2" halves height and width, not the frames.
    auto window = square_window(dimensions(), 3, 1, 1);
    for (std::size_t d = dimensions() - 2; halves && d < dimensions(); ++d) {
      window.stride[d] = 2;
      sides_[d] = (sides_[d] + 1) / 2;
    }
    // The convolution is counted before its batch norm, whatever the order of initialisers below.
    const std::int64_t outputs = std::stoll(digits);
    const auto path = next_path();
    stages.push_back({.kind = Kind::Convolution,
                      .name = fmt::format("conv{}", ++convolutions_),
                      .path = path,
                      .norm = options_.batch_norm ? next_path() : "",
                      .inputs = channels_,
                      .outputs = outputs,
                      .window = window,
                      .bias = !options_.batch_norm});
    ++modules_;  // the ReLU
    channels_ = outputs;
  }

  const SmallNetworkOptions& options_;
  std::int64_t channels_;
  std::vector<std::int64_t> sides_;
  int modules_ = 0;  ///< as torchvision's VGG counts: ReLU and pooling are modules, too
  int convolutions_ = 0;
  int poolings_ = 0;
};

/// Counts the outputs of the network whose weights `state` holds: rows of the output layer's
/// matrix.
std::int64_t count_outputs(const KnownBackbone& known, const std::string& output_weight,
                           const weights::StateDict& state) {
  for (const auto& [name, tensor] : state)
    if (name == output_weight && tensor.dim() == 2 && tensor.size(0) > 0) return tensor.size(0);
  return known.outputs;
}

/// True if no other tensor shares the memory, so that it can be moved.
bool owns_its_memory(const at::Tensor& tensor) {
  return tensor.storage().use_count() == 1 && tensor.storage().nbytes() == tensor.nbytes() &&
         tensor.is_contiguous();
}

}  // namespace

Backbone vgg16(std::int64_t outputs, bool batch_norm) {
  const std::vector<std::vector<std::int64_t>> blocks{
      {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
  Stages stages;
  // `module` counts as torchvision does: convolution, batch norm, ReLU and pooling are one each.
  int module = 0;
  std::int64_t channels = 3;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t i = 0; i < blocks[b].size(); ++i) {
      const auto path = fmt::format("features.{}", module++);
      stages.push_back({.kind = Kind::Convolution,
                        .name = fmt::format("conv{}_{}", b + 1, i + 1),
                        .path = path,
                        .norm = batch_norm ? fmt::format("features.{}", module++) : "",
                        .inputs = channels,
                        .outputs = blocks[b][i],
                        .window = square_window(2, 3, 1, 1)});
      ++module;  // the ReLU
      channels = blocks[b][i];
    }
    stages.push_back({.kind = Kind::MaxPool,
                      .name = fmt::format("pool{}", b + 1),
                      .path = fmt::format("features.{}", module++),
                      .window = square_window(2, 2, 2, 0)});
  }
  stages.push_back(average_pool("avgpool", {7, 7}));
  stages.push_back(linear_stage("fc6", "classifier.0", channels * 7 * 7, 4096, Activation::Relu));
  stages.push_back(linear_stage("fc7", "classifier.3", 4096, 4096, Activation::Relu));
  stages.push_back(linear_stage("fc8", "classifier.6", 4096, outputs, Activation::None));
  return Backbone(stages);
}

Backbone resnet50(std::int64_t outputs) {
  Stages stages{{.kind = Kind::Convolution,
                 .name = "conv1",
                 .path = "conv1",
                 .norm = "bn1",
                 .inputs = 3,
                 .outputs = 64,
                 .window = square_window(2, 7, 2, 3),
                 .bias = false},
                {.kind = Kind::MaxPool,
                 .name = "maxpool",
                 .path = "maxpool",
                 .window = square_window(2, 3, 2, 1)}};
  // He et al. 2016, table 1: 3, 4, 6 and 3 blocks.
  stages = bottlenecks(std::move(stages), 1, 3, 64, 256);
  stages = bottlenecks(std::move(stages), 2, 4, 256, 512);
  stages = bottlenecks(std::move(stages), 3, 6, 512, 1024);
  stages = bottlenecks(std::move(stages), 4, 3, 1024, 2048);
  stages.push_back(average_pool("avgpool", {1, 1}));
  stages.push_back(linear_stage("fc", "fc", 2048, outputs, Activation::None));
  return Backbone(stages);
}

Backbone c3d(std::int64_t outputs) {
  Stages stages;
  std::int64_t channels = 3;
  const auto convolution = [&](const std::string& name, std::int64_t to) {
    stages.push_back({.kind = Kind::Convolution,
                      .name = name,
                      .path = name,
                      .inputs = channels,
                      .outputs = to,
                      .window = square_window(3, 3, 1, 1)});
    channels = to;
  };
  const auto pool = [&](const std::string& name, std::int64_t frames, std::int64_t padding) {
    stages.push_back(
        {.kind = Kind::MaxPool,
         .name = name,
         .path = name,
         .window = {
             .size = {frames, 2, 2}, .stride = {frames, 2, 2}, .padding = {0, padding, padding}}});
  };
  // Tran et al. 2015: the first pooling keeps the frames apart.
  convolution("conv1", 64);
  pool("pool1", 1, 0);
  convolution("conv2", 128);
  pool("pool2", 2, 0);
  for (const auto& [block, to] :
       std::vector<std::pair<int, std::int64_t>>{{3, 256}, {4, 512}, {5, 512}}) {
    convolution(fmt::format("conv{}a", block), to);
    convolution(fmt::format("conv{}b", block), to);
    pool(fmt::format("pool{}", block), 2, block == 5 ? 1 : 0);
  }
  // The last pooling pads height and width, so that 7 becomes 4.
  stages.push_back(linear_stage("fc6", "fc6", channels * 1 * 4 * 4, 4096, Activation::Relu));
  stages.push_back(linear_stage("fc7", "fc7", 4096, 4096, Activation::Relu));
  stages.push_back(linear_stage("fc8", "fc8", 4096, outputs, Activation::None));
  return Backbone(stages);
}

const std::vector<KnownBackbone>& known_backbones() {
  static const std::vector<KnownBackbone> all{
      {.name = "vgg16",
       .title = "VGG16",
       .outputs = 1000,
       .make = [](std::int64_t outputs) { return vgg16(outputs); }},
      {.name = "vgg16_bn",
       .title = "VGG16 with batch norm",
       .outputs = 1000,
       .make = [](std::int64_t outputs) { return vgg16(outputs, /*batch_norm=*/true); }},
      {.name = "resnet50",
       .title = "ResNet-50",
       .outputs = 1000,
       .make = [](std::int64_t outputs) { return resnet50(outputs); }},
      {.name = "c3d",
       .title = "C3D",
       .outputs = 487,
       .frames = 16,
       .make = [](std::int64_t outputs) { return c3d(outputs); }},
  };
  return all;
}

const KnownBackbone& known_backbone(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& known : known_backbones()) {
    if (known.name == name) return known;
    names.push_back(known.name);
  }
  throw UsageError(fmt::format("there is no backbone \"{}\"", name),
                   "name one of: " + join(names, ", "));
}

Backbone load_backbone(const KnownBackbone& known, const std::filesystem::path& file) {
  auto state = weights::read_weights(file);
  // The file determines the number of outputs, e.g. of a network fine-tuned on other classes.
  const auto output = known.make(1)->stages().back().weight_path() + ".weight";
  auto network = known.make(count_outputs(known, output, state));
  const std::unordered_map<std::string, at::Tensor> given(state.begin(), state.end());
  for (const auto& [name, tensor] : training::module_state(*network)) {
    const auto found = given.find(name);
    if (found == given.end()) {
      // Older files lack these counters. load_state() names all other missing tensors.
      if (name.ends_with(".num_batches_tracked"))
        state.emplace_back(name, torch::zeros({}, torch::kLong));
      continue;
    }
    const auto& theirs = found->second;
    // Fully connected layers are nine tenths of VGG16. They take over the file's memory; load_state
    // then copies them onto themselves.
    if (tensor.dim() == 2 && theirs.sizes() == tensor.sizes() &&
        theirs.scalar_type() == tensor.scalar_type() && owns_its_memory(theirs)) {
      at::Tensor mine = tensor;
      mine.set_data(theirs);
    }
  }
  training::load_state(*network, state, file.string());
  network->eval();
  return network;
}

std::vector<StageOptions> small_network_stages(const SmallNetworkOptions& options) {
  Trunk trunk(options);
  auto stages = std::move(trunk.stages);
  // fc6 takes the flattened maps of the trunk; without fc6 and fc7 their mean is the input of
  // `out`.
  if (options.width > 0) {
    stages.push_back(linear_stage("fc6", "fc6", trunk.values(), options.width, options.activation));
    stages.push_back(linear_stage("fc7", "fc7", options.width, options.width, options.activation));
  } else {
    stages.push_back(average_pool("avgpool", std::vector<std::int64_t>(trunk.dimensions(), 1)));
  }
  stages.push_back(linear_stage("out", "out", options.width > 0 ? options.width : trunk.channels(),
                                options.outputs, Activation::None));
  return stages;
}

void start_output_at(Backbone& network, const torch::Tensor& values) {
  const torch::NoGradGuard no_gradient;
  const auto& out = network->stages().back().parts.back().map;
  out->weight.mul_(0.1);  // small, so that the bias dominates at first
  out->bias.copy_(values);
}

Backbone make_small_network(const SmallNetworkOptions& options, Random& random) {
  Backbone network(small_network_stages(options));
  network->draw(random);
  return network;
}

}  // namespace reprise::models
