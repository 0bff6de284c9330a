// Table photographs of study dynamic_face: what `reprise track` follows real faces with
// (photographs.cpp).
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce::dynamic_face_study {

inline constexpr auto faces = "faces";  ///< the data set of these cells

struct Photographer {
  std::string name, title;
  bool photographs = false;  ///< learns from them, and not from drawn heads alone
  bool learns = false;
  std::string tracker;  ///< the method of the study whose networks these are; "": none
};
const std::vector<Photographer>& photographers();

/// One cell for each and seed; none with photographs.source = none. UsageError: another source.
std::vector<PlannedCell> plan_photographs(const Settings& settings, const DataFolder& data);
void run_photographs(CellContext& context);

}  // namespace reprise::reproduce::dynamic_face_study
