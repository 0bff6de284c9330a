// What is told beside the answer: progress, notes, errors. Standard error may take nothing (a full
// disk, a closed descriptor, a pipe that nobody reads any more); that costs the words and nothing
// else. This is the only door: nothing else writes there.
#pragma once
#include <cstdio>
#include <string_view>

namespace reprise {

/// Never throws, and no signal comes of it. The text is made fit for a terminal (terminal_text of
/// core/printable.h).
void say(std::string_view text, std::FILE* out = stderr);
/// The same byte for byte: what the program itself draws on a terminal, and messages between its
/// processes.
void say_exactly(std::string_view bytes, std::FILE* out);

/// First thing in main. A descriptor of 0, 1 and 2 that is closed is occupied, or the first file
/// that is opened would take its number, and with it what is said. A file that grows beyond the
/// limit of the process fails as on a full disk and is told so, in place of SIGXFSZ.
void expect_failing_output();

}  // namespace reprise
