// Progress of long work: one line that redraws itself on a terminal; elsewhere plain lines, at most
// one every few seconds.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace reprise::training {

class Progress {
 public:
  /// Reports to `out`; nullptr reports nothing. The remaining time is estimated from the progress
  /// since the first update, so that resumed work does not look faster than it is.
  explicit Progress(std::FILE* out = stderr, std::string title = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Shows the fraction done, in [0, 1], and a text: "epoch 3/10, validation error 0.0312".
  void update(double fraction, const std::string& text);
  /// Shows the final text, always.
  void done(const std::string& text);

 private:
  std::FILE* out_;
  std::string title_;
  bool terminal_ = false;
  bool drawn_ = false;  ///< a line on the terminal is not ended yet
  double first_fraction_ = -1;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace reprise::training
