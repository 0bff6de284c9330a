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
#include "reproduce/names.h"
#include "reproduce/replicates.h"

namespace reprise::reproduce::unit_study {
namespace {

enum class OfficialPart { Train, Test };

std::string text_of(OfficialPart part) { return part == OfficialPart::Train ? "training" : "test"; }

datasets::Pictures generated_digits(const std::string& set, OfficialPart part, std::int64_t n, int side, std::int64_t seed) {
  const auto stream = seed_of({"unit", set, text_of(part), std::to_string(seed)});
  return set == "written" ? datasets::drawn_digits(n, side, stream) : datasets::drawn_street_digits(n, side, stream);
}

datasets::Pictures recorded_digits(const std::string& set, OfficialPart part, const DataFolder& data) {
  const bool train = part == OfficialPart::Train;
  const auto folder = data / set;
  if (set == "mnist") return datasets::read_mnist(folder, train ? datasets::MnistPart::Train : datasets::MnistPart::Test);
  if (set == "usps") return datasets::read_usps(folder, train ? datasets::UspsPart::Train : datasets::UspsPart::Test);
  return datasets::read_svhn(folder, train ? datasets::SvhnPart::Train : datasets::SvhnPart::Test);
}

/// `n` pictures of a part; of a recorded set drawn without replacement, all of them for n = 0.
LabelledDigits part_of(const DigitSet& set, OfficialPart part, std::int64_t n, std::int64_t channels, const CellContext& context) {
  const auto seed = data_seed(context.settings, context.record.cell.seed);
  const auto side = context.settings.integer("digits.size");
  const auto values = [&](const datasets::Pictures& pictures) {
    return LabelledDigits{datasets::picture_values(pictures.images, side, channels), pictures.labels};
  };
  if (!set.recorded) return values(generated_digits(set.name, part, n, static_cast<int>(side), seed));
  const auto all = recorded_digits(set.name, part, context.data);
  if (n > all.size())
    throw UsageError(fmt::format("the {} part of {} has {} digits, and the settings ask for {}", text_of(part), set.name, all.size(), n),
                     "lower digits.training or digits.test; digits.test = 0 takes all");
  auto order = Random(seed_of({"unit", set.name, text_of(part), std::to_string(seed)})).permutation(all.size());
  if (n > 0) order.resize(static_cast<std::size_t>(n));
  const auto places = torch::tensor(order, at::kLong);
  return values({all.images.index_select(0, places), all.labels.index_select(0, places)});
}

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
  const auto training = context.settings.integer("digits.training"), test = context.settings.integer("digits.test");
  const auto learned = part_of(source, OfficialPart::Train, training, channels, context);
  const auto seen = part_of(target, OfficialPart::Train, training, channels, context).x;
  // A digit in colour is darker or lighter than its ground, one of a set without colour always lighter.
  if (source.channels > target.channels && context.settings.flag("digits.inversion")) seen.slice(0, 1, seen.size(0), 2).neg_();
  return {.learned = {learned.x, learned.labels, seen},
          .source_test = part_of(source, OfficialPart::Test, test, channels, context),
          .target_test = part_of(target, OfficialPart::Test, test, channels, context)};
}

void require_digit_pair(const std::string& pair, const DataFolder& data) {
  const auto [source, target] = digit_pair(pair);
  for (const auto& set : {source, target})
    if (set.recorded && !data.has(set.name))
      throw UsageError("there is no " + data.place(set.name).string(),
                       "give --data DIR, or name generated sets in digits.pairs: --set 'digits.pairs=[\"street_written\"]'");
}

}  // namespace reprise::reproduce::unit_study
