// The methods of study dynamic_face: per-frame, filtered, learned behind the estimates, and end to end.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "models/backbones/backbone.h"
#include "reproduce/dynamic_face/scenes.h"
#include "reproduce/settings.h"
#include "training/sequence_network.h"

namespace reprise::reproduce::dynamic_face_study {

struct Method {
  enum class Sees { Features, Estimates, Frames };
  std::string name, title;
  /// Of a filter: the method whose estimates it filters; "" for a network.
  std::string filters = {};
  /// Of a network: the per-frame network that it starts from, what it takes and what it gives.
  std::string network = "pose";
  Sees sees = Sees::Features;
  Output output = Output::Pose;
  bool clips_gradients = true;
  /// What it learns from: all training scenes, or the half of half0 or half1; seen in mirrors and backwards too, or not.
  std::string scenes = "all";
  bool augments = true;
  /// The method whose learning rate it has, "": it searches its own.
  std::string rate_of = {};
  std::function<std::unique_ptr<training::SequenceNetwork>(const models::Backbone& trained, const Settings&, Random&)> make = {};

  bool is_filter() const { return !filters.empty(); }
};

/// In table order.
const std::vector<Method>& methods();
/// UsageError: no such method.
const Method& method_named(const std::string& name);

}  // namespace reprise::reproduce::dynamic_face_study
