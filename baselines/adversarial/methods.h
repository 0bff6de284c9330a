// The registry of adversarial generators of clips that MoCoGAN is compared with.
#pragma once
#include <vector>

#include "baselines/adversarial/clip_gan.h"

namespace reprise::baselines {

/// vgan               two streams: a still background, a moving foreground, a mask
/// vgan_one_stream    one stream of 3-D transposed convolutions
/// tgan               a code per frame from 1-D transposed convolutions; Wasserstein's loss, singular values clipped; RMSprop
/// vgan: settings of both VGANs; tgan: TGAN's. Their `kind` is the row's.
std::vector<training::GeneratorMethod> adversarial_clip_generators(const ClipGanOptions& vgan, const ClipGanOptions& tgan);

}  // namespace reprise::baselines
