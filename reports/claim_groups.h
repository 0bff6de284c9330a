// Groups of claims: which there are, what shows them, and which words each is the first to use.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "records/claims.h"
#include "reports/findings.h"
#include "reports/glossary.h"
#include "reports/html.h"
#include "reports/page.h"

namespace reprise::reports {

using ClaimRows = std::vector<std::span<const records::Judgement>>;  ///< as records::claims_of gives them

/// The groups of findings.toml, and one for the claims that none of them lists.
std::vector<Findings::Group> groups_of(const PageContent& content, const ClaimRows& claims);

/// What shows the claims of a group: its first figure at once, the rest behind a line.
struct Exhibits {
  Html first, rest;
  bool beside = false;  ///< the first has room beside the claims, and they are about as high: no table has
};

Exhibits exhibits(const PageContent& content, const Findings::Group& group);

/// Words that a group of claims is the first to use, a list a group; last of all those that none uses.
std::vector<Glossary> words_of_groups(const PageContent& content);

}  // namespace reprise::reports
