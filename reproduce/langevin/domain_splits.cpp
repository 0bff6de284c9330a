#include "reproduce/langevin/domain_splits.h"

#include <algorithm>
#include <set>

#include "core/random.h"

namespace reprise::reproduce::langevin_study {
namespace {

using datasets::Indices;

// Disjoint pieces of a finite test set: that many seeds have different test items.
constexpr std::int64_t test_pieces = 8;

Indices slice_indices(const Indices& from, std::int64_t first, std::int64_t last) {
  return {from.begin() + first, from.begin() + last};
}

}  // namespace

std::int64_t DomainSeed::integer(const std::string& key) const {
  return settings.integer(domain + "." + key);
}

std::string DomainSeed::source() const {
  return settings.all().contains(domain + ".source") ? settings.text(domain + ".source") : domain;
}

std::filesystem::path DomainSeed::folder() const { return data / source(); }

std::uint64_t DomainSeed::stream(const std::string& purpose, std::int64_t drawn_by) const {
  return seed_of({"langevin", domain, purpose, std::to_string(drawn_by)});
}

Pools assign_items(std::int64_t n, const DomainSeed& own, std::int64_t of_test) {
  const auto order = datasets::shuffle(datasets::count_up(n), Random(own.stream("parts", 0)));
  // Ends of the parts in this order. Small sets may leave the last parts empty.
  const auto evaluator = std::min(n, own.integer("evaluator"));
  const auto validation = std::min(n, evaluator + own.integer("validation"));
  const auto test = std::min(n, validation + test_pieces * of_test);
  return {{"judge", slice_indices(order, 0, evaluator)},
          {"validation", slice_indices(order, evaluator, validation)},
          {"test", slice_indices(order, validation, test)},
          {"prior", slice_indices(order, test, n)}};
}

Pools assign_cameras(const std::vector<std::string>& camera, const DomainSeed& own) {
  const auto parts = datasets::split_by(camera, {.train = 0.5, .validation = 0.25, .test = 0.25},
                                        own.stream("units", 0));
  // Half of the remaining cameras give validation items, half test items.
  const auto halves =
      datasets::split_by(datasets::select(camera, parts.test),
                         {.train = 0.5, .validation = 0, .test = 0.5}, own.stream("rest", 0));
  return {{"prior", parts.train},
          {"judge", parts.validation},
          {"validation", datasets::select(parts.test, halves.train)},
          {"test", datasets::select(parts.test, halves.test)}};
}

Pools assign_speakers(const std::vector<std::string>& speaker, const DomainSeed& own) {
  const std::set<std::string> each(speaker.begin(), speaker.end());
  const std::vector<std::string> names(each.begin(), each.end());
  const auto order =
      datasets::select(names, Random(own.stream("speakers", 0)).permutation(std::ssize(names)));
  // Rounded to the nearest number of speakers.
  const auto two_of_five = (2 * std::ssize(names) + 2) / 5;
  Pools pools{{"prior", {}}, {"judge", {}}};
  Indices rest;
  for (std::size_t i = 0; i < speaker.size(); ++i) {
    const auto item = static_cast<std::int64_t>(i);
    // Speakers are ranked at random: first those of the prior, then those of the evaluator.
    const auto rank = std::ranges::find(order, speaker[i]) - order.begin();
    if (rank < two_of_five)
      pools["prior"].push_back(item);
    else if (rank < 2 * two_of_five)
      pools["judge"].push_back(item);
    else
      rest.push_back(item);
  }
  // Of the recorded set's five speakers one is left, who speaks in validation and test. The
  // recordings are mixed before they are split.
  rest = datasets::shuffle(rest, Random(own.stream("rest", 0)));
  const auto half = std::ssize(rest) / 2;
  pools["validation"] = slice_indices(rest, 0, half);
  pools["test"] = slice_indices(rest, half, std::ssize(rest));
  return pools;
}

}  // namespace reprise::reproduce::langevin_study
