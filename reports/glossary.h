// The words and symbols of a study, each explained where a page first uses it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/html.h"

namespace reprise::reports {

using Glossary = std::vector<std::pair<std::string, std::string>>;  ///< name, meaning

/// Whether an entry's name stands in a text: as a word of its own ("D" is neither in "D'" nor in "Data"), in its plural, or one of several
/// names with commas between them. Primes may be typed as apostrophes.
bool uses(const std::string& text, const std::string& name);

/// Entries that one of several texts uses first, in the order of the glossary: text i -> its entries. The last list has those that none uses.
std::vector<Glossary> first_uses(const Glossary& glossary, const std::vector<std::string>& texts);

/// Entries behind a line that names them, or that says `line`; nothing where there is none.
Html glossary_html(const Glossary& entries, const std::string& line = {});

}  // namespace reprise::reports
