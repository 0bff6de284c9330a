// Document prernn: a trained CNN's layers become recurrent layers (US 2018/0373985 A1; Yang,
// Molchanov, Kautz, CVPR 2018).
//
// Sequential face alignment, table 1: the plain CNN, traditional RNNs on top of fc7, PreRNN and
// PreRNN-SIH at fc6, fc7, fc6/7. The cells of one replicate (seed), in order: cnn/stills ->
// features/DATASET -> table1/DATASET/METHOD, and nomemory/DATASET/METHOD beside it;
// search/DATASET/METHOD+lr=RATE, on seed 0's validation split, chooses each method's learning rate.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of what the cells compute, kept in every record. Raise it when a cell computes other
/// numbers from the same settings and data:
/// finished cells of an earlier version are then outdated and run again.
inline constexpr int prernn_version = 1;

Study prernn();

}  // namespace reprise::reproduce
