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

constexpr std::int64_t halvings = 2;  // of the picture's side, in the network
constexpr std::int64_t large = 128;   // pixels; from here on a second thread saves time
constexpr std::int64_t shown = 8;     // crops per domain in a preview

fs::path with_suffix(const fs::path& model, const char* ending) { return model.string() + ending; }

fs::path checkpoint_file(const TranslatorTraining& request) {
  return with_suffix(request.model, ".checkpoint");
}

fs::path state_file(const TranslatorTraining& request) {
  return with_suffix(request.model, ".training.json");
}

fs::path preview_file(const TranslatorTraining& request) {
  return with_suffix(request.model, ".png");
}

/// Settings of a training and what is done of it: the content of MODEL.training.json.
struct TrainingState {
  json settings;       ///< of default_shape() and the request
  double trained = 0;  ///< time of training when the model was last finished, seconds; 0: never
  bool resumed = false;

  std::int64_t number(const char* name) const { return settings.at(name).get<std::int64_t>(); }
};

/// Returns the settings that the request names, and null for those that it leaves open.
json requested_settings(const TranslatorTraining& request) {
  const auto& shape = request.shape;
  const auto or_null = [](const std::optional<std::int64_t>& value) {
    return value ? json(*value) : json();
  };
  return {
      {"a", fs::canonical(request.a).string()},
      {"b", fs::canonical(request.b).string()},
      {"side", or_null(shape.side)},
      {"width", or_null(shape.width)},
      {"batch", or_null(shape.batch)},
      {"seed", or_null(shape.seed)},
      {"upsampling", shape.upsampling ? json(models::upsampling_name(*shape.upsampling)) : json()},
      {"scales", or_null(shape.scales)},
      {"iterations", request.iterations}};
}

/// Settings of a new training that the request leaves open.
json default_settings(at::Device device) {
  const auto shape = default_shape(device);
  return {{"side", *shape.side},
          {"width", *shape.width},
          {"batch", *shape.batch},
          {"seed", 0},
          {"upsampling", models::upsampling_name(*shape.upsampling)},
          {"scales", 1}};
}

std::string advise_new_start(const TranslatorTraining& request) {
  return fmt::format("remove {} and {} to start over", state_file(request).string(),
                     checkpoint_file(request).string());
}

/// Reads the state of a training that was begun, and checks that the request continues it.
TrainingState read_state(const TranslatorTraining& request) {
  const auto file = state_file(request);
  const auto requested = requested_settings(request);
  auto stored = parse_json(read_file(file), file.string(), advise_new_start(request));
  TrainingState state{.resumed = true};
  for (const auto& [name, value] : requested.items()) {
    const bool text = name == "a" || name == "b" || name == "upsampling";
    if (!stored.is_object() || !stored.contains(name) ||
        !(text ? stored.at(name).is_string() : stored.at(name).is_number_integer()))
      throw UsageError(
          fmt::format("{}: not the state of a training: {} is missing or has another type",
                      file.string(), name),
          advise_new_start(request));
    if (!value.is_null() && value != stored.at(name))
      throw UsageError(
          fmt::format("the training of {} was begun with {} {}, and {} is given now",
                      request.model.string(), name, json_text(stored.at(name)), json_text(value)),
          "give the same settings, another --model, or " + advise_new_start(request));
    state.settings[name] = stored.at(name);
  }
  if (const auto trained = stored.find("trained_seconds");
      trained != stored.end() && trained->is_number())
    state.trained = trained->get<double>();
  return state;
}

void write_state(const TranslatorTraining& request, const TrainingState& state) {
  auto stored = state.settings;
  stored["trained_seconds"] = state.trained;
  write_file(state_file(request), json_text(stored) + "\n");
}

/// Returns the state of the training that the request begins, resumes or continues.
/// UsageError: the model is finished and no more time is given, or the reverse.
TrainingState find_state(const TranslatorTraining& request, at::Device device) {
  const auto model = request.model.string();
  const bool begun = fs::exists(state_file(request));
  const bool more = request.more_minutes > 0;
  if (fs::exists(request.model) && !more)
    throw UsageError(
        model + " is there already",
        "add --more-minutes N to train it further, or choose another file with --model");
  if (!begun && more)
    throw UsageError(
        fmt::format("{} cannot be trained further: {} is missing", model,
                    state_file(request).string()),
        fmt::format("keep it and {} next to the model; or train anew with --minutes and another "
                    "--model",
                    checkpoint_file(request).string()));
  if (!begun) {
    TrainingState state{.settings = default_settings(device)};
    // By name: items() of a temporary would outlive it.
    const auto requested = requested_settings(request);
    for (const auto& [name, value] : requested.items())
      if (!value.is_null()) state.settings[name] = value;
    return state;
  }
  auto state = read_state(request);
  if (more && state.trained == 0)
    throw UsageError(fmt::format("the training of {} is not finished", model),
                     "resume it with --minutes, without --more-minutes");
  if (!more && state.trained > 0)
    throw UsageError(fmt::format("the training of {} was finished, and the model is gone", model),
                     "add --more-minutes N to train it further, or " + advise_new_start(request));
  if (state.trained > 0 && !fs::exists(checkpoint_file(request)))
    throw UsageError(fmt::format("{} cannot be trained further: {} is missing", model,
                                 checkpoint_file(request).string()),
                     "train anew with --minutes and another --model");
  return state;
}

/// Crops of one folder's pictures, [N, 3, side, side] in [-1, 1].
struct Squares {
  at::Tensor training;
  at::Tensor held_out;  ///< for previews
};

/// Cuts crops out of a folder's pictures. Those for previews are of other pictures, if there are
/// enough.
Squares read_squares(const fs::path& folder, std::int64_t side, const Random& random) {
  const auto files = datasets::list_photos(folder);
  if (files.size() < 2)
    throw UsageError(
        fmt::format("{}: one picture, {}", folder.string(), files.front().path.filename().string()),
        "give a folder of two pictures or more; a good model needs hundreds");
  report_skipped_files(folder, datasets::Media::Pictures, datasets::Depth::AllBelow);
  // Read pictures a quarter larger than the crops, so that crops of one picture differ.
  const auto photos = datasets::read_photos(folder, side + side / 4);
  const auto n = std::ssize(files);
  // Neighbours in a folder are often alike: a random choice is held out.
  auto all = random.split("order").permutation(n);
  // At most an eighth is held out, and nothing of fewer than four pictures.
  const auto held_out = n < 4 ? 0 : std::clamp<std::int64_t>(n / 8, 1, shown);
  std::vector<std::int64_t> preview(all.begin(), all.begin() + held_out);
  all.erase(all.begin(), all.begin() + held_out);
  if (preview.empty()) {
    preview = all;
    say(fmt::format("{}: fewer than 4 pictures, so previews show crops of training pictures\n",
                    folder.string()));
  }
  // 400 MB of float32 values per folder at most, and 2000 crops.
  const auto squares = std::clamp<std::int64_t>(400'000'000 / (3 * side * side * 4), 16, 2000);
  const auto cut = [&](const std::vector<std::int64_t>& pictures, std::int64_t count,
                       const Random& draw) {
    const auto crops = datasets::crop_photos(photos, pictures, count, side, draw);
    return datasets::to_values(crops.images.permute({0, 3, 1, 2})).contiguous();
  };
  return {.training = cut(all, squares, random),
          .held_out = cut(preview, shown, random.split("preview"))};
}

/// Returns the options for photographs of profile small (reproduce/unit/small.toml), where a width
/// of 16 and a learning rate of 1e-3 were tried. The rate falls with the width.
models::UnitOptions make_unit_options(const TrainingState& state) {
  const auto width = state.number("width"), scales = state.number("scales");
  const training::OptimizerOptions adam{.learning_rate = 1e-3 * 16 / static_cast<double>(width)};
  return {.network = {.width = width,
                      .halvings = halvings,
                      .blocks_E = 3,
                      .shared_E = 1,
                      .blocks_G = 3,
                      .shared_G = 1,
                      .norm_in_halves = true,
                      .width_D = width,
                      .layers_D = 4,
                      .shared_D = scales == 1 ? 1 : 0,
                      .kernel_D = 3,
                      .upsampling = models::find_upsampling(
                          state.settings.at("upsampling").get<std::string>()),
                      .scales_D = scales},
          .weights = {.lambda0 = 1},
          .batch = state.number("batch"),
          .start = models::UnitStart::He,
          .equal_start = true,
          .training = {.iterations = state.number("iterations"),
                       .G = adam,
                       .D = adam,
                       .decay_from = 0.5,
                       .ema_decay = 0.99,
                       .window = 20}};
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

/// Throws a UsageError for a request that no training can fulfil.
void check_request(const TranslatorTraining& request) {
  constexpr std::int64_t multiple = 1 << halvings;
  if (const auto side = request.shape.side.value_or(multiple); side % multiple != 0)
    throw UsageError(fmt::format("--side {}: the network halves a side {} times", side, halvings),
                     fmt::format("choose a multiple of {}", multiple));
  if (request.iterations > 0 && request.more_minutes > 0)
    throw UsageError("--iterations and --more-minutes are given",
                     "train a finished model further by the clock: --more-minutes alone");
  check_model_name(request.model);
}

/// Describes in plain words what is wrong with the training, with what to do. Empty if nothing is.
std::string describe_trouble(const training::AdversarialReport& report) {
  constexpr std::int64_t lasting = 100;  // iterations; shorter periods are common at the start
  const auto lasts = [&](std::int64_t since) {
    return since >= 0 && report.iterations - since >= lasting;
  };
  if (lasts(report.collapsed_since))
    return fmt::format(
        "all translations have looked alike since iteration {}: start again with another --seed",
        report.collapsed_since);
  if (lasts(report.won_since))
    return fmt::format(
        "the discriminator has won: since iteration {} it recognises every translation, and the "
        "translations hardly improve. Start again with another --seed, or add pictures",
        report.won_since);
  return "";
}

/// A training with its previews.
class PreviewedTraining {
 public:
  PreviewedTraining(const TranslatorTraining& request, const Squares& a, const Squares& b)
      : request_(request), a_(a), b_(b) {}

  /// Trains with these options and the seed. Returns the network and the report.
  std::pair<models::UnitNetwork, training::AdversarialReport> train(models::UnitOptions options,
                                                                    std::uint64_t seed) {
    options.watch = [this](std::int64_t) { preview_if_due(); };
    options.describe = [this](const training::AdversarialReport& report) {
      return describe(report);
    };
    unit_ = std::make_unique<models::Unit>(options);
    training::Progress progress;
    unit_->fit(a_.training, b_.training, seed, progress);
    preview();
    return {unit_->network(), unit_->report()};
  }

 private:
  /// Rows of the preview: crops of A, their translations, crops of B, their translations.
  void preview() {
    const auto draw = [&](const at::Tensor& x, Domain from) {
      return datasets::draw_pairs(x.cpu(), unit_->translate(x, from).cpu());
    };
    datasets::write_png(preview_file(request_),
                        at::cat({draw(a_.held_out, Domain::A), draw(b_.held_out, Domain::B)}));
    previewed_ = true;
    last_ = Clock::now();
  }

  void preview_if_due() {
    const std::chrono::duration<double> since = Clock::now() - last_;
    if (since.count() >= request_.between_previews) preview();
  }

  std::string describe(const training::AdversarialReport& report) const {
    const auto text = fmt::format("iteration {}; {} {}", report.iterations,
                                  previewed_ ? "look at" : "translations will be shown in",
                                  preview_file(request_).string());
    const auto trouble = describe_trouble(report);
    return trouble.empty() ? text : text + "; " + trouble;
  }

  const TranslatorTraining& request_;
  const Squares &a_, &b_;
  std::unique_ptr<models::Unit> unit_;
  bool previewed_ = false;
  Clock::time_point last_ = Clock::now();
};

/// Describes the training on standard error before it begins.
void report_settings(const TranslatorTraining& request, const TrainingState& state, double seconds,
                     at::Device device) {
  const auto length = seconds > 0 ? fmt::format("{:.3g} minutes", seconds / 60)
                                  : fmt::format("{} iterations", state.number("iterations"));
  say(fmt::format(
      "{}: {} of {} on {}: --side {}, --width {}, --batch {}, --seed {}, --upsampling {}, --scales "
      "{}\n",
      request.model.string(), state.resumed ? "resuming a training" : "a training", length,
      device.str(), state.number("side"), state.number("width"), state.number("batch"),
      state.number("seed"), state.settings.at("upsampling").get<std::string>(),
      state.number("scales")));
}

/// Ends a training that the clock ended: its state stays for --more-minutes. A training of so many
/// iterations is complete, and its state goes.
void keep_or_remove_state(const TranslatorTraining& request, TrainingState state,
                          const training::AdversarialReport& report) {
  if (request.iterations > 0) {
    fs::remove(checkpoint_file(request));
    fs::remove(state_file(request));
    return;
  }
  if (const auto elapsed = report.seconds.find("elapsed"); elapsed != report.seconds.end())
    state.trained = elapsed->second;
  write_state(request, state);
  const auto megabytes = static_cast<double>(fs::file_size(checkpoint_file(request))) / 1e6;
  say(fmt::format(
      "--more-minutes N trains {} further; for that {} ({:.0f} MB) and {} stay next to it\n",
      request.model.string(), checkpoint_file(request).string(), megabytes,
      state_file(request).string()));
}

}  // namespace

TranslatorShape default_shape(at::Device device) {
  // Two cores train the small network in minutes. A GPU is hardly busy with it.
  const bool gpu = device.is_cuda();
  return {.side = gpu ? 128 : 64,
          .width = gpu ? 64 : 16,
          .batch = gpu ? 4 : 2,
          .seed = 0,
          .upsampling = models::Upsampling::Transposed,
          .scales = 1};
}

models::TrainedUnit train_translator(const TranslatorTraining& request, at::Device device) {
  check_request(request);
  const auto [name_a, name_b] = domain_names(request.a, request.b);
  if (request.model.has_parent_path()) fs::create_directories(request.model.parent_path());
  // Without the lock, two trainings of one model would overwrite each other's checkpoint.
  const FileLock lock(with_suffix(fs::weakly_canonical(request.model), ".lock"),
                      {.name = request.model.string(),
                       .holder = "another training",
                       .fix = "wait for it to end, or choose another file with --model"});
  const auto state = find_state(request, device);
  // The training reads and rewrites its own state. The preview is an output that it rewrites.
  note_own(checkpoint_file(request));
  note_own(state_file(request));
  if (state.trained > 0) note_own(request.model);
  note_rewritten(preview_file(request));
  expect_output(preview_file(request));
  const auto side = state.number("side");
  if (side < large) at::set_num_threads(1);
  const Random random(seed_of({"translate --train", std::to_string(state.number("seed"))}));
  const auto read = [&](const fs::path& folder, const char* name) {
    auto squares = read_squares(folder, side, random.split(name));
    squares.training = squares.training.to(device);
    return squares;
  };
  const auto a = read(request.a, "a"), b = read(request.b, "b");
  auto options = make_unit_options(state);
  if (request.iterations == 0)
    options.training.seconds =
        request.more_minutes > 0 ? state.trained + request.more_minutes * 60 : request.minutes * 60;
  options.training.checkpoint = checkpoint_file(request);
  report_settings(request, state, options.training.seconds, device);
  if (!state.resumed) write_state(request, state);
  const auto [network, report] =
      PreviewedTraining(request, a, b)
          .train(options,
                 seed_of({"translate --train", "weights", std::to_string(state.number("seed"))}));
  models::TrainedUnit trained{
      .metadata = {.data = "folders",
                   .source = fmt::format("translate --train, {} iterations", report.iterations),
                   .a = name_a,
                   .b = name_b,
                   .side = side},
      .G = network};
  models::save_unit(trained, request.model);
  keep_or_remove_state(request, state, report);
  return trained;
}

}  // namespace reprise::reproduce
