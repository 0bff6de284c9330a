#include "datasets/clips.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/random.h"

namespace reprise::datasets {

LabelledClips LabelledClips::at(const std::vector<std::int64_t>& indices) const {
  LabelledClips part;
  part.classes = classes;
  for (const auto i : indices) {
    if (i < 0 || i >= size())
      throw UsageError(fmt::format("there is no clip {} in a set of {}", i, size()),
                       "use indices made for this very set");
    part.item.push_back(item[static_cast<std::size_t>(i)]);
    part.person.push_back(person[static_cast<std::size_t>(i)]);
  }
  // Modalities that the set lacks stay undefined.
  const auto rows = at::tensor(at::ArrayRef<std::int64_t>(indices), at::kLong);
  for (const auto member : {&LabelledClips::colour, &LabelledClips::depth, &LabelledClips::flow,
                            &LabelledClips::labels})
    if ((this->*member).defined()) part.*member = (this->*member).index_select(0, rows);
  return part;
}

void require_clip(std::int64_t frames, std::int64_t person) {
  if (frames < 1)
    throw UsageError(fmt::format("clips of {} frames were requested", frames),
                     "request at least 1");
  if (person < 0)
    throw UsageError(fmt::format("there is no person {}", person), "people are numbered from 0");
}

ClipPlan::ClipPlan(std::int64_t n, std::int64_t frames, std::vector<std::string> classes,
                   std::vector<std::int64_t> people, std::uint64_t seed)
    : classes_(static_cast<std::int64_t>(classes.size())), people_(std::move(people)) {
  if (n < 0) throw UsageError(fmt::format("{} clips were requested", n), "request 0 or more");
  if (people_.empty()) throw UsageError("no person was given to draw", "give at least one number");
  for (const auto number : people_) require_clip(frames, number);
  set.classes = std::move(classes);
  const Random random(seed);
  // Whole rounds are drawn and cut to n, so that clip i does not depend on n.
  for (std::int64_t round = 0; static_cast<std::int64_t>(labels_.size()) < n; ++round) {
    const auto order = random.split("classes", round).permutation(classes_);
    labels_.insert(labels_.end(), order.begin(), order.end());
  }
  labels_.resize(static_cast<std::size_t>(n));
  set.labels = at::tensor(at::ArrayRef<std::int64_t>(labels_), at::kLong);
  for (std::int64_t i = 0; i < n; ++i) {
    set.person.push_back(fmt::format("person{:03}", person(i)));
    set.item.push_back(fmt::format("{}/{:06}", set.person.back(), i));
  }
}

std::vector<std::int64_t> clip_frames(std::int64_t n, std::int64_t frames, double offset) {
  if (n < 1 || frames < 1)
    throw UsageError(
        fmt::format("a clip of {} frames cannot be drawn from a video of {}", frames, n),
        "both need at least 1 frame");
  if (!(offset >= 0 && offset < 1))
    throw UsageError(fmt::format("the offset {} of a clip is outside [0, 1)", offset),
                     "use 0.5, or a number drawn from [0, 1)");
  // Frame t lies at (t + offset) n / frames: the clip spans the video evenly.
  std::vector<std::int64_t> drawn;
  // Rounding could reach n when the offset is near 1.
  for (std::int64_t t = 0; t < frames; ++t)
    drawn.push_back(std::min(
        n - 1, static_cast<std::int64_t>((static_cast<double>(t) + offset) *
                                         static_cast<double>(n) / static_cast<double>(frames))));
  return drawn;
}

at::Tensor draw_clip_sheet(const LabelledClips& clips, const std::vector<std::int64_t>& indices,
                           std::int64_t most) {
  const auto part = clips.at(indices);
  if (part.size() < 1)
    throw UsageError("a sheet of no clip has no pixel", "name at least one clip");
  const auto frames = part.colour.size(1);
  // At most `most` frames per row, spread evenly.
  const auto shown = clip_frames(frames, std::min(frames, most));
  const auto columns = at::tensor(at::ArrayRef<std::int64_t>(shown), at::kLong);
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < part.size(); ++i)
    for (const auto& modality : {part.colour, part.depth, part.flow})
      if (modality.defined()) {
        // [T, H, W, C] -> [H, T W, 3]
        const auto strip = modality[i].index_select(0, columns).permute({1, 0, 2, 3}).flatten(1, 2);
        // Gray is shown as three equal channels.
        rows.push_back(strip.expand({strip.size(0), strip.size(1), 3}));
      }
  return at::cat(rows, 0).contiguous();
}

}  // namespace reprise::datasets
