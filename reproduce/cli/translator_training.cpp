#include "reproduce/cli/translator_training.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/random.h"
#include "core/say.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "datasets/readers/photos.h"
#include "models/translation/unit.h"
#include "training/progress.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using training::Domain;

constexpr std::int64_t squares = 2000, halvings = 2;  // of each folder; of the network
constexpr std::int64_t large = 128;                   // a side from which a pass gains by a second thread

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

fs::path beside(const fs::path& model, const char* ending) { return model.string() + ending; }

/// Squares of a folder's pictures, from -1 to 1: [N, 3, side, side].
at::Tensor squares_of(const fs::path& folder, std::int64_t side, const Random& random) {
  const auto files = datasets::photo_files(folder);
  if (files.size() < 2)
    throw UsageError(fmt::format("{}: one picture, {}", folder.string(), files.front().path.filename().string()),
                     "a domain is learned from many: give a folder of two pictures or more, better of hundreds");
  say_passed_over(folder);
  // A quarter more than a square, so that squares differ in what they show.
  const auto photos = datasets::read_photos(folder, side + side / 4);
  std::vector<std::int64_t> all(files.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const auto crops = datasets::photo_crops(photos, all, squares, side, random);
  return datasets::values_of(crops.images.permute({0, 3, 1, 2})).contiguous();
}

/// Those of the desk's photographs (reproduce/unit/desk.toml), which two cores train in minutes.
models::UnitOptions options_of(std::int64_t iterations, const fs::path& checkpoint) {
  const training::OptimizerOptions adam{.learning_rate = 1e-3};
  return {.network = {.width = 16,
                      .halvings = halvings,
                      .blocks_E = 3,
                      .shared_E = 1,
                      .blocks_G = 3,
                      .shared_G = 1,
                      .norm_in_halves = true,
                      .width_D = 16,
                      .layers_D = 4,
                      .shared_D = 1,
                      .kernel_D = 3},
          .weights = {.lambda0 = 1},
          .batch = 2,
          .start = models::UnitStart::He,
          .equal_start = true,
          .training = {.iterations = iterations, .G = adam, .D = adam, .decay_from = 0.5, .ema_decay = 0.99, .checkpoint = checkpoint}};
}

/// How many iterations fill the time, by a few of them.
std::int64_t iterations_in(double minutes, const at::Tensor& a, const at::Tensor& b) {
  constexpr std::int64_t warm_up = 2, timed = 8;
  training::Progress silent(nullptr);
  Clock::time_point start;
  auto options = options_of(warm_up + timed, {});
  options.watch = [&](std::int64_t step) {
    if (step == warm_up) start = Clock::now();
  };
  models::Unit(options).fit(a, b, 0, silent);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(minutes * 60 / (seconds_since(start) / timed)));
}

/// What an earlier call began, or begins it now: the number of iterations.
std::int64_t iterations_of(const TranslatorTraining& asked, const at::Tensor& a, const at::Tensor& b) {
  const auto file = beside(asked.model, ".training.json");
  json begun{{"a", fs::canonical(asked.a).string()}, {"b", fs::canonical(asked.b).string()}, {"side", asked.side}};
  if (fs::exists(file)) {
    const std::string fix = "remove " + file.string() + " and " + beside(asked.model, ".checkpoint").string() + " to begin anew";
    auto before = parse_json(read_file(file), file.string(), fix);
    if (!before.is_object() || !before.contains("iterations") || !before.at("iterations").is_number_integer())
      throw UsageError(file.string() + ": no training that was begun", fix);
    const auto iterations = before.at("iterations").get<std::int64_t>();
    before.erase("iterations");
    if (before != begun || iterations < 1)
      throw UsageError(fmt::format("{} was begun otherwise: {}", asked.model.string(), before.dump()),
                       "give the same folders and --side, another --model, or " + fix);
    say(fmt::format("{}: a training of {} iterations goes on\n", asked.model.string(), iterations));
    return iterations;
  }
  const auto iterations = iterations_in(asked.minutes, a, b);
  begun["iterations"] = iterations;
  write_file(file, begun.dump() + "\n");
  say(fmt::format("{:.3g} minutes are about {} iterations here; {} shows how far it is\n", asked.minutes, iterations,
                  beside(asked.model, ".png").string()));
  return iterations;
}

}  // namespace

models::TrainedUnit train_translator(const TranslatorTraining& asked, at::Device device) {
  constexpr std::int64_t multiple = 1 << halvings;
  if (asked.side % multiple != 0)
    throw UsageError(fmt::format("--side {}: the network halves a side {} times", asked.side, halvings),
                     fmt::format("choose a multiple of {}", multiple));
  if (fs::exists(asked.model))
    throw UsageError(asked.model.string() + " is there already", "choose another file with --model, or remove it");
  if (asked.model.has_parent_path()) fs::create_directories(asked.model.parent_path());
  if (asked.side < large) at::set_num_threads(1);
  const Random random(seed_of({"translate --train"}));
  const auto a = squares_of(asked.a, asked.side, random.split("a")).to(device),
             b = squares_of(asked.b, asked.side, random.split("b")).to(device);
  const auto checkpoint = beside(asked.model, ".checkpoint");
  auto options = options_of(iterations_of(asked, a, b), checkpoint);
  models::Unit* learning = nullptr;
  // Both ways below one another: squares of A, what they become, squares of B, what they become.
  const auto preview = [&] {
    constexpr std::int64_t shown = 8;
    const auto of = [&](const at::Tensor& x, Domain from) {
      const auto few = x.slice(0, 0, shown);
      return datasets::pairs(few.cpu(), learning->translate(few, from).cpu());
    };
    datasets::write_png(beside(asked.model, ".png"), at::cat({of(a, Domain::A), of(b, Domain::B)}));
  };
  auto last = Clock::now();
  options.watch = [&](std::int64_t) {
    if (seconds_since(last) < asked.between_previews) return;
    preview();
    last = Clock::now();
  };
  models::Unit unit(options);
  learning = &unit;
  training::Progress progress;
  unit.fit(a, b, seed_of({"translate --train", "weights"}), progress);
  preview();
  models::TrainedUnit trained{.facts = {.data = "folders",
                                        .source = fmt::format("translate --train, {} iterations", options.training.iterations),
                                        .a = fs::canonical(asked.a).filename().string(),
                                        .b = fs::canonical(asked.b).filename().string(),
                                        .side = asked.side},
                              .G = unit.network()};
  models::save_unit(trained, asked.model);
  fs::remove(checkpoint);
  fs::remove(beside(asked.model, ".training.json"));
  return trained;
}

void say_passed_over(const fs::path& folder) {
  const auto others = datasets::other_files(folder);
  if (others.empty()) return;
  say(fmt::format("{}: {} {} no .jpg, .jpeg or .png and {} passed over ({})\n", folder.string(), others.size(),
                  others.size() == 1 ? "file is" : "files are", others.size() == 1 ? "is" : "are", others.front().filename().string()));
}

}  // namespace reprise::reproduce
