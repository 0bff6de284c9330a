// The registry of translators that are learned: the document's method and its ablations. What any has to beat: baselines/translators.h.
#pragma once
#include <vector>

#include "models/translation/unit.h"

namespace reprise::models {

/// unit                      eq 1, fig. 2C
/// unit_no_cycle             without L_CC: weight sharing alone (and fig. 2C to the letter, which draws no second translation)
/// unit_no_sharing           no layer shared: cycle consistency alone
/// unit_neither              without both
/// unit_reconstructions      D_1 and D_2 see reconstructions too (claims 6, 9)
/// unit_one_way              fig. 1E
/// unit_no_discriminators    fig. 2A
/// paired                    the same networks trained on pairs: what they could reach
/// What a row does not change of `options` stays.
std::vector<training::TranslatorMethod> learned_translators(const UnitOptions& options);

}  // namespace reprise::models
