// TOML files of the examples, embedded in the library (cmake/embed.cmake) like those of the studies
// (experiments/embedded.h).
#pragma once
#include <string_view>

namespace reprise::reproduce {

/// Returns the text of "FOLDER/FILE.toml" below examples/. Error: no such file; lists the existing
/// ones.
std::string_view example_file(std::string_view name);

}  // namespace reprise::reproduce
