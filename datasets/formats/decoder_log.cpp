#include "datasets/formats/decoder_log.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace reprise::datasets {
namespace {

struct DecoderLog {
  std::atomic<std::int64_t> errors = 0;
  std::mutex mutex;
  std::string last;
};
DecoderLog& decoder_log() {
  static DecoderLog log;
  return log;
}

void keep_line(void*, int level, const char* format, va_list arguments) {
  constexpr int error_level = 16;  // AV_LOG_ERROR
  if (level > error_level) return;
  std::array<char, 200> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  auto& log = decoder_log();
  const std::lock_guard lock(log.mutex);
  log.last = text.data();
  while (!log.last.empty() && log.last.back() == '\n') log.last.pop_back();
  ++log.errors;
}

void listen_to_decoder() {
  static const bool once = [] {
    using Callback = void (*)(void*, int, const char*, va_list);
    const auto set = reinterpret_cast<void (*)(Callback)>(::dlsym(RTLD_DEFAULT, "av_log_set_callback"));
    if (set) set(&keep_line);
    return set != nullptr;
  }();
  (void)once;
}

}  // namespace

std::int64_t decoder_errors() {
  listen_to_decoder();
  return decoder_log().errors;
}

std::string last_decoder_error() {
  const std::lock_guard lock(decoder_log().mutex);
  return decoder_log().last;
}

}  // namespace reprise::datasets
