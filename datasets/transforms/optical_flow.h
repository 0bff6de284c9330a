// Dense optical flow between frames, as vectors and as the 3-channel image that a network for
// colour pictures can take.
//
// The document prernn says of flow only that it is "represented by three color channels". Here, for
// a pixel that moves by (u, v) pixels from one frame to the next, x right and y down, and a range
// R:
//     channel 0   round(128 + 127 u / R)             128: no motion along x; 1 and 255: -R and R, and what is faster
//     channel 1   round(128 + 127 v / R)             the same along y
//     channel 2   round(255 min(1, sqrt(u^2 + v^2) / R))      0: at rest
//
// DIS (Kroeger et al. 2016) is what every build has, and so the default everywhere: a package that
// happens to be installed changes no number. TV-L1 (Zach, Pock, Bischof 2007; the usual choice for
// actions, some ten times slower) comes from OpenCV's contrib modules and has to be asked for. Both
// run on gray pictures, on one thread per picture: DIS's result would depend on the number of
// threads.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace reprise::datasets {

enum class FlowMethod { TvL1, Dis };

/// Whether this build can compute it: TvL1 only where libopencv-contrib-dev was installed when the
/// build was configured.
bool has_flow_method(FlowMethod method);
/// "tvl1", "dis".
std::string flow_method_name(FlowMethod method);
/// The method of that name. UsageError: another name; a method that this build lacks (says what it
/// needs).
FlowMethod flow_method_named(const std::string& name);

/// Motion from each frame of `first` to that of `second`: uint8, [T, H, W, 3] or [T, H, W] -> [T,
/// H, W, 2], float32, pixels. The same for any number of threads. UsageError: shapes that differ
/// (both named); a side below 16; TvL1 where the build lacks it.
at::Tensor optical_flow(const at::Tensor& first, const at::Tensor& second, FlowMethod method);

/// [..., 2], pixels -> [..., 3], uint8, as above. UsageError: range <= 0; another last dimension.
at::Tensor flow_image(const at::Tensor& flow, double range);

struct FlowOptions {
  FlowMethod method = FlowMethod::Dis;
  double range = 8;             ///< R, pixels a frame
  std::filesystem::path cache;  ///< folder for flow images; empty: none is kept
};

/// flow_image(optical_flow()), computed once: kept in the cache under the SHA-256 of all frames,
/// the method with its parameters and version, and the range. A file that is damaged (it carries
/// its own SHA-256) is computed again.
at::Tensor flow_images(const at::Tensor& first, const at::Tensor& second,
                       const FlowOptions& options);

/// Where flow_images() keeps these frames' flow.
std::filesystem::path flow_cache_file(const at::Tensor& first, const at::Tensor& second,
                                      const FlowOptions& options);

}  // namespace reprise::datasets
