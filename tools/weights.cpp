#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "core/printable.h"
#include "core/regular_file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "tools/tools.h"
#include "weights/pytorch_file.h"
#include "weights/safetensors.h"
#include "weights/skipped.h"
#include "weights/state_dict.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

std::string bytes_of(const at::Tensor& tensor) {
  const auto whole = tensor.contiguous();
  return {static_cast<const char*>(whole.data_ptr()), whole.nbytes()};
}

void show(const Call& call, const fs::path& file) {
  json list = json::array(), others = json::array();
  std::string text;
  std::vector<weights::Skipped> skipped;
  for (const auto& [name, tensor] : weights::read_weights(file, skipped)) {
    const std::string type = weights::type_name(tensor.scalar_type()),
                      hash = sha256(bytes_of(tensor));
    list.push_back(
        {{"name", name}, {"dtype", type}, {"shape", tensor.sizes().vec()}, {"sha256", hash}});
    std::vector<std::string> sizes;
    for (const auto size : tensor.sizes()) sizes.push_back(std::to_string(size));
    text += fmt::format("{} {} [{}] {}\n", printable(name), type, join(sizes, ", "),
                        hash.substr(0, 16));
  }
  if (!skipped.empty())
    text += fmt::format("{} other {} left out:\n", skipped.size(),
                        skipped.size() == 1 ? "value is" : "values are");
  for (const auto& [name, what] : skipped) {
    text += fmt::format("  {}: {}\n", printable(name), printable(what));
    others.push_back({{"name", name}, {"what", what}});
  }
  call.answer({{"tensors", list}, {"left_out", others}}, text);
}

/// Metadata of a safetensors file; none of a file that torch.save wrote.
weights::Metadata read_metadata(const fs::path& file) {
  // A .pth of half a gigabyte is not read a second time only to see that it is one.
  std::string head(9, '\0');
  RegularFile opened(file);
  head.resize(opened.read(head.data(), head.size()));
  return weights::is_safetensors(head) ? weights::read_safetensors(file).metadata
                                       : weights::Metadata();
}

void convert(const Call& call, const fs::path& file, const fs::path& out) {
  const bool pytorch = out.extension() == ".pth" || out.extension() == ".pt";
  if (!pytorch && out.extension() != ".safetensors")
    throw UsageError(
        "--out " + out.string() + " ends in neither .safetensors nor .pth nor .pt",
        "the ending chooses the format; Python reads them by safetensors.torch.load_file and torch.load");
  std::vector<weights::Skipped> skipped;
  const auto tensors = weights::read_weights(file, skipped);
  const auto metadata = read_metadata(file);
  pytorch ? weights::write_pytorch(out, tensors)
          : weights::write_safetensors(out, tensors, metadata);
  // A state dictionary has no place for it, and a trained model of this program is not one without.
  const bool dropped = pytorch && !metadata.empty();
  auto text = fmt::format("{}: {} tensors", out.string(), tensors.size());
  if (!skipped.empty())
    text += fmt::format("; {} other values are left out (`reprise weights show` lists them)",
                        skipped.size());
  if (dropped)
    text += fmt::format("; {} entries of metadata are dropped: only .safetensors keeps them",
                        metadata.size());
  call.answer({{"file", out.string()},
               {"tensors", tensors.size()},
               {"left_out", skipped.size()},
               {"metadata_kept", !dropped}},
              text + "\n");
}

}  // namespace

void add_weights(CLI::App& app, Call& call) {
  auto* verb = app.add_subcommand(
      "weights",
      "Show or convert a weights file: PyTorch's .pth, safetensors. Nothing in a file is ever run.");
  verb->require_subcommand(1);
  struct Options {
    fs::path file, out;
  };
  const auto options = std::make_shared<Options>();
  auto* shows = add_verb(
      *verb, "show",
      "Names, types, shapes and checksums of the tensors; what else the file holds is named.",
      "reprise weights show vgg16.pth\nreprise weights show tracker.safetensors");
  shows->add_option("FILE", options->file, ".safetensors, .pth or .pt")->required();
  shows->callback([options, &call] { show(call, options->file); });
  auto* converts = add_verb(
      *verb, "convert",
      "Write the tensors of any readable file as safetensors, or as a state dictionary for torch.load.",
      "reprise weights convert vgg16.pth --out vgg16.safetensors\n"
      "reprise weights convert prior.safetensors --out prior.pth");
  converts->add_option("FILE", options->file, ".safetensors, .pth or .pt")->required();
  add_output(*converts, "--out", options->out,
             "the file to write: .safetensors, or .pth or .pt (PyTorch, zip layout)")
      ->required();
  converts->callback([options, &call] { convert(call, options->file, options->out); });
}

}  // namespace reprise::reproduce
