#include "datasets/damaged_clips.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"

namespace reprise::datasets {
namespace {

/// Damages frame t of a clip that begins at `bytes`.
void damage_frame(std::uint8_t* bytes, std::int64_t side, std::int64_t channels, const Gaps& gaps,
                  std::int64_t t, Canvas& canvas) {
  const auto count = side * side * channels;
  auto* frame = bytes + t * count;
  canvas.size = side;
  canvas.channels = channels;
  canvas.pixels.assign(frame, frame + count);
  gaps.apply(canvas, t);
  std::transform(canvas.pixels.begin(), canvas.pixels.end(), frame, [](float value) {
    return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
  });
}

}  // namespace

void damage_clips(LabelledClips& clips, double degradation, const GapOptions& options,
                  const Random& random) {
  if (!(degradation >= 0 && degradation <= 1))
    throw UsageError("clips damaged by " + number_text(degradation),
                     "give a degradation from 0 to 1");
  // Nothing is drawn or copied, so intact clips keep their bytes.
  if (degradation == 0 || clips.size() == 0) return;
  std::vector<at::Tensor*> modalities;
  // Check all modalities before any is changed.
  for (auto* frames : {&clips.colour, &clips.depth, &clips.flow}) {
    if (!frames->defined()) continue;
    if (frames->size(2) != frames->size(3))
      throw UsageError(fmt::format("clips of {} x {} pixels cannot be damaged", frames->size(2),
                                   frames->size(3)),
                       "give square pictures");
    // The clips are changed in place, by address.
    *frames = frames->contiguous();
    modalities.push_back(frames);
  }
  const auto length = modalities.front()->size(1);
  std::vector<Canvas> canvases(
      static_cast<std::size_t>(count_workers(clips.size(), at::get_num_threads())));
  parallel_items(clips.size(), at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    // All modalities of a clip share its gaps.
    auto draws = random.split("gaps", i);
    const Gaps gaps(length, degradation, options, draws);
    for (auto* frames : modalities)
      for (std::int64_t t = 0; t < length; ++t)
        if (gaps.damages(t))
          damage_frame(frames->data_ptr<std::uint8_t>() + i * length * frames->stride(1),
                       frames->size(2), frames->size(4), gaps, t,
                       canvases[static_cast<std::size_t>(worker)]);
  });
}

}  // namespace reprise::datasets
