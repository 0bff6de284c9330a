// Errors that say what is wrong, where, and what to do.
//
// Every message has two parts: the problem (what, where, what was expected) and a fix (what the
// reader can do now). UsageError is for wrong use (exit status 2): a flag, a file, a line or an
// item that cannot be accepted. Error is for what failed while running (exit status 3).
#pragma once
#include <stdexcept>
#include <string>

namespace reprise {

class Error : public std::runtime_error {
 public:
  /// what(): "PROBLEM\n  fix: FIX". Either loses its middle where it is longer than any message should be (a label of 50 MB), and what
  /// LibTorch adds for its own developers (the place of an assertion, a stack trace) is left out.
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
