// Memory budget for reading one file: 16 times its size plus 16 MiB. Every allocation whose size
// the file determines is paid from the budget first. A small file can then not claim much memory,
// be it by stated sizes, by compression, or by objects that contain each other many times.
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

  /// Pays for an allocation. UsageError: more bytes than are left.
  void spend(std::uint64_t bytes) {
    if (bytes > left_)
      throw UsageError(where_ + ": requests more memory than 16 times its size",
                       "the file is damaged or hostile: fetch it again");
    left_ -= bytes;
  }

 private:
  std::string where_;
  std::uint64_t left_;
};

}  // namespace reprise::weights
