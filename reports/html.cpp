#include "reports/html.h"

#include <cctype>

#include "core/text.h"
#include "reports/style.h"

namespace reprise::reports {
namespace {

/// Escapes markup, and replaces control characters that HTML forbids.
std::string escape(std::string_view text) {
  std::string out;
  // Most texts need no escape, so this is nearly always enough.
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool forbidden = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    // Both quotes are escaped, because texts also become values of attributes.
    if (const auto entity = c == '\'' ? "&#39;" : markup_entity(c); !entity.empty())
      out += entity;
    else if (forbidden)
      out += "\xEF\xBF\xBD";  // U+FFFD, the replacement character
    else
      out += c;
  }
  return out;
}

std::string opening(std::string_view tag, const Attributes& attributes) {
  std::string out = "<" + std::string(tag);
  for (const auto& [name, value] : attributes) {
    out += " " + std::string(name);
    if (!value.empty()) out += "=\"" + escape(value) + "\"";
  }
  return out + ">";
}

}  // namespace

Html::Html(std::string_view text) : bytes_(escape(text)) {}

Html Html::markup(std::string bytes) {
  Html html;
  html.bytes_ = std::move(bytes);
  return html;
}

Html& Html::operator+=(const Html& other) {
  bytes_ += other.bytes_;
  return *this;
}

Html element(std::string_view tag, const Attributes& attributes, const Html& content) {
  return Html::markup(opening(tag, attributes) + content.bytes() + "</" + std::string(tag) + ">");
}

Html void_element(std::string_view tag, const Attributes& attributes) {
  return Html::markup(opening(tag, attributes));
}

Html number(double value, const std::string& shown) {
  return element("data", {{"value", number_text(value)}}, shown);
}

std::string link_to(std::string_view path) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  // Paths may hold any bytes: "#" and "?" would end them, "%" would be decoded.
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) || std::string_view("-._~/").find(c) != std::string_view::npos)) {
      out += c;
    } else {
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  return out;
}

Html link(std::string_view path, const Html& text, std::string_view place) {
  return element("a", {{"href", link_to(path) + (place.empty() ? "" : "#" + std::string(place))}},
                 text);
}

std::string document(const std::string& title, const Html& body, std::string_view script) {
  Html head = void_element("meta", {{"charset", "utf-8"}});
  head += void_element("meta",
                       {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  head += void_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  head += element("title", title) + Html::markup("<style>" + std::string(page_style) + "</style>");
  const Html end =
      script.empty() ? Html() : Html::markup("<script>" + std::string(script) + "</script>");
  return "<!DOCTYPE html>\n" +
         element("html", {{"lang", "en"}},
                 element("head", head) + Html::markup("\n") + element("body", body + end))
             .bytes() +
         "\n";
}

}  // namespace reprise::reports
