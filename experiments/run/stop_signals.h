// SIGINT, SIGTERM and SIGHUP as a file for poll(), as long as the object lives.
#pragma once
#include <signal.h>

#include <array>

namespace reprise::reproduce {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// File that becomes readable when a signal arrives.
  int file() const { return pipe_[0]; }
  bool came() const;

 private:
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, 3> before_{};
};

}  // namespace reprise::reproduce
