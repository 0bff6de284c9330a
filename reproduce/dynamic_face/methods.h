// The methods of study dynamic_face: per-frame, filtered, learned on the estimates, and end to end.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baselines/trackers/methods.h"
#include "core/random.h"
#include "experiments/search.h"
#include "experiments/settings.h"
#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "models/recurrent/recurrent_layer.h"
#include "reproduce/dynamic_face/scenes.h"
#include "training/method_info.h"
#include "training/sequence_network.h"

namespace reprise::reproduce::dynamic_face_study {

/// A per-frame network: what sequence methods start from, and what filters get their measurements
/// from.
struct FrameNetwork {
  std::string name;  ///< "joint"
  Output output = Output::Pose;
  Fold scenes = {};                       ///< of the training scenes
  std::optional<std::size_t> heads = {};  ///< of the training heads so many; none: all
  bool on_all_scenes() const { return scenes.of == 1; }
  /// Methods on estimates learn from this network's, and for these those of folds stand in on the
  /// scenes that they never saw.
  bool fitted_crosswise() const { return output == Output::Pose && on_all_scenes(); }
};
/// "pose", "joint", "landmarks", "places"; for poses "half0", on half the scenes, and
/// fold_networks().
const std::vector<FrameNetwork>& frame_networks();
/// "fold0" ... "fold4": each on the scenes of the other four folds.
const std::vector<std::string>& fold_networks();
/// UsageError: no such network.
const FrameNetwork& frame_network(const std::string& name);
/// A network for poses on some of the heads is a cell of table size: its name, and what it stands
/// for. Error: not such a name.
std::string size_name(std::int64_t heads);
FrameNetwork size_network(const std::string& name);

/// What makes a method a filter.
struct FilterFacts {
  std::string of;       ///< the method whose estimates it filters
  std::string tracker;  ///< of baselines::trackers(), or one that tracks nothing
  /// None: the better of the two, for each angle.
  std::optional<baselines::Motion> motion = {};
  bool tuned_on_test = false;  ///< motion and noise with the least error on the very test
  bool gated =
      false;  ///< of a Kalman filter: measurements too far from what is predicted are left out, how far is tuned
};
/// "constant", the mean of the training poses, and "held", the estimate of the frame before.
bool tracks_nothing(const std::string& tracker);

struct Method {
  enum class Sees { Features, Estimates, Frames };
  training::MethodInfo info;
  std::optional<FilterFacts> filter = {};
  /// Of a network: the per-frame network that it starts from, and whose outputs it has; what it
  /// takes.
  std::string network = "pose";
  Sees sees = Sees::Features;
  std::optional<models::Cell> cell = {};  ///< of its recurrent layers; none: every frame on its own
  /// The training scenes that it learns from, in mirrors and backwards too, or not.
  Fold scenes = {};
  bool augments = true;
  bool drops_out = false;  ///< it has dropout, whose rate is searched
  /// The method whose learning rate and dropout it has, "": it searches its own.
  std::string searched_as = {};
  bool documents_dropout = false;  ///< its dropout is sequence.dropout, whatever a search says
  bool shows_landmarks = false;    ///< the page draws those that it finds in a sequence
  /// None: there is nothing to train.
  std::function<std::unique_ptr<training::SequenceNetwork>(
      const models::Backbone& trained, const Settings&, double dropout, Random&)>
      make = {};

  /// Sections of the settings: how it learns, and what its search tries.
  std::string section() const { return sees == Sees::Frames ? "end_to_end" : "sequence"; }
  std::string search_section() const {
    return sees == Sees::Frames ? "search_end_to_end" : "search";
  }
  Output output() const { return frame_network(network).output; }
};

/// The search of a method's learning rate, dropout (where it has dropout) and weight of the
/// landmarks' loss (where it gives pose and landmarks):
/// "lr", "dropout", "weight". That of another method where `searched_as` names one.
Search search_for(const Method& method, const Settings& settings);
/// With the hyperparameters of this trial; 0 without dropout.
double dropout_of(const Method& method, const records::Trial& trial, const Settings& settings);
/// Of the landmarks' loss beside the pose's.
double landmark_weight_of(const records::Trial& trial);

/// The method that every other one starts from or filters: the per-frame network's own estimates.
inline constexpr auto per_frame = "cnn";
inline constexpr auto per_frame_network = "pose";  ///< its network

/// In table order.
const std::vector<Method>& methods();
/// UsageError: no such method.
const Method& method_named(const std::string& name);
/// All of them, as `list methods` shows them.
std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::dynamic_face_study
