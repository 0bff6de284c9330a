// Pictures of procedural heads with exact pose and landmarks.
//
// Camera frame: x right, y down, z forward, decimetres. With R = Rx(-pitch) Ry(yaw) Rz(roll), a
// point q of the head frame (head_surface.h) lies at
//
//     p = (x, y, z) + R F (q - neck),   neck = (0, -0.55, -0.2)
//
// F flips y and z, so that at rest the face looks at the camera. The shoulders lie at the same
// place without R, and the neck is blended between the two. Seen by the viewer, in degrees:
//
//     pitch > 0  the face looks up
//     yaw > 0    the face turns to the picture's left
//     roll > 0   the head tilts clockwise
//
// A picture mirrored left to right is the head at (pitch, -yaw, -roll) with -x. Landmarks are
// projected vertices of the mesh (renderer.h: pixel centres at whole numbers), float32, without
// rounding. Hidden ones are included.
//
// The focal length is 2 image sides (28 degrees of view). At the default position the head fills
// two thirds of the picture's height.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "datasets/scene/head_mesh.h"

namespace reprise::datasets {

struct HeadPose {
  double pitch = 0, yaw = 0, roll = 0;  ///< degrees
  double x = 0, y = 0.62, z = 7;        ///< position of the neck, decimetres
};

struct HeadFrame {
  at::Tensor image;      ///< [H, W, 3], uint8
  at::Tensor landmarks;  ///< [68, 2], float32, pixels, 300-W order
  HeadPose pose;
};

/// Renders heads at one size and caches the meshes of people. Not safe for several threads, but
/// cheap to copy: copies share the meshes.
class HeadRenderer {
 public:
  /// UsageError: size below 8 or above 2048.
  explicit HeadRenderer(int size);
  int size() const { return size_; }
  const Camera& camera() const { return camera_; }

  /// Renders a head. background: [size, size, 3], uint8. UsageError: another shape or type (both
  /// shapes named).
  HeadFrame render(const Identity& identity, const HeadPose& pose, const Expression& expression,
                   const Light& light, const at::Tensor& background);
  /// Renders into memory of size * size * 3 bytes and 68 * 2 floats. Allocates nothing once the
  /// person's mesh is cached. `background` may be `image`.
  void render_into(const Identity& identity, const HeadPose& pose, const Expression& expression,
                   const Light& light, const std::uint8_t* background, std::uint8_t* image,
                   float* landmarks);
  /// Returns the depth of the last picture: [size, size], float32, decimetres; infinity on the
  /// background.
  at::Tensor depth() const;
  /// Writes the landmarks of the last picture: 68 * 3 floats, camera frame, decimetres.
  void write_landmarks_3d(float* places) const;
  /// Builds and caches a person's mesh, so that copies of this renderer share it.
  const HeadMesh& meet(const Identity& identity);

 private:
  void place(const HeadMesh& head, const HeadPose& pose, const Expression& expression);
  int size_;
  int detail_;
  Camera camera_;
  Renderer renderer_;
  Mesh placed_;
  const HeadMesh* topology_ = nullptr;  ///< mesh whose triangles and colours `placed_` has
  std::unordered_map<std::int64_t, std::shared_ptr<const HeadMesh>> people_;
};

/// Returns the rotation R, row by row.
std::array<double, 9> rotation(const HeadPose& pose);

/// Draws a light from above and one side, of random strength and slight colour.
Light random_light(Random& random);

/// Returns a smoothly moving expression, at rest most of the time. path: six values in [-1, 1] for
/// mouth, smile, blink, brows, gaze x and gaze y.
Expression moving_face(const std::array<double, 6>& path, double strength);

struct HeadStills {
  at::Tensor images;     ///< [N, S, S, 3], uint8
  at::Tensor landmarks;  ///< [N, 68, 2], float32
  at::Tensor identity;   ///< [N], int64: the person's number
  at::Tensor pose;       ///< [N, 3], float32: pitch, yaw, roll
};

/// Range of motion: largest angles in degrees, and a factor on expressions.
struct HeadRange {
  double pitch = 25;
  double yaw = 50;
  double roll = 20;
  double expression = 1;
  double shift = 0.25, distance = 0.15;  ///< sideways, decimetres; relative change of the distance
};

/// Renders n stills of the people in `identities` (their numbers), in turn, independent of the
/// number of threads. UsageError: n < 0; the list of people is empty.
HeadStills render_head_stills(std::int64_t n, int size, const std::vector<std::int64_t>& identities,
                              std::uint64_t seed, const HeadRange& range = {});

struct HeadClips {
  at::Tensor images;     ///< [N, T, S, S, 3], uint8
  at::Tensor landmarks;  ///< [N, T, 68, 2], float32
  at::Tensor identity;   ///< [N], int64
  at::Tensor pose;       ///< [N, T, 3], float32: pitch, yaw, roll
};

struct HeadMotion {
  HeadRange range;
  double shortest_period = 20, longest_period = 60;  ///< frames
};

/// Renders n clips of T frames. Angles, position and movements of the face follow sums of three
/// sinusoids; light and background stay.
HeadClips render_head_clips(std::int64_t n, std::int64_t frames, int size,
                            const std::vector<std::int64_t>& identities, std::uint64_t seed,
                            const HeadMotion& motion = {});

}  // namespace reprise::datasets
