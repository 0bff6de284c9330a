// HTML as a type. Text becomes Html only by escaping, so no record can add markup.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::reports {

class Html {
 public:
  Html() = default;
  /// Escapes & < > " ' and control characters that HTML forbids (shown as U+FFFD).
  Html(std::string_view text);
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}
  /// Takes markup of this program unchanged.
  static Html markup(std::string bytes);

  Html& operator+=(const Html& other);
  friend Html operator+(Html left, const Html& right) { return left += right; }
  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string bytes_;
};

/// Names and values; values are escaped. A name with an empty value ("open") is written alone.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// <tag name="value">content</tag>
Html element(std::string_view tag, const Attributes& attributes, const Html& content);
inline Html element(std::string_view tag, const Html& content) { return element(tag, {}, content); }
/// <tag name="value">: br, img, meta, ...
Html void_element(std::string_view tag, const Attributes& attributes);

/// Returns a number with its full value: <data value="0.70412">0.704</data>.
Html number(double value, const std::string& shown);

/// Returns a file name as a relative link. Bytes other than letters, digits and -._~/ are
/// percent-encoded.
std::string link_to(std::string_view path);

/// Returns a link to a file in the page's folder, or to a place in it. Without a path the place is
/// in this page.
Html link(std::string_view path, const Html& text, std::string_view place = {});

/// Returns a complete document in the report's style, light and dark, without external resources.
/// `script` stands at its end.
std::string document(const std::string& title, const Html& body, std::string_view script = {});

}  // namespace reprise::reports
