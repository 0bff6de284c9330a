// The sets of digits of study unit, and what one replicate has of a pair of them.
//
//     written, street    generated: pen strokes, and printed digits in colour as on house numbers
//     mnist, usps, svhn  read from below --data, in their official parts
// Source and target come with as many channels as both need: SVHN and street digits are in colour,
// the others gray, and gray is repeated.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "experiments/study.h"
#include "training/adaptation.h"
#include "training/generator.h"

namespace reprise::reproduce::unit_study {

struct DigitSet {
  std::string name;  ///< in pairs, and in experiments/dataset_list.h
  std::int64_t channels = 1;
};

/// "mnist_usps": from MNIST to USPS. UsageError: not two known sets with "_" between them; the same
/// one twice.
std::pair<DigitSet, DigitSet> digit_pair(const std::string& name);

struct DigitParts {
  training::AdaptationData learned;
  training::Examples source_test;  ///< of the source, which nothing learns from
  training::Examples target_test;
};

/// digits.training pictures of each set's training part in an order of the seed's, and digits.test
/// of its test part; with digits.held_out = "train" of the training part, those that follow:
/// settings are sought without a test digit. UsageError: a set that is not there, or has fewer.
DigitParts digit_parts(const std::string& pair, const CellContext& context);

struct EvaluatorDigits {
  training::Examples learned, test;
};
/// What the evaluator of a set learns from and is tested on, the same for every seed:
/// reader.training pictures of the training part and digits.test of the test part. Every other one
/// is inverted, so that it reads light on dark and dark on light.
EvaluatorDigits evaluator_digits(const std::string& set, const CellContext& context);

/// What cells of these sets lack.
std::vector<Missing> missing_digits(const std::vector<std::string>& sets, const DataFolder& data);

}  // namespace reprise::reproduce::unit_study
