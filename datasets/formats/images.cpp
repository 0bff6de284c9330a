#include "datasets/formats/images.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "datasets/formats/image_header.h"
#include "datasets/formats/orientation.h"

namespace reprise::datasets {
namespace {

// Point k of a mirrored face is point mirrored[k] of the original (300-W's 68 points, from 0).
constexpr std::array<std::int64_t, 68> mirrored = {
    16, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0,  // jaw
    26, 25, 24, 23, 22, 21, 20, 19, 18, 17,                             // brows
    27, 28, 29, 30, 35, 34, 33, 32, 31,                                 // nose
    45, 44, 43, 42, 47, 46, 39, 38, 37, 36, 41, 40,                     // eyes
    54, 53, 52, 51, 50, 49, 48, 59, 58, 57, 56, 55, 64, 63, 62, 61, 60,
    67, 66, 65  // mouth, outer and inner
};

void require_image(const at::Tensor& image) {
  const bool shaped = image.defined() && image.numel() > 0 &&
                      (image.dim() == 2 || (image.dim() == 3 && image.size(2) == 3));
  if (!shaped || image.scalar_type() != at::kByte)
    throw UsageError(
        "this tensor is not an image",
        "give a uint8 tensor of shape [H, W, 3] (RGB) or [H, W] (gray), with at least one pixel");
}

/// A view of the tensor's pixels; `image` must be contiguous and outlive it.
cv::Mat view(const at::Tensor& image) {
  return {static_cast<int>(image.size(0)), static_cast<int>(image.size(1)),
          image.dim() == 3 ? CV_8UC3 : CV_8UC1, image.data_ptr()};
}

at::Tensor empty_like_image(const at::Tensor& image, std::int64_t height, std::int64_t width) {
  return image.dim() == 3 ? at::empty({height, width, 3}, at::kByte)
                          : at::empty({height, width}, at::kByte);
}

/// Returns the part of an image that the map's target sees, with a margin. Sides are multiples of
/// `block`, except at the image's end.
cv::Rect find_visible_part(const Affine& m, std::int64_t size, int width, int height, int block) {
  const double det = m[0] * m[4] - m[1] * m[3];
  const double last = static_cast<double>(size) - 0.5;
  // Box of the target's four corners in the source. An affine map keeps it convex, so corners
  // suffice.
  double x0 = 1e30;
  double x1 = -1e30;
  double y0 = 1e30;
  double y1 = -1e30;
  for (const auto& [u, v] : {std::pair{-0.5, -0.5}, {last, -0.5}, {-0.5, last}, {last, last}}) {
    const double x = (m[4] * (u - m[2]) - m[1] * (v - m[5])) / det;
    const double y = (m[0] * (v - m[5]) - m[3] * (u - m[2])) / det;
    x0 = std::min(x0, x);
    x1 = std::max(x1, x);
    y0 = std::min(y0, y);
    y1 = std::max(y1, y);
  }
  const auto clip = [block](double low, double high, int n) {
    // Two blocks of margin: the bilinear filter reads neighbours of the shrunken image.
    const int begin = static_cast<int>(std::clamp(std::floor(low) - 2 * block, 0.0, n - 1.0));
    const int end = static_cast<int>(
        std::clamp(std::ceil(high) + 2 * block, begin + 1.0, static_cast<double>(n)));
    const int whole = (end - begin) / block * block;
    return std::pair{begin, std::max(whole, 1)};
  };
  const auto [left, w] = clip(x0, x1, width);
  const auto [top, h] = clip(y0, y1, height);
  return {left, top, w, h};
}

/// Whether a JPEG has no end marker. A cut JPEG decodes without an error, with gray where data
/// lacks. After the head of the first scan, FF D9 is always the end marker. Bytes that do not parse
/// as segments are left to the decoder.
bool is_cut_jpeg(std::string_view bytes) {
  if (!bytes.starts_with("\xFF\xD8")) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  // Segments: FF, marker, then two bytes of length (big endian) that include themselves (ITU T.81,
  // B.1).
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && byte(at) == 0xFF) {
    if (byte(at + 1) == 0xFF) {  // padding
      ++at;
      continue;
    }
    // DA is SOS, start of scan.
    const bool scan = byte(at + 1) == 0xDA;
    at += 2 + (std::size_t{byte(at + 2)} << 8 | byte(at + 3));
    if (scan) return bytes.find("\xFF\xD9", at) == std::string_view::npos;
  }
  return at + 4 > bytes.size();
}

/// Returns a colour channel over white with opacity `alpha` of 255.
std::uint8_t composite_over_white(int colour, int alpha) {
  constexpr int white = 255;
  constexpr int half = 127;
  // Integer division with half of the divisor added rounds to the nearest level.
  return static_cast<std::uint8_t>((colour * alpha + white * (white - alpha) + half) / white);
}

/// BGRA of 8 or 16 bits, laid over white: BGR of 8 bits. Of 16 bits the upper 8 are kept, as the
/// decoder does for opaque pictures.
template <typename Value>
cv::Mat lay_over_white(const cv::Mat& bgra) {
  constexpr int shift = 8 * (sizeof(Value) - 1);
  cv::Mat bgr(bgra.rows, bgra.cols, CV_8UC3);
  for (int y = 0; y < bgra.rows; ++y)
    for (int x = 0; x < bgra.cols; ++x) {
      const auto& from = bgra.at<cv::Vec<Value, 4>>(y, x);
      for (int c = 0; c < 3; ++c)
        bgr.at<cv::Vec3b>(y, x)[c] = composite_over_white(from[c] >> shift, from[3] >> shift);
    }
  return bgr;
}

/// Makes those pixels of the decoded picture white whose stored values are the transparent colour.
template <typename Value>
void whiten(cv::Mat& bgr, const cv::Mat& stored, const TransparentColour& colour) {
  const auto channels = stored.channels();
  // A gray of fewer than 8 bits is spread over 0 to 255 by the decoder.
  const int scale = colour.most < 255 ? 255 / std::max(colour.most, 1) : 1;
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const Value* from = stored.ptr<Value>(y) + static_cast<std::ptrdiff_t>(x) * channels;
      bool equal = true;
      for (int c = 0; c < channels; ++c) {  // BGR against RGB
        // The colour's values are in the order of the file, red first; OpenCV stores blue first.
        const auto place =
            colour.values.size() == 1 ? 0U : static_cast<std::size_t>(channels - 1 - c);
        equal = equal && from[c] == colour.values[place] * scale;
      }
      if (equal) bgr.at<cv::Vec3b>(y, x) = {255, 255, 255};
    }
}

/// Treatment of transparent pixels.
enum class Transparency { OverWhite, Ignored };

/// Decodes to BGR of 8 bits, in stored rows and columns. Empty: the decoder refuses the bytes.
cv::Mat decode_bgr(const std::string& bytes, Transparency transparency) {
  const cv::Mat data(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  // OpenCV would rotate by EXIF itself; read_image() does that where it is wanted.
  constexpr int as_stored = cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
  if (transparency == Transparency::Ignored) return cv::imdecode(data, as_stored);
  const auto colour = transparent_colour(bytes);
  cv::Mat stored;
  if (has_alpha(bytes) || colour) {
    // IMREAD_COLOR drops the alpha channel without blending, so the stored channels are needed too.
    stored = cv::imdecode(data, cv::IMREAD_UNCHANGED);
    if (stored.empty()) return {};
    if (stored.channels() == 4)
      return stored.depth() == CV_16U ? lay_over_white<std::uint16_t>(stored)
                                      : lay_over_white<std::uint8_t>(stored);
  }
  auto bgr = cv::imdecode(data, as_stored);
  if (bgr.empty() || !colour || stored.size() != bgr.size()) return bgr;
  if (stored.depth() == CV_16U)
    whiten<std::uint16_t>(bgr, stored, *colour);
  else
    whiten<std::uint8_t>(bgr, stored, *colour);
  return bgr;
}

/// [H, W, 3], RGB, in rows and columns as they are stored.
at::Tensor decode_image(const std::string& bytes, const std::filesystem::path& path,
                        Transparency transparency) {
  const auto size = picture_size(bytes, path.string());
  cv::Mat decoded;
  std::string reason;
  try {
    // OpenCV counts a file's bytes in 31 bits.
    if (size.width > 0 && size.height > 0 && bytes.size() < std::size_t{1} << 31 &&
        !is_cut_jpeg(bytes))
      decoded = decode_bgr(bytes, transparency);
  } catch (const cv::Exception& error) {
    reason = " (" + error.err + ")";
  }
  if (decoded.empty())
    throw UsageError(
        fmt::format(
            "{}: no image that can be read: damaged, cut short, or another format ({} bytes){}",
            path.string(), bytes.size(), reason),
        "fetch the file again, or remove the item");
  auto image = at::empty({decoded.rows, decoded.cols, 3}, at::kByte);
  cv::Mat rgb = view(image);
  cv::cvtColor(decoded, rgb, cv::COLOR_BGR2RGB);
  return image;
}

}  // namespace

at::Tensor read_image(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return orient(decode_image(bytes, path, Transparency::OverWhite), picture_orientation(bytes));
}

at::Tensor read_annotated_image(const std::filesystem::path& path) {
  // Annotations were made on stored pixels; orientation would move them away from the landmarks.
  return decode_image(read_file(path), path, Transparency::Ignored);
}

void write_png(const std::filesystem::path& path, const at::Tensor& image) {
  require_image(image);
  const auto pixels = image.contiguous();
  cv::Mat source = view(pixels);
  if (image.dim() == 3) cv::cvtColor(view(pixels), source = cv::Mat(), cv::COLOR_RGB2BGR);
  std::vector<unsigned char> bytes;
  // OpenCV's own choice is fast and large: enlarged pictures come out at a ninth of its size.
  const std::vector<int> small{cv::IMWRITE_PNG_COMPRESSION, 9, cv::IMWRITE_PNG_STRATEGY,
                               cv::IMWRITE_PNG_STRATEGY_DEFAULT};
  if (!cv::imencode(".png", source, bytes, small))
    throw Error(path.string() + ": the image could not be encoded as PNG",
                "check the OpenCV installation");
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

at::Tensor to_values(const at::Tensor& pixels) { return pixels.to(at::kFloat) / 127.5 - 1; }

at::Tensor to_pixels(const at::Tensor& values) {
  return ((values.clamp(-1, 1) + 1) * 127.5).round().to(at::kByte);
}

at::Tensor squeeze_image(const at::Tensor& image, std::int64_t size) {
  require_image(image);
  const auto pixels = image.contiguous();
  auto result = empty_like_image(pixels, size, size);
  const cv::Mat source = view(pixels);
  cv::Mat target = view(result);
  // INTER_AREA averages only where it shrinks; enlarging with it is not smooth.
  const bool shrinks = source.cols >= target.cols && source.rows >= target.rows;
  cv::resize(source, target, target.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

at::Tensor to_gray(const at::Tensor& image) {
  require_image(image);
  if (image.dim() == 2) return image;
  const auto pixels = image.contiguous();
  auto gray = at::empty({image.size(0), image.size(1)}, at::kByte);
  cv::Mat target = view(gray);
  cv::cvtColor(view(pixels), target, cv::COLOR_RGB2GRAY);
  return gray;
}

Affine turn_affine(std::int64_t height, std::int64_t width, double degrees) {
  const double a = degrees * std::numbers::pi / 180;
  const double c = std::cos(a);
  const double s = std::sin(a);
  const double x = static_cast<double>(width - 1) / 2;
  const double y = static_cast<double>(height - 1) / 2;
  // The offset keeps the centre (x, y) in place. With y pointing down, a positive angle turns
  // clockwise.
  return {c, -s, x - c * x + s * y, s, c, y - s * x - c * y};
}

Affine crop_affine(const at::Tensor& landmarks, const FaceCrop& crop) {
  if (crop.size < 1 || !(crop.scale > 0))
    throw UsageError(
        fmt::format("a crop of {} pixels and scale {} is empty", crop.size, crop.scale),
        "use a size of 1 or more and a scale above 0");
  const auto points = landmarks.to(at::kDouble);
  const auto low = points.amin(0);
  const auto high = points.amax(0);
  const double side = (high - low).max().item<double>() * crop.scale;
  if (!(side > 0) || !std::isfinite(side))
    throw UsageError("a face cannot be cut out: its landmarks coincide or are not finite",
                     "repair the landmarks");
  const auto centre = (low + high) / 2;
  const double cx = centre[0].item<double>();
  const double cy = centre[1].item<double>();
  // The centre of the box goes to the centre of the target, whose pixel centres are whole numbers.
  const double s = static_cast<double>(crop.size) / side;
  const double middle = (static_cast<double>(crop.size) - 1) / 2;
  return {s, 0, middle - s * cx, 0, s, middle - s * cy};
}

at::Tensor warp_image(const at::Tensor& image, const Affine& affine, std::int64_t size) {
  require_image(image);
  const double det = affine[0] * affine[4] - affine[1] * affine[3];
  if (size < 1 || !(std::abs(det) > 0) || !std::isfinite(det))
    throw UsageError("an image cannot be warped by a map without inverse, or to no pixel",
                     "give a map that keeps area, and a size of 1 or more");
  const auto pixels = image.contiguous();
  auto target = empty_like_image(image, size, size);
  cv::Mat source = view(pixels);
  cv::Mat out = view(target);
  Affine m = affine;
  // Source pixels per target pixel, per side: the square root of the inverse change of area.
  const int block = static_cast<int>(std::floor(1 / std::sqrt(std::abs(det))));
  if (block >= 2 && source.cols >= block && source.rows >= block) {
    const cv::Rect part = find_visible_part(m, size, source.cols, source.rows, block);
    cv::Mat small;
    cv::resize(source(part), small,
               {std::max(part.width / block, 1), std::max(part.height / block, 1)}, 0, 0,
               cv::INTER_AREA);
    // Pixel x'' of the small image is the mean of pixels left + block x'' ... left + block x'' +
    // block - 1.
    // The map must read the small image: its pixels are kx x ky source pixels, offset by half a
    // block.
    const double kx = static_cast<double>(part.width) / small.cols;
    const double ky = static_cast<double>(part.height) / small.rows;
    const double ox = part.x + (kx - 1) / 2;
    const double oy = part.y + (ky - 1) / 2;
    m = {m[0] * kx, m[1] * ky, m[0] * ox + m[1] * oy + m[2],
         m[3] * kx, m[4] * ky, m[3] * ox + m[4] * oy + m[5]};
    source = small;
  }
  const cv::Matx23d matrix(m[0], m[1], m[2], m[3], m[4], m[5]);
  cv::warpAffine(source, out, matrix, out.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  return target;
}

at::Tensor move_points(const at::Tensor& points, const Affine& m) {
  const auto p = points.to(at::kDouble);
  const auto x = p.select(-1, 0);
  const auto y = p.select(-1, 1);
  return at::stack({x * m[0] + y * m[1] + m[2], x * m[3] + y * m[4] + m[5]}, -1)
      .to(points.scalar_type());
}

Face crop_face(const at::Tensor& image, const at::Tensor& landmarks, const FaceCrop& crop) {
  const Affine affine = crop_affine(landmarks, crop);
  return {.image = warp_image(image, affine, crop.size),
          .landmarks = move_points(landmarks, affine).to(at::kFloat)};
}

std::span<const std::int64_t, 68> mirror_order() { return mirrored; }

at::Tensor mirror_image(const at::Tensor& image) {
  require_image(image);
  return image.flip({1});
}

at::Tensor mirror_landmarks(const at::Tensor& landmarks, std::int64_t width) {
  if (landmarks.dim() < 2 || landmarks.size(-1) != 2 || landmarks.size(-2) != 68)
    throw UsageError("only the 68-point scheme has a mirror order here",
                     "give landmarks of shape [..., 68, 2]");
  static const at::Tensor order =
      at::tensor(at::ArrayRef<std::int64_t>(mirrored.data(), mirrored.size()), at::kLong);
  auto points = landmarks.index_select(-2, order);
  // Pixel centres are whole numbers, so the mirror image of x is width - 1 - x.
  points.select(-1, 0).neg_().add_(static_cast<double>(width - 1));
  return points;
}

}  // namespace reprise::datasets
