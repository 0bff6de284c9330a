// Sets of pictures, generated or read, for one seed.
#include "reproduce/unit/picture_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <functional>

#include "core/error.h"
#include "core/random.h"
#include "datasets/generators/head_portraits.h"
#include "datasets/generators/landscapes.h"
#include "datasets/generators/map_scenes.h"
#include "datasets/readers/aligned_pairs.h"
#include "datasets/readers/day_night.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/splits.h"
#include "datasets/transforms/picture_scaling.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/resampling.h"

namespace reprise::reproduce::unit_study {
namespace {

using datasets::Indices;

// Side of a portrait over that of the face's box.
constexpr double face_margin = 1.5;
// Identities of generated heads per part.
constexpr std::int64_t people_of_part = 200;

/// A set of pictures with the settings and the seed of a cell.
struct CellPictures {
  const PictureSet& set;
  const CellContext& context;
  std::int64_t number(const std::string& key) const {
    return context.settings.integer(set.section + "." + key);
  }
  std::int64_t side() const { return number("side"); }
  at::Tensor values(const at::Tensor& images) const {
    return datasets::scale_pictures(images, side(), 3);
  }
  std::uint64_t seed_for(const std::string& what, std::int64_t seed) const {
    return seed_of({"unit", set.name, what, std::to_string(seed)});
  }
  /// Returns the random seed of a part. The evaluator learns from the same pictures for every seed.
  std::uint64_t seed(const std::string& part, const std::string& domain = "") const {
    const bool for_evaluator = part == "evaluator";
    // The text decides which pictures are drawn. Committed records have those of "judged".
    return seed_for((for_evaluator ? "judged" : part) + domain,
                    for_evaluator ? 0 : data_seed(context.settings, context.record.cell.seed));
  }
  /// Takes indices as datasets::take() does. Its error names the folder and the settings.
  Indices take(const Indices& pool, std::int64_t first, std::int64_t n,
               const std::string& part) const {
    return datasets::take(
        pool, first, n, fmt::format("part {} of {}", part, context.data.place(set.folder).string()),
        fmt::format("lower {0}.training, {0}.test or {0}.evaluator_pictures", set.section));
  }
};

/// Generates scenes with exact maps.
PictureParts generate_scenes(const CellPictures& own) {
  const auto draw = [&](const std::string& part, const std::string& count) {
    return datasets::draw_map_scenes(own.number(count), static_cast<int>(own.side()),
                                     own.seed(part));
  };
  const auto from_air = draw("a", "training"), mapped = draw("b", "training"),
             test = draw("test", "test");
  return {.a = own.values(from_air.aerial),
          .b = own.values(mapped.map),
          .b_of_a = own.values(from_air.map),
          .test_a = own.values(test.aerial),
          .test_b = own.values(test.map),
          .classes = test.classes};
}

/// Reads pix2pix's pairs, shuffled by the seed. The first half of its training split gives aerial
/// pictures, the second half maps. Its validation split is the test.
PictureParts read_maps(const CellPictures& own) {
  const auto folder = own.context.data / own.set.folder;
  const auto train = datasets::read_aligned_pairs(folder / "train", own.side()),
             test = datasets::read_aligned_pairs(folder / "val", own.side());
  // A and B come from different pairs, so that nothing is learned from pairs.
  const auto n = own.number("training");
  const auto order =
      datasets::shuffle(datasets::count_up(train.left.size(0)), Random(own.seed("train")));
  const auto from_air = own.take(order, 0, n, "train"), mapped = own.take(order, n, n, "train"),
             tested = own.take(datasets::count_up(test.left.size(0)), 0, own.number("test"), "val");
  const auto values = [&](const at::Tensor& images, const Indices& chosen) {
    return own.values(images.index_select(0, torch::tensor(chosen, at::kLong)));
  };
  return {.a = values(train.left, from_air),
          .b = values(train.right, mapped),
          .b_of_a = values(train.right, from_air),
          .test_a = values(test.left, tested),
          .test_b = values(test.right, tested),
          .classes = {}};
}

/// Returns n pictures of part "train", "evaluator" or "test", of domain A (b = false) or B.
using DrawPictures = std::function<at::Tensor(const std::string& part, bool b, std::int64_t n)>;

/// Returns the indices of a part.
const Indices& split_indices(const datasets::Split& split, const std::string& part) {
  if (part == "train") return split.train;
  return part == "evaluator" ? split.validation : split.test;
}

/// Generates landscapes of day and night.
DrawPictures generate_landscapes(const CellPictures& own) {
  return [own](const std::string& part, bool b, std::int64_t n) {
    // Half of the landscapes are of day, half of night. A and B have separate streams, so that they
    // share no scene.
    const auto drawn =
        datasets::draw_landscapes(2 * n, own.side(), own.side(), own.seed(part, b ? " b" : " a"));
    return own.values(drawn.images.index({drawn.labels == (b ? 1 : 0)}));
  };
}

/// Generates scenes in both lights. A and B are trained on different scenes, as `scenes` is.
PictureParts generate_two_lights(const CellPictures& own) {
  const auto draw = [&](const std::string& part, const std::string& count) {
    return datasets::draw_landscape_pairs(own.number(count), own.side(), own.side(),
                                          own.seed(part));
  };
  const auto by_day = draw("a", "training");
  const auto by_night = draw("b", "training");
  const auto test = draw("test", "test");
  return {.a = own.values(by_day.day),
          .b = own.values(by_night.night),
          .b_of_a = own.values(by_day.night),
          .test_a = own.values(test.day),
          .test_b = own.values(test.night),
          .classes = {}};
}

/// Reads photographs of a part and a label. Few cameras took them, so the split by cameras is
/// fixed. A seed resamples the crops.
DrawPictures read_day_night_crops(const CellPictures& own) {
  const auto photos = datasets::read_day_night(own.context.data / own.set.folder, own.side());
  const auto split = datasets::split_by(datasets::identify_cameras(photos.photo_size),
                                        {.train = 0.5, .validation = 0.2, .test = 0.3},
                                        own.seed_for("cameras", 0));
  return [own, photos, split](const std::string& part, bool b, std::int64_t n) {
    Indices chosen;
    for (const auto i : split_indices(split, part))
      if (photos.labels[i].item<std::int64_t>() == (b ? 1 : 0)) chosen.push_back(i);
    // With few cameras a part can lack photographs of a label.
    if (chosen.empty())
      throw UsageError(
          fmt::format(
              "{}: no photograph by {} is in the part {}, whose cameras are in no other part",
              own.context.data.place(own.set.folder).string(), b ? own.set.b : own.set.a, part),
          "add photographs of other cameras (other sizes)");
    const Random random(own.seed(part, b ? " b" : " a"));
    return own.values(datasets::crop_landscapes(photos, chosen, n, own.side(), random).images);
  };
}

/// Pairs generated heads with photographed ones. No person is in two parts.
DrawPictures pair_heads(const CellPictures& own) {
  const datasets::FaceCrop crop{.size = own.side(), .scale = face_margin};
  const auto faces = datasets::read_faces_300w(own.context.data / own.set.folder, crop);
  const auto split = datasets::split_by(
      faces.person, {.train = 0.6, .validation = 0.2, .test = 0.2}, own.seed_for("people", 0));
  return [own, crop, faces, split](const std::string& part, bool b, std::int64_t n) {
    if (b) {
      const auto chosen = own.take(
          datasets::shuffle(split_indices(split, part), Random(own.seed(part, " b"))), 0, n, part);
      return own.values(torch::stack(datasets::select(faces.images, chosen)));
    }
    auto identities = datasets::count_up(people_of_part);
    for (auto& identity : identities)
      // Each part has other people.
      if (part != "train") identity += people_of_part * (part == "evaluator" ? 1 : 2);
    return own.values(
        datasets::render_head_portraits(n, crop, identities, own.seed(part, " a")).images);
  };
}

/// Returns the function that draws pictures of a set.
DrawPictures draw_from(const CellPictures& own) {
  // Sets of section photos. The evaluator of two_lights needs no scene twice.
  if (own.set.folder.empty()) return generate_landscapes(own);
  return own.set.name == "heads" ? pair_heads(own) : read_day_night_crops(own);
}

}  // namespace

const std::vector<PictureSet>& picture_sets() {
  static const std::vector<PictureSet> all{{.name = "scenes",
                                            .title = "generated scenes",
                                            .section = "map",
                                            .a = "from the air",
                                            .b = "map",
                                            .with_truth = true},
                                           {.name = "maps",
                                            .title = "maps",
                                            .section = "map",
                                            .folder = "maps",
                                            .a = "from the air",
                                            .b = "map",
                                            .with_truth = true},
                                           {.name = "landscapes",
                                            .title = "generated landscapes",
                                            .section = "photos",
                                            .a = "day",
                                            .b = "night"},
                                           {.name = "two_lights",
                                            .title = "generated scenes in two lights",
                                            .section = "photos",
                                            .a = "day",
                                            .b = "night",
                                            .with_truth = true},
                                           {.name = "day_night",
                                            .title = "day and night",
                                            .section = "photos",
                                            .folder = "day_night",
                                            .a = "day",
                                            .b = "night"},
                                           {.name = "heads",
                                            .title = "generated and photographed faces",
                                            .section = "photos",
                                            .folder = "faces_300w",
                                            .a = "generated",
                                            .b = "photographed"}};
  return all;
}

const PictureSet& find_picture_set(const std::string& name, const std::string& section) {
  const auto& set = find_named(picture_sets(), "set of pictures", name);
  if (set.section != section)
    throw UsageError(fmt::format("{}.datasets names {}, which belongs to section {}", section, name,
                                 set.section),
                     "name it in " + set.section + ".datasets");
  return set;
}

PictureParts load_picture_parts(const PictureSet& set, const CellContext& context) {
  const CellPictures own{set, context};
  if (set.section == "map") return set.folder.empty() ? generate_scenes(own) : read_maps(own);
  if (set.with_truth) return generate_two_lights(own);
  const auto draw = draw_from(own);
  const auto training = own.number("training"), test = own.number("test");
  return {.a = draw("train", false, training),
          .b = draw("train", true, training),
          .b_of_a = {},
          .test_a = draw("test", false, test),
          .test_b = draw("test", true, test),
          .classes = {}};
}

training::Examples load_evaluator_pictures(const PictureSet& set, const CellContext& context) {
  const CellPictures own{set, context};
  const auto draw = draw_from(own);
  const auto n = own.number("evaluator_pictures");
  return {.x = at::cat({draw("evaluator", false, n), draw("evaluator", true, n)}),
          .labels = at::cat({at::zeros({n}, at::kLong), at::ones({n}, at::kLong)})};
}

std::vector<Missing> find_missing_pictures(const PictureSet& set, const DataFolder& data) {
  const std::string generated = set.section == "map" ? "scenes" : "landscapes";
  if (!set.folder.empty())
    need_datasets({set.folder}, data,
                  fmt::format("--set '{}.datasets=[\"{}\"]'", set.section, generated));
  return data.take_missing();
}

}  // namespace reprise::reproduce::unit_study
