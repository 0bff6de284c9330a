// A split written out for an external method: images, landmarks, checksums.
//
//     FOLDER/train/images/ITEM.png   FOLDER/train.csv     item,x0,y0,...,x67,y67
//     FOLDER/validation/...          FOLDER/validation.csv
//     FOLDER/test/...                FOLDER/test.csv      the same, or only `item` when the labels are held back
//     FOLDER/SHA256SUMS              as `sha256sum -c` reads it, sorted by path
//
// Clips: each modality a strip, its frames side by side from the first to the last:
//     FOLDER/train/clips/ITEM.colour.png, ITEM.depth.png, ITEM.flow.png       FOLDER/train.csv     item,label
//     FOLDER/classes.csv             label,name
//     FOLDER/sheet.png               to look at: one training clip a class
//
// Frames with poses:
//     FOLDER/train/images/SEQUENCE/FRAME.png     FOLDER/train.csv     sequence,frame,pitch,yaw,roll
//                                                FOLDER/train_landmarks.csv     item,x0,y0,...,x67,y67; the item is SEQUENCE/FRAME
//     FOLDER/test.csv                            the same, or only `sequence,frame` when the labels are held back
//
// Pictures with a class each:
//     FOLDER/train/images/ITEM.png   FOLDER/train.csv     item,label          FOLDER/train.npy     all of them, in the rows' order
//     FOLDER/classes.csv             label,name
//
// An item with slashes keeps them as folders. A part without items is left out. The same split
// gives the same bytes.
//
// The folder appears all at once when it is whole: until then it is written as ".NAME.unfinished"
// beside it (inside it, where it is there and empty). An export that was killed leaves that; the
// same command then begins again. Two exports at once into one folder: one is refused.
#pragma once
#include <filesystem>
#include <string>

#include "datasets/clips.h"
#include "datasets/landmarks.h"
#include "datasets/pictures.h"
#include "datasets/pose_frames.h"
#include "datasets/splits.h"

namespace reprise::datasets {

enum class TestLabels { Written, HeldBack };

/// Set: LandmarkFrames, LabelledClips, PoseFrames or NamedPictures. readme: README.md of the
/// folder; "": none. UsageError: the folder is there and not empty; another process exports into
/// it; an item that would leave the folder ("..", or a leading slash) or stands twice; a split made
/// for another set.
template <typename Set>
void export_split(const Set& set, const Split& split, const std::filesystem::path& folder,
                  TestLabels labels = TestLabels::Written, const std::string& readme = "");

}  // namespace reprise::datasets
