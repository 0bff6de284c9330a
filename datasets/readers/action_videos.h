// Videos of actions and expressions: any folder of videos, Weizmann, MUG, UCF101, HMDB51, and
// shape-motion strips.
//
// video_folders: CLASS/ with videos (formats/media_files.h) or strips (.png of shape_motion).
// Weizmann's PERSON_ACTION.avi sorted into folders is such a set.
//
// weizmann: PERSON_ACTION.avi, all in one folder. Digits after the action number its takes:
// lena_walk1.avi, lena_walk2.avi.
//
// mug: PERSON/EXPRESSION/TAKE/*.jpg (or other pictures), one frame per picture, in the folder or in
// its subjects3/. The item is "EXPRESSION/PERSON_TAKE".
//
// ucf101: CLASS/v_CLASS_gGG_cCC.avi, in the folder or in its UCF-101/. The lists classInd.txt,
// trainlistNN.txt and testlistNN.txt are in the folder or in its ucfTrainTestlist/.
//
// hmdb51: CLASS/*.avi. The lists CLASS_test_splitN.txt are in the folder or in its
// testTrainMulti_7030_splits/. A line is "NAME.avi USE", where USE is:
// - 1: training
// - 2: testing
// - 0: neither
//
// shape_motion: CLASS/*.png. A file is one video, with its square frames side by side or stacked.
//
// Labels follow the order of the classes: that of classInd.txt for UCF101, alphabetical for the
// others. An item is "CLASS/NAME" without ending. Splits keep persons together. The person follows
// from the first rule that fits the name:
//
//     v_CLASS_gGG_cCC         CLASS_gGG       UCF101: clips of a group show one person or scene
//     PERSON/...              PERSON          MUG, by its folder
//     X_CLASS...              X               person of Weizmann and KTH, source video of HMDB51
//     anything else           CLASS/NAME      each video is its own person
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/videos.h"

namespace reprise::datasets {

/// Reads any folder of videos. UsageError of all readers: the folder does not exist, or has no
/// class or no video. UsageError: a split file names a missing video or has a malformed line (file
/// and line named).
VideoSet read_video_folders(const std::filesystem::path& folder);
/// Reads Weizmann. UsageError in addition: a name lacks the person or the action.
VideoSet read_weizmann(const std::filesystem::path& folder);
VideoSet read_shape_motion(const std::filesystem::path& folder);
VideoSet read_mug(const std::filesystem::path& folder);
/// Reads UCF101. split: 1 to 3, as the official files number them. Videos in neither list belong to
/// the set, but to no part of its split.
VideoSet read_ucf101(const std::filesystem::path& folder, int split = 1);
VideoSet read_hmdb51(const std::filesystem::path& folder, int split = 1);

/// Return all issues that the readers refuse, and decode every video to find damaged ones.
std::vector<Issue> verify_video_folders(const std::filesystem::path& folder);
std::vector<Issue> verify_weizmann(const std::filesystem::path& folder);
std::vector<Issue> verify_mug(const std::filesystem::path& folder);
std::vector<Issue> verify_shape_motion(const std::filesystem::path& folder);
std::vector<Issue> verify_ucf101(const std::filesystem::path& folder);
std::vector<Issue> verify_hmdb51(const std::filesystem::path& folder);

/// Returns the person of a video, by its class and name (without ending), as listed above.
std::string parse_video_person(std::string_view action, std::string_view name);

}  // namespace reprise::datasets
