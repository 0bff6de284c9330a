// Export of a split for an external method: images, landmarks, checksums.
//
//     FOLDER/train/images/ITEM.png   FOLDER/train.csv     item,x0,y0,...,x67,y67
//     FOLDER/validation/...          FOLDER/validation.csv
//     FOLDER/test/...                FOLDER/test.csv      the same, or only `item`
//                                                         when the labels are held back
//     FOLDER/SHA256SUMS              as `sha256sum -c` reads it, sorted by path
//
// Clips are strips of frames from left to right, one per modality:
//
//     FOLDER/train/clips/ITEM.colour.png, ITEM.depth.png, ITEM.flow.png
//     FOLDER/train.csv               item,label
//     FOLDER/classes.csv             label,name
//     FOLDER/sheet.png               one training clip per class, for visual checks
//
// Frames with poses:
//
//     FOLDER/train/images/SEQUENCE/FRAME.png
//     FOLDER/train.csv               sequence,frame,pitch,yaw,roll
//     FOLDER/train_landmarks.csv     item,x0,y0,...,x67,y67; the item is SEQUENCE/FRAME
//     FOLDER/test.csv                the same, or only `sequence,frame`
//                                    when the labels are held back
//
// Pictures with one class each:
//
//     FOLDER/train/images/ITEM.png
//     FOLDER/train.csv               item,label
//     FOLDER/train.npy               all pictures, in the order of the rows
//     FOLDER/classes.csv             label,name
//
// Slashes in an item become folders. A part without items is left out. The same split gives the
// same bytes.
//
// The export is atomic: files are written to the sibling ".NAME.unfinished", which is renamed at
// the end. If the folder exists and is empty, the unfinished folder lies inside it. The same
// command restarts an interrupted export. A lock refuses a second export into the same folder.
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

/// Exports a split. Set: LandmarkFrames, LabelledClips, PoseFrames or NamedPictures. readme:
/// content of README.md in the folder; "": none. UsageError: the folder exists and is not empty;
/// another process exports into it. UsageError: an item is repeated or leaves the folder ("..", a
/// leading slash); the split belongs to another set.
template <typename Set>
void export_split(const Set& set, const Split& split, const std::filesystem::path& folder,
                  TestLabels labels = TestLabels::Written, const std::string& readme = "");

}  // namespace reprise::datasets
