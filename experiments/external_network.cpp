#include "experiments/external_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "training/scripted_network.h"

namespace reprise::reproduce {
namespace {

/// Name of a script's output layer if several layers have its shapes.
constexpr auto output_name = "out";

/// Initial values of a script's parameters of these names: fc6.weight, ..., fc7.bias. The output
/// layer is separate, see start_output().
weights::StateDict hidden_layers(const models::Backbone& network) {
  weights::StateDict layers;
  const auto& stages = network->stages();
  for (auto i = network->index_of("fc6"); i + 1 < stages.size(); ++i) {
    const auto& name = stages[i].options().name;
    const auto& map = stages[i].parts.back().map;
    layers.emplace_back(name + ".weight", map->weight.detach());
    layers.emplace_back(name + ".bias", map->bias.detach());
  }
  return layers;
}

/// Copies the trained output layer into the script's, which is found by its shapes, whatever its
/// name. Returns ""; or a note for the user if no layer has these shapes. The script's output layer
/// then starts as it is in the file.
std::string start_output(training::ScriptedNetwork& script, const models::Backbone& trained,
                         const std::string& file) {
  const auto& map = trained->stages().back().parts.back().map;
  auto fitting = script.find_layers(map->weight, map->bias);
  const auto hidden = hidden_layers(trained);
  // Hidden layers can have the shapes of the output layer too.
  std::erase_if(fitting, [&](const std::string& layer) {
    return std::any_of(hidden.begin(), hidden.end(),
                       [&](const auto& entry) { return entry.first == layer + ".weight"; });
  });
  const bool named = script.has_parameter(std::string(output_name) + ".weight");
  if (named) std::erase_if(fitting, [](const std::string& layer) { return layer != output_name; });
  if (fitting.size() > 1)
    throw UsageError(
        fmt::format(
            "{}: layers {} all have the shape of the trained output layer, {}, from which every method starts here",
            file, join(fitting, ", "), c10::str(map->weight.sizes())),
        fmt::format("name the output layer {}", output_name));
  if (fitting.empty())
    return fmt::format(
        "where the study's own methods keep the trained output layer, that of {} starts as it is in the file: {} {}",
        file,
        named ? "out.weight does not have the trained one's shape,"
              : "no layer has the trained one's shape,",
        c10::str(map->weight.sizes()));
  script.load_pretrained(
      {{fitting[0] + ".weight", map->weight.detach()}, {fitting[0] + ".bias", map->bias.detach()}});
  return "";
}

/// Copies the trained hidden layers into the script's layers of the same names. Returns "", or a
/// note for the user if the script lacks some.
std::string start_hidden(training::ScriptedNetwork& script, const models::Backbone& trained,
                         const std::string& file) {
  const auto layers = hidden_layers(trained);
  script.load_pretrained(layers);
  std::vector<std::string> missing;
  for (const auto& [name, values] : layers)
    if (name.ends_with(".weight") && !script.has_parameter(name)) missing.push_back(name);
  if (missing.empty()) return "";
  return fmt::format(
      "{} has no {}: the trained layers of these names, from which the study's own methods start, have no part in it",
      file, join(missing, ", "));
}

/// Initialises a script's layers by the rule of scripted_network(). Returns notes for the user.
std::vector<std::string> start_script(training::ScriptedNetwork& script,
                                      const models::Backbone& trained, bool draw_output,
                                      const std::string& file) {
  std::vector<std::string> notes{start_hidden(script, trained, file)};
  // In a script without trainable parameters, as in the plain network, no layer is drawn.
  if (!draw_output || !script.is_trainable()) notes.push_back(start_output(script, trained, file));
  // A script that cannot learn is measured as it is, so notes on its training would mislead.
  if (!script.is_trainable()) return {};
  std::erase(notes, "");
  return notes;
}

}  // namespace

std::unique_ptr<training::SequenceNetwork> scripted_network(const std::filesystem::path& file,
                                                            const models::Backbone& trained,
                                                            bool draw_output) {
  auto network = std::make_unique<training::ScriptedNetwork>(file);
  start_script(*network, trained, draw_output, file.filename().string());
  return network;
}

ScriptCheck check_script(const std::filesystem::path& file, const models::Backbone& network,
                         bool draw_output, bool call) {
  const auto n = network->stages()[network->index_of("fc6")].options().inputs;
  const auto outputs = network->stages().back().options().outputs;
  training::ScriptedNetwork script(file);
  const auto notes = start_script(script, network, draw_output, file.filename().string());
  if (call) {
    script.check_shapes({2, 3, n}, {2, 3, outputs});
    // One frame: methods without memory are called frame by frame.
    script.check_shapes({1, 1, n}, {1, 1, outputs});
  }
  if (!script.is_trainable())
    return {
        .learns = false,
        .notes = {
            "measured as it is and not trained: none of its parameters asks for a gradient (requires_grad)"}};
  return {.learns = true, .notes = notes};
}

}  // namespace reprise::reproduce
