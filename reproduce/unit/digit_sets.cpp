#include "reproduce/unit/digit_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "datasets/splits.h"
#include "datasets/transforms/picture_values.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/replicates.h"

namespace reprise::reproduce::unit_study {
namespace {

using datasets::OfficialPart;
using training::Examples;

std::string text_of(OfficialPart part) { return part == OfficialPart::Train ? "training" : "test"; }

/// Which digits are drawn: of a recorded set without replacement, in an order of the seed's,
/// without those `before`; all others for n = 0.
struct Draw {
  OfficialPart part;
  std::int64_t n, before = 0;
  std::int64_t seed = 0;
  std::string stream = text_of(part);  ///< of generated digits; a recorded set has one order a part
};

datasets::Pictures recorded_digits(const NamedDataset& set, const Draw& draw,
                                   const DataFolder& data) {
  const auto all = set.read_pictures(data / set.name, draw.part);
  const auto part = text_of(draw.part);
  const auto order =
      datasets::shuffle(datasets::count_up(all.size()),
                        Random(seed_of({"unit", set.name, part, std::to_string(draw.seed)})));
  const auto n = draw.n > 0 ? draw.n : std::max<std::int64_t>(0, all.size() - draw.before);
  return all.at(datasets::take(order, draw.before, n,
                               fmt::format("the {} part of {}", part, set.name),
                               "lower digits.training or digits.test; digits.test = 0 takes all"));
}

Examples draw_digits(const std::string& name, const Draw& draw, std::int64_t channels,
                     const CellContext& context) {
  const auto& set = dataset_named(name);
  const auto side = context.settings.integer("digits.size");
  const auto seed = seed_of({"unit", name, draw.stream, std::to_string(draw.seed)});
  const auto digits = set.recorded()
                          ? recorded_digits(set, draw, context.data)
                          : set.make_pictures({.count = draw.n, .size = side, .seed = seed});
  return {.x = datasets::picture_values(digits.images, side, channels), .labels = digits.labels};
}

Draw learned_part(const CellContext& context) {
  return {.part = OfficialPart::Train,
          .n = context.settings.integer("digits.training"),
          .seed = data_seed(context.settings, context.record.cell.seed)};
}

Draw held_out_part(const CellContext& context) {
  auto draw = learned_part(context);
  const bool of_train = context.settings.text("digits.held_out") == "train";
  draw.part = of_train ? OfficialPart::Train : OfficialPart::Test;
  draw.before = of_train ? draw.n : 0;
  draw.n = context.settings.integer("digits.test");
  draw.stream = text_of(OfficialPart::Test);
  return draw;
}

/// Every other picture dark where it was light.
void invert_every_other(const at::Tensor& x) { x.slice(0, 1, x.size(0), 2).neg_(); }

const std::vector<DigitSet>& digit_sets() {
  static const std::vector<DigitSet> all{
      {"written"}, {"street", 3}, {"mnist"}, {"usps"}, {"svhn", 3}};
  return all;
}

}  // namespace

std::pair<DigitSet, DigitSet> digit_pair(const std::string& name) {
  const auto line = name.find('_');
  if (line == std::string::npos)
    throw UsageError("\"" + name + "\" is no pair of digits",
                     "name SOURCE_TARGET, such as mnist_usps");
  auto pair = std::pair{find_named(digit_sets(), "set of digits", name.substr(0, line)),
                        find_named(digit_sets(), "set of digits", name.substr(line + 1))};
  if (pair.first.name == pair.second.name)
    throw UsageError(name + " adapts a set to itself", "name two sets, such as mnist_usps");
  return pair;
}

DigitParts digit_parts(const std::string& pair, const CellContext& context) {
  const auto [source, target] = digit_pair(pair);
  const auto channels = std::max(source.channels, target.channels);
  const auto learned = draw_digits(source.name, learned_part(context), channels, context);
  const auto seen = draw_digits(target.name, learned_part(context), channels, context).x;
  // A digit in colour is darker or lighter than its ground, one of a set without colour always
  // lighter.
  if (source.channels > target.channels && context.settings.flag("digits.inversion"))
    invert_every_other(seen);
  return {.learned = {learned.x, learned.labels, seen},
          .source_test = draw_digits(source.name, held_out_part(context), channels, context),
          .target_test = draw_digits(target.name, held_out_part(context), channels, context)};
}

EvaluatorDigits evaluator_digits(const std::string& set, const CellContext& context) {
  const auto& found = find_named(digit_sets(), "set of digits", set);
  const auto part = [&](OfficialPart of, const char* key) {
    const auto digits = draw_digits(
        set, {.part = of, .n = context.settings.integer(key), .stream = "reader " + text_of(of)},
        found.channels, context);
    invert_every_other(digits.x);
    return digits;
  };
  return {.learned = part(OfficialPart::Train, "reader.training"),
          .test = part(OfficialPart::Test, "digits.test")};
}

std::vector<Missing> missing_digits(const std::vector<std::string>& sets, const DataFolder& data) {
  need_datasets(sets, data, "--set 'digits.pairs=[\"street_written\"]'");
  return data.take_missing();
}

}  // namespace reprise::reproduce::unit_study
