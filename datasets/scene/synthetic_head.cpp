#include "datasets/scene/synthetic_head.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/util/ArrayRef.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "datasets/scene/background.h"
#include "datasets/scene/smooth_path.h"

namespace reprise::datasets {
namespace {

// Centre of rotation in the head frame, decimetres (header).
constexpr Point neck{0, -0.55F, -0.2F};

/// Level of detail of the mesh (head_mesh.h) at a picture's side, pixels.
int detail_for(int size) {
  if (size <= 96) return 1;
  return size <= 288 ? 2 : 3;
}

void check_people(std::int64_t n, const std::vector<std::int64_t>& identities) {
  if (n < 0) throw UsageError(std::to_string(n) + " pictures were requested", "request 0 or more");
  if (identities.empty())
    throw UsageError("no person was given to draw",
                     "give at least one number; 0 to 9 are the fixed people");
}

HeadPose scale_pose(const HeadRange& range, double pitch, double yaw, double roll, double x,
                    double y, double z) {
  HeadPose pose;
  pose.pitch = range.pitch * pitch;
  pose.yaw = range.yaw * yaw;
  pose.roll = range.roll * roll;
  pose.x += range.shift * x;
  pose.y += range.shift * y;
  pose.z *= 1 + range.distance * z;
  return pose;
}

// Maps t in [-1, 1] to [0, 1], and everything below `start` to 0 (at rest).
double excess_over(double t, double start) {
  return std::clamp((t - start) / (1 - start), 0.0, 1.0);
}

/// Movement of a head in one frame: rotation (row by row), position, and weights of the
/// expressions.
struct Placement {
  std::array<float, 9> rotation;
  Point position;
  std::array<float, face_moves> weights;
};

/// Places the vertices in the camera's frame. Expressions are blend shapes: displacements of the
/// mesh at rest, weighted and added. Vertices of the shoulders do not turn (still = 1), and the
/// neck is blended linearly.
void place_vertices(const HeadMesh& head, const Placement& placement, Mesh& placed) {
  const auto& r = placement.rotation;
  const auto& w = placement.weights;
  const auto [tx, ty, tz] = placement.position;
  const auto& rest = head.rest;
  const auto& [open, smile, blink, raise] = head.moves;
  const std::size_t count = rest.vertices();
  for (std::size_t i = 0; i < count; ++i) {
    // F flips y and z.
    const float x = rest.x[i] + w[0] * open.x[i] + w[1] * smile.x[i] + w[2] * blink.x[i] +
                    w[3] * raise.x[i] - neck.x;
    const float y = -(rest.y[i] + w[0] * open.y[i] + w[1] * smile.y[i] + w[2] * blink.y[i] +
                      w[3] * raise.y[i] - neck.y);
    const float z = -(rest.z[i] + w[0] * open.z[i] + w[1] * smile.z[i] + w[2] * blink.z[i] +
                      w[3] * raise.z[i] - neck.z);
    const float still = head.still[i];
    const float turned = 1 - still;
    placed.x[i] = tx + turned * (r[0] * x + r[1] * y + r[2] * z) + still * x;
    placed.y[i] = ty + turned * (r[3] * x + r[4] * y + r[5] * z) + still * y;
    placed.z[i] = tz + turned * (r[6] * x + r[7] * y + r[8] * z) + still * z;
  }
}

/// Turns the normals like the vertices, and gives them unit length again.
void place_normals(const HeadMesh& head, const Placement& placement, Mesh& placed) {
  const auto& r = placement.rotation;
  const auto& w = placement.weights;
  const auto& rest = head.rest;
  const auto& [open, smile, blink, raise] = head.moves;
  const std::size_t count = rest.vertices();
  for (std::size_t i = 0; i < count; ++i) {
    const float x = rest.nx[i] + w[0] * open.nx[i] + w[1] * smile.nx[i] + w[2] * blink.nx[i] +
                    w[3] * raise.nx[i];
    const float y = -(rest.ny[i] + w[0] * open.ny[i] + w[1] * smile.ny[i] + w[2] * blink.ny[i] +
                      w[3] * raise.ny[i]);
    const float z = -(rest.nz[i] + w[0] * open.nz[i] + w[1] * smile.nz[i] + w[2] * blink.nz[i] +
                      w[3] * raise.nz[i]);
    const float still = head.still[i];
    const float turned = 1 - still;
    const float shorter = 1 / std::sqrt(x * x + y * y + z * z + 1e-12F);
    placed.nx[i] = (turned * (r[0] * x + r[1] * y + r[2] * z) + still * x) * shorter;
    placed.ny[i] = (turned * (r[3] * x + r[4] * y + r[5] * z) + still * y) * shorter;
    placed.nz[i] = (turned * (r[6] * x + r[7] * y + r[8] * z) + still * z) * shorter;
  }
}

/// Turns the eyeballs about their centres by the gaze, and then with the head.
void turn_eyeballs(const HeadMesh& head, const Placement& placement, const Expression& expression,
                   Mesh& placed) {
  const auto& r = placement.rotation;
  const auto [tx, ty, tz] = placement.position;
  const auto& rest = head.rest;
  const auto gx = static_cast<float>(expression.gaze_x * 25 * std::numbers::pi / 180);
  const auto gy = static_cast<float>(expression.gaze_y * 25 * std::numbers::pi / 180);
  const float cx = std::cos(gx);
  const float sx = std::sin(gx);
  const float cy = std::cos(gy);
  const float sy = std::sin(gy);
  for (const auto& eye : head.eyes)
    for (auto i = eye.first; i < eye.last; ++i) {
      const float dx = rest.x[i] - eye.centre.x;
      const float dy = rest.y[i] - eye.centre.y;
      const float dz = rest.z[i] - eye.centre.z;
      // Rotate about the horizontal axis, then about the vertical one.
      const float up = dy * cy + dz * sy;
      const float out = dz * cy - dy * sy;
      const float ox = dx * cx + out * sx;
      const float oz = out * cx - dx * sx;
      const float x = eye.centre.x + ox - neck.x;
      const float y = -(eye.centre.y + up - neck.y);
      const float z = -(eye.centre.z + oz - neck.z);
      placed.x[i] = tx + r[0] * x + r[1] * y + r[2] * z;
      placed.y[i] = ty + r[3] * x + r[4] * y + r[5] * z;
      placed.z[i] = tz + r[6] * x + r[7] * y + r[8] * z;
      // The normal of a sphere is its offset from the centre, divided by the radius.
      const float n = 1 / HeadSurface::eyeball_radius;
      placed.nx[i] = (r[0] * ox - r[1] * up - r[2] * oz) * n;
      placed.ny[i] = (r[3] * ox - r[4] * up - r[5] * oz) * n;
      placed.nz[i] = (r[6] * ox - r[7] * up - r[8] * oz) * n;
    }
}

}  // namespace

std::array<double, 9> rotation(const HeadPose& pose) {
  // Row-major product Rx(-pitch) Ry(yaw) Rz(roll), multiplied out.
  const double p = -pose.pitch * std::numbers::pi / 180;
  const double w = pose.yaw * std::numbers::pi / 180;
  const double r = pose.roll * std::numbers::pi / 180;
  const double cp = std::cos(p);
  const double sp = std::sin(p);
  const double cw = std::cos(w);
  const double sw = std::sin(w);
  const double cr = std::cos(r);
  const double sr = std::sin(r);
  return {cw * cr,
          -cw * sr,
          sw,
          sp * sw * cr + cp * sr,
          -sp * sw * sr + cp * cr,
          -sp * cw,
          -cp * sw * cr + sp * sr,
          cp * sw * sr + sp * cr,
          cp * cw};
}

HeadRenderer::HeadRenderer(int size)
    : size_(size),
      detail_(detail_for(size)),
      renderer_(std::clamp(size, 8, 2048), std::clamp(size, 8, 2048)) {
  if (size < 8 || size > 2048)
    throw UsageError("heads of " + std::to_string(size) + " pixels cannot be drawn",
                     "choose a size from 8 to 2048");
  // The focal length is 2 image sides; pixel centres are whole numbers, so the middle is (size - 1)
  // / 2.
  camera_ = {2.0 * size, (size - 1) / 2.0, (size - 1) / 2.0};
}

const HeadMesh& HeadRenderer::meet(const Identity& identity) {
  auto& mesh = people_[identity.number];
  if (!mesh) mesh = head_mesh(identity, detail_);
  return *mesh;
}

void HeadRenderer::place(const HeadMesh& head, const HeadPose& pose, const Expression& expression) {
  if (topology_ != &head) {
    placed_ = head.rest;  // colours, shine, triangles
    topology_ = &head;
  }
  Placement placement{
      .rotation = {},
      .position = {.x = static_cast<float>(pose.x),
                   .y = static_cast<float>(pose.y),
                   .z = static_cast<float>(pose.z)},
      .weights = {static_cast<float>(expression.mouth_open), static_cast<float>(expression.smile),
                  static_cast<float>(expression.blink), static_cast<float>(expression.brow_raise)}};
  std::ranges::copy(rotation(pose), placement.rotation.begin());
  place_vertices(head, placement, placed_);
  place_normals(head, placement, placed_);
  turn_eyeballs(head, placement, expression, placed_);
}

void HeadRenderer::render_into(const Identity& identity, const HeadPose& pose,
                               const Expression& expression, const Light& light,
                               const std::uint8_t* background, std::uint8_t* image,
                               float* landmarks) {
  const auto& head = meet(identity);
  place(head, pose, expression);
  renderer_.clear();
  renderer_.draw(placed_, camera_, light);
  renderer_.resolve(background, image);
  // Perspective projection of the placed vertices, without rounding to pixels.
  for (int k = 0; k < 68; ++k) {
    const auto i = head.landmarks[k];
    landmarks[2 * k] =
        static_cast<float>(camera_.centre_x + camera_.focal * placed_.x[i] / placed_.z[i]);
    landmarks[2 * k + 1] =
        static_cast<float>(camera_.centre_y + camera_.focal * placed_.y[i] / placed_.z[i]);
  }
}

HeadFrame HeadRenderer::render(const Identity& identity, const HeadPose& pose,
                               const Expression& expression, const Light& light,
                               const at::Tensor& background) {
  if (background.sizes() != at::IntArrayRef({size_, size_, 3}) ||
      background.scalar_type() != at::kByte)
    throw UsageError("the background has shape " + shape_text(background.sizes()) + " (" +
                         background.dtype().name().data() + "), expected [" +
                         std::to_string(size_) + ", " + std::to_string(size_) +
                         ", 3] (unsigned char)",
                     "scale or crop it to the picture's size; background() paints one");
  HeadFrame frame{.image = at::empty({size_, size_, 3}, at::kByte),
                  .landmarks = at::empty({68, 2}, at::kFloat),
                  .pose = pose};
  const auto behind = background.contiguous();
  render_into(identity, pose, expression, light, behind.data_ptr<std::uint8_t>(),
              frame.image.data_ptr<std::uint8_t>(), frame.landmarks.data_ptr<float>());
  return frame;
}

void HeadRenderer::write_landmarks_3d(float* places) const {
  for (std::size_t k = 0; k < 68; ++k) {
    const auto i = topology_->landmarks[k];
    places[3 * k] = placed_.x[i];
    places[3 * k + 1] = placed_.y[i];
    places[3 * k + 2] = placed_.z[i];
  }
}

at::Tensor HeadRenderer::depth() const {
  auto depth = at::empty({size_, size_}, at::kFloat);
  renderer_.resolve_depth(depth.data_ptr<float>());
  return depth;
}

Light random_light(Random& random) {
  Light light;
  const double side = random.uniform(-1.1, 1.1);
  const double up = random.uniform(0, 0.9);
  // Direction to the light: from the camera's side of the head (z < 0) and never from below.
  light.direction = {static_cast<float>(std::sin(side) * std::cos(up)),
                     static_cast<float>(-std::sin(up)),
                     static_cast<float>(-std::cos(side) * std::cos(up))};
  light.ambient = static_cast<float>(random.uniform(0.28, 0.6));
  light.diffuse = static_cast<float>(random.uniform(0.4, 0.8));
  const auto warm = static_cast<float>(random.uniform(-0.08, 0.08));
  light.tint = {1 + warm, 1, 1 - warm};
  return light;
}

Expression moving_face(const std::array<double, 6>& path, double strength) {
  // Movements begin where the path exceeds a threshold. Gaze follows the path itself.
  const auto [mouth, smile, blink, brows, gaze_x, gaze_y] = path;
  return {.mouth_open = strength * excess_over(mouth, 0.1),
          .smile = strength * excess_over(smile, 0),
          .blink = strength * excess_over(blink, 0.45),
          .brow_raise = strength * excess_over(brows, 0.1),
          .gaze_x = strength * gaze_x,
          .gaze_y = strength * 0.6 * gaze_y};
}

HeadStills render_head_stills(std::int64_t n, int size, const std::vector<std::int64_t>& identities,
                              std::uint64_t seed, const HeadRange& range) {
  check_people(n, identities);
  HeadRenderer first(size);
  std::vector<Identity> people;
  for (const auto number : identities) first.meet(people.emplace_back(identity(number)));
  HeadStills set{.images = at::empty({n, size, size, 3}, at::kByte),
                 .landmarks = at::empty({n, 68, 2}, at::kFloat),
                 .identity = at::empty({n}, at::kLong),
                 .pose = at::empty({n, 3}, at::kFloat)};
  auto* images = set.images.data_ptr<std::uint8_t>();
  auto* landmarks = set.landmarks.data_ptr<float>();
  auto* poses = set.pose.data_ptr<float>();
  auto* numbers = set.identity.data_ptr<std::int64_t>();
  std::vector<HeadRenderer> renderers(
      static_cast<std::size_t>(count_workers(n, at::get_num_threads())), first);
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    auto random = Random(seed).split("still", i);
    const auto& who = people[static_cast<std::size_t>(i) % people.size()];
    // Named draws fix the order of evaluation, which C++ leaves open for arguments.
    const auto any = [&] { return 2 * random.uniform() - 1; };
    const double pitch = any();
    const double yaw = any();
    const double far = any();
    // A product of two draws: strong rolls are rare.
    const double roll = far * random.uniform();
    const double x = any();
    const double y = any();
    const double z = any();
    const auto pose = scale_pose(range, pitch, yaw, roll, x, y, z);
    const double e = range.expression;
    Expression face;
    face.mouth_open = e * excess_over(any(), 0.2);
    face.smile = e * excess_over(any(), 0);
    face.blink = e * excess_over(any(), 0.5);
    face.brow_raise = e * excess_over(any(), 0);
    face.gaze_x = e * any();
    face.gaze_y = e * any() * 0.6;
    const auto light = random_light(random);
    auto* image = images + i * size * size * 3;
    paint_background(image, size, size, random);
    renderers[static_cast<std::size_t>(worker)].render_into(who, pose, face, light, image, image,
                                                            landmarks + i * 136);
    numbers[i] = who.number;
    poses[3 * i] = static_cast<float>(pose.pitch);
    poses[3 * i + 1] = static_cast<float>(pose.yaw);
    poses[3 * i + 2] = static_cast<float>(pose.roll);
  });
  return set;
}

HeadClips render_head_clips(std::int64_t n, std::int64_t frames, int size,
                            const std::vector<std::int64_t>& identities, std::uint64_t seed,
                            const HeadMotion& motion) {
  check_people(n, identities);
  if (frames < 1)
    throw UsageError("clips of " + std::to_string(frames) + " frames were requested",
                     "request at least 1");
  HeadRenderer first(size);
  std::vector<Identity> people;
  for (const auto number : identities) first.meet(people.emplace_back(identity(number)));
  HeadClips set{.images = at::empty({n, frames, size, size, 3}, at::kByte),
                .landmarks = at::empty({n, frames, 68, 2}, at::kFloat),
                .identity = at::empty({n}, at::kLong),
                .pose = at::empty({n, frames, 3}, at::kFloat)};
  auto* images = set.images.data_ptr<std::uint8_t>();
  auto* landmarks = set.landmarks.data_ptr<float>();
  auto* poses = set.pose.data_ptr<float>();
  auto* numbers = set.identity.data_ptr<std::int64_t>();
  // Bytes of a frame.
  const std::int64_t bytes = static_cast<std::int64_t>(size) * size * 3;
  std::vector<HeadRenderer> renderers(
      static_cast<std::size_t>(count_workers(n, at::get_num_threads())), first);
  const Random whole(seed);
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    auto random = whole.split("clip", i);
    const auto& who = people[static_cast<std::size_t>(i) % people.size()];
    std::vector<SmoothPath> path;
    // Six paths for the pose (angles and position) and six for the expression.
    for (int k = 0; k < 12; ++k)
      path.emplace_back(random, motion.shortest_period, motion.longest_period);
    const auto light = random_light(random);
    std::vector<std::uint8_t> behind(static_cast<std::size_t>(bytes));
    paint_background(behind.data(), size, size, random);
    numbers[i] = who.number;
    for (std::int64_t f = 0; f < frames; ++f) {
      const auto t = [&](int k) { return path[k].at(static_cast<double>(f)); };
      const auto pose = scale_pose(motion.range, t(0), t(1), t(2), t(3), t(4), t(5));
      const auto face =
          moving_face({t(6), t(7), t(8), t(9), t(10), t(11)}, motion.range.expression);
      // Frame number in the flat arrays [n * frames, ...].
      const auto frame = i * frames + f;
      renderers[static_cast<std::size_t>(worker)].render_into(
          who, pose, face, light, behind.data(), images + frame * bytes, landmarks + frame * 136);
      poses[3 * frame] = static_cast<float>(pose.pitch);
      poses[3 * frame + 1] = static_cast<float>(pose.yaw);
      poses[3 * frame + 2] = static_cast<float>(pose.roll);
    }
  });
  return set;
}

}  // namespace reprise::datasets
