// Document langevin: a general prior based on Langevin diffusion (US provisional 63/552,613; Chan,
// Karras, Aittala, Aila, Laine, De Mello, Nagano).
//
// Whatever can be rendered is nudged towards what a trained diffusion model finds likely:
// inversion, churn, target, fit (models/diffusion/synthesis.h). No table was published: the study's
// own are the reference, from exact oracles to pictures, videos, sounds and objects.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of what the cells compute, kept in every record. Raise it when a cell computes other
/// numbers from the same settings and data:
/// finished cells of an earlier version are then outdated and run again.
inline constexpr int langevin_version = 1;

Study langevin();

}  // namespace reprise::reproduce
