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

std::string copy_bytes(const at::Tensor& tensor) {
  // Hashes are of row-major bytes, whatever the layout in the file.
  const auto whole = tensor.contiguous();
  return {static_cast<const char*>(whole.data_ptr()), whole.nbytes()};
}

void show(const Call& call, const fs::path& file) {
  json list = json::array(), others = json::array();
  std::string text;
  std::vector<weights::Skipped> skipped;
  for (const auto& [name, tensor] : weights::read_weights(file, skipped)) {
    const std::string type = weights::type_name(tensor.scalar_type());
    const std::string hash = sha256(copy_bytes(tensor));
    list.push_back(
        {{"name", name}, {"dtype", type}, {"shape", tensor.sizes().vec()}, {"sha256", hash}});
    std::vector<std::string> sizes;
    for (const auto size : tensor.sizes()) sizes.push_back(std::to_string(size));
    // Names come from the file and may hold control characters.
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

/// Reads the metadata of a safetensors file. Empty for a PyTorch file.
weights::Metadata read_metadata(const fs::path& file) {
  // Look at the first bytes only: reading a large .pth a second time would take seconds.
  std::string head(9, '\0');
  RegularFile opened(file);
  head.resize(opened.read(head.data(), head.size()));
  return weights::is_safetensors(head) ? weights::read_safetensors(file).metadata
                                       : weights::Metadata();
}

/// Writes the tensors in the format of the output's ending.
void convert(const Call& call, const fs::path& file, const fs::path& out) {
  // The ending decides the format, for PyTorch and for this program.
  const bool pytorch = out.extension() == ".pth" || out.extension() == ".pt";
  if (!pytorch && out.extension() != ".safetensors")
    throw UsageError(
        "--out " + out.string() + " ends in neither .safetensors nor .pth nor .pt",
        "end the name in .safetensors (Python: safetensors.torch.load_file) or .pth (torch.load)");
  std::vector<weights::Skipped> skipped;
  const auto tensors = weights::read_weights(file, skipped);
  const auto metadata = read_metadata(file);
  pytorch ? weights::write_pytorch(out, tensors)
          : weights::write_safetensors(out, tensors, metadata);
  // A PyTorch state dictionary has no metadata. Without it this program cannot load its own models.
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
  auto* verb = add_command(
      app, "weights",
      "Show or convert weights files: PyTorch .pth or safetensors. No code in a file is "
      "ever run.",
      "reprise weights show vgg16.pth\nreprise weights convert vgg16.pth --out vgg16.safetensors");
  verb->require_subcommand(1);
  struct Options {
    fs::path file;
    fs::path out;
  };
  const auto options = std::make_shared<Options>();
  auto* shows = add_command(
      *verb, "show",
      "List names, types, shapes and checksums of the tensors. Other values in the file "
      "are listed by name.",
      "reprise weights show vgg16.pth\nreprise weights show tracker.safetensors");
  shows->add_option("FILE", options->file, "weights file: .safetensors, .pth or .pt")->required();
  shows->callback([options, &call] { show(call, options->file); });
  auto* converts =
      add_command(*verb, "convert",
                  "Write the tensors of a file as safetensors or as a PyTorch state dictionary.",
                  "reprise weights convert vgg16.pth --out vgg16.safetensors\n"
                  "reprise weights convert prior.safetensors --out prior.pth");
  converts->add_option("FILE", options->file, "weights file: .safetensors, .pth or .pt")
      ->required();
  add_output(*converts, "--out", options->out,
             "file to write: .safetensors, .pth or .pt (PyTorch, zip format)")
      ->required();
  converts->callback([options, &call] { convert(call, options->file, options->out); });
}

}  // namespace reprise::reproduce
