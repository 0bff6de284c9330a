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
    // The length before each text keeps ("ab", "c") and ("a", "bc") apart. Its eight bytes are
    // little-endian on every machine.
    for (int shift = 0; shift < 64; shift += 8)
      bytes += static_cast<char>(axis.size() >> shift & 0xff);
    bytes += axis;
  }
  // 16 hexadecimal digits are 64 bits. The shift leaves 63, so that the seed also fits into a
  // signed integer.
  return std::stoull(sha256(bytes).substr(0, 16), nullptr, 16) >> 1;
}

Random Random::split(std::string_view name, std::int64_t index) const {
  return Random(seed_of({"split", std::to_string(seed_), name, std::to_string(index)}));
}

// The upper 53 of 64 bits, as many as a double's mantissa holds, times 2^-53.
double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

double Random::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  // Rounding can reach `high` when the range is narrow compared with its ends.
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
        "a random number below " + std::to_string(n) + " cannot be drawn; at least 1 is needed",
        "check that the set to draw from is not empty");
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
  // Fisher and Yates: every order is equally likely.
  for (auto i = n - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
  return order;
}

}  // namespace reprise
