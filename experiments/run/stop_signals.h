// SIGINT, SIGTERM and SIGHUP as something a poll() can wait for, as long as it lives.
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
  /// Becomes readable when a signal came.
  int file() const { return pipe_[0]; }
  bool came() const;

 private:
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, 3> before_{};
};

}  // namespace reprise::reproduce
