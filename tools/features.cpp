#include <fmt/format.h>
#include <torch/torch.h>

#include <memory>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/video_files.h"
#include "datasets/transforms/network_input.h"
#include "models/backbones/known_backbones.h"
#include "tools/media_inputs.h"
#include "tools/tools.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct FeaturesOptions {
  std::string backbone;
  std::string layer;
  fs::path weights;
  fs::path out;
  std::vector<fs::path> files;
};

/// Computes the activations of a layer in batches.
class Extractor {
 public:
  Extractor(models::Backbone network, const std::string& layer, std::size_t batch)
      : network_(std::move(network)), layer_(layer), batch_(batch) {}

  void add(const at::Tensor& input) {
    waiting_.push_back(input);
    // Pictures of a batch have the same size, because all are cropped to the network's input.
    if (waiting_.size() == batch_) run();
  }
  at::Tensor finish() {
    if (!waiting_.empty()) run();
    return at::cat(rows_);
  }

 private:
  void run() {
    const torch::InferenceMode inference;
    rows_.push_back(network_->features(at::stack(waiting_), layer_));
    waiting_.clear();
  }

  models::Backbone network_;
  std::string layer_;
  std::size_t batch_;
  std::vector<at::Tensor> waiting_;
  std::vector<at::Tensor> rows_;
};

/// Returns the media that the network accepts: videos for clips, else pictures and videos.
datasets::Media accepted_media(const models::KnownBackbone& known) {
  return known.frames > 0 ? datasets::Media::Videos : datasets::Media::Both;
}

/// Lists the files to read. Throws a UsageError as list_inputs() does, for a wrong --layer or
/// --out, and for a file that is not a video if the network takes clips.
std::vector<MediaInput> check(const FeaturesOptions& options, const models::KnownBackbone& known) {
  // Refuse a wrong layer before reading weights of up to half a gigabyte.
  known.make(known.outputs)->index_of(options.layer);
  if (options.out.extension() != ".npy")
    throw UsageError("--out " + options.out.string() + " does not end in .npy",
                     "end the name in .npy: features are written in NumPy's format");
  auto inputs = list_inputs(options.files, accepted_media(known));
  for (const auto& input : inputs)
    if (known.frames > 0 && !datasets::is_video(input.file))
      throw UsageError(
          fmt::format("{}: {} takes clips of {} frames, and this name is not that of a video",
                      input.file.string(), known.title, known.frames),
          "give a video: " + datasets::list_endings(datasets::Media::Videos));
  return inputs;
}

/// Adds a video as consecutive clips and returns their number. Frames after the last whole clip are
/// not used.
std::int64_t add_clips(Extractor& extractor, const fs::path& file, std::int64_t length,
                       DamagedInputs& damaged) {
  std::vector<at::Tensor> frames;
  std::int64_t clips = 0;
  const auto read = datasets::read_video(file, [&](const at::Tensor& frame) {
    frames.push_back(frame);
    // Frames are collected until they make a clip.
    if (static_cast<std::int64_t>(frames.size()) < length) return;
    extractor.add(datasets::make_c3d_input(frames));
    frames.clear();
    ++clips;
  });
  // Frames that cannot be read are reported, and the rest of the video is used.
  damaged.add(read.problems);
  if (clips == 0)
    throw UsageError(fmt::format("{}: the video has {} frames, fewer than a clip of {}",
                                 file.string(), read.frames, length),
                     "give a longer video");
  return clips;
}

/// Adds a picture, or every frame of a video, and returns the number of rows.
std::int64_t add_images(Extractor& extractor, const fs::path& file, DamagedInputs& damaged) {
  if (!datasets::is_video(file)) {
    extractor.add(datasets::make_imagenet_input(datasets::read_image(file)));
    return 1;
  }
  const auto read = datasets::read_video(
      file, [&](const at::Tensor& frame) { extractor.add(datasets::make_imagenet_input(frame)); });
  damaged.add(read.problems);
  return read.frames;
}

void write_features(Call& call, const FeaturesOptions& options) {
  const auto& known = models::known_backbone(options.backbone);
  const auto files = check(options, known);
  // A clip is as large as 16 images, so clips are computed one at a time.
  Extractor extractor(models::load_backbone(known, options.weights), options.layer,
                      known.frames > 0 ? 1 : 8);
  // The rows of the output follow the inputs; "rows" states how many each one has.
  json inputs = json::array();
  DamagedInputs damaged;
  for (const auto& input : files) {
    std::int64_t rows = 0;
    const bool good = damaged.try_to_read([&] {
      rows = known.frames > 0 ? add_clips(extractor, input.file, known.frames, damaged)
                              : add_images(extractor, input.file, damaged);
    });
    if (good) inputs.push_back({{"file", input.file.string()}, {"rows", rows}});
  }
  damaged.finish(call, inputs.size());
  const auto all = extractor.finish().contiguous();
  datasets::write_npy(options.out, all);
  std::vector<std::string> sizes;
  for (const auto size : all.sizes()) sizes.push_back(std::to_string(size));
  call.answer({{"file", options.out.string()},
               {"backbone", known.name},
               {"layer", options.layer},
               {"shape", all.sizes().vec()},
               {"inputs", inputs},
               {"damaged", damaged.as_json()}},
              fmt::format("{}: {} of {}, [{}]\n", options.out.string(), options.layer, known.title,
                          join(sizes, ", ")));
}

}  // namespace

void add_features(CLI::App& app, Call& call) {
  std::vector<std::string> names;
  for (const auto& known : models::known_backbones()) names.push_back(known.name);
  auto* verb = add_command(
      app, "features",
      "Write the activations of one layer, one row per image or frame. Images are prepared "
      "as torchvision does for ImageNet: shorter side 256 pixels, central 224 x 224. C3D "
      "takes videos: one row per 16 frames, shorter side 112 pixels, central 112 x 112. "
      "Damaged files have no row; they are listed at the end, and the exit status is 1.",
      "reprise features --backbone vgg16 --weights vgg16.pth --layer fc7 a.jpg --out features.npy\n"
      "reprise features --backbone c3d --weights c3d.pth --layer fc6 videos/ --out features.npy");
  const auto options = std::make_shared<FeaturesOptions>();
  verb->add_option(
          "FILE", options->files,
          "images, videos, or folders of both. The rows follow this order, and --json names "
          "the file of each")
      ->required();
  verb->add_option("--backbone", options->backbone, "network")
      ->type_name(join(names, "|"))
      ->required();
  verb->add_option("--weights", options->weights,
                   "weights of the network: .safetensors, .pth or .pt")
      ->required();
  verb->add_option(
          "--layer", options->layer,
          "layer, such as fc7, conv5_3 or layer4.2, as in the state dictionary. A wrong name "
          "lists all layers")
      ->required();
  add_output(*verb, "--out", options->out, ".npy file to write: float32, [rows, ...]")->required();
  verb->callback([options, &call] { write_features(call, *options); });
}

}  // namespace reprise::reproduce
