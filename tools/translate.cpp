#include <fmt/format.h>
#include <sys/xattr.h>
#include <torch/torch.h>

#include <memory>
#include <optional>

#include "core/error.h"
#include "core/outputs.h"
#include "core/say.h"
#include "core/sha256.h"
#include "datasets/formats/clip_sheets.h"
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
  std::int64_t sampled = 0;  ///< number of pairs to draw; 0: translate
  TranslatorTraining training;
  std::string upsampling;
  std::vector<fs::path> train, inputs;
};

/// Attribute of an output with make_recipe(). Files without it are translated again.
constexpr const char* recipe_attribute = "user.reprise.recipe";

/// An input file and its output file.
struct Work {
  fs::path from, to;
};

/// Returns the output's name: .png for pictures, .avi for .avi, .mp4 for other videos.
fs::path choose_output(const fs::path& name) {
  if (!datasets::is_video(name)) return fs::path(name).replace_extension(".png");
  return fs::path(name).replace_extension(name.extension() == ".avi" ? ".avi" : ".mp4");
}

/// Hash of everything that decides how an output looks, except the program.
std::string make_recipe(const TranslateOptions& options, const std::string& model_hash,
                        const Work& work) {
  return sha256(fmt::format("translate {} {} {} {} {}", model_hash, options.to, options.shorter,
                            options.tile, sha256_file(work.from)));
}

/// True if an earlier call has made this output from the same input, model and options.
/// expect_output() has refused outputs that were changed since.
bool is_up_to_date(const Work& work, const std::string& recipe) {
  if (overwriting_allowed()) return false;
  std::string stored(recipe.size(), '\0');
  const auto size = ::getxattr(work.to.c_str(), recipe_attribute, stored.data(), stored.size());
  return size == static_cast<std::ptrdiff_t>(recipe.size()) && stored == recipe;
}

/// Stores the recipe with the output. On a file system without attributes nothing is stored.
void store_recipe(const fs::path& output, const std::string& recipe) {
  ::setxattr(output.c_str(), recipe_attribute, recipe.data(), recipe.size(), 0);
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

/// Outputs of a call.
struct Outputs {
  json written = json::array(), skipped = json::array();
  DamagedInputs damaged;
};

/// Translates all inputs whose output is not up to date. Damaged ones are listed.
Outputs translate_all(const TranslateOptions& options, Translation& translation,
                      const std::vector<Work>& all) {
  Outputs outputs;
  const auto model_hash = sha256_file(options.model);
  std::int64_t done_before = 0;
  for (const auto& work : all) {
    const auto recipe = make_recipe(options, model_hash, work);
    if (is_up_to_date(work, recipe)) {
      outputs.skipped.push_back({{"from", work.from.string()}, {"file", work.to.string()}});
    } else {
      const auto damage = outputs.damaged.as_json().size();
      const auto entry = translate_one(translation, work, outputs.damaged);
      if (entry) outputs.written.push_back(*entry);
      // A video with unreadable frames has an output, too. It is made and listed again next time.
      if (outputs.damaged.as_json().size() == damage) store_recipe(work.to, recipe);
    }
    if (++done_before % 50 == 0) say(fmt::format("{} of {} files\n", done_before, all.size()));
  }
  return outputs;
}

/// Translates all inputs. Damaged ones are skipped and reported at the end.
void translate(Call& call, const TranslateOptions& options) {
  const auto all = list_work(options);
  Translation translation(options);
  const auto& metadata = translation.trained().metadata;
  const auto outputs = translate_all(options, translation, all);
  outputs.damaged.finish(call, outputs.written.size() + outputs.skipped.size());
  const bool to_b = models::find_domain(translation.trained(), options.to) == training::Domain::B;
  const auto& from = to_b ? metadata.a : metadata.b;
  const auto& to = to_b ? metadata.b : metadata.a;
  const auto count = outputs.written.size();
  auto text = fmt::format("{}: {} file{} from \"{}\" to \"{}\", by {}\n", options.out.string(),
                          count, count == 1 ? "" : "s", from, to, metadata.source);
  if (!outputs.skipped.empty())
    text += fmt::format(
        "{} skipped: an earlier call made them from the same inputs, model and options. "
        "--overwrite makes them again\n",
        outputs.skipped.size());
  call.answer({{"written", outputs.written},
               {"skipped", outputs.skipped},
               {"damaged", outputs.damaged.as_json()},
               {"from", from},
               {"to", to},
               {"model", metadata.source}},
              text);
}

/// Draws pairs of pictures from random codes and writes them as one sheet.
void sample(Call& call, const TranslateOptions& options) {
  const auto file = options.out / "samples.png";
  expect_output(file);
  auto trained = models::load_unit(options.model, choose_device(options.device));
  const auto seed = options.training.shape.seed.value_or(0);
  const auto pairs =
      models::sample_pairs(trained, options.sampled, static_cast<std::uint64_t>(seed));
  datasets::write_png(file, datasets::draw_pairs(pairs.a.cpu(), pairs.b.cpu()));
  const auto& metadata = trained.metadata;
  call.answer({{"file", file.string()},
               {"pairs", options.sampled},
               {"seed", seed},
               {"a", metadata.a},
               {"b", metadata.b},
               {"model", metadata.source}},
              fmt::format("{}: {} random codes, each as \"{}\" above \"{}\", by {}\n",
                          file.string(), options.sampled, metadata.a, metadata.b, metadata.source));
}

void train(const Call& call, const TranslateOptions& options) {
  auto request = options.training;
  request.a = options.train.front();
  request.b = options.train.back();
  request.model = options.model;
  if (!options.upsampling.empty())
    request.shape.upsampling = models::find_upsampling(options.upsampling);
  const auto trained = train_translator(request, choose_device(options.device));
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
  if (options.sampled > 0 && (!options.train.empty() || !options.inputs.empty()))
    throw UsageError("--sample draws random codes and takes neither an input nor --train",
                     "leave these out, or --sample");
  if (options.sampled > 0 && !options.out.empty()) return sample(call, options);
  if (options.train.empty() && (options.inputs.empty() || options.out.empty()))
    throw UsageError(
        options.inputs.empty() && options.sampled == 0 ? "no input is given" : "--out is missing",
        "give images, videos or folders, and a folder with --out; or train with --train A B");
  if (options.train.empty())
    translate(call, options);
  else
    train(call, options);
}

void add_training_options(CLI::App& verb, TranslateOptions& options) {
  auto& training = options.training;
  const auto rare = rarely_used("Training");
  verb.add_option("--minutes", training.minutes,
                  "training time, minutes. An interrupted training counts the time that it had")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Training");
  verb.add_option("--more-minutes", training.more_minutes,
                  "trains a finished model further, minutes. It needs MODEL.checkpoint and "
                  "MODEL.training.json, which the training leaves next to the model")
      ->check(CLI::PositiveNumber)
      ->group("Training");
  verb.add_option("--seed", training.shape.seed,
                  "seed of the first weights and of all draws (default 0). Another seed is the "
                  "remedy for a training that went wrong")
      ->check(CLI::NonNegativeNumber)
      ->group("Training");
  verb.add_option("--side", training.shape.side,
                  "side of the training crops, pixels (default 64, on a GPU 128)")
      ->check(CLI::Range(16, 1024))
      ->group("Training");
  verb.add_option("--width", training.shape.width,
                  "channels of the networks' first layer (default 16, on a GPU 64). Twice as many "
                  "take about four times as long")
      ->check(CLI::Range(4, 256))
      ->group(rare);
  verb.add_option("--batch", training.shape.batch,
                  "crops per domain and iteration (default 2, on a GPU 4)")
      ->check(CLI::Range(1, 256))
      ->group(rare);
  verb.add_option("--upsampling", options.upsampling,
                  "how the networks double a side. nearest leaves no checkerboard")
      ->check(CLI::IsMember({"transposed", "nearest"}))
      ->group(rare);
  verb.add_option("--scales", training.shape.scales,
                  "discriminators per domain, each sees the picture at half the size of the one "
                  "before (default 1; 3 in the released street models)")
      ->check(CLI::Range(1, 3))
      ->group(rare);
  verb.add_option("--iterations", training.iterations,
                  "ends after so many iterations instead of --minutes. The same seed then gives "
                  "the same model")
      ->check(CLI::PositiveNumber)
      ->group(rare);
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
      "Files that an earlier call made from the same input, model and options are skipped; "
      "--overwrite makes them again.\n"
      "\n"
      "With --train: trains a UNIT on two folders of unpaired pictures. MODEL.png shows "
      "translations of pictures that it does not train on, updated every minute. The same command "
      "resumes an interrupted training.",
      "reprise translate --model translator.safetensors --to map aerial.png --out maps/\n"
      "reprise translate --train summer/ winter/ --minutes 60 --model winter.safetensors\n"
      "reprise translate --model translator.safetensors --to night holiday/ drive.mp4 "
      "--out night/");
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
  add_training_options(*verb, *options);
  verb->add_option("--to", options->to, "target domain: A, B, or its name in the model")
      ->capture_default_str();
  add_output(*verb, "--out", options->out,
             "folder to write. Pictures become NAME.png, videos NAME.mp4 or NAME.avi");
  verb->add_option(
          "--shorter", options->shorter,
          "length of the shorter side to resize inputs to, pixels (0: no resizing). For "
          "models that fail on objects larger than those of their training; results stay small")
      ->group(rarely_used())
      ->check(CLI::Range(0, 16384))
      ->capture_default_str();
  verb->add_option(
          "--tile", options->tile,
          "side of a tile, pixels. An eighth of it overlaps. Smaller tiles need less memory")
      ->group(rarely_used())
      ->check(CLI::Range(64, 8192))
      ->capture_default_str();
  verb->add_option("--sample", options->sampled,
                   "draws N random codes (at most 16) and writes what they are in both domains to "
                   "samples.png. --seed draws others")
      ->group(rarely_used())
      ->check(CLI::Range(1, 16));
  add_device(*verb, options->device);
  verb->callback([options, &call] { run(call, *options); });
}

}  // namespace reprise::reproduce
