#include "models/adversarial/trained_mocogan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "core/error.h"
#include "core/json.h"
#include "core/printable.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

using nlohmann::json;

constexpr auto mocogan_format = "reprise mocogan 1";
constexpr auto fetch_mocogan =
    "give the generator.safetensors of a finished cell: ./reprise run mocogan --only 'generated/*/mocogan/*', or 'image_to_video/*'";
constexpr std::int64_t most_side = 1024, most_codes = 1 << 16, most_frames = 1 << 20;

json to_json(const TrainedMocogan& trained) {
  const auto& o = trained.G->options();
  json all{{"data", trained.facts.data},
           {"source", trained.facts.source},
           {"frames", trained.facts.frames},
           {"actions", trained.facts.actions},
           {"side", o.side},
           {"channels", o.channels},
           {"width", o.width},
           {"depth", o.depth},
           {"grid", o.grid},
           {"d_C", o.d_C},
           {"d_M", o.d_M},
           {"d_E", o.d_E},
           {"d_A", o.d_A},
           {"entry", o.entry == ActionEntry::IntoMotion ? "into motion" : "into image"}};
  if (trained.E) all["encoder"] = {{"width", trained.E->options().width}};
  return all;
}

/// What a file says of itself, none of it believed yet.
struct Described {
  MocoganFacts facts;
  MocoganNetworkOptions G;
  std::optional<ImageEncoderOptions> E;
};

[[noreturn]] void refuse(const std::string& where, const std::string& problem) { throw UsageError(where + ": " + problem, fetch_mocogan); }

Described described(const json& all, const std::string& where) {
  Described out;
  auto& [facts, o, E] = out;
  try {
    all.at("data").get_to(facts.data);
    all.at("source").get_to(facts.source);
    all.at("frames").get_to(facts.frames);
    all.at("actions").get_to(facts.actions);
    for (const auto& [name, value] : {std::pair("side", &o.side),
                                      {"channels", &o.channels},
                                      {"width", &o.width},
                                      {"depth", &o.depth},
                                      {"d_C", &o.d_C},
                                      {"d_M", &o.d_M},
                                      {"d_E", &o.d_E},
                                      {"d_A", &o.d_A}})
      all.at(name).get_to(*value);
    all.at("grid").get_to(o.grid);
    const auto entry = all.at("entry").get<std::string>();
    if (entry != "into motion" && entry != "into image")
      refuse(where, fmt::format("entry is \"{}\", expected \"into motion\" or \"into image\"", printable(entry)));
    o.entry = entry == "into motion" ? ActionEntry::IntoMotion : ActionEntry::IntoImage;
    if (all.contains("encoder")) E = {all.at("encoder").at("width").get<std::int64_t>()};
  } catch (const json::exception& error) {
    // "[json.exception.type_error.302] type must be string, but is number": the reader wants what follows the bracket.
    const std::string_view what(error.what());
    refuse(where, fmt::format("what it says of the generator cannot be read: {}", what.substr(what.find("] ") + 2)));
  }
  for (const auto& action : facts.actions)
    if (has_control_character(action)) refuse(where, fmt::format("the action '{}' holds a control character", printable(action)));
  return out;
}

/// Numbers are held against tensors, whose bytes the file really has, before anything is built by them.
class MocoganFile {
 public:
  MocoganFile(const weights::StateDict& tensors, const std::string& where) : tensors_(tensors.begin(), tensors.end()), where_(where) {}

  void in_range(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) const {
    if (value < low || value > high) refuse(where_, fmt::format("{} is {}, expected {} to {}", field, value, low, high));
  }
  void has(const std::string& tensor, const std::vector<std::int64_t>& shape) const {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end()) refuse(where_, fmt::format("its metadata ask for a tensor {}, which is not there", tensor));
    if (found->second.sizes() != at::IntArrayRef(shape))
      refuse(where_, fmt::format("its metadata ask for {} of [{}], and it is [{}]", tensor, fmt::join(shape, ", "),
                                 fmt::join(found->second.sizes(), ", ")));
  }

 private:
  std::unordered_map<std::string, at::Tensor> tensors_;
  const std::string& where_;
};

void check_numbers(const Described& said, const MocoganFile& file, const std::string& where) {
  const auto& o = said.G;
  file.in_range("side", o.side, 8, most_side);
  if (!std::has_single_bit(static_cast<std::uint64_t>(o.side))) refuse(where, fmt::format("side is {}, expected a power of two", o.side));
  const auto n = halvings(o.side);
  for (const auto& [name, value] : {std::pair("channels", o.channels), {"d_C", o.d_C}, {"d_M", o.d_M}, {"d_E", o.d_E}, {"width", o.width}})
    file.in_range(name, value, 1, most_codes);
  file.in_range("d_A", o.d_A, 0, most_codes);
  file.in_range("frames", said.facts.frames, 1, most_frames);
  if (o.depth != 0) file.in_range("depth", o.depth, n, 64);
  const auto named = static_cast<std::int64_t>(said.facts.actions.size());
  if (named != 0 && named != o.d_A) refuse(where, fmt::format("it names {} actions, and d_A is {}", named, o.d_A));
  if (said.E) file.in_range("encoder.width", said.E->width, 1, most_codes);
}

/// Convolution by convolution, as decoder() and a discriminator make them.
void check_shapes(const Described& said, const MocoganFile& file) {
  const auto& o = said.G;
  const auto n = halvings(o.side), into_image = o.entry == ActionEntry::IntoImage ? o.d_A : 0;
  file.has("G.recurrent.weight_ih", {3 * o.d_M, o.d_E + o.d_A - into_image});
  auto inputs = o.d_C + into_image + o.d_M + (o.grid ? 2 : 0), at = std::int64_t{o.grid ? 1 : 0};
  const auto next = [&](std::int64_t outputs, std::int64_t kernel) {
    file.has(fmt::format("G.main.{}.weight", at), {inputs, outputs, kernel, kernel});
    inputs = outputs;
    at += 3;
  };
  for (auto i = n; i < o.depth; ++i) next(o.width << n, 1);
  for (auto i = n - 1; i >= 0; --i) next(o.width << i, o.grid && i == n - 1 ? 1 : 4);
  next(o.channels, 4);
  if (!said.E) return;
  inputs = o.channels;
  for (std::int64_t i = 0; i <= n; ++i) {
    const auto outputs = i == n ? o.d_C + o.d_M : said.E->width << i;
    file.has(fmt::format("E.network.main.{}.weight", i == 0 ? 1 : i == n ? 4 * i - 1 : 4 * i), {outputs, inputs, 4, 4});
    inputs = outputs;
  }
}

/// The tensors whose names begin with `prefix`, without it.
weights::StateDict below(const weights::StateDict& tensors, const std::string& prefix) {
  weights::StateDict part;
  for (const auto& [name, tensor] : tensors)
    if (name.starts_with(prefix)) part.emplace_back(name.substr(prefix.size()), tensor);
  return part;
}

void load_part(torch::nn::Module& network, const weights::StateDict& tensors, const std::string& prefix, const std::string& where,
               at::Device device) {
  training::load_state(network, below(tensors, prefix), where);
  network.eval();
  network.to(device);
  for (auto& parameter : network.parameters()) {
    if (!at::isfinite(parameter).all().item<bool>()) refuse(where, "its weights hold values that are not finite");
    parameter.requires_grad_(false);
  }
}

}  // namespace

void save_mocogan(const TrainedMocogan& trained, const std::filesystem::path& path) {
  weights::StateDict state;
  const auto add = [&](const std::string& prefix, const torch::nn::Module& network) {
    for (const auto& [name, tensor] : training::module_state(network)) state.emplace_back(prefix + name, tensor.detach().cpu());
  };
  add("G.", *trained.G);
  if (trained.E) add("E.", *trained.E);
  weights::write_safetensors(path, state, {{"format", mocogan_format}, {"facts", json_text(to_json(trained))}});
}

TrainedMocogan load_mocogan(const std::filesystem::path& path, at::Device device) {
  const auto where = path.string();
  const auto file = weights::read_safetensors(path);
  const auto found = file.metadata.find("format");
  if (found == file.metadata.end() || found->second != mocogan_format)
    refuse(where, fmt::format("not a trained MoCoGAN: its format is {}, expected \"{}\"",
                              found == file.metadata.end() ? "not given" : "\"" + printable(found->second) + "\"", mocogan_format));
  const auto facts = file.metadata.find("facts");
  if (facts == file.metadata.end()) refuse(where, "its metadata has no \"facts\"");
  const auto said = described(parse_json(facts->second, where + ", metadata \"facts\"", fetch_mocogan), where);
  const MocoganFile tensors(file.tensors, where);
  check_numbers(said, tensors, where);
  check_shapes(said, tensors);
  TrainedMocogan trained{.facts = said.facts, .G = MocoganNetwork(said.G)};
  load_part(*trained.G, file.tensors, "G.", where, device);
  if (!said.E) return trained;
  trained.E = ImageEncoder(said.G, *said.E);
  load_part(*trained.E, file.tensors, "E.", where, device);
  return trained;
}

std::string action_name(const TrainedMocogan& trained, std::int64_t action) {
  const auto& names = trained.facts.actions;
  return names.empty() ? std::to_string(action) : names.at(static_cast<std::size_t>(action));
}

std::int64_t action_of(const TrainedMocogan& trained, const std::string& asked) {
  const auto d_A = trained.G->options().d_A;
  if (d_A == 0)
    throw UsageError(fmt::format("action \"{}\": this generator was trained without actions", printable(asked)), "leave the action out");
  std::vector<std::string> known;
  for (std::int64_t action = 0; action < d_A; ++action) {
    known.push_back(action_name(trained, action));
    if (known.back() == asked || std::to_string(action) == asked) return action;
  }
  throw UsageError(fmt::format("this generator has no action \"{}\"", printable(asked)),
                   fmt::format("its actions: {}", fmt::join(known, ", ")));
}

}  // namespace reprise::models
