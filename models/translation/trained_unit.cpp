#include "models/translation/trained_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/printable.h"
#include "training/torch_generator.h"
#include "training/trained_file.h"

namespace reprise::models {
namespace {

using nlohmann::json;
using training::Domain;

constexpr auto unit_format = "reprise unit 1";
constexpr auto fetch_unit =
    "give the translator.safetensors of a finished cell: ./reprise run unit --only 'map/*/unit/*', or 'photos/*/unit/*'";
// Bounds of a plausible file: sizes determine how much memory is allocated.
constexpr std::int64_t most_width = 1 << 12, most_blocks = 64, most_halvings = 6,
                       most_side = 1 << 14;

/// Reads the metadata's types. Values are checked by check_sizes().
UnitMetadata read_metadata(const training::TrainedFile& file, UnitNetworkOptions& o) {
  UnitMetadata metadata;
  auto upsampling = upsampling_name(Upsampling::Transposed);  // of files without the key
  file.read([&](const json& all) {
    all.at("data").get_to(metadata.data);
    all.at("source").get_to(metadata.source);
    all.at("a").get_to(metadata.a);
    all.at("b").get_to(metadata.b);
    training::get_exactly(all.at("side"), metadata.side);
    for (const auto& [name, value] : {std::pair("channels_1", &o.channels_1),
                                      {"channels_2", &o.channels_2},
                                      {"width", &o.width},
                                      {"halvings", &o.halvings},
                                      {"blocks_E", &o.blocks_E},
                                      {"shared_E", &o.shared_E},
                                      {"blocks_G", &o.blocks_G},
                                      {"shared_G", &o.shared_G}})
      training::get_exactly(all.at(name), *value);
    all.at("one_way").get_to(o.one_way);
    all.at("norm_in_halves").get_to(o.norm_in_halves);
    if (all.contains("upsampling")) all.at("upsampling").get_to(upsampling);
  });
  try {
    o.upsampling = find_upsampling(upsampling);
  } catch (const UsageError& error) {
    file.refuse(error.problem());  // which names the file
  }
  file.check_printable("name of domain A", metadata.a);
  file.check_printable("name of domain B", metadata.b);
  return metadata;
}

/// Refuses sizes outside the ranges of a plausible network.
void check_sizes(const training::TrainedFile& file, const UnitMetadata& metadata,
                 const UnitNetworkOptions& o) {
  for (const auto& [name, value] :
       {std::pair("channels_1", o.channels_1), {"channels_2", o.channels_2}})
    file.check_range(name, value, 1, 64);
  file.check_range("width", o.width, 1, most_width);
  file.check_range("halvings", o.halvings, 0, most_halvings);
  file.check_range("side", metadata.side, 1, most_side);
  for (const auto& [name, value] : {std::pair("blocks_E", o.blocks_E), {"blocks_G", o.blocks_G}})
    file.check_range(name, value, 0, most_blocks);
  file.check_range("shared_E", o.shared_E, 0, o.blocks_E);
  file.check_range("shared_G", o.shared_G, 0, o.blocks_G);
}

/// Checks every convolution of both directions, before anything is allocated.
void check_tensors(const training::TrainedFile& file, const UnitNetworkOptions& o) {
  const auto d = o.width << o.halvings;
  // "0" and "3" are the convolutions of a residual block.
  const auto blocks = [&](const std::string& where, std::int64_t first, std::int64_t n) {
    for (std::int64_t i = first; i < first + n; ++i)
      for (const auto* layer : {"0", "3"})
        file.check_tensor(fmt::format("G.{}.{}.model.{}.weight", where, i, layer), {d, d, 3, 3});
  };
  for (const auto& [letter, channels] : {std::pair('A', o.channels_1), {'B', o.channels_2}}) {
    const auto encoder = fmt::format("encode_{}", letter),
               decoder = fmt::format("decode_{}", letter);
    file.check_tensor(fmt::format("G.{}.0.model.0.weight", encoder), {o.width, channels, 7, 7});
    for (std::int64_t i = 0; i < o.halvings; ++i)
      file.check_tensor(fmt::format("G.{}.{}.model.0.weight", encoder, i + 1),
                        {o.width << (i + 1), o.width << i, 3, 3});
    blocks(encoder, o.halvings + 1, o.blocks_E - o.shared_E);
    if (o.one_way && letter == 'A') continue;
    const auto own = o.blocks_G - o.shared_G;
    blocks(decoder, 0, own);
    for (std::int64_t i = 0; i < o.halvings; ++i) {
      const auto in = o.width << (o.halvings - i), out = in / 2;
      // A transposed convolution stores its inputs first.
      const bool transposed = o.upsampling == Upsampling::Transposed;
      file.check_tensor(fmt::format("G.{}.{}.model.0.weight", decoder, own + i),
                        {transposed ? in : out, transposed ? out : in, 3, 3});
    }
    file.check_tensor(fmt::format("G.{}.{}.weight", decoder, own + o.halvings),
                      {o.width, channels, 1, 1});
  }
  blocks("enc_shared", 0, o.shared_E);
  blocks("dec_shared", 0, o.shared_G);
}

std::int64_t round_up(std::int64_t n, std::int64_t of) { return (n + of - 1) / of * of; }

/// Extends [1, C, H, W] by reflection, repeatedly: one reflection must be smaller than the picture.
at::Tensor extend_by_reflection(at::Tensor x, std::int64_t height, std::int64_t width) {
  while (x.size(2) < height || x.size(3) < width) {
    const auto down = std::min(height - x.size(2), x.size(2) - 1),
               right = std::min(width - x.size(3), x.size(3) - 1);
    // A side of one pixel cannot be reflected.
    if (down == 0 && right == 0)
      return at::replication_pad2d(x, {0, width - x.size(3), 0, height - x.size(2)});
    x = at::reflection_pad2d(x, {0, right, 0, down});
  }
  return x;
}

/// Translates a picture of any size at once; extends its sides to multiples of the network's.
at::Tensor translate_in_one_pass(UnitNetwork& G, const at::Tensor& x, Domain from) {
  const auto step = std::int64_t{1} << G->options().halvings;
  const auto height = std::max(2 * step, round_up(x.size(2), step)),
             width = std::max(2 * step, round_up(x.size(3), step));
  const auto y =
      G->decode(G->encode(extend_by_reflection(x, height, width), from), training::other(from));
  return y.slice(2, 0, x.size(2)).slice(3, 0, x.size(3));
}

/// While it lives, the network's instance norms use the statistics of one whole picture.
class WholePictureStatistics {
 public:
  WholePictureStatistics(UnitNetwork& G, const at::Tensor& picture, Domain from) : G_(G) {
    G_->set_norm_statistics(NormStatistics::Record);
    translate_in_one_pass(G_, shrink(picture), from);
    G_->set_norm_statistics(NormStatistics::Kept);
  }
  ~WholePictureStatistics() { G_->set_norm_statistics(NormStatistics::Own); }
  WholePictureStatistics(const WholePictureStatistics&) = delete;
  WholePictureStatistics& operator=(const WholePictureStatistics&) = delete;

 private:
  /// Averages areas of [1, C, H, W], so that the longer side has at most statistics_side pixels.
  static at::Tensor shrink(const at::Tensor& picture) {
    const auto height = picture.size(2), width = picture.size(3);
    const auto longer = std::max(height, width);
    if (longer <= statistics_side) return picture;
    const auto scale = [&](std::int64_t side) {
      return std::max<std::int64_t>(1, side * statistics_side / longer);
    };
    return at::adaptive_avg_pool2d(picture, {scale(height), scale(width)});
  }

  UnitNetwork& G_;
};

struct Segment {
  std::int64_t begin, end;
};

/// Tiles along one side, evenly spaced, with overlaps of at least about `overlap`. They begin at
/// multiples of `step`, so that the downsampled pixels of neighbours coincide.
std::vector<Segment> cut_into_segments(std::int64_t length, const Tiles& tiles, std::int64_t step) {
  if (length <= tiles.side) return {{0, length}};
  const auto more = (length - tiles.overlap - 1) / (tiles.side - tiles.overlap);
  std::vector<Segment> all;
  for (std::int64_t i = 0; i <= more; ++i) {
    const auto begin = i * (length - tiles.side) / more / step * step;
    all.push_back({begin, i == more ? length : begin + tiles.side});
  }
  return all;
}

/// Weights of a tile that fall linearly over `overlap` pixels to both ends. At a border without
/// neighbour the division by the sum of weights restores them.
at::Tensor fade_weights(std::int64_t length, std::int64_t overlap) {
  const auto from_start = at::arange(1, length + 1).to(at::kFloat), from_end = from_start.flip(0);
  return at::minimum(from_start, from_end).clamp_max(static_cast<double>(overlap) + 1) /
         (static_cast<double>(overlap) + 1);
}

}  // namespace

void save_unit(const TrainedUnit& trained, const std::filesystem::path& path) {
  const auto& o = trained.G->options();
  json metadata{{"data", trained.metadata.data},
                {"source", trained.metadata.source},
                {"a", trained.metadata.a},
                {"b", trained.metadata.b},
                {"side", trained.metadata.side},
                {"channels_1", o.channels_1},
                {"channels_2", o.channels_2},
                {"one_way", o.one_way},
                {"width", o.width},
                {"halvings", o.halvings},
                {"blocks_E", o.blocks_E},
                {"shared_E", o.shared_E},
                {"blocks_G", o.blocks_G},
                {"shared_G", o.shared_G},
                {"norm_in_halves", o.norm_in_halves}};
  // Files with transposed convolutions have no key, so that they stay the same bytes.
  if (o.upsampling != Upsampling::Transposed)
    metadata["upsampling"] = upsampling_name(o.upsampling);
  training::write_trained_file(path, unit_format, metadata, {{"G.", trained.G.get()}});
}

TrainedUnit load_unit(const std::filesystem::path& path, at::Device device) {
  const training::TrainedFile file(path, unit_format, "a trained UNIT", fetch_unit);
  UnitNetworkOptions options;
  TrainedUnit trained;
  trained.metadata = read_metadata(file, options);
  check_sizes(file, trained.metadata, options);
  check_tensors(file, options);
  trained.G = UnitNetwork(options);
  file.load(*trained.G, "G.", device);
  return trained;
}

Domain find_domain(const TrainedUnit& trained, const std::string& name) {
  const auto& metadata = trained.metadata;
  if (name == "A" || name == metadata.a) return Domain::A;
  if (name == "B" || name == metadata.b) return Domain::B;
  throw UsageError(fmt::format("this translator has no domain \"{}\"", printable(name)),
                   fmt::format("A is \"{}\", B is \"{}\"", metadata.a, metadata.b));
}

SampledPairs sample_pairs(TrainedUnit& trained, std::int64_t n, std::uint64_t seed) {
  if (n < 1) throw UsageError(fmt::format("{} pairs were requested", n), "request 1 or more");
  const torch::NoGradGuard no_grad;
  const auto& o = trained.G->options();
  const auto side = trained.metadata.side;
  const auto device = trained.G->parameters().front().device();
  // The encoder knows the shape of a code.
  const auto shape = trained.G->encode(at::zeros({1, o.channels_1, side, side}, device), Domain::A);
  // Drawn on the CPU, so that every device has the same codes.
  const auto z =
      at::randn({n, shape.size(1), shape.size(2), shape.size(3)}, training::torch_generator(seed))
          .to(device);
  return {.a = trained.G->decode(z, Domain::A), .b = trained.G->decode(z, Domain::B)};
}

at::Tensor translate_picture(UnitNetwork& G, const at::Tensor& x, Domain from, const Tiles& tiles) {
  if (x.dim() != 3)
    throw UsageError(
        fmt::format("a picture of shape [{}] is to be translated", fmt::join(x.sizes(), ", ")),
        "give [C, H, W]");
  if (tiles.overlap < 0 || 2 * tiles.overlap >= tiles.side)
    throw UsageError(
        fmt::format("tiles of {} pixels that overlap by {}", tiles.side, tiles.overlap),
        "let them overlap by less than half");
  const torch::NoGradGuard no_grad;
  const auto picture = x.unsqueeze(0);
  const auto step = std::int64_t{1} << G->options().halvings;
  const auto rows = cut_into_segments(x.size(1), tiles, step);
  const auto columns = cut_into_segments(x.size(2), tiles, step);
  if (rows.size() == 1 && columns.size() == 1)
    return translate_in_one_pass(G, picture, from).squeeze(0);
  const WholePictureStatistics statistics(G, picture, from);
  // Weighted mean of overlapping tiles.
  at::Tensor sum, weights = at::zeros({x.size(1), x.size(2)}, x.options());
  for (const auto& row : rows)
    for (const auto& column : columns) {
      const auto y =
          translate_in_one_pass(
              G, picture.slice(2, row.begin, row.end).slice(3, column.begin, column.end), from)
              .squeeze(0);
      const auto fade = fade_weights(y.size(1), tiles.overlap)
                            .unsqueeze(1)
                            .mul(fade_weights(y.size(2), tiles.overlap))
                            .to(x.device());
      if (!sum.defined()) sum = at::zeros({y.size(0), x.size(1), x.size(2)}, x.options());
      sum.slice(1, row.begin, row.end).slice(2, column.begin, column.end).add_(y * fade);
      weights.slice(0, row.begin, row.end).slice(1, column.begin, column.end).add_(fade);
    }
  return sum / weights;
}

}  // namespace reprise::models
