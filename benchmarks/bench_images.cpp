// Image loading in pictures per second, from a JPEG on disk to an augmented face: decode, crop 128
// x 128 under a random affine map, mirror half of them, convert to floats in [0, 1]. One thread, as
// in a data worker. Peer: benchmarks/peers/images.py, which reads the same file.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <cmath>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "core/random.h"
#include "datasets/formats/images.h"

namespace {

using namespace reprise;

constexpr std::int64_t height = 480, width = 640, size = 128;

/// Writes a smooth, noisy picture to data/face.jpg below the working directory.
std::filesystem::path picture() {
  const std::filesystem::path path = "data/face.jpg";
  std::filesystem::create_directories(path.parent_path());
  cv::Mat image(height, width, CV_8UC3);
  Random random(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        image.at<cv::Vec3b>(y, x)[c] =
            static_cast<std::uint8_t>(128 + 60 * std::sin(0.02 * (c + 1) * x) * std::cos(0.03 * y) +
                                      static_cast<double>(random.below(24)));
  cv::imwrite(path.string(), image, {cv::IMWRITE_JPEG_QUALITY, 90});
  return path;
}

/// Draws a map from source to target: the central 300 pixels become `size`, rotated by up to 20
/// degrees and scaled by 0.85 to 1.15.
datasets::Affine random_map(Random& random) {
  const double angle = random.uniform(-0.35, 0.35),
               scale = random.uniform(0.85, 1.15) * size / 300.0;
  const double c = scale * std::cos(angle), s = scale * std::sin(angle);
  const double x = (width - 1) / 2.0, y = (height - 1) / 2.0, middle = (size - 1) / 2.0;
  return {c, -s, middle - c * x + s * y, s, c, middle - s * x - c * y};
}

void decode_and_augment(benchmark::State& state) {
  const auto path = picture();
  const torch::InferenceMode inference;
  const auto threads = torch::get_num_threads();
  torch::set_num_threads(1);
  Random random(2);
  for (auto _ : state) {
    auto face = datasets::warp_image(datasets::read_image(path), random_map(random), size);
    if (random.chance(0.5)) face = datasets::mirror_image(face);
    benchmark::DoNotOptimize(face.permute({2, 0, 1}).to(torch::kFloat32).div_(255));
  }
  torch::set_num_threads(threads);
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(decode_and_augment)
    ->Name("images/decode_and_augment")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200);

}  // namespace
