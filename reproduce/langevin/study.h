// Document langevin: a general prior based on Langevin diffusion, by Chan, Karras, Aittala, Aila,
// Laine, De Mello and Nagano. It is US 2025/0259277 A1.
//
// Algorithm 1 moves a rendered object towards data that a trained diffusion model finds likely.
// Each round inverts the rendering, churns the latent and fits the object to the result
// (models/diffusion/synthesis.h). The document publishes no table, so the study's own are the
// reference. They cover exact data, pictures, videos, sounds and objects.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of the computed numbers, stored in every record. Raise it when a cell computes other
/// numbers from the same settings and data. Finished cells of an earlier version are then stale.
inline constexpr int langevin_version = 1;

Study langevin();

}  // namespace reprise::reproduce
