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
#include "datasets/transforms/picture_values.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/replicates.h"

namespace reprise::reproduce::unit_study {
namespace {

using datasets::Indices;

constexpr double face_margin = 1.5;           // of the face's box, that a portrait shows
constexpr std::int64_t people_of_part = 200;  // generated heads

/// A set of pictures with the settings and the seed of a cell.
struct CellPictures {
  const PictureSet& set;
  const CellContext& context;
  std::int64_t number(const std::string& key) const {
    return context.settings.integer(set.section + "." + key);
  }
  std::int64_t side() const { return number("side"); }
  at::Tensor values(const at::Tensor& images) const {
    return datasets::picture_values(images, side(), 3);
  }
  std::uint64_t seed_for(const std::string& what, std::int64_t seed) const {
    return seed_of({"unit", set.name, what, std::to_string(seed)});
  }
  /// What a part is drawn by. The evaluator learns from the same pictures in every replicate.
  std::uint64_t seed(const std::string& part, const std::string& domain = "") const {
    return seed_for(part + domain,
                    part == "judged" ? 0 : data_seed(context.settings, context.record.cell.seed));
  }
  /// As datasets::take(), of pictures in this folder.
  Indices take(const Indices& pool, std::int64_t first, std::int64_t n,
               const std::string& part) const {
    return datasets::take(
        pool, first, n, fmt::format("part {} of {}", part, context.data.place(set.folder).string()),
        fmt::format("lower {0}.training, {0}.test or {0}.judged", set.section));
  }
};

PictureParts scenes(const CellPictures& own) {
  const auto draw = [&](const std::string& part, const std::string& count) {
    return datasets::drawn_map_scenes(own.number(count), static_cast<int>(own.side()),
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

/// pix2pix's train in an order of the seed's: its first half is seen from the air, its second is
/// mapped. Its val is the test.
PictureParts maps(const CellPictures& own) {
  const auto folder = own.context.data / own.set.folder;
  const auto train = datasets::read_aligned_pairs(folder / "train", own.side()),
             test = datasets::read_aligned_pairs(folder / "val", own.side());
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

/// n pictures of part "train", "judged" or "test" of domain A or B.
using DrawPictures = std::function<at::Tensor(const std::string& part, bool b, std::int64_t n)>;

const Indices& part_of(const datasets::Split& split, const std::string& part) {
  if (part == "train") return split.train;
  return part == "judged" ? split.validation : split.test;
}

DrawPictures landscapes(const CellPictures& own) {
  return [own](const std::string& part, bool b, std::int64_t n) {
    // Each two landscapes are one of day and one of night: A and B come from streams of their own,
    // so that no two are of one scene.
    const auto drawn =
        datasets::drawn_landscapes(2 * n, own.side(), own.side(), own.seed(part, b ? " b" : " a"));
    return own.values(drawn.images.index({drawn.labels == (b ? 1 : 0)}));
  };
}

/// Photographs of a part and a label. Few cameras took all of them: which are in which part is the
/// same for every replicate, and a seed renews the squares that are cut out.
DrawPictures day_night(const CellPictures& own) {
  const auto photos = datasets::read_day_night(own.context.data / own.set.folder, own.side());
  const auto split = datasets::split_by(datasets::cameras(photos.taken_at),
                                        {.train = 0.5, .validation = 0.2, .test = 0.3},
                                        own.seed_for("cameras", 0));
  return [own, photos, split](const std::string& part, bool b, std::int64_t n) {
    Indices chosen;
    for (const auto i : part_of(split, part))
      if (photos.labels[i].item<std::int64_t>() == (b ? 1 : 0)) chosen.push_back(i);
    if (chosen.empty())
      throw UsageError(
          fmt::format(
              "{}: no photograph by {} is in the part {}, whose cameras are in no other part",
              own.context.data.place(own.set.folder).string(), b ? own.set.b : own.set.a, part),
          "add photographs of other cameras (other sizes)");
    const Random random(own.seed(part, b ? " b" : " a"));
    return own.values(datasets::landscape_crops(photos, chosen, n, own.side(), random).images);
  };
}

/// Generated people against photographed ones. Nobody is in two parts.
DrawPictures heads(const CellPictures& own) {
  const datasets::FaceCrop crop{.size = own.side(), .scale = face_margin};
  const auto faces = datasets::read_faces_300w(own.context.data / own.set.folder, crop);
  const auto split = datasets::split_by(
      faces.person, {.train = 0.6, .validation = 0.2, .test = 0.2}, own.seed_for("people", 0));
  return [own, crop, faces, split](const std::string& part, bool b, std::int64_t n) {
    if (b) {
      const auto chosen = own.take(
          datasets::shuffle(part_of(split, part), Random(own.seed(part, " b"))), 0, n, part);
      return own.values(torch::stack(datasets::select(faces.images, chosen)));
    }
    auto identities = datasets::count_up(people_of_part);
    for (auto& identity : identities)
      if (part != "train") identity += people_of_part * (part == "judged" ? 1 : 2);
    return own.values(datasets::head_portraits(n, crop, identities, own.seed(part, " a")).images);
  };
}

DrawPictures draw_from(const CellPictures& own) {
  if (own.set.name == "landscapes") return landscapes(own);
  return own.set.name == "heads" ? heads(own) : day_night(own);
}

}  // namespace

const std::vector<PictureSet>& picture_sets() {
  static const std::vector<PictureSet> all{{.name = "scenes",
                                            .title = "generated scenes",
                                            .section = "map",
                                            .a = "from the air",
                                            .b = "map"},
                                           {.name = "maps",
                                            .title = "maps",
                                            .section = "map",
                                            .folder = "maps",
                                            .a = "from the air",
                                            .b = "map"},
                                           {.name = "landscapes",
                                            .title = "generated landscapes",
                                            .section = "photos",
                                            .a = "day",
                                            .b = "night"},
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

const PictureSet& picture_set(const std::string& name, const std::string& section) {
  const auto& set = find_named(picture_sets(), "set of pictures", name);
  if (set.section != section)
    throw UsageError(
        fmt::format("{}.datasets names {}, a set of section {}", section, name, set.section),
        "name it in " + set.section + ".datasets");
  return set;
}

PictureParts picture_parts(const PictureSet& set, const CellContext& context) {
  const CellPictures own{set, context};
  if (set.section == "map") return set.folder.empty() ? scenes(own) : maps(own);
  const auto draw = draw_from(own);
  const auto training = own.number("training"), test = own.number("test");
  return {.a = draw("train", false, training),
          .b = draw("train", true, training),
          .b_of_a = {},
          .test_a = draw("test", false, test),
          .test_b = draw("test", true, test),
          .classes = {}};
}

training::Examples evaluator_pictures(const PictureSet& set, const CellContext& context) {
  const CellPictures own{set, context};
  const auto draw = draw_from(own);
  const auto n = own.number("judged");
  return {.x = at::cat({draw("judged", false, n), draw("judged", true, n)}),
          .labels = at::cat({at::zeros({n}, at::kLong), at::ones({n}, at::kLong)})};
}

std::vector<Missing> missing_pictures(const PictureSet& set, const DataFolder& data) {
  const std::string generated = set.section == "map" ? "scenes" : "landscapes";
  if (!set.folder.empty())
    need_datasets({set.folder}, data,
                  fmt::format("--set '{}.datasets=[\"{}\"]'", set.section, generated));
  return data.take_missing();
}

}  // namespace reprise::reproduce::unit_study
