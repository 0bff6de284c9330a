// Pictures of procedural heads with exact pose and landmarks.
//
// Camera frame: x right, y down, z forward, decimetres. With R = Rx(-pitch) Ry(yaw) Rz(roll), a
// point q of the head frame (head_surface.h; F flips its y and z, so that at rest the face looks
// back at the camera) lies at
//     p = (x, y, z) + R F (q - neck),   neck = (0, -0.55, -0.2)
// and the shoulders at the same place without R; the neck is blended between the two. Seen by the
// viewer:
//     pitch > 0  the face looks up          yaw > 0  the face turns to the picture's left          roll > 0  the head tilts clockwise
// Angles in degrees. A picture mirrored left to right is the head at (pitch, -yaw, -roll) with -x.
// Landmarks are vertices of the mesh, projected (renderer.h: pixel centres at whole numbers):
// float32, no pixel rounding. Hidden ones are given too.
//
// The focal length is 2 image sides (28 degrees of view); at the default place the head fills two
// thirds of the picture's height.
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
  double x = 0, y = 0.62, z = 7;        ///< where the neck is, decimetres
};

struct HeadFrame {
  at::Tensor image;      ///< [H, W, 3], uint8
  at::Tensor landmarks;  ///< [68, 2], float32, pixels, 300-W order
  HeadPose pose;
};

/// Draws heads of a size. Keeps the meshes of the people it met; not to be shared between threads,
/// but cheap to copy: the copies share the meshes.
class HeadRenderer {
 public:
  /// UsageError: size below 8 or above 2048.
  explicit HeadRenderer(int size);
  int size() const { return size_; }
  const Camera& camera() const { return camera_; }

  /// background: [size, size, 3], uint8. UsageError: another shape or type (both shapes named).
  HeadFrame render(const Identity& identity, const HeadPose& pose, const Expression& expression,
                   const Light& light, const at::Tensor& background);
  /// The same into memory of size * size * 3 bytes and 68 * 2 floats; allocates nothing once the
  /// person is known. `background` may be `image`.
  void render_into(const Identity& identity, const HeadPose& pose, const Expression& expression,
                   const Light& light, const std::uint8_t* background, std::uint8_t* image,
                   float* landmarks);
  /// Depth of the last picture: [size, size], float32, decimetres; infinity on the background.
  at::Tensor depth() const;
  /// Where the landmarks of the last picture lie: 68 * 3 floats, camera frame, decimetres.
  void landmark_places(float* places) const;
  /// Builds a person's mesh ahead, so that copies of this renderer need not.
  const HeadMesh& meet(const Identity& identity);

 private:
  void place(const HeadMesh& head, const HeadPose& pose, const Expression& expression);
  int size_, detail_;
  Camera camera_;
  Renderer renderer_;
  Mesh placed_;
  const HeadMesh* topology_ = nullptr;  ///< whose triangles and colours `placed_` has
  std::unordered_map<std::int64_t, std::shared_ptr<const HeadMesh>> people_;
};

/// Rotation R, row by row.
std::array<double, 9> rotation(const HeadPose& pose);

/// A light from above, some way to a side, of random strength and slight colour.
Light random_light(Random& random);

/// A face that moves smoothly, from six paths with values in [-1, 1] (mouth, smile, blink, brows,
/// gaze x and y): at rest most of the time.
Expression moving_face(const std::array<double, 6>& path, double strength);

struct HeadStills {
  at::Tensor images;     ///< [N, S, S, 3], uint8
  at::Tensor landmarks;  ///< [N, 68, 2], float32
  at::Tensor identity;   ///< [N], int64: the person's number
  at::Tensor pose;       ///< [N, 3], float32: pitch, yaw, roll
};

/// How far heads turn and faces move: largest angles in degrees, and a factor on the expressions.
struct HeadRange {
  double pitch = 25, yaw = 50, roll = 20;
  double expression = 1;
  double shift = 0.25, distance = 0.15;  ///< decimetres to the side; share of the distance
};

/// n stills of the people in `identities` (their numbers), drawn in turn. The same for any number
/// of threads. UsageError: n < 0 or nobody in the list.
HeadStills synthetic_stills(std::int64_t n, int size, const std::vector<std::int64_t>& identities,
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

/// n clips of T frames: each angle, the place and each movement of the face follows a sum of three
/// sinusoids; light and background stay.
HeadClips synthetic_clips(std::int64_t n, std::int64_t frames, int size,
                          const std::vector<std::int64_t>& identities, std::uint64_t seed,
                          const HeadMotion& motion = {});

}  // namespace reprise::datasets
