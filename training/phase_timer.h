// Wall-clock time of the phases of training.
#pragma once
#include <chrono>

namespace reprise::training {

/// Adds the seconds from construction to destruction to a sum.
class PhaseTimer {
 public:
  explicit PhaseTimer(double& sum) : sum_(sum) {}
  ~PhaseTimer() {
    sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace reprise::training
