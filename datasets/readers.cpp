#include "datasets/readers.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/readers/vw300.h"
#include "datasets/readers/ytf_keypoints.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

bool is_filled(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && !fs::is_empty(folder, error) && !error;
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"faces_300w", "NAME.jpg or NAME.png with NAME.pts, at any depth", is_filled, verify_faces_300w,
       [](const fs::path& folder) { return read_faces_300w(folder); }},
      {"ytf_keypoints", "training_frames_keypoints.csv and training/Name_Surname_VF.jpg", is_filled, verify_ytf_keypoints,
       [](const fs::path& folder) { return read_ytf_keypoints(folder).frames; }},
      {"vw300", "NNN/vid.avi with NNN/annot/000001.pts, 000002.pts, ...", is_filled, verify_vw300, nullptr},
  };
  return all;
}

const Reader& reader(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& one : readers()) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  const std::string near = nearest(name, known);
  throw UsageError(fmt::format("there is no dataset '{}'; readable are {}", name, join(known, ", ")),
                   near.empty() ? "use one of these names" : "did you mean " + near + "?");
}

}  // namespace reprise::datasets
