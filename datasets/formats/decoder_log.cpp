#include "datasets/formats/decoder_log.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>

extern "C" {
#include <libavutil/log.h>
}

namespace reprise::datasets {
namespace {

std::mutex log_mutex;
DecoderErrors of_decoders;               // under log_mutex
thread_local DecoderErrors of_demuxers;  // a demuxer logs in the thread that reads the file

bool is_demuxer(void* source) {
  // Every object that logs begins with a pointer to its class.
  const auto* kind = source == nullptr ? nullptr : *static_cast<const AVClass* const*>(source);
  if (kind == nullptr) return false;
  const auto category = kind->get_category != nullptr ? kind->get_category(source) : kind->category;
  return category == AV_CLASS_CATEGORY_DEMUXER;
}

void keep_line(void* source, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  std::array<char, 200> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  const std::lock_guard lock(log_mutex);
  auto& errors = is_demuxer(source) ? of_demuxers : of_decoders;
  errors.last = text.data();
  while (!errors.last.empty() && errors.last.back() == '\n') errors.last.pop_back();
  ++errors.count;
}

}  // namespace

void listen_to_decoder() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(&keep_line); });
}

DecoderErrors decoder_errors() {
  const std::lock_guard lock(log_mutex);
  return of_decoders;
}

DecoderErrors demuxer_errors() { return of_demuxers; }

}  // namespace reprise::datasets
