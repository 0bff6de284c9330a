// Text in Markdown files.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// The text as Markdown shows it letter by letter, in one line: markup of Markdown and HTML in it
/// means nothing.
std::string escape_markdown(std::string_view text);

}  // namespace reprise
