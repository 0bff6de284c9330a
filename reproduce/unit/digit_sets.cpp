#include "reproduce/unit/digit_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "datasets/generators/digits.h"
#include "datasets/generators/street_digits.h"
#include "datasets/readers/mnist.h"
#include "datasets/readers/svhn.h"
#include "datasets/readers/usps.h"
#include "datasets/transforms/picture_values.h"
#include "experiments/names.h"
#include "experiments/replicates.h"

namespace reprise::reproduce::unit_study {
namespace {

enum class OfficialPart { Train, Test };

std::string text_of(OfficialPart part) { return part == OfficialPart::Train ? "training" : "test"; }

datasets::Pictures generated_digits(const std::string& set, const std::string& stream, std::int64_t n, int side, std::int64_t seed) {
  const auto drawn_by = seed_of({"unit", set, stream, std::to_string(seed)});
  return set == "written" ? datasets::drawn_digits(n, side, drawn_by) : datasets::drawn_street_digits(n, side, drawn_by);
}

datasets::Pictures recorded_digits(const std::string& set, OfficialPart part, const DataFolder& data) {
  const bool train = part == OfficialPart::Train;
  const auto folder = data / set;
  if (set == "mnist") return datasets::read_mnist(folder, train ? datasets::MnistPart::Train : datasets::MnistPart::Test);
  if (set == "usps") return datasets::read_usps(folder, train ? datasets::UspsPart::Train : datasets::UspsPart::Test);
  return datasets::read_svhn(folder, train ? datasets::SvhnPart::Train : datasets::SvhnPart::Test);
}

/// Which digits are drawn: of a recorded set without replacement, in an order of the seed's, without those `before`; all others for n = 0.
struct Draw {
  OfficialPart part;
  std::int64_t n, before = 0;
  std::int64_t seed = 0;
  std::string stream = text_of(part);  ///< of generated digits; a recorded set has one order a part
};

LabelledDigits drawn_digits(const DigitSet& set, const Draw& draw, std::int64_t channels, const CellContext& context) {
  const auto side = context.settings.integer("digits.size");
  const auto values = [&](const datasets::Pictures& pictures) {
    return LabelledDigits{datasets::picture_values(pictures.images, side, channels), pictures.labels};
  };
  if (!set.recorded) return values(generated_digits(set.name, draw.stream, draw.n, static_cast<int>(side), draw.seed));
  const auto all = recorded_digits(set.name, draw.part, context.data);
  if (draw.before + draw.n > all.size())
    throw UsageError(fmt::format("the {} part of {} has {} digits, and the settings ask for {}", text_of(draw.part), set.name, all.size(),
                                 draw.before + draw.n),
                     "lower digits.training or digits.test; digits.test = 0 takes all");
  const auto order = Random(seed_of({"unit", set.name, text_of(draw.part), std::to_string(draw.seed)})).permutation(all.size());
  const auto places = torch::tensor(order, at::kLong).slice(0, draw.before, draw.n > 0 ? draw.before + draw.n : all.size());
  return values({all.images.index_select(0, places), all.labels.index_select(0, places)});
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

}  // namespace

const std::vector<DigitSet>& digit_sets() {
  static const std::vector<DigitSet> all{{.name = "written", .title = "written digits (generated)", .recorded = false},
                                         {.name = "street", .title = "street digits (generated)", .channels = 3, .recorded = false},
                                         {.name = "mnist", .title = "MNIST"},
                                         {.name = "usps", .title = "USPS"},
                                         {.name = "svhn", .title = "SVHN", .channels = 3}};
  return all;
}

std::pair<DigitSet, DigitSet> digit_pair(const std::string& name) {
  const auto line = name.find('_');
  if (line == std::string::npos) throw UsageError("\"" + name + "\" is no pair of digits", "name SOURCE_TARGET, such as mnist_usps");
  auto pair = std::pair{find_named(digit_sets(), "set of digits", name.substr(0, line)),
                        find_named(digit_sets(), "set of digits", name.substr(line + 1))};
  if (pair.first.name == pair.second.name) throw UsageError(name + " adapts a set to itself", "name two sets, such as mnist_usps");
  return pair;
}

DigitParts digit_parts(const std::string& pair, const CellContext& context) {
  const auto [source, target] = digit_pair(pair);
  const auto channels = std::max(source.channels, target.channels);
  const auto learned = drawn_digits(source, learned_part(context), channels, context);
  const auto seen = drawn_digits(target, learned_part(context), channels, context).x;
  // A digit in colour is darker or lighter than its ground, one of a set without colour always lighter.
  if (source.channels > target.channels && context.settings.flag("digits.inversion")) invert_every_other(seen);
  return {.learned = {learned.x, learned.labels, seen},
          .source_test = drawn_digits(source, held_out_part(context), channels, context),
          .target_test = drawn_digits(target, held_out_part(context), channels, context)};
}

ReaderDigits reader_digits(const std::string& set, const CellContext& context) {
  const auto& found = find_named(digit_sets(), "set of digits", set);
  const auto part = [&](OfficialPart of, const char* key) {
    const auto digits =
        drawn_digits(found, {.part = of, .n = context.settings.integer(key), .stream = "reader " + text_of(of)}, found.channels, context);
    invert_every_other(digits.x);
    return digits;
  };
  return {.learned = part(OfficialPart::Train, "reader.training"), .test = part(OfficialPart::Test, "digits.test")};
}

std::vector<Missing> missing_digits(const std::string& pair_or_set, const DataFolder& data) {
  for (const auto& set : digit_sets()) {
    const bool is_part = pair_or_set == set.name || pair_or_set.starts_with(set.name + "_") || pair_or_set.ends_with("_" + set.name);
    if (is_part && set.recorded) data.need(set.name, "", "--set 'digits.pairs=[\"street_written\"]'");
  }
  return data.take_missing();
}

}  // namespace reprise::reproduce::unit_study
