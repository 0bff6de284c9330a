// What reading one file may cost: 16 times its size, plus 16 MiB. Every allocation whose size a
// file decides is paid from it first, so that a small file cannot ask for much memory, whether by a
// size it claims, by compression, or by objects that hold each other many times over.
#pragma once
#include <cstdint>
#include <string>

#include "core/error.h"

namespace reprise::weights {

class Budget {
 public:
  Budget(std::string where, std::uint64_t file_size)
      : where_(std::move(where)), left_(16 * file_size + (16 << 20)) {}
  const std::string& where() const { return where_; }

  /// UsageError: more than is left.
  void spend(std::uint64_t bytes) {
    if (bytes > left_)
      throw UsageError(where_ + ": asks for more than 16 times its own size in memory",
                       "a file of weights does not; it is damaged or hostile: fetch it again");
    left_ -= bytes;
  }

 private:
  std::string where_;
  std::uint64_t left_;
};

}  // namespace reprise::weights
