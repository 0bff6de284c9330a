#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace reprise {
namespace {

// Longest quoted text, bytes. A label of 50 MB would hide the rest of the message.
constexpr std::size_t longest_printable = 200;

/// First character of a text: length in bytes and code point. Length 0 means no UTF-8.
struct Character {
  std::size_t length = 0;
  std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
  // The first byte gives the length. C0, C1 and F5 to FF never occur in UTF-8.
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {.length = 1, .code = lead};
  std::size_t length = 0;
  if (lead >= 0xC2 && lead < 0xE0) length = 2;
  if (lead >= 0xE0 && lead < 0xF0) length = 3;
  if (lead >= 0xF0 && lead < 0xF5) length = 4;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    // Each following byte carries six bits.
    code = code << 6 | (next & 0x3F);
  }
  // Only the shortest encoding of a code point is valid, and halves of UTF-16 pairs are none.
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {.length = length, .code = code};
}

/// Whether the character has no effect on a terminal other than its display.
bool is_shown(std::uint32_t code) {
  const auto within = [code](std::uint32_t low, std::uint32_t high) {
    return code >= low && code <= high;
  };
  if (code < ' ') return code == '\n' || code == '\t';
  // DEL and C1 controls; line and paragraph separators; tag characters and the byte order mark.
  const bool control = within(0x7F, 0x9F);
  const bool separator = within(0x2028, 0x2029);
  const bool tag = within(0xE0000, 0xE007F) || code == 0xFEFF;
  // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
  const bool bidirectional =
      code == 0x61C || within(0x200E, 0x200F) || within(0x202A, 0x202E) || within(0x2066, 0x2069);
  return !control && !separator && !tag && !bidirectional;
}

/// Replaces characters that are not shown by escape(bytes, code). Code 0 means no UTF-8.
template <typename Escape>
std::string escape_hidden(std::string_view text, const Escape& escape) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_character(text);
    const auto bytes = text.substr(0, std::max<std::size_t>(next.length, 1));
    if (next.length > 0 && is_shown(next.code))
      shown += bytes;
    else
      shown += escape(bytes, next.length > 0 ? next.code : 0);
    text.remove_prefix(bytes.size());
  }
  return shown;
}

/// Bytes as "\x1b\x5b".
std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

std::string shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  // Three quarters of the length for the beginning, one for the end.
  const auto first = most * 3 / 4, last = most / 4;
  return fmt::format("{} ... ({} characters left out) ... {}", text.substr(0, first),
                     text.size() - first - last, text.substr(text.size() - last));
}

std::string printable(std::string_view text) {
  std::string line;
  for (const char c : terminal_text(shorten(text, longest_printable))) {
    if (c == '\n' || c == '\t')
      line += hexadecimal({&c, 1});
    else
      line += c;
  }
  return line;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

std::string terminal_text(std::string_view text) {
  return escape_hidden(text,
                       [](std::string_view bytes, std::uint32_t) { return hexadecimal(bytes); });
}

std::string terminal_json(std::string_view text) {
  return escape_hidden(text, [](std::string_view, std::uint32_t code) {
    // JSON escapes larger code points as a UTF-16 pair; 0xFFFD stands in for bytes without a code.
    if (code < 0x10000) return fmt::format("\\u{:04x}", code == 0 ? 0xFFFD : code);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10),
                       0xDC00 + ((code - 0x10000) & 0x3FF));
  });
}

}  // namespace reprise
