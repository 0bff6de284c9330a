// Progress of long work: one line that redraws itself on a terminal, plain lines (at most one every
// few seconds) elsewhere.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace reprise::training {

class Progress {
 public:
  /// `out`: stderr for people; nullptr says nothing. Time left is estimated from the fraction done
  /// since the first update, so that work which goes on from a checkpoint does not look faster than
  /// it is.
  explicit Progress(std::FILE* out = stderr, std::string title = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// fraction in [0, 1]; text: what is being done now ("epoch 3/10, validation error 0.0312").
  void update(double fraction, const std::string& text);
  /// Always shown, and shown last.
  void done(const std::string& text);

 private:
  std::FILE* out_;
  std::string title_;
  bool terminal_ = false;
  bool drawn_ = false;  ///< a line on the terminal waits to be redrawn or ended
  double first_fraction_ = -1;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace reprise::training
