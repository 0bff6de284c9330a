#include "training/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/printable.h"
#include "core/say.h"

namespace reprise::training {
namespace {

// Shortest time between updates, on a terminal and in a log.
constexpr std::chrono::milliseconds between_frames{100}, between_lines{5000};
constexpr int bar_width = 24;
constexpr const char* clear_line = "\r\033[K";

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double fraction) {
  const int full = static_cast<int>(fraction * bar_width);
  return "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "]";
}

}  // namespace

Progress::Progress(std::FILE* out, std::string title)
    : out_(out),
      title_(title.empty() ? "" : std::move(title) + ": "),
      terminal_(out != nullptr && ::isatty(::fileno(out)) == 1) {
  start_ = last_ = std::chrono::steady_clock::now();
}

Progress::~Progress() {
  if (out_ != nullptr && drawn_) say("\n", out_);
}

void Progress::update(double fraction, const std::string& text) {
  if (out_ == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  // The first update is always shown.
  if (first_fraction_ >= 0 && now - last_ < (terminal_ ? between_frames : between_lines)) return;
  fraction = std::clamp(fraction, 0.0, 1.0);
  if (first_fraction_ < 0) {
    first_fraction_ = fraction;
    start_ = now;
  }
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // Work that was done before this start does not count for the speed.
  const double done_here = fraction - first_fraction_;
  const std::string left =
      done_here > 0 ? ", " + clock_text(seconds * (1 - fraction) / done_here) + " left" : "";
  const int percent = static_cast<int>(fraction * 100);
  // A terminal shows one line that is drawn again; a log gets a line per update.
  if (terminal_)
    say_exactly(clear_line + terminal_text(fmt::format("{}{} {:3}%{} {}", title_, bar(fraction),
                                                       percent, left, text)),
                out_);
  else
    say(fmt::format("{}{:3}%{}  {}\n", title_, percent, left, text), out_);
  drawn_ = terminal_;
}

void Progress::done(const std::string& text) {
  if (out_ == nullptr) return;
  say_exactly((drawn_ ? clear_line : "") + terminal_text(title_ + text + "\n"), out_);
  // The same object can show the next piece of work.
  drawn_ = false;
  first_fraction_ = -1;
}

}  // namespace reprise::training
