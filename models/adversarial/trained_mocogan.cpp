#include "models/adversarial/trained_mocogan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <bit>
#include <optional>

#include "core/error.h"
#include "core/printable.h"
#include "training/trained_file.h"

namespace reprise::models {
namespace {

using nlohmann::json;

constexpr auto mocogan_format = "reprise mocogan 1";
constexpr auto fetch_mocogan =
    "give the generator.safetensors of a finished cell: ./reprise run mocogan --only "
    "'generated/*/mocogan/*', or 'image_to_video/*'";
// Bounds of a plausible file: sides and widths determine how much memory is allocated.
constexpr std::int64_t most_side = 1024;
constexpr std::int64_t most_codes = 1 << 16;
constexpr std::int64_t most_frames = 1 << 20;

json to_json(const TrainedMocogan& trained) {
  const auto& o = trained.G->options();
  json all{{"data", trained.metadata.data},
           {"source", trained.metadata.source},
           {"frames", trained.metadata.frames},
           {"actions", trained.metadata.actions},
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

/// The content of a file's metadata, not yet checked.
struct Described {
  MocoganMetadata metadata;
  MocoganNetworkOptions G;
  std::optional<ImageEncoderOptions> E;
};

/// Reads the metadata's types. Values are checked by check_numbers().
Described read_metadata(const training::TrainedFile& file) {
  Described out;
  auto& [metadata, o, E] = out;
  file.read([&](const json& all) {
    all.at("data").get_to(metadata.data);
    all.at("source").get_to(metadata.source);
    training::get_exactly(all.at("frames"), metadata.frames);
    all.at("actions").get_to(metadata.actions);
    for (const auto& [name, value] : {std::pair("side", &o.side),
                                      {"channels", &o.channels},
                                      {"width", &o.width},
                                      {"depth", &o.depth},
                                      {"d_C", &o.d_C},
                                      {"d_M", &o.d_M},
                                      {"d_E", &o.d_E},
                                      {"d_A", &o.d_A}})
      training::get_exactly(all.at(name), *value);
    training::get_exactly(all.at("grid"), o.grid);
    const auto entry = all.at("entry").get<std::string>();
    if (entry != "into motion" && entry != "into image")
      file.refuse(fmt::format("entry is \"{}\", expected \"into motion\" or \"into image\"",
                              printable(entry)));
    o.entry = entry == "into motion" ? ActionEntry::IntoMotion : ActionEntry::IntoImage;
    if (all.contains("encoder"))
      training::get_exactly(all.at("encoder").at("width"), E.emplace().width);
  });
  for (const auto& action : metadata.actions) file.check_printable("action", action);
  return out;
}

/// Refuses numbers outside the ranges of a plausible network.
void check_numbers(const Described& said, const training::TrainedFile& file) {
  const auto& o = said.G;
  file.check_range("side", o.side, 8, most_side);
  if (!std::has_single_bit(static_cast<std::uint64_t>(o.side)))
    file.refuse(fmt::format("side is {}, expected a power of two", o.side));
  const auto n = count_halvings(o.side);
  for (const auto& [name, value] : {std::pair("channels", o.channels),
                                    {"d_C", o.d_C},
                                    {"d_M", o.d_M},
                                    {"d_E", o.d_E},
                                    {"width", o.width}})
    file.check_range(name, value, 1, most_codes);
  file.check_range("d_A", o.d_A, 0, most_codes);
  file.check_range("frames", said.metadata.frames, 1, most_frames);
  if (o.depth != 0) file.check_range("depth", o.depth, n, 64);
  const auto named = static_cast<std::int64_t>(said.metadata.actions.size());
  if (named != 0 && named != o.d_A)
    file.refuse(fmt::format("it names {} actions, and d_A is {}", named, o.d_A));
  if (said.E) file.check_range("encoder.width", said.E->width, 1, most_codes);
}

/// Returns the number of the module of convolution i, of 0 to n, in an image encoder. The last one
/// stands alone. Others have noise before and LeakyReLU after them. All but the first have batch
/// norm.
std::int64_t find_encoder_module(std::int64_t i, std::int64_t n) {
  if (i == 0) return 1;
  return i == n ? 4 * i - 1 : 4 * i;
}

/// Checks the weight of each convolution, in the order of make_decoder() and of a discriminator.
void check_shapes(const Described& said, const training::TrainedFile& file) {
  const auto& o = said.G;
  const auto n = count_halvings(o.side);
  const auto into_image = o.entry == ActionEntry::IntoImage ? o.d_A : 0;
  file.check_tensor("G.recurrent.weight_ih", {3 * o.d_M, o.d_E + o.d_A - into_image});
  // Modules 1 and 2 after each convolution are batch norm and ReLU.
  // A grid adds the two coordinates, and one module before the first convolution.
  auto inputs = o.d_C + into_image + o.d_M + (o.grid ? 2 : 0);
  auto at = std::int64_t{o.grid ? 1 : 0};
  const auto next = [&](std::int64_t outputs, std::int64_t kernel) {
    file.check_tensor(fmt::format("G.main.{}.weight", at), {inputs, outputs, kernel, kernel});
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
    file.check_tensor(fmt::format("E.network.main.{}.weight", find_encoder_module(i, n)),
                      {outputs, inputs, 4, 4});
    inputs = outputs;
  }
}

}  // namespace

void save_mocogan(const TrainedMocogan& trained, const std::filesystem::path& path) {
  std::vector<std::pair<std::string, const torch::nn::Module*>> networks{{"G.", trained.G.get()}};
  if (trained.E) networks.emplace_back("E.", trained.E.get());
  training::write_trained_file(path, mocogan_format, to_json(trained), networks);
}

TrainedMocogan load_mocogan(const std::filesystem::path& path, at::Device device) {
  // All numbers and shapes are checked before memory of their size is allocated.
  const training::TrainedFile file(path, mocogan_format, "a trained MoCoGAN", fetch_mocogan);
  const auto said = read_metadata(file);
  check_numbers(said, file);
  check_shapes(said, file);
  TrainedMocogan trained{.metadata = said.metadata, .G = MocoganNetwork(said.G)};
  file.load(*trained.G, "G.", device);
  if (!said.E) return trained;
  trained.E = ImageEncoder(said.G, *said.E);
  file.load(*trained.E, "E.", device);
  return trained;
}

std::string action_name(const TrainedMocogan& trained, std::int64_t action) {
  const auto& names = trained.metadata.actions;
  return names.empty() ? std::to_string(action) : names.at(static_cast<std::size_t>(action));
}

std::int64_t find_action(const TrainedMocogan& trained, const std::string& asked) {
  const auto d_A = trained.G->options().d_A;
  if (d_A == 0)
    throw UsageError(
        fmt::format("action \"{}\": this generator was trained without actions", printable(asked)),
        "leave the action out");
  std::vector<std::string> known;
  for (std::int64_t action = 0; action < d_A; ++action) {
    known.push_back(action_name(trained, action));
    if (known.back() == asked || std::to_string(action) == asked) return action;
  }
  throw UsageError(fmt::format("this generator has no action \"{}\"", printable(asked)),
                   fmt::format("its actions: {}", fmt::join(known, ", ")));
}

}  // namespace reprise::models
