// The registry of adversarial generators of clips that MoCoGAN is compared with.
#pragma once
#include <vector>

#include "baselines/adversarial/clip_gan.h"

namespace reprise::baselines {

/// vgan               two streams: a still background, a moving foreground, a mask
/// vgan_one_stream    one stream of 3-D transposed convolutions
/// Each method sets its own `kind`.
std::vector<training::GeneratorMethod> vgans(const ClipGanOptions& options);

/// tgan               a code per frame from 1-D transposed convolutions; Wasserstein loss, clipped
///                    singular values; RMSprop
std::vector<training::GeneratorMethod> tgans(const ClipGanOptions& options);

}  // namespace reprise::baselines
