#include "tools/translator_training.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file_lock.h"
#include "core/files.h"
#include "core/json.h"
#include "core/outputs.h"
#include "core/random.h"
#include "core/say.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "datasets/readers/photos.h"
#include "models/translation/unit.h"
#include "tools/media_inputs.h"
#include "training/progress.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using training::Domain;

constexpr std::int64_t squares = 2000, halvings = 2;  // of each folder; of the network
constexpr std::int64_t large = 128;  // a side from which a pass gains by a second thread

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

fs::path beside(const fs::path& model, const char* ending) { return model.string() + ending; }

/// Squares of a folder's pictures, from -1 to 1: [N, 3, side, side].
at::Tensor squares_of(const fs::path& folder, std::int64_t side, const Random& random) {
  const auto files = datasets::list_photos(folder);
  if (files.size() < 2)
    throw UsageError(
        fmt::format("{}: one picture, {}", folder.string(), files.front().path.filename().string()),
        "a domain is learned from many: give a folder of two pictures or more, better of hundreds");
  say_skipped(folder, datasets::Media::Pictures, datasets::Depth::AllBelow);
  // A quarter more than a square, so that squares differ in what they show.
  const auto photos = datasets::read_photos(folder, side + side / 4);
  std::vector<std::int64_t> all(files.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const auto crops = datasets::crop_photos(photos, all, squares, side, random);
  return datasets::to_values(crops.images.permute({0, 3, 1, 2})).contiguous();
}

/// Those of the profile small's photographs (reproduce/unit/small.toml), which two cores train in
/// minutes.
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
          .training = {.iterations = iterations,
                       .G = adam,
                       .D = adam,
                       .decay_from = 0.5,
                       .ema_decay = 0.99,
                       .checkpoint = checkpoint}};
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
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(minutes * 60 / (seconds_since(start) / timed)));
}

/// What an earlier call began, or begins it now: the number of iterations.
std::int64_t iterations_of(const TranslatorTraining& asked, const at::Tensor& a,
                           const at::Tensor& b) {
  const auto file = beside(asked.model, ".training.json");
  json begun{{"a", fs::canonical(asked.a).string()},
             {"b", fs::canonical(asked.b).string()},
             {"side", asked.side}};
  if (fs::exists(file)) {
    const std::string fix = "remove " + file.string() + " and " +
                            beside(asked.model, ".checkpoint").string() + " to begin anew";
    auto before = parse_json(read_file(file), file.string(), fix);
    if (!before.is_object() || !before.contains("iterations") ||
        !before.at("iterations").is_number_integer())
      throw UsageError(file.string() + ": no training that was begun", fix);
    const auto iterations = before.at("iterations").get<std::int64_t>();
    before.erase("iterations");
    if (before != begun || iterations < 1)
      throw UsageError(
          fmt::format("{} was begun otherwise: {}", asked.model.string(), json_text(before)),
          "give the same folders and --side, another --model, or " + fix);
    say(fmt::format("{}: a training of {} iterations goes on\n", asked.model.string(), iterations));
    return iterations;
  }
  const auto iterations = iterations_in(asked.minutes, a, b);
  begun["iterations"] = iterations;
  write_file(file, json_text(begun) + "\n");
  say(fmt::format("{:.3g} minutes are about {} iterations here; {} shows how far it is\n",
                  asked.minutes, iterations, beside(asked.model, ".png").string()));
  return iterations;
}

/// UsageError: the ending promises another format than the one that is written.
void check_model_name(const fs::path& model) {
  const auto ending = model.extension();
  if (!ending.empty() && ending != ".safetensors")
    throw UsageError(
        fmt::format("--model {}: a model is written as safetensors, and this name ends in {}",
                    model.string(), ending.string()),
        "end it in .safetensors; `reprise weights convert` makes a .pth of it");
}

/// Names of the two domains: those of the folders, with the folders that they are in where both
/// have one name. UsageError: one folder is given for both.
std::array<std::string, 2> domain_names(const fs::path& a, const fs::path& b) {
  const auto of_a = fs::canonical(a), of_b = fs::canonical(b);
  if (of_a == of_b)
    throw UsageError(fmt::format("{} is given for both domains", of_a.string()),
                     "give two folders: --train A B learns from one to the other");
  std::string name_a = of_a.filename().string(), name_b = of_b.filename().string();
  auto above_a = of_a.parent_path(), above_b = of_b.parent_path();
  for (; name_a == name_b; above_a = above_a.parent_path(), above_b = above_b.parent_path()) {
    name_a = (above_a.filename() / name_a).string();
    name_b = (above_b.filename() / name_b).string();
  }
  // A and B are the domains' other names: a folder B that is given first would be called as the
  // second is.
  if (name_a == "B" || name_b == "A")
    throw UsageError(
        fmt::format(
            "the first folder is called {} and the second {}, and A is the first domain, B the second",
            name_a, name_b),
        "give them in the other order, or rename them");
  return {name_a, name_b};
}

}  // namespace

models::TrainedUnit train_translator(const TranslatorTraining& asked, at::Device device) {
  constexpr std::int64_t multiple = 1 << halvings;
  if (asked.side % multiple != 0)
    throw UsageError(
        fmt::format("--side {}: the network halves a side {} times", asked.side, halvings),
        fmt::format("choose a multiple of {}", multiple));
  check_model_name(asked.model);
  const auto [name_a, name_b] = domain_names(asked.a, asked.b);
  if (asked.model.has_parent_path()) fs::create_directories(asked.model.parent_path());
  // Two trainings of one model would write one checkpoint in turn, each over the other's.
  const FileLock lock(beside(fs::weakly_canonical(asked.model), ".lock"),
                      {.name = asked.model.string(),
                       .holder = "another training",
                       .fix = "wait for it to end, or choose another file with --model"});
  if (fs::exists(asked.model))
    throw UsageError(asked.model.string() + " is there already",
                     "choose another file with --model, or remove it");
  // The training reads and rewrites its own state. The preview is an output, which is written again
  // and again.
  note_own(beside(asked.model, ".checkpoint"));
  note_own(beside(asked.model, ".training.json"));
  note_rewritten(beside(asked.model, ".png"));
  expect_output(beside(asked.model, ".png"));
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
      return datasets::draw_pairs(few.cpu(), learning->translate(few, from).cpu());
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
  models::TrainedUnit trained{.metadata = {.data = "folders",
                                           .source = fmt::format("translate --train, {} iterations",
                                                                 options.training.iterations),
                                           .a = name_a,
                                           .b = name_b,
                                           .side = asked.side},
                              .G = unit.network()};
  models::save_unit(trained, asked.model);
  fs::remove(checkpoint);
  fs::remove(beside(asked.model, ".training.json"));
  return trained;
}

}  // namespace reprise::reproduce
