// Metadata of the source tree, build and machine that every record keeps.
#pragma once
#include <filesystem>
#include <string>

#include "records/record.h"

namespace reprise::records {

/// Describes this machine and build. tree: the project's root folder; torch: its version; gpu:
/// model, "" for none; arithmetic: the platform's fingerprint; threads: of one cell.
/// The caller passes the last four, because this layer does not link LibTorch.
Environment describe_environment(const std::filesystem::path& tree, std::string torch,
                                 std::string gpu, std::string arithmetic, int threads);

}  // namespace reprise::records
