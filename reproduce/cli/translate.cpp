#include <fmt/format.h>
#include <torch/torch.h>

#include <memory>

#include "core/error.h"
#include "core/say.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/readers/photos.h"
#include "models/translation/trained_unit.h"
#include "reproduce/cli/cli.h"
#include "reproduce/cli/translator_training.h"
#include "reproduce/run/device.h"

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

/// A file that is read and the one that is written for it.
struct Work {
  fs::path from, to;
};

fs::path with_ending(const fs::path& name, const std::string& ending) { return fs::path(name).replace_extension(ending); }

/// Videos keep .avi and .mp4; what cannot be written becomes .mp4. Pictures become .png.
std::vector<Work> work_of(const TranslateOptions& options) {
  std::vector<Work> all;
  const auto add = [&](const fs::path& from, const fs::path& name) {
    const auto ending = name.extension() == ".avi" ? ".avi" : ".mp4";
    all.push_back({from, options.out / with_ending(name, datasets::is_video(from) ? ending : ".png")});
  };
  for (const auto& input : options.inputs) {
    if (!fs::exists(input)) throw UsageError(input.string() + ": no such file or folder", "name images, videos or folders that exist");
    if (fs::is_directory(input)) {
      for (const auto& photo : datasets::photo_files(input)) add(photo.path, photo.path.lexically_relative(input));
      say_passed_over(input);
    } else {
      add(input, input.filename());
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].to == all[j].to)
        throw UsageError(
            fmt::format("{} and {} would both be written to {}", all[j].from.string(), all[i].from.string(), all[i].to.string()),
            "translate them into two folders");
  for (const auto& work : all)
    if (fs::exists(work.to) && fs::equivalent(work.to, work.from))
      throw UsageError(work.from.string() + " would be written over", "name another folder with --out");
  return all;
}

class Translation {
 public:
  explicit Translation(const TranslateOptions& options)
      : options_(options),
        device_(chosen_device(options.device)),
        trained_(models::load_unit(options.model, device_)),
        from_(training::other(models::domain_of(trained_, options.to))) {
    const auto& o = trained_.G->options();
    if (o.one_way && from_ == training::Domain::B)
      throw UsageError(options.model.string() + " translates one way alone, to " + trained_.facts.b, "leave --to out");
    channels_ = from_ == training::Domain::A ? o.channels_1 : o.channels_2;
  }

  /// frame: uint8 [H, W, 3].
  at::Tensor of(at::Tensor frame) {
    if (options_.shorter > 0) frame = datasets::with_shorter_side(frame.contiguous(), options_.shorter);
    auto x = datasets::values_of(frame.permute({2, 0, 1})).to(device_);
    if (channels_ == 1) x = x.mean(0, /*keepdim=*/true);
    const auto y = models::translated(trained_.G, x, from_, {.side = options_.tile, .overlap = options_.tile / 8});
    return datasets::pixels_of(y.expand({3, -1, -1})).permute({1, 2, 0}).cpu().contiguous();
  }
  const models::TrainedUnit& trained() const { return trained_; }

 private:
  const TranslateOptions& options_;
  at::Device device_;
  models::TrainedUnit trained_;
  training::Domain from_;
  std::int64_t channels_ = 3;
};

/// The number of frames.
std::int64_t translate_video(Translation& translation, const Work& work) {
  datasets::VideoReader reader(work.from);
  const auto facts = reader.facts();
  datasets::VideoWriter writer(work.to, facts.rate);
  std::int64_t frames = 0;
  while (reader.next()) {
    writer.write(translation.of(reader.frame()));
    if (++frames % 100 == 0) say(fmt::format("{}: {} of {} frames\n", work.from.filename().string(), frames, facts.frames));
  }
  writer.close();
  return frames;
}

void translate(const Call& call, const TranslateOptions& options) {
  const auto all = work_of(options);
  Translation translation(options);
  const auto& facts = translation.trained().facts;
  json written = json::array();
  std::int64_t done_before = 0;
  for (const auto& work : all) {
    fs::create_directories(work.to.parent_path());
    json entry{{"from", work.from.string()}, {"file", work.to.string()}};
    if (datasets::is_video(work.from))
      entry["frames"] = translate_video(translation, work);
    else
      datasets::write_png(work.to, translation.of(datasets::read_image(work.from, datasets::Orientation::AsShown)));
    written.push_back(entry);
    if (++done_before % 50 == 0) say(fmt::format("{} of {} files\n", done_before, all.size()));
  }
  const bool to_b = models::domain_of(translation.trained(), options.to) == training::Domain::B;
  call.answer({{"written", written}, {"from", to_b ? facts.a : facts.b}, {"to", to_b ? facts.b : facts.a}, {"model", facts.source}},
              fmt::format("{}: {} file{} from \"{}\" to \"{}\", by {}\n", options.out.string(), written.size(),
                          written.size() == 1 ? "" : "s", to_b ? facts.a : facts.b, to_b ? facts.b : facts.a, facts.source));
}

void train(const Call& call, const TranslateOptions& options) {
  const auto trained = train_translator(
      {.a = options.train.front(), .b = options.train.back(), .model = options.model, .minutes = options.minutes, .side = options.side},
      chosen_device(options.device));
  call.answer({{"model", options.model.string()}, {"a", trained.facts.a}, {"b", trained.facts.b}, {"trained", trained.facts.source}},
              fmt::format("{}: translates between \"{}\" and \"{}\" ({})\n", options.model.string(), trained.facts.a, trained.facts.b,
                          trained.facts.source));
}

void run(const Call& call, const TranslateOptions& options) {
  if (!options.train.empty() && !options.inputs.empty())
    throw UsageError("--train learns and translates nothing, and " + options.inputs.front().string() + " is to be translated",
                     "train first, then translate with the model");
  if (options.train.empty() && (options.inputs.empty() || options.out.empty()))
    throw UsageError("there is nothing to translate, or no folder for it",
                     "name images, videos or folders, and a folder with --out; --train A B learns from two folders");
  if (options.train.empty())
    translate(call, options);
  else
    train(call, options);
}

}  // namespace

void add_translate(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, call, "translate",
      "Images, folders of images and videos of one domain as ones of the other, by a trained UNIT (study unit). Pictures may have "
      "any size: large ones are translated in overlapping tiles. A photograph's orientation is honoured, a video keeps its order "
      "and its rate. With --train one learns from your own two folders, unpaired: progress is shown, MODEL.png shows every minute what "
      "comes of it, and the same command goes on after an interruption.",
      "reprise translate --model translator.safetensors --to map aerial.png --out maps/\n"
      "  reprise translate --model translator.safetensors --to night holiday/ drive.mp4 --shorter 128 --out night/\n"
      "  reprise translate --train summer/ winter/ --minutes 60 --model winter.safetensors");
  const auto options = std::make_shared<TranslateOptions>();
  verb->add_option("INPUT", options->inputs, "images, videos, or folders of images");
  verb->add_option("--model", options->model,
                   "translator.safetensors of a finished cell map/SET/unit or photos/SET/unit; the file that --train makes")
      ->required();
  verb->add_option("--train", options->train, "two folders of pictures of any size: A and B")->expected(2);
  verb->add_option("--minutes", options->minutes, "of --train: how long it learns")->check(CLI::PositiveNumber)->capture_default_str();
  verb->add_option("--side", options->side, "of --train: pixels a side of the squares that it learns from")
      ->check(CLI::Range(16, 1024))
      ->capture_default_str();
  verb->add_option("--to", options->to, "the domain to translate into: A, B, or what the model calls it")->capture_default_str();
  verb->add_option("--out", options->out, "folder for what is made: NAME.png of an image, NAME.mp4 or .avi of a video");
  verb->add_option(
          "--shorter", options->shorter,
          "bring the shorter side to so many pixels first: a model knows things at the size that they had in training; 0: leave it")
      ->check(CLI::Range(0, 16384))
      ->capture_default_str();
  verb->add_option("--tile", options->tile, "pixels of a tile's side, an eighth of which overlaps")
      ->check(CLI::Range(64, 8192))
      ->capture_default_str();
  verb->add_option("--device", options->device, "auto, cpu or cuda")->capture_default_str();
  verb->callback([options, &call] { run(call, *options); });
}

}  // namespace reprise::reproduce
