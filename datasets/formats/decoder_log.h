// The errors of FFmpeg, of which OpenCV says nothing. OpenCV brings FFmpeg or does not: nothing is linked for it.
#pragma once
#include <cstdint>
#include <string>

namespace reprise::datasets {

/// Number of errors that decoders of this process have logged since the first call, from any thread. The log no longer goes to standard
/// error. Without FFmpeg: 0.
std::int64_t decoder_errors();
/// Text of the last one. It names no file.
std::string last_decoder_error();

}  // namespace reprise::datasets
