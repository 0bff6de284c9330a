// Seeds and the random numbers made from them: the same on every machine and with every standard
// library.
//
// The seed of a piece of work is a hash of what the work is (its axes), so that no two cells share
// a stream, and a cell's stream does not depend on which cells ran before it. Nothing in the
// project draws from a global generator: a Random, or a torch generator seeded from seed_of(), is
// made once and passed down.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// The first 63 bits of SHA-256 over the axes, each preceded by its length; order matters.
std::uint64_t seed_of(std::initializer_list<std::string_view> axes);

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed), seed_(seed) {}
  /// An independent stream, for the part of the work that `name` and `index` say. Does not advance
  /// this one.
  Random split(std::string_view name, std::int64_t index = 0) const;

  double uniform();                         ///< in [0, 1), 53 bits
  double uniform(double low, double high);  ///< in [low, high)
  double normal();  ///< mean 0, standard deviation 1 (Box-Muller; one value a call)
  std::int64_t below(std::int64_t n);  ///< in [0, n), without bias; n >= 1
  bool chance(double p) { return uniform() < p; }
  std::vector<std::int64_t> permutation(std::int64_t n);  ///< of 0 .. n - 1, every order as likely

 private:
  std::mt19937_64 engine_;
  std::uint64_t seed_ = 0;
};

}  // namespace reprise
