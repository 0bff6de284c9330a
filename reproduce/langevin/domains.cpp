// The five domains: where their items come from, and how items are assigned to splits.
#include "reproduce/langevin/domains.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/error.h"
#include "core/random.h"
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
#include "datasets/splits.h"
#include "datasets/transforms/spectrogram.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "reproduce/langevin/domain_splits.h"

namespace reprise::reproduce::langevin_study {
namespace {

using datasets::Indices;
using models::LabelledItems;

// Value of setting DOMAIN.source for generated data.
constexpr const char* generated_source = "drawn";

/// Returns n items of part "prior", "judge", "validation" or "test".
using DrawPart = std::function<LabelledItems(const std::string& part, std::int64_t n)>;

/// Returns a function that generates n items of a part. make(n, stream) returns them; the random
/// stream depends on the part and on the cell's seed.
template <typename Make>
DrawPart generate(const DomainSeed& own, const Make& make) {
  return [own, make](const std::string& part, std::int64_t n) {
    return make(n, own.stream(part, own.seed));
  };
}

/// Returns a function that takes the items of a part from its pool.
/// The seed decides the order of the prior's pool. A test pool is cut into pieces of n items. Seed
/// s uses piece s, modulo the number of pieces.
DrawPart take_items(const DomainSeed& own, const Pools& pools,
                    const std::function<LabelledItems(const Indices&)>& items_at) {
  return [own, pools, items_at](const std::string& part, std::int64_t n) {
    // Every seed has the same pools in the same order, except the prior's.
    const auto source = own.source();
    const auto order_seed = part == "prior" ? own.seed : 0;
    auto pool = datasets::shuffle(
        pools.at(part), Random(seed_of({"langevin", source, part, std::to_string(order_seed)})));
    if (part == "test") {
      const auto pieces = std::max<std::int64_t>(1, std::ssize(pool) / n);
      std::rotate(pool.begin(), pool.begin() + own.seed % pieces * n, pool.end());
    }
    return items_at(datasets::take(pool, 0, n, fmt::format("part {} of {}", part, source),
                                   "lower the counts of section " + own.domain));
  };
}

/// Returns a function that selects items by index.
std::function<LabelledItems(const Indices&)> select_items(const LabelledItems& all) {
  return [all](const Indices& indices) {
    const auto chosen = torch::tensor(indices, at::kLong);
    return LabelledItems{.x_0 = all.x_0.index_select(0, chosen),
                         .labels = all.labels.index_select(0, chosen)};
  };
}

LabelledItems labelled_pictures(const datasets::Pictures& set) {
  return {.x_0 = to_items(set.images), .labels = set.labels};
}

/// Opens the digits, fills in the domain's metadata, and returns the function that draws a part.
/// The other open_...() functions do the same for their domains.
DrawPart open_digits(const DomainSeed& own, models::PriorMetadata& metadata) {
  const auto size = own.integer("size");
  metadata.item = {1, size, size};
  metadata.classes = name_classes(10);
  const auto labelled = [size](const datasets::Pictures& set) {
    auto x_0 = to_items(set.images);
    if (x_0.size(2) != size)
      x_0 = at::_upsample_bilinear2d_aa(x_0, {size, size}, /*align_corners=*/false);
    return LabelledItems{.x_0 = x_0, .labels = set.labels};
  };
  // Generated digits need no pools: every part has a different random stream.
  if (own.source() == generated_source)
    return generate(own, [=](std::int64_t n, std::uint64_t stream) {
      return labelled(datasets::draw_digits(n, static_cast<int>(size), stream));
    });
  const auto train = datasets::read_mnist(own.folder(), datasets::OfficialPart::Train);
  if (train.images.size(1) < size)
    throw UsageError(fmt::format("digits.size is {}, but {} has digits of {} pixels", size,
                                 own.folder().string(), train.images.size(1)),
                     fmt::format("--set digits.size={} or less: digits can only be shrunk",
                                 train.images.size(1)));
  const auto official_train = labelled(train);
  const auto official_test =
      labelled(datasets::read_mnist(own.folder(), datasets::OfficialPart::Test));
  auto pools = assign_items(train.size(), own, /*of_test=*/0);
  // The first half of the official test set is easier. So it is added to the test pool, which is
  // shuffled.
  for (std::int64_t i = 0; i < official_test.x_0.size(0); ++i)
    pools["test"].push_back(train.size() + i);
  return take_items(
      own, pools,
      select_items({.x_0 = torch::cat({official_train.x_0, official_test.x_0}),
                    .labels = torch::cat({official_train.labels, official_test.labels})}));
}

DrawPart open_landscapes(const DomainSeed& own, models::PriorMetadata& metadata) {
  const auto size = own.integer("size");
  metadata.item = {3, size, size};
  metadata.classes = {"day", "night"};
  if (own.source() == generated_source)
    return generate(own, [=](std::int64_t n, std::uint64_t stream) {
      return labelled_pictures(datasets::draw_landscapes(n, size, size, stream));
    });
  const auto photos = datasets::read_day_night(own.folder(), own.integer("shorter"));
  return [own, size, photos,
          pools = assign_cameras(datasets::identify_cameras(photos.photo_size), own)](
             const std::string& part, std::int64_t n) {
    // Crops of prior and test differ between seeds. All seeds share those of the other parts.
    const auto stream_seed = part == "prior" || part == "test" ? own.seed : 0;
    return labelled_pictures(datasets::crop_landscapes(photos, pools.at(part), n, size,
                                                       Random(own.stream(part, stream_seed))));
  };
}

/// Converts clips [N, T, H, W, 3] to items [N, T 3, H, W].
LabelledItems to_labelled_items(const datasets::LabelledClips& clips) {
  const auto x = clips.colour.permute({0, 1, 4, 2, 3}).flatten(1, 2);
  return {.x_0 = datasets::to_values(x), .labels = clips.labels};
}

DrawPart open_videos(const DomainSeed& own, models::PriorMetadata& metadata) {
  const auto size = own.integer("size");
  const auto frames = own.integer("frames");
  metadata.item = {3 * frames, size, size};
  metadata.classes = {"0", "1"};
  metadata.measures = {{"frames", static_cast<double>(frames)}};
  if (own.source() == generated_source)
    return generate(own, [=](std::int64_t n, std::uint64_t stream) {
      return to_labelled_items(
          datasets::generate_moving_shapes(n, frames, static_cast<int>(size), stream));
    });
  auto windows = datasets::read_shape_motion(own.folder());
  // A clip is a random window of consecutive frames, without subsampling. The window of a video is
  // the same in every seed.
  for (std::size_t i = 0; i < windows.videos.size(); ++i) {
    Random random(seed_of({"langevin", "videos", "window", std::to_string(i)}));
    auto& range = windows.videos[i].colour;
    const auto end = range.end.value_or(own.integer("source_frames"));
    range.first += random.below(std::max<std::int64_t>(1, end - range.first - frames + 1));
    range.end = range.first + frames;
  }
  return take_items(own, assign_items(std::ssize(windows.videos), own, own.integer("test")),
                    [=](const Indices& indices) {
                      return to_labelled_items(
                          datasets::read_clips(windows, indices, {.frames = frames, .size = size}));
                    });
}

DrawPart open_sounds(const DomainSeed& own, models::PriorMetadata& metadata) {
  const auto bands = own.integer("bands");
  const auto frames = own.integer("frames");
  const datasets::SpectrogramOptions options{.bands = bands};
  // Number of audio samples whose spectrogram has `frames` frames.
  const auto length = (frames - 1) * options.hop;
  metadata.item = {1, bands, frames};
  metadata.classes = name_classes(10);
  metadata.measures = {{"rate", static_cast<double>(options.rate)}};
  const auto labelled = [options](const datasets::SpokenDigits& set) {
    std::vector<at::Tensor> pictures;
    for (std::int64_t i = 0; i < set.samples.size(0); ++i)
      pictures.push_back(datasets::compute_spectrogram(set.samples[i], options));
    return LabelledItems{.x_0 = torch::stack(pictures).unsqueeze(1), .labels = set.labels};
  };
  if (own.source() == generated_source)
    return generate(own, [=](std::int64_t n, std::uint64_t stream) {
      return labelled(datasets::generate_tone_words(n, length, stream));
    });
  const auto words = datasets::read_spoken_digits(own.folder(), length);
  return take_items(own, assign_speakers(words.speaker, own), select_items(labelled(words)));
}

DrawPart open_solids(const DomainSeed& own, models::PriorMetadata& metadata) {
  const auto size = own.integer("size");
  metadata.item = {3, size, size};
  metadata.words = datasets::solid_words();
  const auto allowed = list_allowed_solids(own.settings);
  auto trained = allowed;
  // The prior is not trained on the held-out text.
  std::erase_if(trained, [&](std::int64_t combination) {
    return datasets::describe_scene(
               datasets::solid_combinations()[static_cast<std::size_t>(combination)]) ==
           own.settings.text("solids.held_out");
  });
  return [=](const std::string& part, std::int64_t n) {
    // The evaluator must know the held-out combination, because the test contains it.
    const auto& combinations = part == "prior" || part == "validation" ? trained : allowed;
    // The label of a picture is the tokens of its text.
    const auto views = datasets::render_solid_views(n, static_cast<int>(size),
                                                    own.stream(part, own.seed), combinations);
    return LabelledItems{.x_0 = to_items(views.images), .labels = views.tokens};
  };
}

}  // namespace

std::vector<std::int64_t> list_allowed_solids(const Settings& settings) {
  const auto shapes = settings.texts("solids.shapes");
  const auto colours = settings.texts("solids.colours");
  std::vector<std::int64_t> chosen;
  const auto& all = datasets::solid_combinations();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto text = datasets::describe_scene(all[i]);
    // Whether the text contains one of these words.
    const auto names_one_of = [&text](const std::vector<std::string>& words) {
      return std::any_of(words.begin(), words.end(), [&text](const std::string& word) {
        return text.find(" " + word) != std::string::npos;
      });
    };
    if (all[i].count <= settings.integer("solids.most") && names_one_of(shapes) &&
        names_one_of(colours))
      chosen.push_back(static_cast<std::int64_t>(i));
  }
  return chosen;
}

const std::vector<Domain>& domains() {
  static const std::vector<Domain> all{
      {.name = "digits",
       .tables = {"inversion", "latent", "churn", "steering", "completion", "painting"},
       .has_likelihood_network = true},
      {.name = "landscapes", .tables = {"inversion", "extension"}},
      {.name = "videos", .tables = {"extension"}, .kind = models::ItemKind::Videos},
      {.name = "sounds",
       .tables = {"extension"},
       .kind = models::ItemKind::Sounds,
       .height = "bands",
       .width = "frames"},
      {.name = "solids", .tables = {"object"}}};
  return all;
}

bool Domain::shows(const std::string& table) const {
  return std::ranges::find(tables, table) != tables.end();
}

const Domain& find_domain(const std::string& name) { return find_named(domains(), "domain", name); }

std::vector<std::string> list_trained_domains(const Settings& settings) {
  auto names = settings.texts("domains");
  for (const auto& name : settings.texts("priors_only")) {
    if (std::ranges::find(names, name) != names.end())
      throw UsageError(fmt::format("{} is in domains and in priors_only", name),
                       "name it in one of them only");
    // Domains of setting priors_only come last.
    names.push_back(name);
  }
  return names;
}

DomainData load_domain(const std::string& name, const Settings& settings, const DataFolder& data,
                       std::int64_t seed) {
  // Function that opens a domain, by the domain's name.
  static const std::map<std::string, DrawPart (*)(const DomainSeed&, models::PriorMetadata&)>
      openers{{"digits", open_digits},
              {"landscapes", open_landscapes},
              {"videos", open_videos},
              {"sounds", open_sounds},
              {"solids", open_solids}};
  DomainData domain;
  domain.metadata.kind = find_domain(name).kind;
  const DomainSeed own{.domain = name, .settings = settings, .data = data, .seed = seed};
  const auto draw = openers.at(name)(own, domain.metadata);
  // The file of a trained prior names its data.
  domain.metadata.data =
      own.source() == generated_source ? std::string(generated_source) + " " + name : own.source();
  domain.prior = draw("prior", own.integer("prior"));
  domain.evaluator = draw("judge", own.integer("evaluator"));
  domain.validation = draw("validation", own.integer("validation"));
  domain.test = draw("test", own.integer("test"));
  return domain;
}

void need_data(const std::string& domain, const Settings& settings, const DataFolder& data) {
  // Domains without the setting are always generated.
  if (!settings.all().contains(domain + ".source")) return;
  if (const auto source = settings.text(domain + ".source"); source != generated_source)
    need_datasets({source}, data, fmt::format("--set {}.source={}", domain, generated_source));
}

at::Tensor to_items(const at::Tensor& pictures) {
  const auto x = pictures.dim() == 4 ? pictures.permute({0, 3, 1, 2}) : pictures.unsqueeze(1);
  return datasets::to_values(x);
}

at::Tensor to_pictures(const at::Tensor& items) {
  // Grey items get three equal channels.
  const auto colour = items.size(1) == 1 ? items.expand({-1, 3, -1, -1}) : items;
  return datasets::to_pixels(colour).permute({0, 2, 3, 1}).contiguous().cpu();
}

at::Tensor class_indices(const DomainData& domain, const at::Tensor& labels) {
  if (domain.metadata.words.empty()) return labels;
  const auto texts = distinct_texts(domain);
  // Two texts are equal if all their tokens are equal.
  const auto same = (labels.unsqueeze(1) == texts.unsqueeze(0)).all(2);  // [N, texts]
  return same.to(at::kLong).argmax(1);
}

at::Tensor distinct_texts(const DomainData& domain) {
  return std::get<0>(at::unique_dim(domain.evaluator.labels, 0));
}

std::vector<std::string> name_classes(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

std::int64_t class_count(const DomainData& domain) {
  return domain.metadata.words.empty() ? static_cast<std::int64_t>(domain.metadata.classes.size())
                                       : distinct_texts(domain).size(0);
}

std::vector<std::string> class_names(const DomainData& domain) {
  if (domain.metadata.words.empty()) return domain.metadata.classes;
  std::vector<std::string> names;
  const auto texts = distinct_texts(domain);
  for (std::int64_t k = 0; k < texts.size(0); ++k) {
    std::vector<std::string> words;
    for (std::int64_t i = 0; i < texts.size(1); ++i)
      // Token 0 is padding.
      if (const auto word = texts[k][i].item<std::int64_t>(); word > 0)
        words.push_back(domain.metadata.words[static_cast<std::size_t>(word)]);
    names.push_back(join(words, " "));
  }
  return names;
}

}  // namespace reprise::reproduce::langevin_study
