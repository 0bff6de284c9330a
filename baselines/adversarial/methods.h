// The registry of adversarial generators of clips that MoCoGAN is compared with.
#pragma once
#include <vector>

#include "baselines/adversarial/clip_gan.h"

namespace reprise::baselines {

/// vgan               two streams: a still background, a moving foreground, a mask
/// vgan_one_stream    one stream of 3-D transposed convolutions
/// Their `kind` is the row's.
std::vector<training::GeneratorMethod> vgans(const ClipGanOptions& options);

/// tgan               a code per frame from 1-D transposed convolutions; Wasserstein's loss, singular values clipped; RMSprop
std::vector<training::GeneratorMethod> tgans(const ClipGanOptions& options);

}  // namespace reprise::baselines
