// Folders of photographs of any size, and random crops of them.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/issues.h"

namespace reprise::datasets {

struct Photos {
  std::vector<at::Tensor> images;  ///< N times [H, W, 3], uint8, RGB
  std::vector<std::string> item;   ///< path below the folder, without ending
  /// Width and height of the file, "1024x737"; identifies webcams.
  std::vector<std::string> photo_size;
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
};

/// Reads all pictures below the folder, at any depth (formats/media_files.h), sorted. Each is
/// decoded once, oriented upright, and resized so that its shorter side has `shorter` pixels (area
/// averaging when it shrinks). UsageError: shorter < 1; the folder does not exist or has no
/// photograph; photographs are damaged (counted, five named).
Photos read_photos(const std::filesystem::path& folder, std::int64_t shorter);

/// Resizes an image [H, W, 3] so that its shorter side has `shorter` pixels: by area averaging when
/// it shrinks, else bilinearly.
at::Tensor resize_shorter_side(const at::Tensor& image, std::int64_t shorter);

/// A photograph that is not decoded yet.
struct PhotoFile {
  std::filesystem::path path;
  std::string item;
};
/// Lists the files of read_photos(), in its order. UsageError: as read_photos(), except for damaged
/// files.
std::vector<PhotoFile> list_photos(const std::filesystem::path& folder);
/// Calls use(i, image), [H, W, 3], for every photograph, on several threads. An unreadable
/// photograph, or an exception of `use`, becomes an issue.
std::vector<Issue> collect_photo_issues(
    const std::vector<PhotoFile>& files,
    const std::function<void(std::int64_t i, const at::Tensor& image)>& use);

/// Returns all issues that the reader refuses, photograph by photograph.
std::vector<Issue> verify_photos(const std::filesystem::path& folder);

struct PhotoCrops {
  at::Tensor images;  ///< [n, size, size, 3], uint8
  at::Tensor photo;   ///< [n], int64: index of the source photograph
};

/// Crops n squares of size x size pixels. Each is drawn from a random photograph of `indices` at a
/// random position. Square i depends on the photographs and i alone, not on n. UsageError: n < 0;
/// no index, or one out of range; a photograph is smaller than the square (named).
PhotoCrops crop_photos(const Photos& photos, const std::vector<std::int64_t>& indices,
                       std::int64_t n, std::int64_t size, const Random& random);

}  // namespace reprise::datasets
