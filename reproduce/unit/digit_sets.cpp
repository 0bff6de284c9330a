// Sets of digits, drawn for one seed.
#include "reproduce/unit/digit_sets.h"

#include <ATen/ops/constant_pad_nd.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "datasets/readers/svhn.h"
#include "datasets/readers/usps.h"
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

/// SVHN's 531,131 additional training digits, which the authors trained with.
constexpr const char* svhn_extra = "svhn/extra_32x32.mat";

/// Whether training digits of SVHN are those of the file "extra".
bool uses_svhn_extra(const Settings& settings) {
  return settings.text("digits.svhn_part") == "extra";
}

/// Reads a part of USPS. The split "pooled" shuffles both official parts, always alike, and tests
/// with a fifth: 7,438 and 1,860 digits, as many as in CoGAN's release.
datasets::Pictures read_usps(const std::filesystem::path& folder, OfficialPart part,
                             const Settings& settings) {
  if (settings.text("digits.usps_split") == "official") return datasets::read_usps(folder, part);
  const auto train = datasets::read_usps(folder, OfficialPart::Train),
             test = datasets::read_usps(folder, OfficialPart::Test);
  const datasets::Pictures all{.images = at::cat({train.images, test.images}),
                               .labels = at::cat({train.labels, test.labels})};
  const auto order = datasets::shuffle(datasets::count_up(all.size()),
                                       Random(seed_of({"unit", "usps", "pooled"})));
  const auto training = static_cast<std::ptrdiff_t>(all.size() * 4 / 5);
  if (part == OfficialPart::Train) return all.at({order.begin(), order.begin() + training});
  return all.at({order.begin() + training, order.end()});
}

/// Reads the official files of a set from below --data, and adds the margin of USPS.
datasets::Pictures read_part(const NamedDataset& set, OfficialPart part,
                             const CellContext& context) {
  const auto folder = context.data / set.name;
  if (set.name == "svhn" && part == OfficialPart::Train && uses_svhn_extra(context.settings))
    return datasets::read_svhn_extra(folder);
  if (set.name != "usps") return set.read_pictures(folder, part);
  auto all = read_usps(folder, part, context.settings);
  const auto margin = context.settings.integer("digits.usps_margin");
  // 0 is paper.
  if (margin > 0) all.images = at::constant_pad_nd(all.images, {margin, margin, margin, margin}, 0);
  return all;
}

/// Reads digits from below --data.
datasets::Pictures read_recorded_digits(const NamedDataset& set, const Draw& draw,
                                        const CellContext& context) {
  const auto all = read_part(set, draw.part, context);
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
                          ? read_recorded_digits(set, draw, context)
                          : set.make_pictures({.count = draw.n, .size = side, .seed = seed});
  return {.x = datasets::scale_pictures(digits.images, side, channels), .labels = digits.labels};
}

bool holds_out_training_digits(const Settings& settings) {
  return settings.text("digits.held_out") == "train";
}

/// Describes the training digits of the cell's seed.
Draw training_draw(const CellContext& context) {
  Draw draw{.part = OfficialPart::Train,
            .n = context.settings.integer("digits.training"),
            .seed = data_seed(context.settings, context.record.cell.seed)};
  // All training digits, except those that are held out, which come first then.
  if (draw.n == 0 && holds_out_training_digits(context.settings))
    draw.before = context.settings.integer("digits.test");
  return draw;
}

/// Describes the test digits, or those of the training part that are not trained with.
Draw held_out_draw(const CellContext& context) {
  auto draw = training_draw(context);
  const bool of_train = holds_out_training_digits(context.settings);
  draw.part = of_train ? OfficialPart::Train : OfficialPart::Test;
  // The test digits follow the training digits, or come first if all others are trained with.
  draw.before = of_train ? draw.n : 0;
  draw.n = context.settings.integer("digits.test");
  draw.stream = part_name(OfficialPart::Test);
  return draw;
}

/// Inverts every other picture.
void invert_every_other(const at::Tensor& x) { x.slice(0, 1, x.size(0), 2).neg_(); }

/// Returns grey training pictures of the target for a source in colour. Digits in colour are
/// lighter or darker than their background, grey ones always lighter; inverted ones cover both.
at::Tensor invert_some(const at::Tensor& x, const Settings& settings) {
  // The release trains with each digit twice, once inverted.
  if (settings.flag("digits.both_polarities")) return at::cat({x, -x});
  if (settings.flag("digits.inversion")) invert_every_other(x);
  return x;
}

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
  auto seen = draw_digits(target.name, training_draw(context), channels, context).x;
  if (source.channels > target.channels) seen = invert_some(seen, context.settings);
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
  return {.learned = part(OfficialPart::Train, "digit_classifier.training"),
          .test = part(OfficialPart::Test, "digits.test")};
}

std::vector<Missing> find_missing_digits(const std::vector<std::string>& sets,
                                         const Settings& settings, const DataFolder& data) {
  need_datasets(sets, data, "--set 'digits.pairs=[\"street_written\"]'");
  if (uses_svhn_extra(settings) && std::ranges::find(sets, "svhn") != sets.end() &&
      data.has("svhn"))
    data.need(svhn_extra, "the additional training digits of SVHN", "--set digits.svhn_part=train");
  return data.take_missing();
}

void check_digit_settings(const Settings& settings) {
  const auto training = settings.integer("digits.training"), test = settings.integer("digits.test");
  if (holds_out_training_digits(settings) && test == 0)
    throw UsageError("digits.test = 0 holds out all training digits",
                     "give digits.test a number, or set digits.held_out=test");
  if (training > 0 && test > 0) return;
  for (const auto& pair : settings.texts("digits.pairs")) {
    const auto [source, target] = parse_digit_pair(pair);
    for (const auto& set : {source, target})
      if (!dataset_named(set.name).is_recorded())
        throw UsageError(
            fmt::format("{} = 0 takes all digits of a set, and {} of {} is generated",
                        training == 0 ? "digits.training" : "digits.test", set.name, pair),
            "give a number of at least 1, or leave the pair out of digits.pairs");
  }
}

}  // namespace reprise::reproduce::unit_study
