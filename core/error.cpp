#include "core/error.h"

#include <string_view>

#include "core/printable.h"

namespace reprise {
namespace {

// No message should be longer: texts of a file (a label of 50 MB) may stand in one.
constexpr std::size_t longest_message = 4000;

/// Without what LibTorch adds for its own developers: the place of an internal assertion, a stack
/// trace. Too long a text loses its middle.
std::string for_users(std::string_view text) {
  constexpr std::string_view assertion = "INTERNAL ASSERT FAILED",
                             trace = "\nException raised from ";
  text = text.substr(0, text.find(trace));
  const auto place = text.find(assertion);
  if (place == text.npos) return shorten(text, longest_message);
  return shorten(text.substr(0, place), longest_message) + "an internal check of LibTorch failed";
}

}  // namespace

Error::Error(const std::string& problem, const std::string& fix)
    : std::runtime_error(for_users(problem) + "\n  fix: " + for_users(fix)),
      problem_(for_users(problem)),
      fix_(for_users(fix)) {}

}  // namespace reprise
