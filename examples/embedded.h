// The TOML files of the examples, part of the library (cmake/embed.cmake), as
// experiments/embedded.h holds those of the studies.
#pragma once
#include <string_view>

namespace reprise::reproduce {

/// The text of "FOLDER/FILE.toml" below examples/. Error: there is no such file; those that exist
/// are listed.
std::string_view example_file(std::string_view name);

}  // namespace reprise::reproduce
