// Registry of the per-frame networks that methods build on.
#include <fmt/format.h>

#include <charconv>

#include "core/error.h"
#include "experiments/names.h"
#include "reproduce/dynamic_face/methods.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

constexpr std::string_view size_prefix = "heads-";

}  // namespace

const std::vector<FrameNetwork>& frame_networks() {
  static const auto all = [] {
    std::vector<FrameNetwork> networks{{.name = "pose"},
                                       {.name = "half0", .scenes = {.of = 2}},
                                       {.name = "joint", .output = Output::Joint},
                                       {.name = "landmarks", .output = Output::Landmarks},
                                       {.name = "places", .output = Output::Landmarks3d}};
    // Network k never sees fold k, so its estimates there have the errors of unseen scenes.
    const auto folds = static_cast<std::int64_t>(fold_networks().size());
    for (std::int64_t k = 0; k < folds; ++k)
      networks.push_back({.name = fold_networks()[static_cast<std::size_t>(k)],
                          .scenes = {.of = folds, .index = k, .others = true}});
    return networks;
  }();
  return all;
}

const std::vector<std::string>& fold_networks() {
  static const std::vector<std::string> all{"fold0", "fold1", "fold2", "fold3", "fold4"};
  return all;
}

const FrameNetwork& frame_network(const std::string& name) {
  return find_named(frame_networks(), "per-frame network", name);
}

std::string size_name(std::int64_t heads) { return fmt::format("{}{}", size_prefix, heads); }

FrameNetwork size_network(const std::string& name) {
  std::size_t heads = 0;
  const auto* end = name.data() + name.size();
  // The whole rest must be a number: "heads-2x" is refused.
  if (!name.starts_with(size_prefix) ||
      std::from_chars(name.data() + size_prefix.size(), end, heads).ptr != end || heads == 0)
    throw Error("'" + name + "' is not the name of a network on N heads",
                "give heads-N with N of 1 or more");
  return {.name = name, .heads = heads};
}

}  // namespace reprise::reproduce::dynamic_face_study
