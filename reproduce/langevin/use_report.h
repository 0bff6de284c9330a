// Tables and galleries of what the loop is used for: steering, completion, painting, extension and
// 3-D objects.
#pragma once
#include <string>

#include "experiments/captions.h"
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

/// Shows one measure of each use of the loop, and of its baselines. The tables of the uses have all
/// measures.
reports::Table make_uses_table(const Captions& captions);

/// Reports steering, completion and painting of digits.
void report_digits(const Captions& captions, Report& out);

/// Reports canvases that are longer than the window of a domain's prior.
void report_extension(const std::string& domain, const Captions& captions, Report& out);

void report_objects(const Captions& captions, Report& out);

}  // namespace reprise::reproduce::langevin_study
