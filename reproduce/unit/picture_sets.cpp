#include "reproduce/unit/picture_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "datasets/generators/head_portraits.h"
#include "datasets/generators/landscapes.h"
#include "datasets/generators/map_scenes.h"
#include "datasets/readers/aligned_pairs.h"
#include "datasets/readers/day_night.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/splits.h"
#include "datasets/transforms/picture_values.h"
#include "experiments/names.h"
#include "experiments/replicates.h"

namespace reprise::reproduce::unit_study {
namespace {

using Indices = std::vector<std::int64_t>;

constexpr double face_margin = 1.5;  // of the face's box, that a portrait shows

struct Counts {
  std::int64_t side, training, test, judged;
  Counts(const PictureSet& set, const Settings& settings)
      : side(settings.integer(set.section + ".side")),
        training(settings.integer(set.section + ".training")),
        test(settings.integer(set.section + ".test")),
        judged(settings.integer(set.section + ".judged")) {}
};

/// What one part of a domain is drawn by.
std::uint64_t stream(const PictureSet& set, const std::string& part, std::int64_t seed) {
  return seed_of({"unit", set.name, part, std::to_string(seed)});
}

/// The judge learns from the same pictures in every replicate.
std::int64_t seed_of_part(const std::string& part, const CellContext& context) {
  return part == "judged" ? 0 : data_seed(context.settings, context.record.cell.seed);
}

at::Tensor values(const at::Tensor& images, const Counts& counts) { return datasets::picture_values(images, counts.side, 3); }

PictureParts scenes(const PictureSet& set, const CellContext& context) {
  const Counts counts(set, context.settings);
  const auto drawn = [&](const std::string& part, std::int64_t n) {
    return datasets::drawn_map_scenes(n, static_cast<int>(counts.side), stream(set, part, seed_of_part(part, context)));
  };
  const auto from_air = drawn("a", counts.training), mapped = drawn("b", counts.training), test = drawn("test", counts.test);
  return {.a = values(from_air.aerial, counts),
          .b = values(mapped.map, counts),
          .b_of_a = values(from_air.map, counts),
          .test_a = values(test.aerial, counts),
          .test_b = values(test.map, counts),
          .classes = test.classes};
}

/// pix2pix's train is dealt out: its first half of an order of the seed's is seen from the air, its second is mapped. Its val is the test.
PictureParts maps(const PictureSet& set, const CellContext& context) {
  const Counts counts(set, context.settings);
  const auto folder = context.data / set.folder;
  const auto train = datasets::read_aligned_pairs(folder / "train", counts.side),
             test = datasets::read_aligned_pairs(folder / "val", counts.side);
  const auto n = train.left.size(0), m = test.left.size(0);
  if (2 * counts.training > n || counts.test > m)
    throw UsageError(fmt::format("{} has {} pictures in train and {} in val, and the settings ask for twice {} and for {}", folder.string(),
                                 n, m, counts.training, counts.test),
                     "lower map.training or map.test");
  const auto order = torch::tensor(Random(stream(set, "train", seed_of_part("train", context))).permutation(n), at::kLong);
  const auto first = order.slice(0, 0, counts.training), second = order.slice(0, counts.training, 2 * counts.training);
  return {.a = values(train.left.index_select(0, first), counts),
          .b = values(train.right.index_select(0, second), counts),
          .b_of_a = values(train.right.index_select(0, first), counts),
          .test_a = values(test.left.slice(0, 0, counts.test), counts),
          .test_b = values(test.right.slice(0, 0, counts.test), counts),
          .classes = {}};
}

/// n pictures of a domain's part: what photographs are made into.
struct Source {
  std::function<at::Tensor(const std::string& part, bool b, std::int64_t n)> draw;
};

Source landscapes(const PictureSet& set, const Counts& counts, const CellContext& context) {
  return {[&, counts](const std::string& part, bool b, std::int64_t n) {
    // Each two landscapes are one of day and one of night: A and B come from streams of their own, so that no two are of one scene.
    const auto drawn =
        datasets::drawn_landscapes(2 * n, counts.side, counts.side, stream(set, part + (b ? " b" : " a"), seed_of_part(part, context)));
    return values(drawn.images.index({drawn.labels == (b ? 1 : 0)}), counts);
  }};
}

/// Photographs of a part and a label. Few cameras took all of them: which are in which part is the same for every replicate, and a seed renews
/// the squares that are cut out.
Source day_night(const PictureSet& set, const Counts& counts, const CellContext& context) {
  const auto photos = std::make_shared<datasets::LandscapePhotos>(datasets::read_day_night(context.data / set.folder, counts.side));
  const auto split =
      datasets::split_by(datasets::cameras(photos->taken_at), {.train = 0.5, .validation = 0.2, .test = 0.3}, stream(set, "cameras", 0));
  return {[&, counts, photos, split](const std::string& part, bool b, std::int64_t n) {
    Indices chosen;
    for (const auto i : part == "train" ? split.train : part == "judged" ? split.validation : split.test)
      if (photos->labels[i].item<std::int64_t>() == (b ? 1 : 0)) chosen.push_back(i);
    if (chosen.empty())
      throw UsageError(fmt::format("{}: no photograph by {} is in the part {}, of which cameras are dealt out", context.data.shown(),
                                   b ? "night" : "day", part),
                       "add photographs of other cameras (other sizes)");
    return values(datasets::landscape_crops(*photos, chosen, n, counts.side,
                                            Random(stream(set, part + (b ? " b" : " a"), seed_of_part(part, context))))
                      .images,
                  counts);
  }};
}

/// Generated people against photographed ones: identities and photographs are dealt out, so that nobody is in two parts.
Source heads(const PictureSet& set, const Counts& counts, const CellContext& context) {
  const datasets::FaceCrop crop{.size = counts.side, .scale = face_margin};
  const auto faces = std::make_shared<datasets::LandmarkFrames>(datasets::read_faces_300w(context.data / set.folder, crop));
  const auto split = datasets::split_by(faces->person, {.train = 0.6, .validation = 0.2, .test = 0.2}, stream(set, "people", 0));
  return {[&, counts, crop, faces, split](const std::string& part, bool b, std::int64_t n) {
    const auto& indices = part == "train" ? split.train : part == "judged" ? split.validation : split.test;
    if (!b) {
      constexpr std::int64_t people = 200;
      Indices identities(people);
      std::iota(identities.begin(), identities.end(), people * (part == "train" ? 0 : part == "judged" ? 1 : 2));
      return values(datasets::head_portraits(n, crop, identities, stream(set, part + " a", seed_of_part(part, context))).images, counts);
    }
    if (std::ssize(indices) < n)
      throw UsageError(
          fmt::format("{} has {} faces for the part {}, and the settings ask for {}", context.data.shown(), indices.size(), part, n),
          "lower photos.training, photos.test or photos.judged");
    const auto order = Random(stream(set, part + " b", seed_of_part(part, context))).permutation(std::ssize(indices));
    std::vector<at::Tensor> images;
    for (std::int64_t i = 0; i < n; ++i)
      images.push_back(faces->images[static_cast<std::size_t>(indices[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])])]);
    return values(torch::stack(images), counts);
  }};
}

Source source_of(const PictureSet& set, const Counts& counts, const CellContext& context) {
  if (set.name == "landscapes") return landscapes(set, counts, context);
  return set.name == "heads" ? heads(set, counts, context) : day_night(set, counts, context);
}

}  // namespace

const std::vector<PictureSet>& picture_sets() {
  static const std::vector<PictureSet> all{
      {.name = "scenes", .title = "generated scenes", .section = "map", .a = "from the air", .b = "map"},
      {.name = "maps", .title = "maps", .section = "map", .folder = "maps", .a = "from the air", .b = "map"},
      {.name = "landscapes", .title = "generated landscapes", .section = "photos", .a = "day", .b = "night"},
      {.name = "day_night", .title = "day and night", .section = "photos", .folder = "day_night", .a = "day", .b = "night"},
      {.name = "heads",
       .title = "generated and photographed faces",
       .section = "photos",
       .folder = "faces_300w",
       .a = "generated",
       .b = "photographed"}};
  return all;
}

const PictureSet& picture_set(const std::string& name, const std::string& section) {
  const auto& set = find_named(picture_sets(), "set of pictures", name);
  if (set.section != section)
    throw UsageError(fmt::format("{}.datasets names {}, a set of section {}", section, name, set.section),
                     "name it in " + set.section + ".datasets");
  return set;
}

PictureParts picture_parts(const PictureSet& set, const CellContext& context) {
  if (set.section == "map") return set.folder.empty() ? scenes(set, context) : maps(set, context);
  const Counts counts(set, context.settings);
  const auto source = source_of(set, counts, context);
  return {.a = source.draw("train", false, counts.training),
          .b = source.draw("train", true, counts.training),
          .b_of_a = {},
          .test_a = source.draw("test", false, counts.test),
          .test_b = source.draw("test", true, counts.test),
          .classes = {}};
}

JudgedPictures judged_pictures(const PictureSet& set, const CellContext& context) {
  const Counts counts(set, context.settings);
  const auto source = source_of(set, counts, context);
  const auto a = source.draw("judged", false, counts.judged), b = source.draw("judged", true, counts.judged);
  return {at::cat({a, b}), at::cat({at::zeros({a.size(0)}, at::kLong), at::ones({b.size(0)}, at::kLong)})};
}

std::vector<Missing> missing_pictures(const PictureSet& set, const DataFolder& data) {
  if (set.folder.empty()) return {};
  const std::string generated = set.section == "map" ? "scenes" : "landscapes";
  data.need(set.folder, "", fmt::format("--set '{}.datasets=[\"{}\"]'", set.section, generated));
  return data.take_missing();
}

}  // namespace reprise::reproduce::unit_study
