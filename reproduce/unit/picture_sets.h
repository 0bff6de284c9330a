// The pairs of picture sets that study unit translates between. A is translated into B first of
// all.
//
//     scenes       from the air -> its map; generated, so that the truth of every pixel is known
//     maps         the same of pix2pix's aligned pictures, below --data
//     landscapes   day -> night; generated
//     day_night    day -> night; photographs below --data, parts of which share no camera
//     heads        generated heads -> photographs of faces (faces_300w below --data)
// What is learned from are different scenes, photographs or people in A and in B; what is tested
// on, others again.
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"
#include "training/generator.h"

namespace reprise::reproduce::unit_study {

struct PictureSet {
  std::string name;     ///< in cells and in the settings
  std::string title;    ///< on pages: "from the air and maps"
  std::string section;  ///< of the settings, and the table of its cells: "map", "photos"
  std::string folder =
      {};            ///< the recorded set that is read (experiments/dataset_list.h); "": none
  std::string a, b;  ///< what the domains are called
};
const std::vector<PictureSet>& picture_sets();
/// UsageError: not a set of this section; lists those there are.
const PictureSet& picture_set(const std::string& name, const std::string& section);

/// Pictures [N, 3, S, S] from -1 to 1.
struct PictureParts {
  at::Tensor a, b;    ///< to learn from
  at::Tensor b_of_a;  ///< of map sets: the counterparts of `a`, for the row that is taught by pairs
  at::Tensor test_a, test_b;  ///< of map sets of one scene each
  at::Tensor classes;         ///< of scenes: [N, S, S], of test_b's pixels
};

/// SECTION.training pictures of each domain, and SECTION.test. UsageError: too few are there.
PictureParts picture_parts(const PictureSet& set, const CellContext& context);
/// SECTION.judged pictures of A (label 0) and as many of B (label 1), the same for every replicate,
/// and none of them in picture_parts().
training::Examples evaluator_pictures(const PictureSet& set, const CellContext& context);

/// What the set's cells lack: its folder, where it is read.
std::vector<Missing> missing_pictures(const PictureSet& set, const DataFolder& data);

}  // namespace reprise::reproduce::unit_study
