// FFmpeg's errors, which OpenCV does not report.
#pragma once
#include <cstdint>
#include <string>

namespace reprise::datasets {

/// Redirects FFmpeg's log from standard error to the counters below. Further calls do nothing.
void listen_to_decoder();

struct DecoderErrors {
  std::int64_t count = 0;
  std::string last;  ///< text of the latest error, without a file name
};

/// Returns the errors that decoders of this process logged since listen_to_decoder(). They cover
/// all threads, because decoders run in threads of their own.
DecoderErrors decoder_errors();

/// Returns the errors that demuxers logged in this thread since listen_to_decoder().
DecoderErrors demuxer_errors();

}  // namespace reprise::datasets
