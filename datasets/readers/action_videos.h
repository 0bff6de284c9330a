// Videos of actions and expressions: any folder of videos, Weizmann, MUG, UCF101, HMDB51, and the
// shape-motion strips.
//
//     video_folders   CLASS/ with videos (formats/media_files.h), or .png as of shape_motion; Weizmann's PERSON_ACTION.avi sorted into
//                     folders is such a set
//     weizmann        PERSON_ACTION.avi side by side; digits behind the action number its takes: lena_walk1.avi, lena_walk2.avi
//     mug             PERSON/EXPRESSION/TAKE/*.jpg (or other pictures), a frame a picture, in the folder or in its subjects3/; item
//                     "EXPRESSION/PERSON_TAKE"
//     ucf101          CLASS/v_CLASS_gGG_cCC.avi, in the folder or in its UCF-101/; classInd.txt, trainlistNN.txt and testlistNN.txt, in the
//                     folder or in its ucfTrainTestlist/
//     hmdb51          CLASS/*.avi; CLASS_test_splitN.txt in the folder or in its testTrainMulti_7030_splits/: lines "NAME.avi 1", 1 for
//                     training, 2 for testing, 0 for neither
//     shape_motion    CLASS/*.png: a video a file, its square frames side by side or below one another
//
// Labels follow the classes' order: that of classInd.txt for UCF101, alphabetical for the others.
// Item: "CLASS/NAME" without ending. Person, the unit of a split, by the first rule that fits the
// name:
//     v_CLASS_gGG_cCC         CLASS_gGG       UCF101: clips of a group show the same person or scene
//     PERSON/...              PERSON          MUG, by its folder
//     X_CLASS...              X               Weizmann's and KTH's person, HMDB51's source film
//     anything else           CLASS/NAME      each video is its own
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/videos.h"

namespace reprise::datasets {

/// UsageError of all readers: no such folder; no class or no video in it; what a split file names
/// and is not there, or lines of it that are wrong (file and line named).
VideoSet read_video_folders(const std::filesystem::path& folder);
/// UsageError besides: a name without person or action.
VideoSet read_weizmann(const std::filesystem::path& folder);
VideoSet read_shape_motion(const std::filesystem::path& folder);
VideoSet read_mug(const std::filesystem::path& folder);
/// split: 1 to 3, as the official files number them. Videos in neither list are in the set, and in
/// no part of its split.
VideoSet read_ucf101(const std::filesystem::path& folder, int split = 1);
VideoSet read_hmdb51(const std::filesystem::path& folder, int split = 1);

/// What the reader refuses, and, by decoding every video, those that do not open or have no frame.
std::vector<Problem> verify_video_folders(const std::filesystem::path& folder);
std::vector<Problem> verify_weizmann(const std::filesystem::path& folder);
std::vector<Problem> verify_mug(const std::filesystem::path& folder);
std::vector<Problem> verify_shape_motion(const std::filesystem::path& folder);
std::vector<Problem> verify_ucf101(const std::filesystem::path& folder);
std::vector<Problem> verify_hmdb51(const std::filesystem::path& folder);

/// The person of a video by its class and name (without ending), as above.
std::string person_of_video(std::string_view action, std::string_view name);

}  // namespace reprise::datasets
