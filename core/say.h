// Output other than answers: progress, notes, errors. This is the only entry point: nothing else
// writes to standard error. Standard error can fail (a full disk, a closed descriptor, a pipe
// without a reader). Then only the text is lost.
#pragma once
#include <cstdio>
#include <string_view>

namespace reprise {

/// Writes a text, made safe for a terminal (terminal_text of core/printable.h). Never throws, and
/// causes no signal.
void say(std::string_view text, std::FILE* out = stderr);
/// Writes bytes unchanged: the program's own terminal output, and messages between its processes.
void say_exactly(std::string_view bytes, std::FILE* out);

/// Prepares the process for failing output. Call it first in main.
///   - Opens those of the three standard descriptors that are closed. Otherwise the next file would
///     receive the output.
///   - Makes a write beyond the file size limit fail like a full disk, without SIGXFSZ.
void expect_failing_output();

}  // namespace reprise
