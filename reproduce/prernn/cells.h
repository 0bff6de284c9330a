// The cells of study prernn: which there are, and what each does.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/generators/faces_in_motion.h"
#include "models/backbones/backbone.h"
#include "models/methods.h"
#include "reproduce/study.h"

namespace reprise::reproduce::prernn_study {

inline constexpr auto motion = "faces_in_motion";
inline constexpr auto bursts = "ytf_bursts";
inline constexpr auto videos = "300vw";

/// For faces: baselines first, then the document's own, in table order (22 methods), then PreRNN with W_x* fixed (3).
std::vector<models::Method> all_methods();

/// Those whose name one of the globs matches.
std::vector<models::Method> chosen(std::vector<models::Method> all, const std::vector<std::string>& globs);
/// Of the faces, by the setting clips.methods.
std::vector<models::Method> face_methods(const Settings& settings);

/// Which methods run without memory too: the recurrent ones, but for those with W_x* fixed, which are a control themselves.
bool has_control(const std::string& method);

inline records::Cell cell(const std::string& table, const std::string& dataset, const std::string& method, std::int64_t seed) {
  return {.study = "prernn", .table = table, .dataset = dataset, .method = method, .seed = seed};
}

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data);
void run(CellContext& context);
Report report(const Settings& settings);

/// The cells' own work, by table.
void run_cnn(CellContext& context);       ///< table cnn: trains the CNN on stills; keeps its weights
void run_features(CellContext& context);  ///< table features: makes a set of clips and passes it through the frozen trunk, once
void run_sequence(CellContext& context);  ///< tables search, table1, nomemory, selection: trains and measures one method

/// Of the rule's cells `names` those whose candidates are all among the methods.
std::vector<std::string> selecting(const std::vector<std::string>& names, const std::vector<models::Method>& methods);

/// The rule's cells `names` (selection.h) for one data set: their candidates are cells of `table`, the features in a cell of `prepared`.
void plan_selection(const std::vector<std::string>& names, const std::string& table, const std::string& prepared,
                    const std::string& dataset, const Settings& settings, double cost, std::vector<PlannedCell>& cells);

/// The cells of gestures and actions (video_tasks.h). UsageError: a setting out of range; a data set that --data lacks.
std::vector<PlannedCell> plan_videos(const Settings& settings, const std::filesystem::path& data);

/// The clips of one replicate, before any network sees them.
struct MotionParts {
  datasets::MotionClips train, validation, test;
};
MotionParts make_clips(const std::string& dataset, std::int64_t seed, const Settings& settings, const std::filesystem::path& data);

/// A full-size run of the paper needs what this machine may lack: every missing thing is listed.
std::vector<std::string> missing_for_paper(const Settings& settings, const std::filesystem::path& data);

/// The CNN of the faces: weights drawn with the seed, evaluation mode off.
models::Backbone face_network(const Settings& settings, std::int64_t seed);

/// The same with the weights that the methods of this cell build on: those of the setting cnn.weights, else of its seed's cell of table
/// cnn.
models::Backbone trained_face_network(const CellContext& context);

}  // namespace reprise::reproduce::prernn_study
