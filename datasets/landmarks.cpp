#include "datasets/landmarks.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <functional>

#include "core/error.h"
#include "core/parallel.h"

namespace reprise::datasets {
namespace {

/// Reads image i and passes it to `use`. Failures become issues, in the order of the files.
void for_each_face(const std::vector<FaceFile>& files, std::vector<Issue>& issues,
                   const std::function<void(std::size_t, const at::Tensor&)>& use) {
  std::vector<std::optional<Issue>> found(files.size());
  const auto one = [&](std::size_t i) {
    const FaceFile& file = files[i];
    try {
      const auto image = read_annotated_image(file.image);
      const auto x = file.landmarks.select(1, 0);
      const auto y = file.landmarks.select(1, 1);
      // A picture of W pixels covers [-0.5, W - 0.5].
      const auto inside =
          ((x >= -0.5) & (y >= -0.5) & (x <= image.size(1) - 0.5) & (y <= image.size(0) - 0.5))
              .sum()
              .item<std::int64_t>();
      // Fewer than half of the landmarks inside: the image and its annotation do not belong
      // together.
      if (2 * inside < face_points)
        found[i] = Issue{
            .where = file.image.string(),
            .what = fmt::format("only {} of {} landmarks lie inside the image ({} x {} pixels)",
                                inside, face_points, image.size(1), image.size(0)),
            .fix = "pair the image with its own landmarks, at the image's own scale"};
      else
        use(i, image);
    } catch (const Error& error) {
      found[i] = Issue{.where = file.image.string(), .what = error.problem(), .fix = error.fix()};
    } catch (const std::exception& error) {
      found[i] = Issue{.where = file.image.string(),
                       .what = error.what(),
                       .fix = "fetch the file again, or remove the item"};
    }
  };
  // Each thread writes to its own slot, so issues keep the order of the files.
  parallel_items(static_cast<std::int64_t>(files.size()), at::get_num_threads(),
                 [&](std::int64_t, std::int64_t i) { one(static_cast<std::size_t>(i)); });
  for (auto& problem : found)
    if (problem) issues.push_back(std::move(*problem));
}

}  // namespace

LandmarkFrames LandmarkFrames::at(const std::vector<std::int64_t>& indices) const {
  LandmarkFrames part;
  for (const auto i : indices) {
    if (i < 0 || i >= size())
      throw UsageError(fmt::format("there is no frame {} in a set of {}", i, size()),
                       "use indices made for this very set");
    const auto k = static_cast<std::size_t>(i);
    part.images.push_back(images[k]);
    part.item.push_back(item[k]);
    part.person.push_back(person[k]);
  }
  // index_select() takes no empty list of an undefined type, so the empty set is written down.
  part.landmarks =
      indices.empty()
          ? at::empty({0, face_points, 2}, at::kFloat)
          : landmarks.index_select(0, at::tensor(at::ArrayRef<std::int64_t>(indices), at::kLong));
  return part;
}

LandmarkFrames load_faces(const std::vector<FaceFile>& files, const std::optional<FaceCrop>& crop,
                          std::vector<Issue>& issues) {
  std::vector<at::Tensor> images(files.size());
  std::vector<at::Tensor> landmarks(files.size());
  for_each_face(files, issues, [&](std::size_t i, const at::Tensor& image) {
    if (crop) {
      auto face = crop_face(image, files[i].landmarks, *crop);
      landmarks[i] = face.landmarks;
      images[i] = face.image;
    } else {
      landmarks[i] = files[i].landmarks;
      images[i] = image;
    }
  });
  LandmarkFrames frames;
  std::vector<at::Tensor> points;
  for (std::size_t i = 0; i < files.size(); ++i) {
    // This file became an issue; the others stay usable for the caller's report.
    if (!images[i].defined()) continue;
    frames.images.push_back(std::move(images[i]));
    points.push_back(std::move(landmarks[i]));
    frames.item.push_back(files[i].item);
    frames.person.push_back(files[i].person);
  }
  frames.landmarks =
      points.empty() ? at::empty({0, face_points, 2}, at::kFloat) : at::stack(points);
  return frames;
}

void check_faces(const std::vector<FaceFile>& files, std::vector<Issue>& issues) {
  for_each_face(files, issues, [](std::size_t, const at::Tensor&) {});
}

}  // namespace reprise::datasets
