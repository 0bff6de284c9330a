// Cells of study prernn: how they are planned, and how each runs.
#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/generators/faces_in_motion.h"
#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "models/methods.h"
#include "reproduce/prernn/faces.h"
#include "reproduce/prernn/tables.h"

namespace reprise::reproduce::prernn_study {

/// Methods whose cells leave pictures, for the gallery of faces.
inline constexpr std::array gallery_methods{"cnn", "pre_lstm_fc6"};

/// Returns all methods for networks of a kind (faces have Fc). Order: baselines, methods of the
/// document in table order, PreRNN with fixed W_x*.
const std::vector<models::Method>& methods_for(NetworkKind kind);
/// Returns the methods that the settings choose: clips.methods for faces, videos.methods_KIND for
/// gestures and actions.
std::vector<models::Method> face_methods(const Settings& settings);
/// Returns tables of faces in addition to table 1 (tables.h: start_tables, short_table). Older
/// records have none.
std::vector<std::string> extra_tables(const Settings& settings);
/// Returns the methods that also run with other initial weights; none without such tables.
std::vector<models::Method> methods_with_other_starts(const Settings& settings);
std::vector<models::Method> video_methods(NetworkKind kind, const Settings& settings);

/// Returns the method of an id. UsageError: no such method.
const models::Method& method_named(const std::string& id, const std::vector<models::Method>& all);
/// Finds the method with these traits; nullptr if there is none.
const models::Method* find_method(const models::MethodTraits& traits,
                                  const std::vector<models::Method>& all);

/// Returns whether a method also runs without memory: recurrent methods, except those with fixed
/// W_x*, which are controls themselves.
bool has_control(const models::Method& method);

inline records::Cell cell(const std::string& table, const std::string& dataset,
                          const std::string& method, std::int64_t seed) {
  return {.study = "prernn", .table = table, .dataset = dataset, .method = method, .seed = seed};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
Report report(const Settings& settings);

/// Table cnn: trains the CNN on stills and stores its weights.
void run_cnn(CellContext& context);
/// Table features: generates clips and applies the frozen trunk to them once.
void run_features(CellContext& context);
/// Tables search, table1, nomemory, and selection of faces: trains and measures one method.
void run_sequence(CellContext& context);

/// Plans the cells of gestures and actions (video_tasks.h). UsageError: a setting out of range.
std::vector<PlannedCell> plan_videos(const Settings& settings);

/// Clips of the faces of one seed.
class ClipMaker {
 public:
  ClipMaker(const std::string& dataset, std::int64_t seed, const Settings& settings,
            const DataFolder& data);
  /// Generates training clips. Each `version` (0, 1, ...) has other camera paths and stills.
  datasets::MotionClips training(std::int64_t version) const;
  datasets::MotionClips validation() const;
  datasets::MotionClips test() const;

 private:
  datasets::MotionClips part(const FacePool& pool, const std::string& name,
                             std::int64_t index) const;
  Faces faces_;
  datasets::MotionOptions camera_;
  Random random_;
  bool synthetic_;  ///< stills under a virtual camera; false: bursts of real frames
  const Settings& settings_;
};

/// Returns the data that cells with faces of this source lack.
std::vector<Missing> missing_faces(const std::string& source, const DataFolder& data);
/// Returns what a cell lacks: data sets, published weights, a GPU for full-size networks.
std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data);

/// Creates the CNN of the faces with random weights of the seed, in training mode. draw > 0: the
/// next draws (experiments/base_network.h).
models::Backbone face_network(const Settings& settings, std::int64_t seed, std::int64_t draw = 0);

/// Loads the CNN of a cell: the weights of setting cnn.weights, else those of its seed in table
/// cnn.
models::Backbone trained_face_network(const CellContext& context);

}  // namespace reprise::reproduce::prernn_study
