// What a set's verify function finds, whatever stops it.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

/// The problems that `check` collects, and the error that ends it, which is then the folder's: with its own fix, or `fix` where it has
/// none.
std::vector<Problem> collected_problems(const std::function<void(std::vector<Problem>& problems)>& check,
                                        const std::filesystem::path& folder, const std::string& fix);

}  // namespace reprise::datasets
