// What a file of weights holds beside its tensors.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "weights/state_dict.h"

namespace reprise::weights {

/// A value that is not read: its name, and what it is ("an integer", "an object of
/// argparse.Namespace").
struct Skipped {
  std::string name, what;
};

/// As read_weights() of weights/state_dict.h; `skipped` gets what else the file holds.
StateDict read_weights(const std::filesystem::path& path, std::vector<Skipped>& skipped);

}  // namespace reprise::weights
