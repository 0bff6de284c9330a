// NVGesture: dynamic hand gestures in colour and depth (Molchanov et al., CVPR 2016).
//
// Official layout: Video_data/class_NN/subjectMM_rK/ with sk_color.avi, sk_depth.avi and others.
// The split lists lie next to Video_data: nvgesture_train_correct_cvpr2016_v2.lst and
// nvgesture_test_correct_cvpr2016_v2.lst, else the names without _v2. A line of a list:
//
//     path:./Video_data/class_01/subject13_r0 depth:sk_depth:17:97 color:sk_color:17:97 ... label:1
//
// It names, per sensor, the file, the first frame of the gesture and the frame after its last.
// Frames count from 0, as in the set's own example. Sensors other than depth and color are not
// used. Depth is not registered to colour: frames agree in time, pixels do not agree in place.
//
// Item: "class_01/subject13_r0", plus the first frame if a folder contains several gestures.
// Person: "subject13". Label: label - 1.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/videos.h"

namespace reprise::datasets {

/// Reads the set with its official split. UsageError: the folder or a list is missing; a line is
/// malformed or names a missing video (list and line named).
VideoSet read_nvgesture(const std::filesystem::path& folder);

/// Returns all issues that read_nvgesture() refuses. Decodes every video to find those that do not
/// open or end before their gesture.
std::vector<Issue> verify_nvgesture(const std::filesystem::path& folder);

}  // namespace reprise::datasets
