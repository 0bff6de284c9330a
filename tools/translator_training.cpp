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

constexpr std::int64_t squares = 2000;  // training crops per folder
constexpr std::int64_t halvings = 2;    // of the picture's side, in the network
constexpr std::int64_t large = 128;     // pixels; from here on a second thread saves time

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

fs::path with_suffix(const fs::path& model, const char* ending) { return model.string() + ending; }

/// Reads square crops of a folder's pictures: [N, 3, side, side] in [-1, 1].
at::Tensor read_squares(const fs::path& folder, std::int64_t side, const Random& random) {
  const auto files = datasets::list_photos(folder);
  if (files.size() < 2)
    throw UsageError(
        fmt::format("{}: one picture, {}", folder.string(), files.front().path.filename().string()),
        "give a folder of two pictures or more; a good model needs hundreds");
  report_skipped_files(folder, datasets::Media::Pictures, datasets::Depth::AllBelow);
  // Read pictures a quarter larger than the crops, so that crops of one picture differ.
  const auto photos = datasets::read_photos(folder, side + side / 4);
  std::vector<std::int64_t> all(files.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const auto crops = datasets::crop_photos(photos, all, squares, side, random);
  return datasets::to_values(crops.images.permute({0, 3, 1, 2})).contiguous();
}

/// Returns the options for photographs of profile small (reproduce/unit/small.toml). Two cores
/// train such a network in minutes.
models::UnitOptions make_unit_options(std::int64_t iterations, const fs::path& checkpoint) {
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

/// Estimates from 8 timed iterations how many fit into the time.
std::int64_t estimate_iterations(double minutes, const at::Tensor& a, const at::Tensor& b) {
  constexpr std::int64_t warm_up = 2, timed = 8;
  training::Progress silent(nullptr);
  Clock::time_point start;
  auto options = make_unit_options(warm_up + timed, {});
  options.watch = [&](std::int64_t step) {
    if (step == warm_up) start = Clock::now();
  };
  models::Unit(options).fit(a, b, 0, silent);
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(minutes * 60 / (seconds_since(start) / timed)));
}

/// Returns the number of iterations: stored by an interrupted training, or estimated and stored
/// now.
std::int64_t resume_or_begin(const TranslatorTraining& request, const at::Tensor& a,
                             const at::Tensor& b) {
  const auto file = with_suffix(request.model, ".training.json");
  json begun{{"a", fs::canonical(request.a).string()},
             {"b", fs::canonical(request.b).string()},
             {"side", request.side}};
  if (fs::exists(file)) {
    const std::string fix = "remove " + file.string() + " and " +
                            with_suffix(request.model, ".checkpoint").string() + " to start over";
    auto before = parse_json(read_file(file), file.string(), fix);
    if (!before.is_object() || !before.contains("iterations") ||
        !before.at("iterations").is_number_integer())
      throw UsageError(file.string() + ": not the state of a training", fix);
    const auto iterations = before.at("iterations").get<std::int64_t>();
    before.erase("iterations");
    if (before != begun || iterations < 1)
      throw UsageError(fmt::format("the interrupted training of {} has other options: {}",
                                   request.model.string(), json_text(before)),
                       "give the same folders and --side, another --model, or " + fix);
    say(fmt::format("{}: resuming a training of {} iterations\n", request.model.string(),
                    iterations));
    return iterations;
  }
  const auto iterations = estimate_iterations(request.minutes, a, b);
  begun["iterations"] = iterations;
  write_file(file, json_text(begun) + "\n");
  say(fmt::format("{:.3g} minutes are about {} iterations on this machine; {} shows progress\n",
                  request.minutes, iterations, with_suffix(request.model, ".png").string()));
  return iterations;
}

/// Throws a UsageError if the name ends like another format.
void check_model_name(const fs::path& model) {
  const auto ending = model.extension();
  if (!ending.empty() && ending != ".safetensors")
    throw UsageError(
        fmt::format("--model {}: models are safetensors files, and this name ends in {}",
                    model.string(), ending.string()),
        "end it in .safetensors; `reprise weights convert` converts it to .pth");
}

/// Names the domains like the folders, preceded by parent folders if both have the same name.
/// Throws a UsageError if both are the same folder.
std::array<std::string, 2> domain_names(const fs::path& a, const fs::path& b) {
  const auto of_a = fs::canonical(a), of_b = fs::canonical(b);
  if (of_a == of_b)
    throw UsageError(fmt::format("{} is given for both domains", of_a.string()),
                     "give two different folders: --train A B");
  std::string name_a = of_a.filename().string(), name_b = of_b.filename().string();
  auto above_a = of_a.parent_path(), above_b = of_b.parent_path();
  for (; name_a == name_b; above_a = above_a.parent_path(), above_b = above_b.parent_path()) {
    name_a = (above_a.filename() / name_a).string();
    name_b = (above_b.filename() / name_b).string();
  }
  // --to also takes A and B: a first folder named B would be mistaken for the second domain.
  if (name_a == "B" || name_b == "A")
    throw UsageError(
        fmt::format(
            "the first folder is named {} and the second {}, but A is the first domain, B the "
            "second",
            name_a, name_b),
        "give them in the other order, or rename them");
  return {name_a, name_b};
}

}  // namespace

models::TrainedUnit train_translator(const TranslatorTraining& request, at::Device device) {
  constexpr std::int64_t multiple = 1 << halvings;
  if (request.side % multiple != 0)
    throw UsageError(
        fmt::format("--side {}: the network halves a side {} times", request.side, halvings),
        fmt::format("choose a multiple of {}", multiple));
  check_model_name(request.model);
  const auto [name_a, name_b] = domain_names(request.a, request.b);
  if (request.model.has_parent_path()) fs::create_directories(request.model.parent_path());
  // Without the lock, two trainings of one model would overwrite each other's checkpoint.
  const FileLock lock(with_suffix(fs::weakly_canonical(request.model), ".lock"),
                      {.name = request.model.string(),
                       .holder = "another training",
                       .fix = "wait for it to end, or choose another file with --model"});
  if (fs::exists(request.model))
    throw UsageError(request.model.string() + " is there already",
                     "choose another file with --model, or remove it");
  // The training reads and rewrites its own state. The preview is an output that it rewrites.
  note_own(with_suffix(request.model, ".checkpoint"));
  note_own(with_suffix(request.model, ".training.json"));
  note_rewritten(with_suffix(request.model, ".png"));
  expect_output(with_suffix(request.model, ".png"));
  if (request.side < large) at::set_num_threads(1);
  const Random random(seed_of({"translate --train"}));
  const auto a = read_squares(request.a, request.side, random.split("a")).to(device),
             b = read_squares(request.b, request.side, random.split("b")).to(device);
  const auto checkpoint = with_suffix(request.model, ".checkpoint");
  auto options = make_unit_options(resume_or_begin(request, a, b), checkpoint);
  models::Unit* learning = nullptr;
  // Rows of the preview: crops of A, their translations, crops of B, their translations.
  const auto preview = [&] {
    constexpr std::int64_t shown = 8;
    const auto of = [&](const at::Tensor& x, Domain from) {
      const auto few = x.slice(0, 0, shown);
      return datasets::draw_pairs(few.cpu(), learning->translate(few, from).cpu());
    };
    datasets::write_png(with_suffix(request.model, ".png"),
                        at::cat({of(a, Domain::A), of(b, Domain::B)}));
  };
  auto last = Clock::now();
  options.watch = [&](std::int64_t) {
    if (seconds_since(last) < request.between_previews) return;
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
                                           .side = request.side},
                              .G = unit.network()};
  models::save_unit(trained, request.model);
  fs::remove(checkpoint);
  fs::remove(with_suffix(request.model, ".training.json"));
  return trained;
}

}  // namespace reprise::reproduce
