// Values in a file of weights other than tensors.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "weights/state_dict.h"

namespace reprise::weights {

/// A skipped value: its name and its description, such as "an object of argparse.Namespace".
struct Skipped {
  std::string name, what;
};

/// Like read_weights() of weights/state_dict.h; also lists the skipped values.
StateDict read_weights(const std::filesystem::path& path, std::vector<Skipped>& skipped);

}  // namespace reprise::weights
