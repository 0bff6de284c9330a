// HTML as a type: text becomes Html only by being escaped, so nothing that a record says can become
// markup.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::reports {

class Html {
 public:
  Html() = default;
  /// Text is escaped: & < > " ' and control characters that HTML forbids (shown as U+FFFD).
  Html(std::string_view text);
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}
  /// Markup of our own making, taken as it is.
  static Html markup(std::string bytes);

  Html& operator+=(const Html& other);
  friend Html operator+(Html left, const Html& right) { return left += right; }
  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string bytes_;
};

/// Name and value; the value is escaped. A name without value ("open") has "" as value and is
/// written alone.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// <tag name="value">content</tag>
Html element(std::string_view tag, const Attributes& attributes, const Html& content);
inline Html element(std::string_view tag, const Html& content) { return element(tag, {}, content); }
/// <tag name="value">: br, img, meta, ...
Html void_element(std::string_view tag, const Attributes& attributes);

/// A number that can be read back in full: <data value="0.70412">0.704</data>.
Html number(double value, const std::string& shown);

/// A file name as a relative link: every byte that is not a letter, digit or one of -._~/ is
/// percent-encoded.
std::string link_to(std::string_view path);

/// A link to a file beside the page, or to a place in it; without path: in this page.
Html link(std::string_view path, const Html& text, std::string_view place = {});

/// A whole document in the report's style, light and dark, without outside resource. `script` is of
/// our own making and stands at its end.
std::string document(const std::string& title, const Html& body, std::string_view script = {});

}  // namespace reprise::reports
