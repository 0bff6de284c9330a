// Dense optical flow between frames, as vectors and as 3-channel images for networks that take
// colour pictures.
//
// The document prernn only says that flow is "represented by three color channels". Here, for a
// pixel that moves by (u, v) pixels between two frames, x right and y down, and a range R:
//
//     channel 0   round(128 + 127 u / R)                  128: no motion along x;
//                                                         1 and 255: -R and R, or faster
//     channel 1   round(128 + 127 v / R)                  the same along y
//     channel 2   round(255 min(1, sqrt(u^2 + v^2) / R))  0: at rest
//
// DIS (Kroeger et al. 2016) is the default, because every build has it: installed packages must not
// change numbers. TV-L1 (Zach, Pock, Bischof 2007), the usual choice for actions, is some ten times
// slower. It comes from OpenCV's contrib modules and must be requested. Both run on gray pictures,
// with one thread per picture, because the result of DIS depends on the number of threads.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace reprise::datasets {

enum class FlowMethod { TvL1, Dis };

/// Whether this build can compute the method. TvL1 needs libopencv-contrib-dev when the build is
/// configured.
bool has_flow_method(FlowMethod method);
/// Returns "tvl1" or "dis".
std::string flow_method_name(FlowMethod method);
/// Returns the method of this name. UsageError: another name; this build lacks the method (its
/// requirement is named).
FlowMethod find_flow_method(const std::string& name);

/// Computes the motion from each frame of `first` to that of `second`, independent of the number of
/// threads. Frames: uint8, [T, H, W, 3] or [T, H, W]. Returns [T, H, W, 2], float32, pixels.
/// UsageError: shapes differ (both named); a side is below 16; the build lacks TvL1.
at::Tensor compute_optical_flow(const at::Tensor& first, const at::Tensor& second,
                                FlowMethod method);

/// Converts flow [..., 2] in pixels to images [..., 3], uint8. UsageError: range <= 0; another last
/// dimension.
at::Tensor flow_image(const at::Tensor& flow, double range);

struct FlowOptions {
  FlowMethod method = FlowMethod::Dis;
  double range = 8;             ///< R, pixels per frame
  std::filesystem::path cache;  ///< folder for flow images; empty: no cache
};

/// Returns flow_image(compute_optical_flow()), from the cache if possible. The key is the SHA-256
/// of all frames, the method with its parameters and version, and the range. A damaged file,
/// detected by its own SHA-256, is computed again.
at::Tensor compute_flow_images(const at::Tensor& first, const at::Tensor& second,
                               const FlowOptions& options);

/// Returns the file of these frames' flow in the cache.
std::filesystem::path flow_cache_file(const at::Tensor& first, const at::Tensor& second,
                                      const FlowOptions& options);

}  // namespace reprise::datasets
