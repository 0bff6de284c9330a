#include "models/diffusion/prior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/json.h"
#include "core/printable.h"
#include "models/diffusion/bfloat16.h"
#include "models/diffusion/prior_checks.h"
#include "models/diffusion/recorded.h"
#include "models/layers/layout.h"
#include "training/module_state.h"
#include "training/trained_file.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

constexpr auto format_name = "reprise prior 1";
/// Standard deviations from the mean beyond which a normal distribution has a thousandth.
constexpr double thousandth = 3.0902;

const std::vector<std::pair<ItemKind, std::string>>& item_kinds() {
  static const std::vector<std::pair<ItemKind, std::string>> all{
      {ItemKind::Images, "images"}, {ItemKind::Videos, "videos"}, {ItemKind::Sounds, "sounds"}};
  return all;
}

ItemKind parse_kind(const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (const auto& [kind, own] : item_kinds()) {
    if (own == name) return kind;
    known.push_back(own);
  }
  throw UsageError(
      fmt::format("{} is a prior of {}, expected one of {}", where, name, fmt::join(known, ", ")),
      "give a file that `reprise run langevin` wrote");
}

nlohmann::json to_json(const PriorMetadata& metadata) {
  return {{"data", metadata.data},
          {"kind", name_of(metadata.kind)},
          {"item", metadata.item},
          {"classes", metadata.classes},
          {"words", metadata.words},
          {"measures", metadata.measures},
          {"sigma_data", metadata.sigma_data},
          {"P_mean", metadata.noise.P_mean},
          {"P_std", metadata.noise.P_std}};
}

/// Reads the metadata's types and the shape of items. check_prior() compares values with the
/// tensors.
PriorMetadata parse_metadata(const nlohmann::json& json, const std::string& where) {
  PriorMetadata metadata;
  try {
    json.at("data").get_to(metadata.data);
    metadata.kind = parse_kind(json.at("kind").get<std::string>(), where);
    training::get_exactly(json.at("item"), metadata.item);
    json.at("classes").get_to(metadata.classes);
    json.at("words").get_to(metadata.words);
    json.at("measures").get_to(metadata.measures);
    json.at("sigma_data").get_to(metadata.sigma_data);
    json.at("P_mean").get_to(metadata.noise.P_mean);
    json.at("P_std").get_to(metadata.noise.P_std);
  } catch (const nlohmann::json::exception& e) {
    // e.what() is "[json.exception.type_error.302] type must be string, but is number"; the message
    // shows the part after the bracket.
    const std::string_view what(e.what());
    throw UsageError(fmt::format("{}: what the prior was trained on cannot be read: {}", where,
                                 what.substr(what.find("] ") + 2)),
                     "give a file that `reprise run langevin` wrote");
  }
  if (metadata.item.size() != 3)
    throw UsageError(fmt::format("{}: items of shape [{}], expected [C, H, W]", where,
                                 fmt::join(metadata.item, ", ")),
                     "give a file that `reprise run langevin` wrote");
  for (const auto* names : {&metadata.classes, &metadata.words})
    for (const auto& name : *names)
      if (has_control_character(name))
        throw UsageError(fmt::format("{}: the class or word '{}' holds a control character", where,
                                     printable(name)),
                         "give a file that `reprise run langevin` wrote");
  return metadata;
}

std::string join_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const std::string& name_of(ItemKind kind) {
  return std::find_if(item_kinds().begin(), item_kinds().end(),
                      [kind](const auto& named) { return named.first == kind; })
      ->second;
}

double Prior::sigma_low() const {
  return std::exp(metadata.noise.P_mean - thousandth * metadata.noise.P_std);
}
double Prior::sigma_high() const {
  return std::exp(metadata.noise.P_mean + thousandth * metadata.noise.P_std);
}

Prior new_prior(const PriorMetadata& metadata, UNetOptions options, const at::Tensor& mu,
                Random& random) {
  // The network's inputs follow from the data. Callers choose only its size.
  options.image_channels = metadata.item.at(0);
  options.classes = static_cast<std::int64_t>(metadata.classes.size());
  options.words = static_cast<std::int64_t>(metadata.words.size());
  return {metadata, options,
          std::make_shared<PreconditionedDenoiser>(std::make_shared<UNet>(options, random),
                                                   metadata.sigma_data, mu)};
}

void save_prior(const Prior& prior, const std::filesystem::path& path) {
  // The name "facts" is part of the file format: a new one would make earlier files unreadable.
  weights::write_safetensors(path, training::module_state(*prior.D),
                             {{"format", format_name},
                              {"facts", json_text(to_json(prior.metadata))},
                              {"network", json_text(to_json(prior.options))}});
}

Prior load_prior(const std::filesystem::path& path, at::Device device) {
  const auto file = weights::read_safetensors(path);
  const auto found = file.metadata.find("format");
  if (found == file.metadata.end() || found->second != format_name)
    throw UsageError(
        fmt::format(
            "{} is not a prior: its format is {}, expected \"{}\"", path.string(),
            found == file.metadata.end() ? "not given" : "\"" + printable(found->second) + "\"",
            format_name),
        "give the prior.safetensors of a finished cell: ./reprise run langevin --only 'prior/*'");
  // Reads one part of the metadata, which must be a JSON object.
  const auto part = [&](const char* name) {
    const auto at = file.metadata.find(name);
    constexpr auto fix = "train the prior again; the file is damaged";
    auto json =
        at == file.metadata.end()
            ? nlohmann::json()
            : parse_json(at->second, fmt::format("{}, metadata \"{}\"", path.string(), name), fix);
    if (!json.is_object())
      throw UsageError(fmt::format("{}: its metadata has no \"{}\"", path.string(), name), fix);
    return json;
  };
  // The drawn weights are replaced by those of the file, so that this seed does not matter.
  Random random(0);
  const auto metadata = parse_metadata(part("facts"), path.string());
  const auto options = unet_options(part("network"), path.string());
  // From here on, sizes in the metadata are known to agree with the tensors.
  check_prior(metadata, options, file.tensors, path.string());
  auto prior = new_prior(metadata, options, torch::zeros(metadata.item), random);
  training::load_state(*prior.D, file.tensors, path.string());
  prepare_for_inference(*prior.D, device);
  return prior;
}

void prepare_for_inference(Denoiser& D, at::Device device) {
  D.eval();
  D.to(device);
  // Inversion takes a gradient in x. Without this it would also compute those of the weights.
  for (auto& parameter : D.parameters()) parameter.requires_grad_(false);
  // A GPU's convolutions are fastest with weights in the channels-last order of the items.
  if (!device.is_cpu()) store_channels_last(D);
}

void check_level(const Prior& prior, double sigma) {
  check_sigma(sigma, "the level");
  if (sigma < prior.sigma_low() || sigma > prior.sigma_high())
    throw UsageError(
        fmt::format(
            "sigma = {:g} is outside the levels that the prior was trained on, {:.3g} to {:.3g}",
            sigma, prior.sigma_low(), prior.sigma_high()),
        "give a level between them");
}

void check_items(const Prior& prior, const at::Tensor& x) {
  if (x.dim() == 4 && x.sizes().slice(1) == at::IntArrayRef(prior.metadata.item)) return;
  throw UsageError(fmt::format("items of shape {}, and the prior knows [N, {}]",
                               c10::str(x.sizes()), fmt::join(prior.metadata.item, ", ")),
                   "bring them to that size and number of channels");
}

void check_data(const Prior& prior, const std::string& data, const std::filesystem::path& path) {
  if (prior.metadata.data != data)
    throw UsageError(
        fmt::format("{} was trained on {}, not on {}", path.string(), prior.metadata.data, data),
        "give a prior of the same data");
}

std::shared_ptr<Denoiser> make_guided_denoiser(const Prior& prior, double w) {
  std::shared_ptr<Denoiser> D = prior.D;
  if (w != 1) D = std::make_shared<GuidedDenoiser>(prior.D, prior.D, w);
  if (!prior.D->parameters()[0].is_cuda()) return D;
  D = std::make_shared<BFloat16Denoiser>(D);
  // A recording needs the CUDA library, which may be absent.
  return gpu_recorder() ? std::make_shared<RecordedDenoiser>(D, gpu_recorder()) : D;
}

SamplerOptions make_sampler_options(const Prior& prior, std::int64_t steps) {
  return {.steps = steps,
          // Below its training levels the network's output is meaningless, so sampling stops there.
          .sigma_min = std::max(SamplerOptions{}.sigma_min, prior.sigma_low()),
          .sigma_max = prior.sigma_high()};
}

at::Tensor parse_label(const Prior& prior, const std::string& asked) {
  if (asked.empty()) return {};
  const auto& [data, kind, item, classes, words, measures, sigma_data, noise] = prior.metadata;
  // A text: one token per word.
  if (!words.empty()) {
    std::vector<std::int64_t> tokens;
    std::istringstream text(asked);
    for (std::string word; text >> word;) {
      const auto found = std::find(words.begin() + 1, words.end(), word);  // word 0 is no word
      if (found == words.end())
        throw UsageError(fmt::format("the prior does not know the word \"{}\"", word),
                         "it knows: " + join_names({words.begin() + 1, words.end()}));
      tokens.push_back(found - words.begin());
    }
    return at::tensor(tokens, at::kLong).unsqueeze(0);
  }
  const auto named = std::find(classes.begin(), classes.end(), asked);
  if (named == classes.end())
    throw UsageError(fmt::format("the prior has no class \"{}\"", asked),
                     classes.empty() ? "it was trained without classes: leave the label out"
                                     : "its classes: " + join_names(classes));
  return at::tensor({named - classes.begin()}, at::kLong);
}

}  // namespace reprise::models
