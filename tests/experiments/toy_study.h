// A study that costs nothing, whose cells do what their method says: work, throw, crash, get
// killed. Registered in this test program, which serves as its own worker and as its own command
// line (see main.cpp).
#pragma once
#include <string>
#include <vector>

#include "core/files.h"
#include "experiments/run/runner.h"
#include "experiments/study.h"

namespace reprise::reproduce {

/// Profiles "smoke" and "slow". Settings: seeds, scale, methods, costs. Cells:
/// base/toys/start/seedN, then main/toys/METHOD/seedN, which need it; a method "after_X" needs X.
///   good, better      score = scale * (a number of the seed), + 1 for better
///   helps, idle       as good, and noise of 0.05 about 0.075, about 0
///   falters           as helps, but seed 3 the first time as interrupts
///   trains            trains a small network for some tenths of a second, keeps a checkpoint while it does and its weights at the end
///   long_curves       as good, with curves of 2000 values
///   reads             scores the number in --data/numbers/score.txt
///   throws, hungry    an Error; std::bad_alloc
///   aborts, killed    end the process by SIGABRT after a word on standard error; by SIGKILL
///   interrupts        first time: sends SIGTERM to the parent, then waits; second time: like good
///   tuned, tuned_too  learn at the rate that a search chose, of search.rates and further ones; 4 is the best
///   tuned_inside      the same; 1 is the best
///   tuned_interrupted the same; the first time as interrupts at rate 4
///   tuned_failing     the same; an Error at rate 4
///   orphan            kills the parent by SIGKILL, then waits
/// Its sample has start of seed 0 and good of seeds 0 and 1. An external method scores the number
/// that its file holds.
Study toy();

/// The toy, and the real prernn for what only a real study shows.
const std::vector<Study>& test_studies();

/// A run of the toy study in `results`, silent, one worker.
RunRequest toy_request(const std::filesystem::path& results, const std::string& methods);

/// How often a cell was started, over all runs.
int starts(const std::filesystem::path& results, const std::string& cell);

}  // namespace reprise::reproduce
