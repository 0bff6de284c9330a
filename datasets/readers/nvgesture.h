// NVGesture: dynamic hand gestures in colour and depth (Molchanov et al., CVPR 2016).
//
// Official layout: Video_data/class_NN/subjectMM_rK/sk_color.avi, sk_depth.avi and others, and
// beside Video_data the split lists nvgesture_train_correct_cvpr2016_v2.lst and
// nvgesture_test_correct_cvpr2016_v2.lst (those without _v2 are taken where these are missing). A
// line of a list:
//     path:./Video_data/class_01/subject13_r0 depth:sk_depth:17:97 color:sk_color:17:97 ... label:1
// with, for each sensor, its file, the gesture's first frame and the one after its last, counted
// from 0, as the set's own example reads them. Sensors other than depth and color are not used.
// Depth was not registered to colour: the frames are of the same moments, the pixels are not of the
// same places.
//
// Item: "class_01/subject13_r0", with the first frame where one folder holds several gestures.
// Person: "subject13". Label: label - 1.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/videos.h"

namespace reprise::datasets {

/// With the official split. UsageError: no such folder; a list that is missing; any line that is
/// wrong, or names a video that is not there (list and line named).
VideoSet read_nvgesture(const std::filesystem::path& folder);

/// What read_nvgesture() refuses, and, by decoding every video, those that do not open or end
/// before their gesture does.
std::vector<Problem> verify_nvgesture(const std::filesystem::path& folder);

}  // namespace reprise::datasets
