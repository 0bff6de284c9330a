// A run whose claims are written down before its first cell starts: what was asked, with which settings and program, and which seeds had
// been seen then (records/asked.h).
#pragma once
#include <functional>

#include "records/asked.h"
#include "reproduce/run/request.h"

namespace reprise::reproduce {

/// As run(), and RESULTS/asked.json holds every claim of the study before a cell starts, and what has finished when it ends.
/// `add`: more that is written there before.
RunResult run_asked(const Study& study, RunRequest request, const std::function<void(records::Registration&)>& add = {});

}  // namespace reprise::reproduce
