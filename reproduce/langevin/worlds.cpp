#include "reproduce/langevin/worlds.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/generators/digits.h"
#include "datasets/generators/landscapes.h"
#include "datasets/generators/moving_shapes.h"
#include "datasets/generators/solids.h"
#include "datasets/generators/tone_words.h"
#include "datasets/readers/action_videos.h"
#include "datasets/readers/day_night.h"
#include "datasets/readers/mnist.h"
#include "datasets/readers/spoken_digits.h"
#include "datasets/transforms/spectrogram.h"
#include "experiments/names.h"
#include "reproduce/langevin/parts.h"

namespace reprise::reproduce::langevin_study {
namespace {

using models::LabelledItems;

constexpr const char* generated = "drawn";  // the source of every world that the suite makes itself

std::vector<std::string> numbered(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

World digits(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  const Counts counts(settings, "digits");
  const auto size = settings.integer("digits.size");
  const auto labelled = [size](const datasets::Pictures& set) {
    const auto x_0 = items_of(set.images);
    return LabelledItems{x_0.size(2) == size ? x_0 : at::_upsample_bilinear2d_aa(x_0, {size, size}, /*align_corners=*/false), set.labels};
  };
  World world{.facts = {.data = settings.text("digits.source"), .item = {1, size, size}, .classes = numbered(10)}};
  if (world.facts.data == generated) {
    make_parts(counts, "digits", seed, world,
               [&](std::int64_t n, std::uint64_t stream) { return labelled(datasets::drawn_digits(n, static_cast<int>(size), stream)); });
    return world;
  }
  const auto folder = data / "mnist";
  const auto drawn = datasets::read_mnist(folder, datasets::MnistPart::Train);
  if (drawn.images.size(1) < size)
    throw UsageError(fmt::format("digits.size is {}, and {} has digits of {} pixels", size, folder.string(), drawn.images.size(1)),
                     fmt::format("--set digits.size={}, or smaller: they are shrunk", drawn.images.size(1)));
  // The official order of the test set is not one of chance: its first half is easier.
  const auto test = labelled(datasets::read_mnist(folder, datasets::MnistPart::Test));
  auto all = labelled(drawn);
  auto pools = dealt(all.x_0.size(0), counts.without_test(), "digits");
  for (std::int64_t i = 0; i < test.x_0.size(0); ++i) pools.test.push_back(all.x_0.size(0) + i);
  all = {torch::cat({all.x_0, test.x_0}), torch::cat({all.labels, test.labels})};
  return parts_of(among(all), pools, counts, world, seed);
}

World landscapes(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  const auto size = settings.integer("landscapes.size");
  World world{.facts = {.data = settings.text("landscapes.source"), .item = {3, size, size}, .classes = {"day", "night"}}};
  const Counts counts(settings, "landscapes");
  const auto labelled = [](const datasets::Pictures& set) { return LabelledItems{items_of(set.images), set.labels}; };
  if (world.facts.data == generated) {
    make_parts(counts, "landscapes", seed, world,
               [&](std::int64_t n, std::uint64_t stream) { return labelled(datasets::drawn_landscapes(n, size, size, stream)); });
    return world;
  }
  const auto photos = datasets::read_day_night(data / "day_night", settings.integer("landscapes.shorter"));
  const auto pools = dealt_by(datasets::cameras(photos.taken_at), "landscapes");
  const auto crops = [&](const Places& pool, std::int64_t n, const char* part, std::int64_t drawn_by) {
    return labelled(datasets::landscape_crops(photos, pool, n, size, Random(stream("landscapes", part, drawn_by))));
  };
  world.prior = crops(pools.prior, counts.prior, "prior", seed);
  world.judge = crops(pools.judge, counts.judge, "judge", 0);
  world.validation = crops(pools.validation, counts.validation, "validation", 0);
  world.test = crops(pools.test, counts.test, "test", seed);
  return world;
}

/// [N, T, H, W, 3] -> [N, T 3, H, W].
LabelledItems clips_of(const datasets::LabelledClips& clips) {
  const auto x = clips.colour.permute({0, 1, 4, 2, 3}).flatten(1, 2);
  return {datasets::values_of(x), clips.labels};
}

World videos(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  const auto size = settings.integer("videos.size"), frames = settings.integer("videos.frames");
  World world{.facts = {.data = settings.text("videos.source"),
                        .item = {3 * frames, size, size},
                        .classes = {"0", "1"},
                        .measures = {{"frames", static_cast<double>(frames)}}}};
  const Counts counts(settings, "videos");
  if (world.facts.data == generated) {
    make_parts(counts, "videos", seed, world, [&](std::int64_t n, std::uint64_t stream) {
      return clips_of(datasets::moving_shapes(n, frames, static_cast<int>(size), stream));
    });
    return world;
  }
  const auto set = datasets::read_shape_motion(data / "shapes");
  // A window of neighbouring frames, not the whole video squeezed into as many: the same of a video in every seed.
  auto windows = set;
  for (std::size_t i = 0; i < windows.videos.size(); ++i) {
    Random random(seed_of({"langevin", "videos", "window", std::to_string(i)}));
    auto& range = windows.videos[i].colour;
    const auto end = range.end.value_or(settings.integer("videos.source_frames"));
    range.first += random.below(std::max<std::int64_t>(1, end - range.first - frames + 1));
    range.end = range.first + frames;
  }
  const auto n = std::ssize(windows.videos);
  const auto read = [&](const Places& places) { return clips_of(datasets::read_clips(windows, places, {.frames = frames, .size = size})); };
  return parts_of(read, dealt(n, counts, "videos"), counts, world, seed);
}

/// Two speakers of five for the prior, two for the judge; those who are left speak in validation and in test, with other recordings in each.
Pools dealt_by_speaker(const std::vector<std::string>& speaker) {
  const std::set<std::string> each(speaker.begin(), speaker.end());
  const std::vector<std::string> names(each.begin(), each.end());
  const auto order = Random(stream("sounds", "speakers", 0)).permutation(std::ssize(names));
  const auto two_of_five = (2 * std::ssize(names) + 2) / 5;
  std::map<std::string, std::int64_t> rank;
  for (std::size_t i = 0; i < names.size(); ++i) rank[names[static_cast<std::size_t>(order[i])]] = static_cast<std::int64_t>(i);
  Pools pools;
  Places rest;
  for (std::size_t i = 0; i < speaker.size(); ++i) {
    const auto at = rank.at(speaker[i]);
    (at < two_of_five ? pools.prior : at < 2 * two_of_five ? pools.judge : rest).push_back(static_cast<std::int64_t>(i));
  }
  rest = shuffled(rest, stream("sounds", "rest", 0));
  pools.validation = cut(rest, 0, std::ssize(rest) / 2);
  pools.test = cut(rest, std::ssize(rest) / 2, std::ssize(rest));
  return pools;
}

World sounds(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  const auto bands = settings.integer("sounds.bands"), frames = settings.integer("sounds.frames");
  const datasets::SpectrogramOptions options{.bands = bands};
  const auto length = (frames - 1) * options.hop;
  World world{.facts = {.data = settings.text("sounds.source"),
                        .item = {1, bands, frames},
                        .classes = numbered(10),
                        .measures = {{"rate", static_cast<double>(options.rate)}}}};
  const Counts counts(settings, "sounds");
  const auto labelled = [&](const datasets::SpokenDigits& set) {
    std::vector<at::Tensor> pictures;
    for (std::int64_t i = 0; i < set.samples.size(0); ++i) pictures.push_back(datasets::spectrogram(set.samples[i], options));
    return LabelledItems{torch::stack(pictures).unsqueeze(1), set.labels};
  };
  if (world.facts.data == generated) {
    make_parts(counts, "sounds", seed, world,
               [&](std::int64_t n, std::uint64_t stream) { return labelled(datasets::tone_words(n, length, stream)); });
    return world;
  }
  const auto words = datasets::read_spoken_digits(data / "fsdd", length);
  return parts_of(among(labelled(words)), dealt_by_speaker(words.speaker), counts, world, seed);
}

World solids(const Settings& settings, const DataFolder& /*data*/, std::int64_t seed) {
  const auto size = settings.integer("solids.size");
  World world{.facts = {.data = "solids", .item = {3, size, size}, .words = datasets::solid_words()}};
  const auto known = solid_texts(settings);
  std::vector<std::int64_t> taught;
  for (const auto combination : known)
    if (datasets::text(datasets::solid_combinations()[static_cast<std::size_t>(combination)]) != settings.text("solids.held_out"))
      taught.push_back(combination);
  const Counts counts(settings, "solids");
  const auto labelled = [&](std::int64_t n, const char* part, const std::vector<std::int64_t>& combinations) {
    const auto views = datasets::solid_views(n, static_cast<int>(size), stream("solids", part, seed), combinations);
    return LabelledItems{items_of(views.images), views.tokens};
  };
  // The prior never sees the combination that is held out; its judge must know it.
  world.prior = labelled(counts.prior, "prior", taught);
  world.judge = labelled(counts.judge, "judge", known);
  world.validation = labelled(counts.validation, "validation", taught);
  world.test = labelled(counts.test, "test", known);
  return world;
}

struct Made {
  WorldInfo info;
  World (*make)(const Settings&, const DataFolder& data, std::int64_t seed);
};

const std::vector<Made>& made_worlds() {
  static const std::vector<Made> all{
      {{.name = "digits", .tables = {"inversion", "latent", "churn", "steering", "completion", "painting"}, .judged = true}, digits},
      {{.name = "landscapes", .tables = {"inversion", "extension"}}, landscapes},
      {{.name = "videos", .tables = {"extension"}, .kind = models::ItemKind::Videos}, videos},
      {{.name = "sounds", .tables = {"extension"}, .kind = models::ItemKind::Sounds, .height = "bands", .width = "frames"}, sounds},
      {{.name = "solids", .tables = {"object"}}, solids}};
  return all;
}

const Made& made_world(const std::string& name) {
  return find_named(made_worlds(), "world", name, [](const Made& made) { return made.info.name; });
}

}  // namespace

std::vector<std::int64_t> solid_texts(const Settings& settings) {
  const auto shapes = settings.texts("solids.shapes"), colours = settings.texts("solids.colours");
  std::vector<std::int64_t> chosen;
  const auto& all = datasets::solid_combinations();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto text = datasets::text(all[i]);
    const auto says = [&text](const std::vector<std::string>& words) {
      return std::any_of(words.begin(), words.end(),
                         [&text](const std::string& word) { return text.find(" " + word) != std::string::npos; });
    };
    if (all[i].count <= settings.integer("solids.most") && says(shapes) && says(colours)) chosen.push_back(static_cast<std::int64_t>(i));
  }
  return chosen;
}

const std::vector<WorldInfo>& worlds() {
  static const std::vector<WorldInfo> all = [] {
    std::vector<WorldInfo> infos;
    for (const auto& made : made_worlds()) infos.push_back(made.info);
    return infos;
  }();
  return all;
}

bool WorldInfo::shows(const std::string& table) const { return std::find(tables.begin(), tables.end(), table) != tables.end(); }

const WorldInfo& world_info(const std::string& name) { return made_world(name).info; }

std::vector<std::string> trained_worlds(const Settings& settings) {
  auto names = settings.texts("worlds");
  for (const auto& name : settings.texts("priors_only")) {
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw UsageError(fmt::format("{} stands in worlds and in priors_only", name), "leave it in one of them");
    names.push_back(name);
  }
  return names;
}

World world_named(const std::string& name, const Settings& settings, const DataFolder& data, std::int64_t seed) {
  const auto& made = made_world(name);
  auto world = made.make(settings, data, seed);
  world.facts.kind = made.info.kind;
  if (world.facts.data == generated) world.facts.data = std::string(generated) + " " + name;  // what a prior's file says of itself
  return world;
}

void need_data(const std::string& world, const Settings& settings, const DataFolder& data) {
  if (!settings.all().contains(world + ".source")) return;  // always generated
  if (const auto source = settings.text(world + ".source"); source != generated)
    data.need(source, "", fmt::format("--set {}.source={}", world, generated));
}

at::Tensor items_of(const at::Tensor& pictures) {
  const auto x = pictures.dim() == 4 ? pictures.permute({0, 3, 1, 2}) : pictures.unsqueeze(1);
  return datasets::values_of(x);
}

at::Tensor pictures_of(const at::Tensor& items) {
  const auto colour = items.size(1) == 1 ? items.expand({-1, 3, -1, -1}) : items;
  return datasets::pixels_of(colour).permute({0, 2, 3, 1}).contiguous().cpu();
}

at::Tensor classes_of(const World& world, const at::Tensor& labels) {
  if (world.facts.words.empty()) return labels;
  const auto texts = distinct_texts(world);
  const auto same = (labels.unsqueeze(1) == texts.unsqueeze(0)).all(2);  // [N, texts]
  return same.to(at::kLong).argmax(1);
}

at::Tensor distinct_texts(const World& world) { return std::get<0>(at::unique_dim(world.judge.labels, 0)); }

std::int64_t class_count(const World& world) {
  return world.facts.words.empty() ? static_cast<std::int64_t>(world.facts.classes.size()) : distinct_texts(world).size(0);
}

std::vector<std::string> class_names(const World& world) {
  if (world.facts.words.empty()) return world.facts.classes;
  std::vector<std::string> names;
  const auto texts = distinct_texts(world);
  for (std::int64_t k = 0; k < texts.size(0); ++k) {
    std::vector<std::string> words;
    for (std::int64_t i = 0; i < texts.size(1); ++i)
      if (const auto word = texts[k][i].item<std::int64_t>(); word > 0) words.push_back(world.facts.words[static_cast<std::size_t>(word)]);
    names.push_back(join(words, " "));
  }
  return names;
}

}  // namespace reprise::reproduce::langevin_study
