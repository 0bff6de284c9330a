// The facts about tree, build and machine that every record keeps.
#pragma once
#include <filesystem>
#include <string>

#include "records/record.h"

namespace reprise::records {

/// tree: the project's root folder. torch: its version; gpu: the model's name, "" for none;
/// arithmetic: the fingerprint of its arithmetic; threads: what one cell uses. The caller says
/// these four, because records know no torch.
Environment environment_of(const std::filesystem::path& tree, std::string torch, std::string gpu,
                           std::string arithmetic, int threads);

}  // namespace reprise::records
