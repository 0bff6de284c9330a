// Settings for tests of study dynamic_face.
#pragma once
#include <string>
#include <vector>

#include "experiments/run/request.h"
#include "experiments/settings.h"
#include "experiments/study.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/support.h"

namespace reprise::reproduce {

inline Settings faces_profile(const std::string& name,
                              const std::vector<std::string>& changes = {}) {
  return settings_of(dynamic_face(), {.profile = name, .set = changes});
}

/// Settings whose cells take about a second each.
inline Settings tiny(const std::vector<std::string>& changes = {}) {
  auto all = split_settings(
      R"(seeds=2; heads.count=8; tracks.count=8; tracks.frames=40; image.size=16; cnn.trunk=6/2 p 8; cnn.width=12; cnn.epochs=1;
    cnn.frames_an_epoch=256; cnn.validation_frames=32; clips.training=12; clips.validation=6; clips.frames=8; test.frames=20;
    test.sequences=3; sequence.epochs=1; search.epochs=1; filter.particles=50; test.kinds=["clean", "gaps"];
    strength.kinds=["gaps"])");
  all.insert(all.end(), changes.begin(), changes.end());
  return faces_profile("smoke", all);
}

}  // namespace reprise::reproduce
