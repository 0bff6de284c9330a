// The pairs of picture sets that study unit translates, mainly from A to B.
//
//     scenes       aerial picture -> map; generated, so that the truth of every pixel is known
//     maps         aerial picture -> map; pix2pix's aligned pictures, below --data
//     landscapes   day -> night; generated, each scene in one light
//     two_lights   day -> night; generated, each scene in both lights: the true night is known
//     day_night    day -> night; photographs below --data, no camera in two parts
//     heads        generated heads -> photographs of faces (faces_300w below --data)
//
// Training pictures of A and B show different scenes or people. Test pictures show others again.
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"
#include "training/generator.h"

namespace reprise::reproduce::unit_study {

struct PictureSet {
  std::string name;         ///< name in cells and in the settings
  std::string title;        ///< title on pages: "generated scenes"
  std::string section;      ///< section of the settings and table of its cells: "map", "photos"
  std::string folder = {};  ///< recorded set (experiments/dataset_list.h); "": generated
  std::string a, b;         ///< names of the domains
  bool with_truth = false;  ///< the counterpart of each picture of A is known
};
const std::vector<PictureSet>& picture_sets();
/// Finds a set of a section. UsageError: not a set of this section; lists the known ones.
const PictureSet& find_picture_set(const std::string& name, const std::string& section);

/// Pictures [N, 3, S, S], -1 to 1.
struct PictureParts {
  at::Tensor a, b;            ///< training pictures
  at::Tensor b_of_a;          ///< counterparts of `a`, for the method trained on pairs (with_truth)
  at::Tensor test_a, test_b;  ///< test pictures; they correspond (with_truth)
  at::Tensor classes;         ///< class of each pixel of test_b, [N, S, S] (scenes)
};

/// Loads SECTION.training pictures of each domain, and SECTION.test. UsageError: too few pictures.
PictureParts load_picture_parts(const PictureSet& set, const CellContext& context);
/// Loads SECTION.evaluator_pictures pictures of A (label 0) and of B (label 1), the same for every seed. None
/// of them is in load_picture_parts().
training::Examples load_evaluator_pictures(const PictureSet& set, const CellContext& context);

/// Lists what the set's cells lack: its folder, if it is recorded.
std::vector<Missing> find_missing_pictures(const PictureSet& set, const DataFolder& data);

}  // namespace reprise::reproduce::unit_study
