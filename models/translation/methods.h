// The registry of translators that are learned: the document's method and its ablations. What any
// has to beat: baselines/translators.h.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/translation/unit.h"

namespace reprise::models {

/// unit                      eq 1, fig. 2C
/// unit_no_cycle             without L_CC: weight sharing alone (and fig. 2C to the letter, which draws no second translation)
/// unit_no_sharing           no layer of E and G shared: cycle consistency alone (D_1 and D_2 share as ever: claim 10 is another matter)
/// unit_neither              without both
/// unit_sharing_only         weight sharing, without L_CC and with discriminators that nobody learns from (paragraph 45)
/// unit_reconstructions      D_1 and D_2 see reconstructions too (claims 6, 9)
/// unit_one_way              fig. 1E; its D_2 sees reconstructions too (paragraph 37)
/// unit_no_discriminators    fig. 2A
/// paired                    the same networks trained on pairs: what they could reach
/// What a row does not change of `options` stays. rates: Adam's, of the rows that are named; what
/// each system needs is its own.
std::vector<training::TranslatorMethod> learned_translators(
    const UnitOptions& options, const std::map<std::string, double>& rates = {});

}  // namespace reprise::models
