// Calls of the command line in processes of their own that need not be started: to load LibTorch takes half a second and more, a hundred times.
// A process that is forked before the tests begin, with no thread and nothing computed, forks one a call.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace reprise::reproduce {

/// Called by main before anything else runs in this process.
void make_ready_for_calls();

/// The exit status, -1 after a signal. `out` and `err` are written anew; the call has this process' folder, environment and standard input.
int call_in_a_process(const std::vector<std::string>& words, const std::filesystem::path& out, const std::filesystem::path& err);

}  // namespace reprise::reproduce
