// What holds for every generator of data.
#include <torch/torch.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "datasets/generators/digits.h"
#include "datasets/generators/gestures.h"
#include "datasets/generators/landscapes.h"
#include "datasets/generators/map_scenes.h"
#include "datasets/generators/moving_shapes.h"
#include "datasets/generators/shape_motion.h"
#include "datasets/generators/solids.h"
#include "datasets/generators/street_digits.h"
#include "datasets/generators/walkers.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

struct Generator {
  std::string name;
  std::function<std::vector<at::Tensor>(std::int64_t n, std::uint64_t seed)>
      draw;  // one row per item; the first tensor: the pictures
};
void PrintTo(const Generator& generator, std::ostream* out) { *out << generator.name; }

std::vector<Generator> generators() {
  return {{"Digits",
           [](auto n, auto seed) {
             const auto made = draw_digits(n, 20, seed);
             return std::vector{made.images, made.labels};
           }},
          {"StreetDigits",
           [](auto n, auto seed) {
             const auto made = draw_street_digits(n, 32, seed);
             return std::vector{made.images, made.labels};
           }},
          {"MapScenes",
           [](auto n, auto seed) {
             const auto made = draw_map_scenes(n, 32, seed);
             return std::vector{made.map, made.aerial};
           }},
          {"Landscapes",
           [](auto n, auto seed) {
             const auto made = draw_landscapes(n, 16, 24, seed);
             return std::vector{made.images, made.labels};
           }},
          {"Solids",
           [](auto n, auto seed) {
             const auto made = render_solid_views(n, 24, seed, {0, 40});
             return std::vector{made.images, made.azimuth, made.combination};
           }},
          {"MovingShapes",
           [](auto n, auto seed) {
             const auto made = generate_moving_shapes(n, 3, 16, seed);
             return std::vector{made.colour, made.labels};
           }},
          {"ShapeMotion",
           [](auto n, auto seed) {
             const auto made = generate_shape_motion(n, {.frames = 3, .size = 16}, seed).clips;
             return std::vector{made.colour, made.labels};
           }},
          {"Walkers",
           [](auto n, auto seed) {
             const auto made =
                 generate_walkers(n, 3, 32, {0, 5}, seed, FlowOptions{.method = FlowMethod::Dis});
             return std::vector{made.colour, made.flow};
           }},
          {"Gestures", [](auto n, auto seed) {
             const auto made = generate_gestures(n, 3, 24, {0, 5}, seed);
             return std::vector{made.colour, made.depth};
           }}};
}

class EveryGenerator : public testing::TestWithParam<Generator> {};

// Same seed, same bytes: with any number of threads, and for the first items of a larger set.
TEST_P(EveryGenerator, DependsOnTheSeedAloneSlow) {
  const auto& draw = GetParam().draw;
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto few = draw(14, 7);
  at::set_num_threads(3);
  const auto more = draw(45, 7);
  at::set_num_threads(before);
  for (std::size_t i = 0; i < few.size(); ++i)
    EXPECT_TRUE(at::equal(few[i], more[i].narrow(0, 0, 14))) << i;
  EXPECT_FALSE(at::equal(few[0], draw(14, 8)[0]));
}

INSTANTIATE_TEST_SUITE_P(Generators, EveryGenerator, testing::ValuesIn(generators()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace reprise::datasets
