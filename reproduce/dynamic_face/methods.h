// Methods of study dynamic_face: per-frame networks, filters, networks on estimates, and end-to-end
// networks.
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

/// Per-frame network. Sequence methods start from one, and filters smooth its estimates.
struct FrameNetwork {
  std::string name;  ///< "joint"
  Output output = Output::Pose;
  Fold scenes = {};                       ///< training scenes
  std::optional<std::size_t> heads = {};  ///< number of training heads; none: all
  bool on_all_scenes() const { return scenes.of == 1; }
  /// Returns whether methods learn on this network's estimates. They learn on those of fold
  /// networks, each on scenes that it never saw.
  bool fitted_crosswise() const { return output == Output::Pose && on_all_scenes(); }
};
/// Lists "pose", "joint", "landmarks", "places", and for poses "half0" (half of the scenes) and
/// fold_networks().
const std::vector<FrameNetwork>& frame_networks();
/// Lists "fold0" ... "fold4"; each is trained on the other four folds of scenes.
const std::vector<std::string>& fold_networks();
/// Returns the network of a name. UsageError: no such network.
const FrameNetwork& frame_network(const std::string& name);
/// Returns the name of a pose network on some of the heads, a cell of table size: "heads-N".
std::string size_name(std::int64_t heads);
/// Parses such a name. Error: not of this form.
FrameNetwork size_network(const std::string& name);

/// Traits of a filter.
struct FilterTraits {
  std::string of;       ///< method whose estimates it filters
  std::string tracker;  ///< name in baselines::trackers(), or a trivial baseline
  /// Motion model; none: the better one per angle.
  std::optional<baselines::Motion> motion = {};
  bool tuned_on_test = false;  ///< motion and noise minimise the error on the test itself
  bool gated = false;          ///< Kalman filter with a tuned innovation gate
};
/// Returns whether a tracker is a trivial baseline: "constant" (mean training pose) or "held"
/// (previous estimate).
bool is_trivial(const std::string& tracker);

struct Method {
  enum class Sees { Features, Estimates, Frames };
  training::MethodInfo info;
  std::optional<FilterTraits> filter = {};
  /// Per-frame network that it starts from or filters. Its outputs are those of the method.
  std::string network = "pose";
  Sees sees = Sees::Features;
  /// Type of its recurrent layers; none: no recurrence.
  std::optional<models::RecurrentCell> cell = {};
  /// Training scenes, and whether clips are also mirrored and reversed.
  Fold scenes = {};
  bool augments = true;
  bool drops_out = false;  ///< whether it has dropout; the rate is searched
  /// Method whose learning rate and dropout it uses; "": its own search.
  std::string searched_as = {};
  bool documents_dropout = false;  ///< dropout is sequence.dropout, not searched
  bool shows_landmarks = false;    ///< whether the page draws its landmarks
  /// Creates the network; empty: nothing to train.
  std::function<std::unique_ptr<training::SequenceNetwork>(
      const models::Backbone& trained, const Settings&, double dropout, Random&)>
      make = {};

  /// Sections of the settings: training, and search.
  std::string section() const { return sees == Sees::Frames ? "end_to_end" : "sequence"; }
  std::string search_section() const {
    return sees == Sees::Frames ? "search_end_to_end" : "search";
  }
  Output output() const { return frame_network(network).output; }
};

/// Returns the search of a method's hyperparameters: "lr", "dropout" (with dropout) and "weight"
/// (joint output). It is another method's search if `searched_as` names one.
Search search_for(const Method& method, const Settings& settings);
/// Returns the dropout rate of a trial; 0 without dropout.
double dropout_rate(const Method& method, const records::Trial& trial, const Settings& settings);
/// Returns the weight of the landmarks' loss relative to the pose's.
double landmark_loss_weight(const records::Trial& trial);

/// Per-frame method: the per-frame network's own estimates. All other methods start from it or
/// filter it.
inline constexpr auto per_frame = "cnn";
inline constexpr auto per_frame_network = "pose";  ///< its network

/// Lists the methods in table order.
const std::vector<Method>& methods();
/// Returns the method of a name. UsageError: no such method.
const Method& method_named(const std::string& name);
/// Lists all methods for `list methods`.
std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::dynamic_face_study
