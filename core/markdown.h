// Text in Markdown files.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// Escapes a text for Markdown, in one line, so that markup in it has no effect.
std::string escape_markdown(std::string_view text);

}  // namespace reprise
