// Scenes in two renderings, generated: a map and a picture from the air, pixel for pixel of one
// place. What the map experiment of UNIT needs (document unit; paper, table of map ablations)
// without its photographs: exact pairs, as many as wanted, anew for every seed.
//
// A scene is land with parks, a lake or a river, roads and buildings. Parks have corners, lakes are
// round and rivers bend: which colour of the map is whose can be told from scenes without pairs, by
// shapes alone. Its map has one colour a class, map_colours. From the air, land and parks have a
// texture, water is dark, roofs have a colour each, drawn, and buildings cast a shadow to the right
// and down over what is beside them; all of it under a light from 0.85 to 1.15 and with a little
// noise. So the map follows from the picture, and the picture does not follow from the map.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace reprise::datasets {

inline constexpr std::array<std::string_view, 5> map_classes{"land", "park", "water", "road",
                                                             "building"};
/// RGB; any two differ by more than 32 in a channel, so that no colour is within 16 of two of them.
inline constexpr std::array<std::array<std::uint8_t, 3>, 5> map_colours{
    {{232, 228, 214}, {176, 216, 150}, {150, 196, 232}, {255, 250, 130}, {196, 168, 160}}};

at::Tensor map_palette();  ///< [5, 3], uint8: map_colours

/// Of scene i: one place.
struct MapScenes {
  at::Tensor map;      ///< [N, S, S, 3], uint8, RGB
  at::Tensor aerial;   ///< [N, S, S, 3], uint8, RGB
  at::Tensor classes;  ///< [N, S, S], uint8: places in map_classes
};

/// Lengths go with the side. Scene i depends on neither n nor the number of threads. UsageError: n
/// < 0; a side outside 16 to 1024.
MapScenes drawn_map_scenes(std::int64_t n, int side, std::uint64_t seed);

}  // namespace reprise::datasets
