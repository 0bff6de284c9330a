// Colours and dash patterns of the figures.
//
// Eight colours after Okabe and Ito (2008), told apart with every common kind of colour blindness; the light ones are darkened
// so that a line shows on white, and each has a lighter twin for a dark background.
#pragma once
#include <array>
#include <string_view>

namespace reprise::reports {

struct Ink {
  std::string_view light, dark;  ///< "#rrggbb" on a light and on a dark background
};

inline constexpr std::array<Ink, 8> series_inks = {{
    {"#0072b2", "#58aee8"},  // blue
    {"#d55e00", "#f28c4a"},  // vermilion
    {"#009e73", "#2fc79a"},  // green
    {"#b5508f", "#e08bc0"},  // purple
    {"#b38300", "#e6b93a"},  // amber
    {"#4d5561", "#b4bcc6"},  // grey
    {"#3fa7dc", "#9bd8f7"},  // sky
    {"#8c3b2a", "#cf7a66"},  // brown
}};
inline constexpr Ink text_ink = {"#1f2328", "#e6e8eb"};
inline constexpr Ink axis_ink = {"#7d858f", "#8b949e"};
inline constexpr Ink grid_ink = {"#e3e6ea", "#30353c"};

/// gnuplot dash types, solid first.
inline constexpr std::array<std::string_view, 9> dashes = {"1",     "(7,3)",          "(2,2.5)",   "(10,3,2,3)", "(14,4)", "(4,2,1,2,1,2)",
                                                           "(4,6)", "(16,3,2,3,2,3)", "(12,3,5,3)"};
/// gnuplot point types: filled circle, square, triangle, diamond, then the open ones.
inline constexpr std::array<int, 9> points = {7, 5, 9, 13, 6, 4, 8, 12, 11};
inline constexpr int star = 3;

}  // namespace reprise::reports
