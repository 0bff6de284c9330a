// Sets of digits, drawn for one seed.
#include "reproduce/unit/digit_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "datasets/splits.h"
#include "datasets/transforms/picture_scaling.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/resampling.h"

namespace reprise::reproduce::unit_study {
namespace {

using datasets::OfficialPart;
using training::Examples;

std::string part_name(OfficialPart part) {
  return part == OfficialPart::Train ? "training" : "test";
}

/// Which digits to draw. Recorded sets are shuffled by the seed; the first `before` are left out. n
/// = 0: all others.
struct Draw {
  OfficialPart part;
  std::int64_t n, before = 0;
  std::int64_t seed = 0;
  std::string stream = part_name(
      part);  ///< random stream of generated digits; recorded sets have one order per part
};

/// Reads digits from below --data.
datasets::Pictures read_recorded_digits(const NamedDataset& set, const Draw& draw,
                                        const DataFolder& data) {
  const auto all = set.read_pictures(data / set.name, draw.part);
  const auto part = part_name(draw.part);
  const auto order =
      datasets::shuffle(datasets::count_up(all.size()),
                        Random(seed_of({"unit", set.name, part, std::to_string(draw.seed)})));
  // n = 0 takes all others.
  const auto n = draw.n > 0 ? draw.n : std::max<std::int64_t>(0, all.size() - draw.before);
  return all.at(datasets::take(order, draw.before, n,
                               fmt::format("the {} part of {}", part, set.name),
                               "lower digits.training or digits.test; digits.test = 0 takes all"));
}

/// Returns digits as examples, scaled to digits.size.
Examples draw_digits(const std::string& name, const Draw& draw, std::int64_t channels,
                     const CellContext& context) {
  const auto& set = dataset_named(name);
  const auto side = context.settings.integer("digits.size");
  const auto seed = seed_of({"unit", name, draw.stream, std::to_string(draw.seed)});
  const auto digits = set.is_recorded()
                          ? read_recorded_digits(set, draw, context.data)
                          : set.make_pictures({.count = draw.n, .size = side, .seed = seed});
  return {.x = datasets::scale_pictures(digits.images, side, channels), .labels = digits.labels};
}

/// Describes the training digits of the cell's seed.
Draw training_draw(const CellContext& context) {
  return {.part = OfficialPart::Train,
          .n = context.settings.integer("digits.training"),
          .seed = data_seed(context.settings, context.record.cell.seed)};
}

/// Describes the test digits, or those of the training part after the training digits.
Draw held_out_draw(const CellContext& context) {
  auto draw = training_draw(context);
  const bool of_train = context.settings.text("digits.held_out") == "train";
  draw.part = of_train ? OfficialPart::Train : OfficialPart::Test;
  // The test digits follow the training digits.
  draw.before = of_train ? draw.n : 0;
  draw.n = context.settings.integer("digits.test");
  draw.stream = part_name(OfficialPart::Test);
  return draw;
}

/// Inverts every other picture.
void invert_every_other(const at::Tensor& x) { x.slice(0, 1, x.size(0), 2).neg_(); }

const std::vector<DigitSet>& digit_sets() {
  static const std::vector<DigitSet> all{
      {"written"}, {"street", 3}, {"mnist"}, {"usps"}, {"svhn", 3}};
  return all;
}

}  // namespace

std::pair<DigitSet, DigitSet> parse_digit_pair(const std::string& name) {
  const auto line = name.find('_');
  if (line == std::string::npos)
    throw UsageError("\"" + name + "\" is not a pair of digit sets",
                     "name SOURCE_TARGET, such as mnist_usps");
  auto pair = std::pair{find_named(digit_sets(), "set of digits", name.substr(0, line)),
                        find_named(digit_sets(), "set of digits", name.substr(line + 1))};
  if (pair.first.name == pair.second.name)
    throw UsageError(name + " names one set twice", "name two different sets, such as mnist_usps");
  return pair;
}

DigitParts load_digit_parts(const std::string& pair, const CellContext& context) {
  const auto [source, target] = parse_digit_pair(pair);
  // Both sets get the channels that the larger one needs.
  const auto channels = std::max(source.channels, target.channels);
  const auto learned = draw_digits(source.name, training_draw(context), channels, context);
  const auto seen = draw_digits(target.name, training_draw(context), channels, context).x;
  // Digits in colour are lighter or darker than their background, grey ones always lighter.
  // Inverting some covers both.
  if (source.channels > target.channels && context.settings.flag("digits.inversion"))
    invert_every_other(seen);
  return {.learned = {learned.x, learned.labels, seen},
          .source_test = draw_digits(source.name, held_out_draw(context), channels, context),
          .target_test = draw_digits(target.name, held_out_draw(context), channels, context)};
}

EvaluatorDigits load_evaluator_digits(const std::string& set, const CellContext& context) {
  const auto& found = find_named(digit_sets(), "set of digits", set);
  const auto part = [&](OfficialPart of, const char* key) {
    const auto digits = draw_digits(
        set, {.part = of, .n = context.settings.integer(key), .stream = "reader " + part_name(of)},
        found.channels, context);
    invert_every_other(digits.x);
    return digits;
  };
  return {.learned = part(OfficialPart::Train, "reader.training"),
          .test = part(OfficialPart::Test, "digits.test")};
}

std::vector<Missing> find_missing_digits(const std::vector<std::string>& sets,
                                         const DataFolder& data) {
  need_datasets(sets, data, "--set 'digits.pairs=[\"street_written\"]'");
  return data.take_missing();
}

}  // namespace reprise::reproduce::unit_study
