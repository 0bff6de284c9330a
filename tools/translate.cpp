#include <fmt/format.h>
#include <torch/torch.h>

#include <memory>
#include <optional>

#include "core/error.h"
#include "core/outputs.h"
#include "core/say.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/readers/photos.h"
#include "experiments/run/device.h"
#include "models/translation/trained_unit.h"
#include "tools/help.h"
#include "tools/media_inputs.h"
#include "tools/tools.h"
#include "tools/translator_training.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct TranslateOptions {
  fs::path model, out;
  std::string to = "B", device = "auto";
  std::int64_t shorter = 0, tile = models::Tiles{}.side;
  double minutes = TranslatorTraining{}.minutes;
  std::int64_t side = TranslatorTraining{}.side;
  std::vector<fs::path> train, inputs;
};

/// An input file and its output file.
struct Work {
  fs::path from, to;
};

/// Returns the output's name: .png for pictures, .avi for .avi, .mp4 for other videos.
fs::path choose_output(const fs::path& name) {
  if (!datasets::is_video(name)) return fs::path(name).replace_extension(".png");
  return fs::path(name).replace_extension(name.extension() == ".avi" ? ".avi" : ".mp4");
}

std::vector<Work> list_work(const TranslateOptions& options) {
  const auto inputs = list_inputs(options.inputs, datasets::Media::Both);
  std::vector<fs::path> outputs;
  std::vector<Work> all;
  for (const auto& input : inputs) {
    outputs.push_back(options.out / choose_output(input.name));
    all.push_back({.from = input.file, .to = outputs.back()});
  }
  require_distinct_outputs(inputs, outputs);
  for (const auto& work : all) {
    reprise::note_input(work.from);  // of core/outputs.h
    expect_output(work.to);
  }
  return all;
}

/// A loaded UNIT and the direction of translation.
class Translation {
 public:
  explicit Translation(const TranslateOptions& options)
      : options_(options),
        device_(choose_device(options.device)),
        trained_(models::load_unit(options.model, device_)),
        from_(training::other(models::find_domain(trained_, options.to))) {
    const auto& o = trained_.G->options();
    if (o.one_way && from_ == training::Domain::B)
      throw UsageError(options.model.string() + " translates only to " + trained_.metadata.b,
                       "leave out --to");
    channels_ = from_ == training::Domain::A ? o.channels_1 : o.channels_2;
  }

  /// Translates a frame, uint8 [H, W, 3].
  at::Tensor translate(at::Tensor frame) {
    if (options_.shorter > 0)
      frame = datasets::resize_shorter_side(frame.contiguous(), options_.shorter);
    auto x = datasets::to_values(frame.permute({2, 0, 1})).to(device_);
    if (channels_ == 1) x = x.mean(0, /*keepdim=*/true);
    const auto y = models::translate_picture(trained_.G, x, from_,
                                             {.side = options_.tile, .overlap = options_.tile / 8});
    return datasets::to_pixels(y.expand({3, -1, -1})).permute({1, 2, 0}).cpu().contiguous();
  }
  const models::TrainedUnit& trained() const { return trained_; }

 private:
  const TranslateOptions& options_;
  at::Device device_;
  models::TrainedUnit trained_;
  training::Domain from_;
  std::int64_t channels_ = 3;
};

/// Translates all readable frames and returns their number. Adds damage to `damaged`.
std::int64_t translate_video(Translation& translation, const Work& work, DamagedInputs& damaged) {
  const auto metadata = datasets::read_video_metadata(work.from);
  datasets::VideoWriter writer(work.to, metadata.rate);
  std::int64_t frames = 0;
  const auto read = datasets::read_video(work.from, [&](const at::Tensor& frame) {
    writer.write(translation.translate(frame));
    if (++frames % 100 == 0)
      say(fmt::format("{}: {} of {} frames\n", work.from.filename().string(), frames,
                      metadata.frames));
  });
  close_video(writer);
  report_losses(work.from, read);
  damaged.add(read.problems);
  return frames;
}

/// Translates one input. Returns nothing if it cannot be read, and adds it to `damaged`.
std::optional<json> translate_one(Translation& translation, const Work& work,
                                  DamagedInputs& damaged) {
  json entry{{"from", work.from.string()}, {"file", work.to.string()}};
  if (datasets::is_video(work.from)) {
    try {
      entry["frames"] = translate_video(translation, work, damaged);
    } catch (const UsageError& error) {
      damaged.add(error);
      return std::nullopt;
    }
    return entry;
  }
  at::Tensor picture;
  if (!damaged.try_to_read([&] { picture = datasets::read_image(work.from); })) return std::nullopt;
  datasets::write_png(work.to, translation.translate(picture));
  return entry;
}

/// Translates all inputs. Damaged ones are skipped and reported at the end.
void translate(Call& call, const TranslateOptions& options) {
  const auto all = list_work(options);
  Translation translation(options);
  const auto& metadata = translation.trained().metadata;
  json written = json::array();
  DamagedInputs damaged;
  std::int64_t done_before = 0;
  for (const auto& work : all) {
    if (const auto entry = translate_one(translation, work, damaged)) written.push_back(*entry);
    if (++done_before % 50 == 0) say(fmt::format("{} of {} files\n", done_before, all.size()));
  }
  damaged.finish(call, written.size());
  const bool to_b = models::find_domain(translation.trained(), options.to) == training::Domain::B;
  call.answer(
      {{"written", written},
       {"damaged", damaged.as_json()},
       {"from", to_b ? metadata.a : metadata.b},
       {"to", to_b ? metadata.b : metadata.a},
       {"model", metadata.source}},
      fmt::format("{}: {} file{} from \"{}\" to \"{}\", by {}\n", options.out.string(),
                  written.size(), written.size() == 1 ? "" : "s", to_b ? metadata.a : metadata.b,
                  to_b ? metadata.b : metadata.a, metadata.source));
}

void train(const Call& call, const TranslateOptions& options) {
  const auto trained = train_translator({.a = options.train.front(),
                                         .b = options.train.back(),
                                         .model = options.model,
                                         .minutes = options.minutes,
                                         .side = options.side},
                                        choose_device(options.device));
  call.answer({{"model", options.model.string()},
               {"a", trained.metadata.a},
               {"b", trained.metadata.b},
               {"trained", trained.metadata.source}},
              fmt::format("{}: translates between \"{}\" and \"{}\" ({})\n", options.model.string(),
                          trained.metadata.a, trained.metadata.b, trained.metadata.source));
}

void run(Call& call, const TranslateOptions& options) {
  if (!options.train.empty() && !options.inputs.empty())
    throw UsageError(
        "--train takes no input to translate, and " + options.inputs.front().string() + " is given",
        "train first, then translate with the model");
  if (options.train.empty() && (options.inputs.empty() || options.out.empty()))
    throw UsageError(
        options.inputs.empty() ? "no input is given" : "--out is missing",
        "give images, videos or folders, and a folder with --out; or train with --train A B");
  if (options.train.empty())
    translate(call, options);
  else
    train(call, options);
}

}  // namespace

void add_translate(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "translate",
      "Translate pictures and videos to another domain with a UNIT. Large pictures are "
      "translated in overlapping tiles. Orientation tags are applied, and transparent "
      "pixels are put on white. A video keeps its frame rate and loses its sound. Damaged "
      "files are listed at the end, and the exit status is 1.\n"
      "\n"
      "With --train: trains a UNIT on two folders of unpaired pictures. MODEL.png shows "
      "translations, updated every minute. The same command resumes an interrupted "
      "training.",
      "reprise translate --model translator.safetensors --to map aerial.png --out maps/\n"
      "reprise translate --train summer/ winter/ --minutes 60 --model winter.safetensors\n"
      "reprise translate --model translator.safetensors --to night holiday/ drive.mp4 "
      "--shorter 128 --out night/");
  const auto options = std::make_shared<TranslateOptions>();
  verb->add_option("INPUT", options->inputs, "images, videos, or folders of both");
  verb->add_option(
          "--model", options->model,
          "trained UNIT, .safetensors. With --train, the file to write. Otherwise a model of "
          "--train, or translator.safetensors of a cell map/SET/unit or photos/SET/unit")
      ->required();
  verb->add_option("--train", options->train,
                   "two folders of pictures of any size, domains A and B")
      ->expected(2)
      ->group("Training");
  verb->add_option("--minutes", options->minutes, "training time, minutes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Training");
  verb->add_option("--side", options->side, "side of the training crops, pixels")
      ->check(CLI::Range(16, 1024))
      ->capture_default_str()
      ->group("Training");
  verb->add_option("--to", options->to, "target domain: A, B, or its name in the model")
      ->capture_default_str();
  add_output(*verb, "--out", options->out,
             "folder to write. Pictures become NAME.png, videos NAME.mp4 or NAME.avi");
  verb->add_option(
          "--shorter", options->shorter,
          "length of the shorter side to resize inputs to, pixels (0: no resizing). A model "
          "works best at the scale of its training")
      ->group(rarely_used())
      ->check(CLI::Range(0, 16384))
      ->capture_default_str();
  verb->add_option("--tile", options->tile, "side of a tile, pixels. An eighth of it overlaps")
      ->group(rarely_used())
      ->check(CLI::Range(64, 8192))
      ->capture_default_str();
  add_device(*verb, options->device);
  verb->callback([options, &call] { run(call, *options); });
}

}  // namespace reprise::reproduce
