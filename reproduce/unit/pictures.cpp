#include "reproduce/unit/pictures.h"

#include <torch/torch.h>

#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"

namespace reprise::reproduce::unit_study {

void draw_pairs(const std::filesystem::path& path, const at::Tensor& pictures, const at::Tensor& translated) {
  constexpr std::int64_t shown = 16, a_row = 8;
  const auto n = std::min(shown, pictures.size(0));
  const auto colour = [n](const at::Tensor& x) { return x.slice(0, 0, n).expand({-1, 3, -1, -1}); };
  // Rows of pictures and below each what became of it.
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < n; i += a_row)
    for (const auto& x : {colour(pictures), colour(translated)}) {
      auto row = x.slice(0, i, std::min(i + a_row, n));
      if (row.size(0) < a_row) row = at::cat({row, -at::ones({a_row - row.size(0), 3, row.size(2), row.size(3)}, row.options())});
      rows.push_back(row);
    }
  const auto pixels = datasets::pixels_of(at::stack(rows)).permute({0, 1, 3, 4, 2}).contiguous();
  datasets::write_png(path, datasets::strips(datasets::enlarged(pixels)));
}

void note_network(const torch::nn::Module& network, CellContext& context) {
  std::int64_t parameters = 0;
  for (const auto& parameter : network.parameters()) parameters += parameter.numel();
  if (parameters > 0) context.record.parameters["network"] = parameters;
}

}  // namespace reprise::reproduce::unit_study
