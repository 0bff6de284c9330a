#include "baselines/degenerate_clips.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <utility>

#include "baselines/example_generators.h"
#include "core/error.h"
#include "core/random.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

using training::Examples;
using training::Progress;
using training::SampleRequest;

/// Examples as samples; refuses pictures.
class ExampleClips : public TrainingItems {
 public:
  void fit(const Examples& examples, std::uint64_t seed, Progress& progress) override {
    require_examples(examples);
    if (examples.x.dim() != 5)
      throw UsageError(fmt::format("the examples are pictures, {}", c10::str(examples.x.sizes())),
                       "give clips, [N, T, C, H, W]");
    TrainingItems::fit(examples, seed, progress);
  }
};

/// Examples changed by a function: change(clips [N, T, C, H, W], seed).
class ChangedClips : public ExampleClips {
 public:
  using Change = at::Tensor (*)(const at::Tensor& clips, std::uint64_t seed);
  explicit ChangedClips(Change change) : change_(change) {}
  at::Tensor sample(const SampleRequest& request) override {
    // The change draws from another stream than the choice of examples.
    return change_(ExampleClips::sample(request),
                   Random(request.seed).split("change").below(std::int64_t{1} << 62));
  }

 private:
  Change change_;
};

/// Puts the frames of each clip into a random order.
at::Tensor shuffle_frames(const at::Tensor& clips, std::uint64_t seed) {
  // One random stream per clip: its order does not depend on the number of clips.
  const Random random(seed);
  auto changed = at::empty_like(clips);
  for (std::int64_t i = 0; i < clips.size(0); ++i) {
    const auto order = random.split("clip", i).permutation(clips.size(1));
    changed[i] =
        clips[i].index_select(0, torch::tensor(at::ArrayRef<std::int64_t>(order), at::kLong));
  }
  return changed;
}

at::Tensor reverse_frames(const at::Tensor& clips, std::uint64_t) { return clips.flip(1); }

/// Fades from a clip's channels to those of their neighbours.
at::Tensor drift_colours(const at::Tensor& clips, std::uint64_t) {
  // a rises from 0 in the first frame to 1 in the last.
  const auto a = torch::linspace(0, 1, clips.size(1)).view({1, -1, 1, 1, 1});
  return (1 - a) * clips + a * clips.roll(1, 2);
}

/// Darkens each channel of each frame by a random factor in [0.4, 1]. Black is -1.
at::Tensor flicker_colours(const at::Tensor& clips, std::uint64_t seed) {
  const auto generator = training::torch_generator(seed);
  // One factor per clip, frame and channel, the same for all pixels.
  const auto factors =
      0.4 + 0.6 * torch::rand({clips.size(0), clips.size(1), clips.size(2), 1, 1}, generator);
  return (clips + 1) * factors - 1;
}

/// Adds normal noise of standard deviation 0.1.
at::Tensor add_noise(const at::Tensor& clips, std::uint64_t seed) {
  const auto generator = training::torch_generator(seed);
  return (clips + 0.1 * torch::randn(clips.sizes(), generator)).clamp(-1, 1);
}

/// Clips whose frame t comes from another example for every t.
class ForeignFrames : public ExampleClips {
 public:
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(x_);
    require_length(request, x_);
    const Random random(request.seed);
    std::vector<at::Tensor> frames;
    // Without labels: the frames of a clip come from examples of all classes.
    for (std::int64_t t = 0; t < x_.size(1); ++t) {
      const auto seed =
          static_cast<std::uint64_t>(random.split("frame", t).below(std::int64_t{1} << 62));
      frames.push_back(x_.select(1, t).index_select(
          0, choose_examples({}, x_.size(0), {.count = request.count, .seed = seed})));
    }
    return torch::stack(frames, 1);
  }
};

/// Keeps a few of the examples, chosen when it is fitted.
class FewClips : public ExampleClips {
 public:
  explicit FewClips(std::int64_t most) : most_(most) {}
  void fit(const Examples& examples, std::uint64_t seed, Progress& progress) override {
    ExampleClips::fit(examples, seed, progress);
    auto order = Random(seed).permutation(x_.size(0));
    // Some example of each class is kept first, so that a requested class has one.
    if (labels_.numel() > 0) order = class_by_class(order);
    order.resize(std::min(order.size(), static_cast<std::size_t>(most_)));
    const auto kept = torch::tensor(at::ArrayRef<std::int64_t>(order), at::kLong);
    x_.set_data(x_.index_select(0, kept));
    if (labels_.numel() > 0) labels_.set_data(labels_.index_select(0, kept));
  }

 private:
  /// Sorts items such that the first of each class precedes the second of any.
  std::vector<std::int64_t> class_by_class(const std::vector<std::int64_t>& order) const {
    std::map<std::int64_t, std::int64_t> seen;
    // Rank of an item: how many of its class came before it.
    std::vector<std::pair<std::int64_t, std::int64_t>> ranked;
    for (const auto item : order)
      ranked.emplace_back(seen[labels_[item].item<std::int64_t>()]++, item);
    std::ranges::stable_sort(ranked, {}, &std::pair<std::int64_t, std::int64_t>::first);
    std::vector<std::int64_t> sorted;
    for (const auto& [rank, item] : ranked) sorted.push_back(item);
    return sorted;
  }
  std::int64_t most_;
};

/// Returns the same example for every sample, of any class.
class OneClip : public FewClips {
 public:
  OneClip() : FewClips(1) {}
  at::Tensor sample(const SampleRequest& request) override {
    // Without labels, since the one example has one class.
    return FewClips::sample(
        {.count = request.count, .seed = request.seed, .frames = request.frames});
  }
};

/// Returns clips of -1.
class Black : public ExampleClips {
 public:
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(x_);
    // A request of 0 frames means the length of the examples.
    auto shape = x_.sizes().vec();
    shape[0] = request.count;
    if (request.frames > 0) shape[1] = request.frames;
    return torch::full(shape, -1.0F);
  }
};

/// Returns examples of the class after the requested one.
class WrongClass : public ExampleClips {
 public:
  void fit(const Examples& examples, std::uint64_t seed, Progress& progress) override {
    ExampleClips::fit(examples, seed, progress);
    if (labels_.numel() == 0 || labels_.eq(labels_[0]).all().item<bool>())
      throw UsageError("the examples have one class, so no class is the wrong one",
                       "give labels of two classes or more");
  }
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(x_);
    auto other = request;
    // Without a requested class no class is wrong: any example serves.
    if (request.labels.defined()) {
      const auto classes = std::get<0>(at::_unique(labels_));  // sorted
      other.labels = request.labels.clone();
      for (std::int64_t i = 0; i < request.count; ++i) {
        const auto place = classes.eq(request.labels[i]).nonzero();
        if (place.size(0) == 0)
          throw UsageError(
              fmt::format("no example has the class {}", request.labels[i].item<std::int64_t>()),
              "request a class of the examples");
        other.labels[i] = classes[(place[0].item<std::int64_t>() + 1) % classes.numel()];
      }
    }
    return ExampleClips::sample(other);
  }
};

template <ChangedClips::Change change>
std::unique_ptr<training::Generator> make_changed() {
  return std::make_unique<ChangedClips>(change);
}

}  // namespace

std::vector<GeneratorMethod> degenerate_clips() {
  const auto row = [](const char* id, const char* title,
                      const char* source) -> training::MethodInfo {
    return {.id = id,
            .title = title,
            .role = training::Role::Control,
            .source = source,
            .cost = "a copy per item"};
  };
  return {
      {.info = row("shuffled", "frames shuffled", "trivial baseline: content, no order"),
       .conditional = true,
       .clips_only = true,
       .faithful = false,
       .make = make_changed<shuffle_frames>},
      {.info = row("reversed", "clips reversed", "trivial baseline: motion, backwards"),
       .conditional = true,
       .clips_only = true,
       .faithful = false,
       .make = make_changed<reverse_frames>},
      {.info =
           row("foreign_frames", "frames of other clips", "trivial baseline: real frames, no clip"),
       .clips_only = true,
       .faithful = false,
       .make = [] { return std::make_unique<ForeignFrames>(); }},
      {.info = row("one_clip", "one clip", "trivial baseline: collapsed"),
       .clips_only = true,
       .seeded = false,
       .make = [] { return std::make_unique<OneClip>(); }},
      {.info = row("sixteen_clips", "sixteen clips", "trivial baseline: collapsed to a few"),
       .conditional = true,
       .clips_only = true,
       .make = [] { return std::make_unique<FewClips>(16); }},
      {.info = row("colour_drift", "colour drifts",
                   "trivial baseline: motion, content that changes slowly"),
       .conditional = true,
       .clips_only = true,
       .make = make_changed<drift_colours>},
      {.info = row("colour_flicker", "colour flickers",
                   "trivial baseline: motion, content that changes at once"),
       .conditional = true,
       .clips_only = true,
       .faithful = false,
       .make = make_changed<flicker_colours>},
      {.info = row("noisy", "noise added", "trivial baseline: all of it right, badly drawn"),
       .conditional = true,
       .clips_only = true,
       .make = make_changed<add_noise>},
      {.info = row("black", "black", "trivial baseline: nothing"),
       .any_length = true,
       .clips_only = true,
       .seeded = false,
       .faithful = false,
       .make = [] { return std::make_unique<Black>(); }},
      {.info = row("wrong_class", "another class",
                   "trivial baseline: all of it right, not the requested class"),
       .conditional = true,
       .clips_only = true,
       .wrong_class = true,
       .make = [] { return std::make_unique<WrongClass>(); }},
  };
}

}  // namespace reprise::baselines
