// Folders of photographs of any sizes, and pieces cut out of them.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/problems.h"

namespace reprise::datasets {

struct Photos {
  std::vector<at::Tensor> images;  ///< N times [H, W, 3], uint8, RGB
  std::vector<std::string> item;   ///< path below the folder, without ending
  std::vector<std::string>
      taken_at;  ///< width and height of the file, "1024x737": of webcams, what tells one camera from another
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
};

/// All pictures below the folder, in any depth (formats/media_files.h), sorted. Each is decoded
/// once, turned as its camera was held, and shrunk, or enlarged, so that its shorter side has this
/// many pixels (by area averaging when it shrinks). UsageError: shorter < 1; no such folder, or no
/// photograph in it; photographs that are damaged (counted, five named).
Photos read_photos(const std::filesystem::path& folder, std::int64_t shorter);

/// An image [H, W, 3] whose shorter side has this many pixels, by area averaging when it shrinks,
/// else bilinearly.
at::Tensor with_shorter_side(const at::Tensor& image, std::int64_t shorter);

/// A photograph before it is read.
struct PhotoFile {
  std::filesystem::path path;
  std::string item;
};
/// Those that read_photos() reads, in its order. UsageError: as there, but for what is in the
/// files.
std::vector<PhotoFile> photo_files(const std::filesystem::path& folder);
/// Calls use(i, image), [H, W, 3], for every photograph, on several threads. What cannot be read,
/// or is refused by `use`, is a problem.
std::vector<Problem> problems_of_photos(
    const std::vector<PhotoFile>& files,
    const std::function<void(std::int64_t i, const at::Tensor& image)>& use);

/// What the reader refuses, photograph by photograph.
std::vector<Problem> verify_photos(const std::filesystem::path& folder);

struct PhotoCrops {
  at::Tensor images;  ///< [n, size, size, 3], uint8
  at::Tensor photo;   ///< [n], int64: which it was cut from
};

/// n squares of size x size pixels, each from a photograph drawn among those of these indices and
/// from a place drawn in it. Square i depends on the photographs and i alone, not on n. UsageError:
/// n < 0; no index, or one that is not there; a photograph smaller than the square (named).
PhotoCrops photo_crops(const Photos& photos, const std::vector<std::int64_t>& indices,
                       std::int64_t n, std::int64_t size, const Random& random);

}  // namespace reprise::datasets
