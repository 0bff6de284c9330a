#include "core/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/sha256.h"

namespace reprise {

std::uint64_t seed_of(std::initializer_list<std::string_view> axes) {
  std::string bytes;
  for (const auto axis : axes) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes += static_cast<char>(axis.size() >> shift & 0xff);
    bytes += axis;
  }
  return std::stoull(sha256(bytes).substr(0, 16), nullptr, 16) >> 1;
}

Random Random::split(std::string_view name, std::int64_t index) const {
  return Random(seed_of({"split", std::to_string(seed_), name, std::to_string(index)}));
}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

double Random::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  // Rounding can reach `high` when the range is narrow beside its ends.
  return value < high || low >= high ? value : std::nextafter(high, low);
}

double Random::normal() {
  // 1 - u lies in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::int64_t Random::below(std::int64_t n) {
  if (n < 1)
    throw Error(
        "a random number below " + std::to_string(n) + " was asked for; at least 1 is needed",
        "give it something to choose from");
  const auto count = static_cast<std::uint64_t>(n);
  // The 2^64 mod n lowest values would make some results likelier than others: they are drawn
  // again.
  const std::uint64_t excess = (0 - count) % count;
  std::uint64_t bits = engine_();
  while (bits < excess) bits = engine_();
  return static_cast<std::int64_t>(bits % count);
}

std::vector<std::int64_t> Random::permutation(std::int64_t n) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (auto i = n - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
  return order;
}

}  // namespace reprise
