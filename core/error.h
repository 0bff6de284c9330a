// Errors that state the problem, its place, and what to do.
//
// Every message has two parts: the problem (what, where, what was expected) and the fix (what the
// reader can do now). UsageError means wrong use (exit status 2): an option, a file, a line or an
// item that cannot be accepted. Error means a failure while running (exit status 3).
#pragma once
#include <stdexcept>
#include <string>

namespace reprise {

class Error : public std::runtime_error {
 public:
  /// what() is "PROBLEM\n  fix: FIX". Long parts are shortened in the middle. Text that LibTorch
  /// adds for its developers (position of an assertion, stack trace) is removed.
  Error(const std::string& problem, const std::string& fix);
  const std::string& problem() const { return problem_; }
  const std::string& fix() const { return fix_; }

 private:
  std::string problem_, fix_;
};

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace reprise
