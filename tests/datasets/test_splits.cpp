#include <fmt/format.h>

#include <numeric>
#include <set>

#include "core/random.h"
#include "datasets/splits.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

/// `persons` persons with one to `most` items each, mixed.
std::vector<std::string> crowd(int persons, int most, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<std::string> items;
  for (int p = 0; p < persons; ++p)
    for (std::int64_t i = random.below(most); i >= 0; --i)
      items.push_back(fmt::format("person{}", p));
  for (auto i = static_cast<std::int64_t>(items.size()) - 1; i > 0; --i)
    std::swap(items[static_cast<std::size_t>(i)],
              items[static_cast<std::size_t>(random.below(i + 1))]);
  return items;
}

std::set<std::string> persons_of(const std::vector<std::string>& person,
                                 const std::vector<std::int64_t>& part) {
  std::set<std::string> names;
  for (const auto i : part) names.insert(person[static_cast<std::size_t>(i)]);
  return names;
}

TEST(Splits, NoPersonIsInTwoPartsAndEveryItemInOne) {
  const auto person = crowd(200, 12);
  const auto split = split_by(person, {}, 3);
  const auto train = persons_of(person, split.train),
             validation = persons_of(person, split.validation),
             test = persons_of(person, split.test);
  std::set<std::string> all = train;
  all.insert(validation.begin(), validation.end());
  all.insert(test.begin(), test.end());
  EXPECT_EQ(all.size(), train.size() + validation.size() + test.size());
  std::vector<std::int64_t> items = split.train, expected(person.size());
  items.insert(items.end(), split.validation.begin(), split.validation.end());
  items.insert(items.end(), split.test.begin(), split.test.end());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_THAT(items, UnorderedElementsAreArray(expected));
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
}

TEST(Splits, SharesOfItemsAreMetToWithinOnePerson) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const auto person = crowd(300, 9, seed);
    const auto split = split_by(person, {.train = 0.65, .validation = 0.15, .test = 0.20}, seed);
    const auto n = static_cast<double>(person.size());
    EXPECT_NEAR(static_cast<double>(split.test.size()), 0.20 * n, 9);
    EXPECT_NEAR(static_cast<double>(split.validation.size()), 0.15 * n, 9);
  }
}

TEST(Splits, DependOnTheSeedAndNotOnTheOrderOfTheItems) {
  const auto person = crowd(60, 5);
  const auto split = split_by(person, {}, 8), again = split_by(person, {}, 8),
             other = split_by(person, {}, 9);
  EXPECT_EQ(split.train, again.train);
  EXPECT_EQ(split.test, again.test);
  EXPECT_NE(persons_of(person, split.test), persons_of(person, other.test));
  const std::vector<std::string> reversed(person.rbegin(), person.rend());
  EXPECT_EQ(persons_of(person, split.test), persons_of(reversed, split_by(reversed, {}, 8).test));
}

TEST(Splits, ValidationIsSplitOffTrainingSoTestPersonsStayWhateverItsShare) {
  const auto person = crowd(80, 6);
  const auto wide = split_by(person, {.train = 0.5, .validation = 0.3, .test = 0.2}, 4);
  const auto none = split_by(person, {.train = 0.8, .validation = 0, .test = 0.2}, 4);
  EXPECT_EQ(wide.test, none.test);
  EXPECT_TRUE(none.validation.empty());
}

TEST(Splits, EveryPartAskedForGetsAPerson) {
  const std::vector<std::string> three = {"a", "a", "a", "a", "a", "a", "a", "a", "a", "b", "c"};
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto split = split_by(three, {}, seed);
    EXPECT_FALSE(split.train.empty()) << seed;
    EXPECT_FALSE(split.validation.empty()) << seed;
    EXPECT_FALSE(split.test.empty()) << seed;
  }
  EXPECT_EQ(split_by(three, {.train = 0, .validation = 0, .test = 1}, 1).test.size(), three.size());
  EXPECT_EQ(split_by(three, {.train = 1, .validation = 0, .test = 0}, 1).train.size(),
            three.size());
  EXPECT_EQ(split_by(three, {.train = 0, .validation = 0.5, .test = 0.5}, 1).train.size(), 0U);
}

TEST(Splits, WhatCannotBeSplitIsRefused) {
  EXPECT_THAT(
      [] {
        split_by({"a", "a", "b"}, {}, 1);
      },
      ThrowsUsageError(HasSubstr("3 items of 2 persons"), HasSubstr("3 parts")));
  EXPECT_THAT([] { split_by({}, {}, 1); }, ThrowsUsageError(HasSubstr("0 persons")));
  EXPECT_THAT(
      [] {
        split_by({"a", "b", "c"}, {.train = 0.9, .validation = 0.2, .test = 0.1}, 1);
      },
      ThrowsUsageError(HasSubstr("add up to 1")));
  EXPECT_THAT(
      [] {
        split_by({"a", "b", "c"}, {.train = 1.2, .validation = -0.2, .test = 0}, 1);
      },
      ThrowsUsageError(HasSubstr("-0.2")));
}

TEST(Splits, AShuffledListHasEachItemOnceAndPiecesOfItShareNone) {
  const Indices items{3, 5, 8, 13, 21, 34};
  const auto order = shuffle(items, Random(7));
  EXPECT_THAT(order, UnorderedElementsAreArray(items));
  EXPECT_EQ(order, shuffle(items, Random(7)));
  EXPECT_NE(order, shuffle(items, Random(8)));
  auto pieces = take(order, 0, 4, "items", "");
  const auto rest = take(order, 4, 2, "items", "");
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  EXPECT_EQ(pieces, order);
  EXPECT_EQ(select(items, {5, 0}), (Indices{34, 3}));
}

TEST(Splits, WhoTakesMoreItemsThanThereAreIsToldOfWhat) {
  EXPECT_THAT(
      [] { take(count_up(6), 4, 3, "the test part of mnist", "lower digits.test"); },
      ThrowsUsageError(HasSubstr("the test part of mnist has 6 items, and the settings ask for 7"),
                       HasSubstr("lower digits.test")));
}

}  // namespace
}  // namespace reprise::datasets
