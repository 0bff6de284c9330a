// The registry of learned translators: the document's method and its ablations. Trivial baselines
// are in baselines/translators.h.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/translation/unit.h"

namespace reprise::models {

/// unit                      eq 1, fig. 2C
/// unit_no_cycle           without L_CC: weight sharing only (fig. 2C to the letter, which draws no
///                           second translation)
/// unit_no_sharing         E and G share no layer: cycle consistency only (D_1 and D_2 still share)
/// unit_neither              without both
/// unit_sharing_only         weight sharing, without L_CC, and lambda0 = 0 (paragraph 45)
/// unit_reconstructions      D_1 and D_2 see reconstructions too (claims 6, 9)
/// unit_one_way              fig. 1E; its D_2 sees reconstructions too (paragraph 37)
/// unit_no_discriminators    fig. 2A
/// paired                    the same networks trained on pairs: an upper bound
/// Each method keeps the `options` that its row does not name. rates: Adam's learning rates of
/// single methods, by id.
std::vector<training::TranslatorMethod> learned_translators(
    const UnitOptions& options, const std::map<std::string, double>& rates = {});

}  // namespace reprise::models
