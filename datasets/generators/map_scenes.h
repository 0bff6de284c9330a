// Scenes in two renderings, generated: a map and an aerial picture of one place, aligned by pixel.
// They replace the photographs of UNIT's map experiment (document unit; paper, table of map
// ablations). Pairs are exact, available in any number, and different for every seed.
//
// A scene is land with parks, a lake or a river, roads and buildings. Parks have corners, lakes are
// round and rivers bend, so that shapes alone identify the colours of unpaired scenes. The map has
// one colour per class, map_colours. In the aerial picture, land and parks are textured, water is
// dark, and roofs have random colours. Buildings cast a shadow to the right and down. Light varies
// from 0.85 to 1.15, with a little noise. The map thus follows from the picture, but not the
// reverse.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace reprise::datasets {

inline constexpr std::array<std::string_view, 5> map_classes{"land", "park", "water", "road",
                                                             "building"};
/// RGB. Any two differ by more than 32 in a channel, so that no colour is within 16 of two of them.
inline constexpr std::array<std::array<std::uint8_t, 3>, 5> map_colours{
    {{232, 228, 214}, {176, 216, 150}, {150, 196, 232}, {255, 250, 130}, {196, 168, 160}}};

/// Returns map_colours as [5, 3], uint8.
at::Tensor map_palette();

/// Renderings of N scenes; index i is one place.
struct MapScenes {
  at::Tensor map;      ///< [N, S, S, 3], uint8, RGB
  at::Tensor aerial;   ///< [N, S, S, 3], uint8, RGB
  at::Tensor classes;  ///< [N, S, S], uint8: indices in map_classes
};

/// Draws n scenes whose lengths scale with the side. Scene i depends on neither n nor the number of
/// threads. UsageError: n < 0; a side outside 16 to 1024.
MapScenes draw_map_scenes(std::int64_t n, int side, std::uint64_t seed);

}  // namespace reprise::datasets
