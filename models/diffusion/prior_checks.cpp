#include "models/diffusion/prior_checks.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "core/error.h"

namespace reprise::models {
namespace {

constexpr const char* fetch_prior =
    "the file is damaged or no prior: fetch it again, or train the prior again";
constexpr double widest = 1 << 16;   // bound of channels, embeddings and sides of an item
constexpr double largest = 1 << 20;  // bound of measures

/// The tensors of a file, for checks of its metadata.
class PriorFile {
 public:
  PriorFile(const weights::StateDict& tensors, const std::string& where)
      : tensors_(tensors.begin(), tensors.end()), where_(where) {}

  void check_range(const std::string& field, double value, double low, double high) const {
    if (!(value >= low && value <= high))
      refuse(fmt::format("{} is {}, expected {} to {}", field, value, low, high));
  }
  void check_tensor(const std::string& field, const std::string& tensor,
                    const std::vector<std::int64_t>& shape) const {
    const auto found = tensors_.find(tensor);
    // A file that lacks the tensor cannot have the size that its metadata state.
    if (found == tensors_.end())
      refuse(fmt::format("{} asks for a tensor {}, which is not there", field, tensor));
    if (found->second.sizes() != at::IntArrayRef(shape))
      refuse(fmt::format("{} asks for {} of [{}], and it is [{}]", field, tensor,
                         fmt::join(shape, ", "), fmt::join(found->second.sizes(), ", ")));
  }
  /// Checks the weights that grow with the product of two widths. They bound the other weights of a
  /// block.
  void check_block(const std::string& name, std::int64_t width, std::int64_t embedding) const {
    const auto field = fmt::format("network.blocks and network.channels ({})", width);
    check_tensor(field, fmt::format("F.{}.conv1.weight", name), {width, width, 3, 3});
    check_tensor(field, fmt::format("F.{}.affine.weight", name), {2 * width, embedding});
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw UsageError(where_ + ": " + problem, fetch_prior);
  }

 private:
  std::unordered_map<std::string, at::Tensor> tensors_;
  const std::string& where_;
};

/// Refuses values outside the range of plausible data.
void check_metadata(const PriorMetadata& metadata, const PriorFile& file) {
  for (const auto size : metadata.item)
    file.check_range("facts.item", static_cast<double>(size), 1, widest);
  // Data in [-1, 1] have a standard deviation of about 0.5. Squares of these bounds and of every
  // level are within float32.
  file.check_range("facts.sigma_data", metadata.sigma_data, 1e-6, 1e6);
  file.check_range("facts.P_mean", metadata.noise.P_mean, -20, 20);
  file.check_range("facts.P_std", metadata.noise.P_std, 1e-3, 10);
  for (const auto& [name, value] : metadata.measures)
    file.check_range("facts.measures." + name, value, 1e-6, largest);
  if (const auto frames = metadata.measures.find("frames");
      frames != metadata.measures.end() && metadata.kind == ItemKind::Videos) {
    const auto count = static_cast<std::int64_t>(frames->second);
    // Measures are stored as floating-point numbers; a count must be whole.
    if (static_cast<double>(count) != frames->second || metadata.item[0] % count != 0)
      file.refuse(fmt::format(
          "facts.measures.frames is {}, and items of {} channels are not that many frames",
          frames->second, metadata.item[0]));
  }
}

/// Refuses network sizes that are out of range or disagree with the metadata.
void check_options(const UNetOptions& options, const PriorMetadata& metadata,
                   const PriorFile& file) {
  const auto ranged = [&](const char* field, std::int64_t value, double low, double high) {
    file.check_range(std::string("network.") + field, static_cast<double>(value), low, high);
  };
  const auto levels = static_cast<std::int64_t>(options.channels.size());
  ranged("image_channels", options.image_channels, 1, widest);
  ranged("patch", options.patch, 1, 256);
  ranged("channels (number of levels)", levels, 1, 16);
  for (const auto width : options.channels) ranged("channels", width, 1, widest);
  ranged("blocks", options.blocks, 1, 1024);
  ranged("embedding", options.embedding, 8, widest);
  file.check_range("network.dropout", options.dropout, 0, 0.999);
  for (const auto level : options.attention) {
    ranged("attention", level, 0, static_cast<double>(levels - 1));
    const auto width = options.channels[static_cast<std::size_t>(level)];
    // Attention splits the channels of a level evenly over its heads.
    if (width % attention_heads(width) != 0)
      file.refuse(fmt::format(
          "network.attention has level {}, whose {} channels are not {} heads of one width", level,
          width, attention_heads(width)));
  }
  if (options.image_channels != metadata.item[0])
    file.refuse(fmt::format("network.image_channels is {}, and facts.item has {}",
                            options.image_channels, metadata.item[0]));
  // Each level but the first halves the sides, after the patches have divided them.
  const auto multiple = options.patch << (levels - 1);
  if (metadata.item[1] % multiple != 0 || metadata.item[2] % multiple != 0)
    file.refuse(fmt::format(
        "facts.item has sides {} x {}, which network.patch and network.channels ask {} to divide",
        metadata.item[1], metadata.item[2], multiple));
  const auto classes = static_cast<std::int64_t>(metadata.classes.size());
  const auto words = static_cast<std::int64_t>(metadata.words.size());
  if (options.classes != classes || options.words != words)
    file.refuse(fmt::format("network has {} classes and {} words, and facts {} and {}",
                            options.classes, options.words, classes, words));
  if (classes > 0 && words > 0) file.refuse("facts has both classes and words");
}

}  // namespace

void check_prior(const PriorMetadata& metadata, const UNetOptions& options,
                 const weights::StateDict& tensors, const std::string& where) {
  const PriorFile file(tensors, where);
  check_metadata(metadata, file);
  check_options(options, metadata, file);
  // These tensors bound the memory that the stated sizes would allocate.
  const auto e = options.embedding;
  file.check_tensor("facts.item", "mu", metadata.item);
  file.check_tensor("network.embedding", "F.embed1.weight", {e, e});
  file.check_tensor(
      "network.image_channels, patch and channels", "F.first.weight",
      {options.channels[0], options.image_channels * options.patch * options.patch, 3, 3});
  if (options.classes > 0)
    file.check_tensor("facts.classes", "F.classes.weight", {options.classes, e});
  if (options.words > 0)
    file.check_tensor("facts.words", "F.text.words.weight",
                      {options.words, TextEncoderOptions{}.width});
  // The order of UNet: each level but the first begins with a step down. On the way up, each level
  // has one block more and all but the first end with a step up.
  const auto& channels = options.channels;
  int down = 0;
  int up = 0;
  for (std::size_t level = 0; level < channels.size(); ++level) {
    if (level > 0) file.check_block(fmt::format("down{}", down++), channels[level - 1], e);
    for (std::int64_t i = 0; i < options.blocks; ++i)
      file.check_block(fmt::format("down{}", down++), channels[level], e);
  }
  for (auto level = channels.size(); level-- > 0;) {
    for (std::int64_t i = 0; i <= options.blocks; ++i)
      file.check_block(fmt::format("up{}", up++), channels[level], e);
    if (level > 0) file.check_block(fmt::format("up{}", up++), channels[level], e);
  }
}

}  // namespace reprise::models
