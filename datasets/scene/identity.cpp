// The ten people designed by hand, and random ones.
#include <string>

#include "core/error.h"
#include "datasets/scene/head_surface.h"

namespace reprise::datasets {
namespace {

// Palettes, 8-bit red, green and blue. People choose from them by index.
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

/// Returns lips in the hue of the skin; `red` runs from 0 to 1.
Colour lip_colour_for(const Colour& skin, float red) {
  return {skin[0] * (0.86F - 0.05F * red), skin[1] * (0.66F - 0.16F * red),
          skin[2] * (0.7F - 0.14F * red)};
}

/// A designed person: the values of Identity that differ from the default, indices into the
/// palettes, and the red of the lips.
struct DesignedPerson {
  Identity shape;
  std::size_t skin;
  std::size_t hair;
  std::size_t iris;
  std::size_t shirt;
  float lip_red;
};

/// People 0 to 9, who differ in shape, skin and hair.
constexpr std::array<DesignedPerson, 10> designed_people{{
    {.shape = {.jaw = 1.04F,
               .chin = 1.1F,
               .brow_ridge = 1.3F,
               .brow_thickness = 1.2F,
               .beard = 0.12F,
               .parting = 0.8F},
     .skin = 0,
     .hair = 1,
     .iris = 1,
     .shirt = 0,
     .lip_red = 0},
    {.shape = {.width = 0.95F,
               .jaw = 0.92F,
               .chin = 0.85F,
               .brow_ridge = 0.5F,
               .nose_length = 0.95F,
               .nose_width = 0.88F,
               .eye_size = 1.1F,
               .lips = 1.2F,
               .brow_thickness = 0.65F,
               .brow_height = 0.015F,
               .hair_style = HairStyle::Long},
     .skin = 2,
     .hair = 3,
     .iris = 1,
     .shirt = 1,
     .lip_red = 1},
    {.shape = {.width = 1.03F,
               .nose_width = 1.3F,
               .nose_height = 0.85F,
               .mouth_width = 1.08F,
               .lips = 1.35F,
               .ears = 0.95F,
               .hair_style = HairStyle::Cropped},
     .skin = 6,
     .hair = 5,
     .iris = 3,
     .shirt = 3,
     .lip_red = 0},
    {.shape = {.jaw = 0.96F,
               .cheeks = 1.3F,
               .brow_ridge = 0.5F,
               .nose_height = 0.8F,
               .eye_size = 0.95F,
               .eye_tilt = 0.016F,
               .lips = 1.1F,
               .brow_thickness = 0.8F,
               .hair_style = HairStyle::Bob},
     .skin = 7,
     .hair = 5,
     .iris = 3,
     .shirt = 6,
     .lip_red = 0.7F},
    {.shape = {.width = 0.97F,
               .length = 1.05F,
               .nose_length = 1.07F,
               .nose_height = 1.2F,
               .nose_hook = 0.8F,
               .lips = 0.8F,
               .brow_thickness = 1.3F,
               .beard = 0.85F,
               .parting = -0.6F,
               .hair_style = HairStyle::Short},
     .skin = 1,
     .hair = 4,
     .iris = 2,
     .shirt = 2,
     .lip_red = 0},
    {.shape = {.width = 0.96F,
               .jaw = 0.94F,
               .chin = 0.9F,
               .brow_ridge = 0.6F,
               .nose_width = 1.15F,
               .nose_height = 0.9F,
               .eye_size = 1.08F,
               .lips = 1.3F,
               .brow_thickness = 0.8F,
               .hair_style = HairStyle::Curly},
     .skin = 5,
     .hair = 0,
     .iris = 3,
     .shirt = 5,
     .lip_red = 0.6F},
    {.shape = {.width = 1.05F,
               .jaw = 1.1F,
               .length = 1.02F,
               .cheeks = 0.7F,
               .brow_ridge = 1.5F,
               .nose_length = 1.04F,
               .nose_width = 1.1F,
               .eye_size = 0.9F,
               .lips = 0.75F,
               .brow_height = -0.01F,
               .ears = 1.15F,
               .hair_style = HairStyle::Receding},
     .skin = 0,
     .hair = 6,
     .iris = 4,
     .shirt = 4,
     .lip_red = 0},
    {.shape = {.jaw = 0.93F,
               .chin = 0.9F,
               .cheeks = 1.15F,
               .brow_ridge = 0.5F,
               .nose_length = 0.93F,
               .nose_width = 0.9F,
               .eye_size = 1.1F,
               .eye_distance = 1.04F,
               .lips = 1.05F,
               .brow_thickness = 0.7F,
               .hair_style = HairStyle::Fringe},
     .skin = 3,
     .hair = 7,
     .iris = 4,
     .shirt = 7,
     .lip_red = 0.5F},
    {.shape = {.width = 1.02F,
               .jaw = 1.06F,
               .chin = 1.15F,
               .brow_ridge = 1.4F,
               .nose_height = 1.1F,
               .brow_thickness = 1.1F,
               .ears = 1.05F,
               .beard = 0.5F,
               .hair_style = HairStyle::Bald},
     .skin = 4,
     .hair = 0,
     .iris = 0,
     .shirt = 4,
     .lip_red = 0},
    {.shape = {.width = 0.94F,
               .jaw = 0.9F,
               .length = 0.97F,
               .brow_ridge = 0.6F,
               .nose_width = 0.85F,
               .nose_hook = -0.6F,
               .eye_tilt = 0.008F,
               .mouth_width = 0.95F,
               .lips = 1.15F,
               .brow_thickness = 0.7F,
               .hair_style = HairStyle::Bun},
     .skin = 1,
     .hair = 2,
     .iris = 2,
     .shirt = 6,
     .lip_red = 0.9F},
}};

/// Returns one of the ten designed people.
Identity designed_person(std::int64_t number) {
  const auto& design = designed_people[static_cast<std::size_t>(number)];
  Identity person = design.shape;
  person.number = number;
  person.skin = skins[design.skin];
  person.hair = hairs[design.hair];
  person.iris = irises[design.iris];
  person.shirt = shirts[design.shirt];
  person.lip_colour = lip_colour_for(person.skin, design.lip_red);
  return person;
}

}  // namespace

Identity identity(std::int64_t number) {
  if (number < 0)
    throw UsageError("person " + std::to_string(number) + " does not exist",
                     "number people from 0");
  if (number < std::ssize(designed_people)) return designed_person(number);
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
