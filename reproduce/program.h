// What a study's cells run, as a hash: two programs with the same one give the same cells from the same settings and data.
//
// It covers the sources that decide what a cell computes (cmake/program.cmake says which), the compiler and its flags. Reports, verdicts and
// the command line have no part in it, nor has the folder that the program was built in. build/release/generated/STUDY.program lists the files.
#pragma once
#include <string>

namespace reprise::reproduce {

/// The project's version, as "0.1.0".
std::string version();

/// 64 hexadecimal digits; "" for a study that this source tree has no folder of.
std::string program_of(const std::string& study);

}  // namespace reprise::reproduce
