#include "core/error.h"

#include <string_view>

#include "core/printable.h"

namespace reprise {
namespace {

// Longest part of a message, bytes. Messages can quote a file, whose labels can have 50 MB.
constexpr std::size_t longest_message = 4000;

/// Removes the text that LibTorch adds for its developers (position of an assertion, stack trace),
/// and shortens a long text in its middle.
std::string clean_text(std::string_view text) {
  constexpr std::string_view assertion = "INTERNAL ASSERT FAILED",
                             trace = "\nException raised from ";
  text = text.substr(0, text.find(trace));
  const auto place = text.find(assertion);
  if (place == text.npos) return shorten(text, longest_message);
  return shorten(text.substr(0, place), longest_message) + "an internal check of LibTorch failed";
}

}  // namespace

Error::Error(const std::string& problem, const std::string& fix)
    : std::runtime_error(clean_text(problem) + "\n  fix: " + clean_text(fix)),
      problem_(clean_text(problem)),
      fix_(clean_text(fix)) {}

}  // namespace reprise
