// Table photographs of study dynamic_face: networks that `reprise track` uses on real faces
// (photographs.cpp).
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce::dynamic_face_study {

inline constexpr auto faces = "faces";  ///< data set of these cells

/// Method of the table.
struct PhotographMethod {
  std::string name, title;
  bool photographs = false;  ///< trained on photographs too, not only on drawn heads
  bool learns = false;
  std::string tracker;  ///< method whose networks these are; "": none
};
const std::vector<PhotographMethod>& photograph_methods();

/// Plans one cell per method and seed; none if photographs.source is "none". UsageError: another
/// source.
std::vector<PlannedCell> plan_photographs(const Settings& settings, const DataFolder& data);
void run_photographs(CellContext& context);

}  // namespace reprise::reproduce::dynamic_face_study
