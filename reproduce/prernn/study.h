// Document prernn: layers of a trained CNN become recurrent layers. Sources: patent application US
// 2018/0373985 A1; Yang, Molchanov, Kautz, CVPR 2018.
//
// Table 1, sequential face alignment, compares the plain CNN, traditional RNNs on top of fc7, and
// PreRNN and PreRNN-SIH at fc6, fc7 and fc6/7. The cells of one seed, in order:
//     cnn/stills -> features/DATASET -> table1/DATASET/METHOD and nomemory/DATASET/METHOD
// search/DATASET/METHOD+lr=RATE chooses learning rates on the validation split of seed 0.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of the computation, stored in every record. Raise it when a cell computes other numbers
/// from the same settings and data. Cells of an earlier version become stale and run again.
inline constexpr int prernn_version = 1;

Study prernn();

}  // namespace reprise::reproduce
