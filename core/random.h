// Seeds and random numbers that are the same on every machine and with every standard library.
//
// The seed of a piece of work is a hash of its description (axes). Cells therefore never share a
// stream, and a stream does not depend on the order of cells. Nothing uses a global generator: a
// Random, or a torch generator seeded from seed_of(), is created once and passed on.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// Seed: the first 63 bits of SHA-256 over the axes in order, each preceded by its length.
std::uint64_t seed_of(std::initializer_list<std::string_view> axes);

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed), seed_(seed) {}
  /// Makes an independent stream for the part `name`, `index` of the work. Does not advance this
  /// one.
  Random split(std::string_view name, std::int64_t index = 0) const;

  double uniform();                         ///< in [0, 1), 53 bits
  double uniform(double low, double high);  ///< in [low, high)
  double normal();                          ///< standard normal value (Box-Muller)
  std::int64_t below(std::int64_t n);       ///< in [0, n), without bias; n >= 1
  bool chance(double p) { return uniform() < p; }
  std::vector<std::int64_t> permutation(std::int64_t n);  ///< uniform permutation of 0 .. n - 1

 private:
  std::mt19937_64 engine_;
  std::uint64_t seed_ = 0;
};

}  // namespace reprise
