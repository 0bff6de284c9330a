// The ten people designed by hand, and random ones.
#include <string>

#include "core/error.h"
#include "datasets/scene/head_surface.h"

namespace reprise::datasets {
namespace {

// Palettes, 8-bit red, green and blue. fixed() and identity() choose from them by index.
constexpr std::array<Colour, 8> skins{{{232, 188, 164},
                                       {224, 172, 140},
                                       {241, 204, 182},
                                       {198, 144, 108},
                                       {168, 116, 82},
                                       {132, 88, 62},
                                       {98, 64, 46},
                                       {214, 164, 120}}};
constexpr std::array<Colour, 8> hairs{{{38, 28, 22},
                                       {84, 54, 34},
                                       {150, 104, 58},
                                       {206, 168, 104},
                                       {140, 62, 30},
                                       {24, 20, 20},
                                       {150, 148, 146},
                                       {112, 76, 46}}};
constexpr std::array<Colour, 5> irises{
    {{84, 56, 36}, {74, 112, 150}, {92, 122, 82}, {52, 36, 26}, {118, 98, 62}}};
constexpr std::array<Colour, 8> shirts{{{64, 84, 138},
                                        {150, 46, 52},
                                        {46, 104, 84},
                                        {206, 204, 198},
                                        {58, 56, 62},
                                        {176, 140, 60},
                                        {110, 70, 130},
                                        {90, 120, 140}}};

// Returns lips in the hue of the skin; `red` runs from 0 to 1.
Colour lip_colour_for(const Colour& skin, float red) {
  return {skin[0] * (0.86F - 0.05F * red), skin[1] * (0.66F - 0.16F * red),
          skin[2] * (0.7F - 0.14F * red)};
}

// Returns one of the ten designed people. Values that are not set keep the default of Identity.
Identity fixed(std::int64_t number) {
  Identity p;
  p.number = number;
  // Indices into the palettes above.
  const auto colours = [&p](int skin, int hair, int iris, int shirt, float red) {
    p.skin = skins[skin];
    p.hair = hairs[hair];
    p.iris = irises[iris];
    p.shirt = shirts[shirt];
    p.lip_colour = lip_colour_for(skins[skin], red);
  };
  switch (number) {
    case 0:
      p.jaw = 1.04F;
      p.chin = 1.1F;
      p.brow_ridge = 1.3F;
      p.brow_thickness = 1.2F;
      p.parting = 0.8F;
      p.beard = 0.12F;
      colours(0, 1, 1, 0, 0);
      break;
    case 1:
      p.width = 0.95F;
      p.jaw = 0.92F;
      p.chin = 0.85F;
      p.nose_width = 0.88F;
      p.nose_length = 0.95F;
      p.eye_size = 1.1F;
      p.lips = 1.2F;
      p.brow_thickness = 0.65F;
      p.brow_ridge = 0.5F;
      p.brow_height = 0.015F;
      p.hair_style = HairStyle::Long;
      colours(2, 3, 1, 1, 1);
      break;
    case 2:
      p.width = 1.03F;
      p.lips = 1.35F;
      p.nose_width = 1.3F;
      p.nose_height = 0.85F;
      p.mouth_width = 1.08F;
      p.hair_style = HairStyle::Cropped;
      p.ears = 0.95F;
      colours(6, 5, 3, 3, 0);
      break;
    case 3:
      p.cheeks = 1.3F;
      p.jaw = 0.96F;
      p.nose_height = 0.8F;
      p.eye_tilt = 0.016F;
      p.eye_size = 0.95F;
      p.brow_ridge = 0.5F;
      p.brow_thickness = 0.8F;
      p.hair_style = HairStyle::Bob;
      p.lips = 1.1F;
      colours(7, 5, 3, 6, 0.7F);
      break;
    case 4:
      p.width = 0.97F;
      p.length = 1.05F;
      p.nose_length = 1.07F;
      p.nose_height = 1.2F;
      p.nose_hook = 0.8F;
      p.lips = 0.8F;
      p.beard = 0.85F;
      p.hair_style = HairStyle::Short;
      p.parting = -0.6F;
      p.brow_thickness = 1.3F;
      colours(1, 4, 2, 2, 0);
      break;
    case 5:
      p.width = 0.96F;
      p.jaw = 0.94F;
      p.lips = 1.3F;
      p.nose_width = 1.15F;
      p.nose_height = 0.9F;
      p.eye_size = 1.08F;
      p.hair_style = HairStyle::Curly;
      p.brow_thickness = 0.8F;
      p.brow_ridge = 0.6F;
      p.chin = 0.9F;
      colours(5, 0, 3, 5, 0.6F);
      break;
    case 6:
      p.width = 1.05F;
      p.jaw = 1.1F;
      p.length = 1.02F;
      p.lips = 0.75F;
      p.nose_width = 1.1F;
      p.nose_length = 1.04F;
      p.ears = 1.15F;
      p.brow_height = -0.01F;
      p.brow_ridge = 1.5F;
      p.hair_style = HairStyle::Receding;
      p.cheeks = 0.7F;
      p.eye_size = 0.9F;
      colours(0, 6, 4, 4, 0);
      break;
    case 7:
      p.jaw = 0.93F;
      p.chin = 0.9F;
      p.nose_length = 0.93F;
      p.nose_width = 0.9F;
      p.eye_distance = 1.04F;
      p.eye_size = 1.1F;
      p.brow_ridge = 0.5F;
      p.brow_thickness = 0.7F;
      p.hair_style = HairStyle::Fringe;
      p.cheeks = 1.15F;
      p.lips = 1.05F;
      colours(3, 7, 4, 7, 0.5F);
      break;
    case 8:
      p.width = 1.02F;
      p.jaw = 1.06F;
      p.chin = 1.15F;
      p.nose_height = 1.1F;
      p.beard = 0.5F;
      p.ears = 1.05F;
      p.brow_ridge = 1.4F;
      p.brow_thickness = 1.1F;
      p.hair_style = HairStyle::Bald;
      colours(4, 0, 0, 4, 0);
      break;
    default:
      p.width = 0.94F;
      p.jaw = 0.9F;
      p.length = 0.97F;
      p.eye_tilt = 0.008F;
      p.nose_hook = -0.6F;
      p.nose_width = 0.85F;
      p.lips = 1.15F;
      p.brow_thickness = 0.7F;
      p.brow_ridge = 0.6F;
      p.hair_style = HairStyle::Bun;
      p.mouth_width = 0.95F;
      colours(1, 2, 2, 6, 0.9F);
      break;
  }
  return p;
}

}  // namespace

Identity identity(std::int64_t number) {
  if (number < 0)
    throw UsageError("person " + std::to_string(number) + " does not exist",
                     "number people from 0");
  if (number < 10) return fixed(number);
  // The number alone seeds a person, so a person is the same in every data set.
  auto random = Random(seed_of({"synthetic head", "identity", std::to_string(number)}));
  const auto around = [&](double middle, double spread) {
    return static_cast<float>(middle + spread * (2 * random.uniform() - 1));
  };
  Identity p;
  p.number = number;
  // The order of the draws is part of each person: it must not change.
  p.width = around(1, 0.06);
  p.jaw = around(1, 0.1);
  p.length = around(1, 0.05);
  p.chin = around(1, 0.2);
  p.cheeks = around(1, 0.35);
  p.brow_ridge = around(0.95, 0.5);
  p.nose_length = around(1, 0.07);
  p.nose_width = around(1.03, 0.22);
  p.nose_height = around(1, 0.2);
  p.nose_hook = around(0, 0.9);
  p.eye_size = around(1, 0.12);
  p.eye_distance = around(1, 0.04);
  p.eye_tilt = around(0.004, 0.012);
  p.mouth_width = around(1, 0.09);
  p.lips = around(1.03, 0.3);
  p.brow_thickness = around(0.95, 0.35);
  p.brow_height = around(0, 0.015);
  p.ears = around(1, 0.15);
  p.hair_volume = around(1, 0.25);
  p.parting = around(0, 1);
  p.hair_style = static_cast<HairStyle>(random.below(9));
  // Two conditions, so a beard draws random numbers only for short hair.
  const bool long_hair = p.hair_style == HairStyle::Long || p.hair_style == HairStyle::Bob ||
                         p.hair_style == HairStyle::Bun;
  p.beard = !long_hair && random.chance(0.35) ? static_cast<float>(random.uniform()) : 0.0F;
  // Varies a colour's brightness and its warmth, so that the palette does not repeat.
  const auto vary = [&](Colour c) {
    const float light = around(1, 0.08), warm = around(0, 0.03);
    return Colour{c[0] * light * (1 + warm), c[1] * light, c[2] * light * (1 - warm)};
  };
  p.skin = vary(skins[random.below(skins.size())]);
  p.hair = vary(hairs[random.below(hairs.size())]);
  p.iris = vary(irises[random.below(irises.size())]);
  p.shirt = vary(shirts[random.below(shirts.size())]);
  p.lip_colour = lip_colour_for(p.skin, static_cast<float>(random.uniform()));
  return p;
}

}  // namespace reprise::datasets
