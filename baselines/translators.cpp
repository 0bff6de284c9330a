#include "baselines/translators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/error.h"
#include "core/random.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

using training::Domain;
using training::Progress;

std::size_t index_of(Domain domain) { return domain == Domain::A ? 0 : 1; }

void require_sets(const at::Tensor& a, const at::Tensor& b) {
  const auto fits = [](const at::Tensor& x) {
    return x.defined() && x.dim() == 4 && x.size(0) > 0;
  };
  if (!fits(a) || !fits(b))
    throw UsageError("a set of pictures is empty or not [N, C, H, W]",
                     "give both sets, N at least 1");
  // Pictures of both sets must have the same shape. The number of pictures may differ.
  if (a.sizes().slice(1) != b.sizes().slice(1))
    throw UsageError(
        fmt::format("pictures of A are [{}], those of B [{}]", fmt::join(a.sizes().slice(1), ", "),
                    fmt::join(b.sizes().slice(1), ", ")),
        "resize both sets to the same shape");
}

/// A translator that keeps one tensor per domain: a summary of the domain's pictures.
class ByDomain : public training::Translator {
 public:
  ByDomain() {
    for (const auto* name : {"a", "b"})
      summaries_.at(name[0] == 'a' ? 0 : 1) = register_buffer(name, torch::empty({0}));
  }
  void fit(const at::Tensor& a, const at::Tensor& b, std::uint64_t, Progress&) override {
    require_sets(a, b);
    summaries_[0].set_data(summarise(a));
    summaries_[1].set_data(summarise(b));
  }
  at::Tensor translate(const at::Tensor& x, Domain from) override {
    if (summaries_[0].numel() == 0)
      throw UsageError("this translator was not fitted", "call fit() first");
    if (x.dim() != 4 || x.size(1) != summaries_[0].size(1))
      throw UsageError(
          fmt::format("pictures have shape [{}], but the translator was fitted on {} channels",
                      fmt::join(x.sizes(), ", "), summaries_[0].size(1)),
          "give [N, C, H, W] with this number of channels");
    // The result is on the device of x.
    return convert(x.to(summaries_[0].device()), summaries_.at(index_of(from)),
                   summaries_.at(index_of(other(from))))
        .to(x.device());
  }

 protected:
  /// Returns the summary of a set: [M, C, ...].
  virtual at::Tensor summarise(const at::Tensor& set) const = 0;
  /// Translates x. own: summary of the domain of x. others: summary of the other domain.
  virtual at::Tensor convert(const at::Tensor& x, const at::Tensor& own,
                             const at::Tensor& others) const = 0;

 private:
  std::array<at::Tensor, 2> summaries_;
};

at::Tensor mean_picture(const at::Tensor& set) { return set.mean(0, /*keepdim=*/true); }

/// Returns the picture itself.
class Identity : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override { return mean_picture(set); }
  at::Tensor convert(const at::Tensor& x, const at::Tensor&, const at::Tensor&) const override {
    return x.clone();
  }
};

/// Returns the mean picture of the other set.
class Constant : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override { return mean_picture(set); }
  at::Tensor convert(const at::Tensor& x, const at::Tensor&,
                     const at::Tensor& others) const override {
    return others.expand_as(x).contiguous();
  }
};

/// Returns the nearest picture of the other set.
class Nearest : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override { return set.clone(); }
  at::Tensor convert(const at::Tensor& x, const at::Tensor&,
                     const at::Tensor& others) const override {
    return others.index_select(0, at::cdist(x.flatten(1), others.flatten(1)).argmin(1));
  }
};

/// Returns one pseudo-random number per picture, computed from its pixels: [N], float64.
at::Tensor number_pictures(const at::Tensor& pictures) {
  // The random weights have a fixed seed, so equal pictures get equal numbers in every run.
  const auto weights =
      torch::randn(pictures.sizes().slice(1),
                   training::torch_generator(seed_of({"lots of pictures"})), at::kDouble);
  return (pictures.to(at::kCPU, at::kDouble) * weights).flatten(1).sum(1);
}

/// Returns a pseudo-random picture of the other set.
class Drawn : public ByDomain {
  // The pictures are sorted by their numbers, so that the order of the set has no effect.
  at::Tensor summarise(const at::Tensor& set) const override {
    return set.index_select(0, number_pictures(set).argsort().to(set.device()));
  }
  at::Tensor convert(const at::Tensor& x, const at::Tensor&,
                     const at::Tensor& others) const override {
    // The digits after the fourth decimal place act as a uniform random number in [0, 1).
    const auto place =
        (number_pictures(x) * 1e4).frac().abs() * static_cast<double>(others.size(0));
    return others.index_select(
        0, place.floor().to(at::kLong).clamp_max(others.size(0) - 1).to(others.device()));
  }
};

/// Returns the 256 most frequent colours of a set, [1, C, 256]. Colours are counted in a grid of 32
/// levels per channel. Each result is the mean colour of a grid cell. If there are fewer than 256
/// cells, the most frequent colour repeats.
at::Tensor frequent_colours(const at::Tensor& set) {
  constexpr std::int64_t levels = 32, most_colours = 256;
  const auto pixels = set.transpose(0, 1).flatten(1);  // [C, P]
  // Number of the grid cell of each pixel: one digit in base 32 per channel.
  auto cell = at::zeros({pixels.size(1)}, pixels.options().dtype(at::kLong));
  for (const auto& channel : pixels.unbind(0))
    cell =
        cell * levels + ((channel + 1) * (levels / 2)).floor().clamp(0, levels - 1).to(at::kLong);
  const auto [cells, place, counts] =
      at::_unique2(cell, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/true);
  // Sums of the colours in each cell, [C, cells].
  const auto sums =
      at::zeros({pixels.size(0), cells.size(0)}, pixels.options()).index_add_(1, place, pixels);
  // The sort is stable, so that cells of equal frequency keep their order.
  auto kept = counts.argsort(/*stable=*/true, 0, /*descending=*/true).slice(0, 0, most_colours);
  // The size is always 256, so that the buffer of every fitted translator has the same shape.
  kept = at::cat({kept, kept.slice(0, 0, 1).expand({most_colours - kept.size(0)})});
  return (sums / counts).index_select(1, kept).unsqueeze(0);
}

/// Replaces each pixel of x by the nearest of the colours [1, C, K].
at::Tensor nearest_colours(const at::Tensor& x, const at::Tensor& colours) {
  const auto palette = colours[0].t().contiguous();  // [K, C]
  const auto pixels = x.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
  const auto nearest = at::cdist(pixels, palette).argmin(1);
  return palette.index_select(0, nearest)
      .view({x.size(0), x.size(2), x.size(3), x.size(1)})
      .permute({0, 3, 1, 2})
      .contiguous();
}

/// Replaces each colour by the nearest of the other set's colours.
class NearestColour : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override { return frequent_colours(set); }
  at::Tensor convert(const at::Tensor& x, const at::Tensor&,
                     const at::Tensor& others) const override {
    return nearest_colours(x, others);
  }
};

/// Returns the other set's most frequent colour.
class ConstantColour : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override {
    return frequent_colours(set).slice(2, 0, 1).unsqueeze(3).contiguous();
  }
  at::Tensor convert(const at::Tensor& x, const at::Tensor&,
                     const at::Tensor& others) const override {
    return others.expand_as(x).contiguous();
  }
};

/// Returns mean and standard deviation per channel, [1, C, 2].
at::Tensor channel_statistics(const at::Tensor& set) {
  // The minimum avoids a division by 0 for a constant channel.
  const auto channels = set.transpose(0, 1).flatten(1);
  return torch::stack({channels.mean(1), channels.std(1, /*unbiased=*/false).clamp_min(1e-6)}, 1)
      .unsqueeze(0);
}

/// Shifts and scales the channels of x from the statistics `own` to the statistics `others`
/// (results of channel_statistics()).
at::Tensor move_statistics(const at::Tensor& x, const at::Tensor& own, const at::Tensor& others) {
  const auto part = [](const at::Tensor& statistics, std::int64_t which) {
    return statistics.select(2, which).unsqueeze(-1).unsqueeze(-1);
  };
  return ((x - part(own, 0)) / part(own, 1) * part(others, 1) + part(others, 0)).clamp(-1, 1);
}

/// Shifts and scales each channel to the mean and standard deviation of the other set.
class ColourStatistics : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override { return channel_statistics(set); }
  at::Tensor convert(const at::Tensor& x, const at::Tensor& own,
                     const at::Tensor& others) const override {
    return move_statistics(x, own, others);
  }
};

/// Applies ColourStatistics, then replaces each colour by the nearest of the other set's colours.
class MatchedColours : public ByDomain {
  at::Tensor summarise(const at::Tensor& set) const override {
    // Two columns of statistics, then the palette.
    return at::cat({channel_statistics(set), frequent_colours(set)}, 2);
  }
  at::Tensor convert(const at::Tensor& x, const at::Tensor& own,
                     const at::Tensor& others) const override {
    return nearest_colours(move_statistics(x, own, others), others.slice(2, 2));
  }
};

template <typename Kind>
std::unique_ptr<training::Translator> make() {
  return std::make_unique<Kind>();
}

}  // namespace

const std::vector<training::TranslatorMethod>& translators() {
  using training::Role;
  static const std::vector<training::TranslatorMethod> all{
      {.info = {.id = "identity",
                .title = "nothing done",
                .role = Role::Control,
                .source = "trivial baseline: all content, no translation",
                .cost = "a copy per picture"},
       .invertible = true,
       .make = make<Identity>},
      {.info = {.id = "constant",
                .title = "mean picture",
                .role = Role::Control,
                .source = "trivial baseline: no content",
                .cost = "a copy per picture"},
       .make = make<Constant>},
      {.info = {.id = "constant_colour",
                .title = "most frequent colour",
                .role = Role::Control,
                .source = "trivial baseline: lower bound of the pixel accuracy",
                .cost = "a copy per picture"},
       .make = make<ConstantColour>},
      {.info = {.id = "nearest",
                .title = "nearest picture",
                .role = Role::Control,
                .source = "trivial baseline: real pictures of the other set",
                .cost = "a distance per pair of pictures"},
       .make = make<Nearest>},
      {.info = {.id = "drawn",
                .title = "any picture of the other set",
                .role = Role::Control,
                .source = "trivial baseline: real pictures, independent of the input",
                .cost = "a copy per picture"},
       .make = make<Drawn>},
      {.info = {.id = "nearest_colour",
                .title = "nearest colour",
                .role = Role::Control,
                .source = "trivial baseline: the other set's colours, chosen per pixel",
                .cost = "a distance per pixel and colour"},
       .make = make<NearestColour>},
      {.info = {.id = "colour_statistics",
                .title = "colour statistics",
                .role = Role::Baseline,
                .source = "Reinhard et al. 2001",
                .cost = "a scale and a shift per pixel"},
       .invertible = true,
       .make = make<ColourStatistics>},
      {.info =
           {.id = "matched_colours",
            .title = "colour statistics, nearest colour",
            .role = Role::Control,
            .source =
                "trivial baseline: colour statistics of the other set, then its colours per pixel",
            .cost = "a distance per pixel and colour"},
       .make = make<MatchedColours>},
  };
  return all;
}

}  // namespace reprise::baselines
