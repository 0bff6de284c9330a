// The words and symbols of a study, with their meanings.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/html.h"

namespace reprise::reports {

using Glossary = std::vector<std::pair<std::string, std::string>>;  ///< name, meaning

/// Returns all entries, collapsed behind `line`; nothing for an empty glossary.
Html glossary_html(const Glossary& entries, const std::string& line);

}  // namespace reprise::reports
