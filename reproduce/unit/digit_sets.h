// The sets of digits of study unit, and the parts of a pair of them for one seed.
//
//     written, street    generated: pen strokes, and printed digits in colour as on house numbers
//     mnist, usps, svhn  read from below --data, in their official parts
//
// Both sets of a pair get as many channels as either needs. SVHN and street digits are in colour;
// grey digits are repeated.
//
// USPS digits fill their 16 x 16 pixels, MNIST digits keep a border. digits.usps_margin adds a
// border of paper before scaling, for every method and evaluator. The authors of CoGAN add 3 pixels
// a side (mingyuliutw/CoGAN, cogan/data/compute_optimal_alignment.py).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "experiments/study.h"
#include "training/adaptation.h"
#include "training/generator.h"

namespace reprise::reproduce::unit_study {

struct DigitSet {
  std::string name;           ///< name in pairs and in experiments/dataset_list.h
  std::int64_t channels = 1;  ///< 3: colour
};

/// Parses a pair: "mnist_usps" is MNIST to USPS. UsageError: not two different known sets with "_"
/// between them.
std::pair<DigitSet, DigitSet> parse_digit_pair(const std::string& name);

struct DigitParts {
  training::AdaptationData learned;
  training::Examples source_test;  ///< test digits of the source
  training::Examples target_test;  ///< test digits of the target
};

/// Loads digits.training pictures of each set's training part, shuffled by the seed, and
/// digits.test of its test part. 0 loads all of a recorded set.
///
/// With digits.held_out = "train" the test digits are others of the training part, so that a search
/// uses no test digit. UsageError: a set is absent or too small.
DigitParts load_digit_parts(const std::string& pair, const CellContext& context);

struct EvaluatorDigits {
  training::Examples learned, test;
};
/// Loads the digits of a set's evaluator, the same for every seed: reader.training training
/// pictures and digits.test test pictures. Every other one is inverted, so that the evaluator
/// recognises both light and dark digits.
EvaluatorDigits load_evaluator_digits(const std::string& set, const CellContext& context);

/// Lists what cells of these sets lack. SVHN's part "extra" is a file of its own.
std::vector<Missing> find_missing_digits(const std::vector<std::string>& sets,
                                         const Settings& settings, const DataFolder& data);

/// Checks the settings that decide which digits are loaded. UsageError: digits.training or
/// digits.test is 0 where a set is generated, or where nothing would be left.
void check_digit_settings(const Settings& settings);

}  // namespace reprise::reproduce::unit_study
