// Document langevin: a general prior based on Langevin diffusion (US provisional 63/552,613; Chan, Karras, Aittala, Aila, Laine, De Mello,
// Nagano).
//
// Whatever can be rendered is nudged towards what a trained diffusion model finds likely: inversion, churn, target, fit
// (models/diffusion/synthesis.h). No table was published: the study's own are the reference, from exact oracles to pictures, videos, sounds
// and objects.
#pragma once
#include "reproduce/study.h"

namespace reprise::reproduce {

Study langevin();

}  // namespace reprise::reproduce
