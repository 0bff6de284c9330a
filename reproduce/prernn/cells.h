// The cells of study prernn: which there are, and what each does.
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

/// The methods whose clips the gallery of the faces shows; their cells leave the pictures.
inline constexpr std::array gallery_methods{"cnn", "pre_lstm_fc6"};

/// Every method for networks of this kind (faces have Fc): baselines first, then the document's own
/// in table order, then PreRNN with W_x* fixed.
const std::vector<models::Method>& methods_for(NetworkKind kind);
/// Those that the settings choose: for faces by clips.methods, for gestures and actions by
/// videos.methods_KIND.
std::vector<models::Method> face_methods(const Settings& settings);
/// Tables of faces beside table 1 (tables.h: start_tables, short_table); none in records of an
/// earlier program.
std::vector<std::string> extra_tables(const Settings& settings);
/// Of the methods the ones that begin in other ways too; none without such tables.
std::vector<models::Method> starting_methods(const Settings& settings);
std::vector<models::Method> video_methods(NetworkKind kind, const Settings& settings);

/// UsageError: no method with this id; lists those there are.
const models::Method& method_named(const std::string& id, const std::vector<models::Method>& all);
/// The method with these facts; nullptr: there is none.
const models::Method* method_with(const models::MethodFacts& facts,
                                  const std::vector<models::Method>& all);

/// Which methods run without memory too: the recurrent ones, but for those with W_x* fixed, which
/// are a control themselves.
bool has_control(const models::Method& method);

inline records::Cell cell(const std::string& table, const std::string& dataset,
                          const std::string& method, std::int64_t seed) {
  return {.study = "prernn", .table = table, .dataset = dataset, .method = method, .seed = seed};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
Report report(const Settings& settings);

/// The cells' own work, by table.
void run_cnn(CellContext& context);  ///< table cnn: trains the CNN on stills; keeps its weights
void run_features(
    CellContext&
        context);  ///< table features: makes a set of clips and passes it through the frozen trunk, once
void run_sequence(
    CellContext&
        context);  ///< tables search, table1, nomemory, selection of faces: trains and measures one method

/// The cells of gestures and actions (video_tasks.h). UsageError: a setting out of range.
std::vector<PlannedCell> plan_videos(const Settings& settings);

/// The clips of one replicate's faces, before any network sees them.
class ClipMaker {
 public:
  ClipMaker(const std::string& dataset, std::int64_t seed, const Settings& settings,
            const DataFolder& data);
  /// The training faces are filmed anew for each `film`: 0, 1, ....
  datasets::MotionClips training(std::int64_t film) const;
  datasets::MotionClips validation() const;
  datasets::MotionClips test() const;

 private:
  datasets::MotionClips part(const FacePool& pool, const std::string& name,
                             std::int64_t index) const;
  Faces faces_;
  datasets::MotionOptions camera_;
  Random random_;
  bool films_;
  const Settings& settings_;
};

/// What cells that read faces of this source lack.
std::vector<Missing> missing_faces(const std::string& source, const DataFolder& data);
/// What one of the study's own cells lacks: data sets, published weights, a GPU for full-size
/// networks.
std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data);

/// The CNN of the faces: weights drawn with the seed (and with its next draws:
/// experiments/base_network.h), evaluation mode off.
models::Backbone face_network(const Settings& settings, std::int64_t seed, std::int64_t draw = 0);

/// The same with the weights that the methods of this cell build on: those of the setting
/// cnn.weights, else of its seed's cell of table cnn.
models::Backbone trained_face_network(const CellContext& context);

}  // namespace reprise::reproduce::prernn_study
