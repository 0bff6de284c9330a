// The methods of study dynamic_face: per-frame, filtered, learned on the estimates, and end to end.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baselines/trackers/methods.h"
#include "core/random.h"
#include "models/backbones/backbone.h"
#include "models/recurrent/recurrent_layer.h"
#include "reproduce/dynamic_face/scenes.h"
#include "reproduce/settings.h"
#include "reproduce/study.h"
#include "training/method_info.h"
#include "training/sequence_network.h"

namespace reprise::reproduce::dynamic_face_study {

/// A per-frame network: what sequence methods start from, and what filters get their measurements from.
struct FrameNetwork {
  std::string name;  ///< "joint"
  Output output = Output::Pose;
  Half half = Half::Both;
  std::optional<std::size_t> heads = {};  ///< of the training heads so many; none: all
  /// Methods on estimates learn from this network's, and for these the halves stand in on the scenes that they never saw.
  bool fitted_crosswise() const { return output == Output::Pose && half == Half::Both; }
};
/// "pose", "joint", "landmarks", "places", and "half0", "half1" for poses.
const std::vector<FrameNetwork>& frame_networks();
/// UsageError: no such network.
const FrameNetwork& frame_network(const std::string& name);
/// A network for poses on some of the heads is a cell of table size: its name, and what it stands for. Error: not such a name.
std::string size_name(std::int64_t heads);
FrameNetwork size_network(const std::string& name);

/// What makes a method a filter.
struct FilterFacts {
  std::string of;       ///< the method whose estimates it filters
  std::string tracker;  ///< of baselines::trackers()
  /// None: the likelier of the two, for each angle.
  std::optional<baselines::Motion> motion = {};
  bool tuned_on_test = false;  ///< motion and noise with the least error on the very test
};

struct Method {
  enum class Sees { Features, Estimates, Frames };
  training::MethodInfo info;
  std::optional<FilterFacts> filter = {};
  /// Of a network: the per-frame network that it starts from, and whose outputs it has; what it takes.
  std::string network = "pose";
  Sees sees = Sees::Features;
  std::optional<models::Cell> cell = {};  ///< of its recurrent layers; none: every frame on its own
  bool clips_gradients = true;
  /// The training scenes that it learns from, in mirrors and backwards too, or not.
  Half half = Half::Both;
  bool augments = true;
  /// The method whose learning rate it has, "": it searches its own.
  std::string rate_of = {};
  bool shows_landmarks = false;  ///< the page draws those that it finds in a sequence
  /// None: there is nothing to train.
  std::function<std::unique_ptr<training::SequenceNetwork>(const models::Backbone& trained, const Settings&, Random&)> make = {};

  Output output() const { return frame_network(network).output; }
};

/// The method that every other one starts from or filters: the per-frame network's own estimates.
inline constexpr auto per_frame = "cnn";

/// In table order.
const std::vector<Method>& methods();
/// UsageError: no such method.
const Method& method_named(const std::string& name);
/// All of them, as `list methods` shows them.
std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::dynamic_face_study
