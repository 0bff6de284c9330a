// The errors of FFmpeg, of which OpenCV reports nothing.
#pragma once
#include <cstdint>
#include <string>

namespace reprise::datasets {

/// Redirects FFmpeg's log from standard error to the counts below, once.
void listen_to_decoder();

struct DecoderErrors {
  std::int64_t count = 0;
  std::string last;  ///< text of the last one, which names no file
};

/// Errors that decoders of this process have logged since listen_to_decoder(), from any thread:
/// they decode in threads of their own.
DecoderErrors decoder_errors();

/// Errors that demuxers have logged in this thread since listen_to_decoder().
DecoderErrors container_errors();

}  // namespace reprise::datasets
