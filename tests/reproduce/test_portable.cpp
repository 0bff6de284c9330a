// Equal numbers on every machine: hashes of data sets, operators and small cells of all studies,
// stored in tests/accuracy/portable.json by platform fingerprint. REPRISE_UPDATE_PORTABLE=1 stores
// those of this machine.
//
// If cells changed on purpose their study needs a new version. A failure names the constant to
// raise, and changed hashes are stored only after that. "version/STUDY" is the version of the
// stored hashes.
//
// CMakeLists.txt runs these tests a second time with another CPU maker reported to MKL
// (tests/reproduce/other_maker.cpp).
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include "core/sha256.h"
#include "datasets/generators/gestures.h"
#include "datasets/generators/walkers.h"
#include "datasets/scene/synthetic_head.h"
#include "datasets/transforms/optical_flow.h"
#include "experiments/arithmetic.h"
#include "experiments/run/runner.h"
#include "models/layers/product.h"
#include "reproduce/dynamic_face/study.h"
#include "reproduce/langevin/study.h"
#include "reproduce/mocogan/study.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/study.h"
#include "reproduce/studies.h"
#include "reproduce/unit/study.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

std::string hash(const at::Tensor& tensor) {
  const auto values = tensor.contiguous();
  return sha256({static_cast<const char*>(values.const_data_ptr()), values.nbytes()}).substr(0, 16);
}

std::string hash(const records::Record& record) {
  std::string text;
  for (const auto& metric : record.metrics)
    text += fmt::format("{} {:.17g}\n", metric.name, metric.value);
  return sha256(text).substr(0, 16);
}

/// Pieces by name, each with the function that computes its hash.
using Pieces = std::vector<std::pair<std::string, std::function<std::string()>>>;

/// Operators that differed between machines: those of MKL, those that LibTorch gives to MKL, and
/// those that this project keeps from MKL.
Pieces operators() {
  const auto make = [](std::initializer_list<std::int64_t> shape, std::uint64_t seed) {
    return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::kFloat);
  };
  const auto x = make({10007}, 1), y = x.abs() + 1e-3F, a = make({96, 160}, 2),
             b = make({160, 70}, 3);
  const auto square = a.to(at::kDouble).mm(a.to(at::kDouble).t()) + at::eye(96, at::kDouble);
  return {
      {"operator/randn", [=] { return hash(x); }},
      {"operator/sqrt", [=] { return hash(y.sqrt()); }},
      {"operator/exp", [=] { return hash(x.exp()); }},
      {"operator/log", [=] { return hash(y.log()); }},
      {"operator/sin", [=] { return hash(x.sin()); }},
      {"operator/cos", [=] { return hash(x.cos()); }},
      {"operator/tanh", [=] { return hash(x.tanh()); }},
      {"operator/erf", [=] { return hash(x.erf()); }},
      {"operator/sigmoid", [=] { return hash(x.sigmoid()); }},
      {"operator/softmax",
       [=] {
         return hash(x.view({-1, 10007}).softmax(1));
       }},
      {"operator/sum", [=] { return hash(x.sum()); }},
      {"operator/norm", [=] { return hash(x.norm()); }},
      {"operator/product of oneDNN", [=] { return hash(models::multiply_transposed(a, b.t())); }},
      {"operator/mm", [=] { return hash(a.mm(b)); }},
      {"operator/mm of doubles", [=] { return hash(square); }},
      {"operator/bmm",
       [=] {
         return hash(a.view({2, 48, 160}).bmm(b.expand({2, 160, 70})));
       }},
      {"operator/qr", [=] { return hash(std::get<0>(at::linalg_qr(square))); }},
      {"operator/svd", [=] { return hash(at::linalg_svdvals(square)); }},
      {"operator/cholesky", [=] { return hash(at::linalg_cholesky(square)); }},
      {"operator/eigh", [=] { return hash(std::get<0>(at::linalg_eigh(square))); }},
      {"operator/solve", [=] { return hash(at::linalg_solve(square, a.to(at::kDouble))); }},
      {"operator/convolution",
       [=] {
         return hash(at::conv2d(a.view({2, 3, 40, 64}), make({8, 3, 3, 3}, 4)));
       }},
      {"operator/fourier transform", [=] { return hash(at::view_as_real(at::fft_rfft(x))); }}};
}

Pieces data() {
  return {
      {"data/synthetic heads",
       [] {
         // Many: other rounding changes a pixel in one of twenty, or the last bits of landmarks.
         std::vector<std::int64_t> people(30);
         std::iota(people.begin(), people.end(), 0);
         const auto heads = datasets::render_head_stills(300, 32, people, 5);
         return hash(at::cat({heads.images.flatten().to(at::kFloat), heads.landmarks.flatten()}));
       }},
      {"data/gestures",
       [] {
         const auto clips = datasets::generate_gestures(6, 6, 24, {0, 1}, 5);
         return hash(at::cat({clips.colour.flatten(), clips.depth.flatten()}));
       }},
      {"data/walkers and their flow", [] {
         const auto clips =
             datasets::generate_walkers(6, 6, 32, {0, 1}, 5, datasets::FlowOptions{});
         return hash(at::cat({clips.colour.flatten(), clips.flow.flatten()}));
       }}};
}

/// The cells of a study at the smallest size, as pieces; run when their turn comes.
void add_cells(const Study& study, const std::vector<std::string>& settings,
               const std::vector<std::string>& ids, Pieces& pieces) {
  const auto run = std::make_shared<CellsInProcess>(
      study, settings_of(study, {.profile = "smoke", .set = settings}));
  for (const auto& id : ids)
    pieces.emplace_back("cell/" + study.name + "/" + id, [run, id] { return hash((*run)(id)); });
}

void add_prernn_cells(Pieces& pieces) {
  add_cells(
      prernn(),
      split_settings(
          R"(seeds=1; stills.count=60; stills.identities=12; image.size=24; camera.frames=6; clips.training=24; clips.validation=8;
    clips.test=12; cnn.trunk=8/2 16 p; cnn.width=24; cnn.epochs=2; cnn.frames_an_epoch=256; cnn.validation_frames=32;
    cnn.warmup_steps=4; sequence.epochs=2; sequence.warmup_steps=2; search.learning_rates=[1e-3]; videos.size=24; videos.frames=6;
    videos.training=24; videos.validation=12; videos.test=24; videos.people=8; video_networks.trunk_fc=6/2 8 p;
    video_networks.trunk_conv=6/2 8 p 12; video_networks.trunk_3d=6/2 p; video_networks.width=16; video_networks.clips=24;
    video_networks.steps_an_epoch=96; video_networks.epochs=1; video_sequence.epochs=2; video_sequence.warmup_steps=2;
    video_search.learning_rates=[3e-3])"),
      {"cnn/stills/cnn/seed0", "table1/faces_in_motion/trad_lstm_1/seed0",
       "table1/faces_in_motion/pre_gru_fc6/seed0", "gestures_fc/gestures/pre_lstm_fc7/seed0",
       "gestures_conv/gestures/pre_gru_conv/seed0", "gestures_3d/gestures/pre_gru_fc6/seed0",
       "actions_fc/walkers/sih_gru_fc6/seed0"},
      pieces);
}

void add_dynamic_face_cells(Pieces& pieces) {
  add_cells(
      dynamic_face(),
      split_settings(
          R"(seeds=1; tracks.count=8; tracks.frames=60; heads.count=10; image.size=16; cnn.trunk=6/2 p 8; cnn.width=12; cnn.epochs=1;
    cnn.frames_an_epoch=256; cnn.validation_frames=32; clips.training=12; clips.validation=6; clips.frames=8; test.frames=20;
    test.sequences=3; sequence.epochs=1; search.learning_rates=[1e-3]; filter.particles=50; test.kinds=["clean", "mix"];
    strength.kinds=["mix"])"),
      {"cnn/synhead/pose/seed0", "pose/synhead/kalman_velocity/seed0",
       "pose/synhead/particle_velocity/seed0", "pose/synhead/fc_gru/seed0"},
      pieces);
}

void add_langevin_cells(Pieces& pieces) {
  add_cells(
      langevin(),
      split_settings(
          R"(seeds=1; domains=["digits", "landscapes"]; digits.prior=60; digits.evaluator=60; digits.validation=20; digits.test=20;
    digits.channels=[8, 12]; digits.small_channels=[8, 12]; digits.epochs=2; digits.small_epochs=1; landscapes.prior=60;
    landscapes.evaluator=60; landscapes.validation=20; landscapes.test=20; landscapes.channels=[8, 12]; landscapes.epochs=2;
    prior.steps_an_epoch=8; prior.batch=8; prior.embedding=16; evaluator.trunk=8 p 8; evaluator.width=8; evaluator.steps=30; evaluator.batch=16;
    quality.samples=20; quality.trial_samples=20; quality.steps=3; exact.items=2000; inversion.items=8; inversion.sigmas=[1.0];
    inversion.ode_steps=3; inversion.adam_steps=5; churn.items=8; churn.likelihood_items=4; churn.rounds=2)"),
      {"exact/gaussian/langevin/seed0", "exact/mixture/ode/seed0", "prior/digits/edm/seed0",
       "prior/landscapes/edm/seed0", "quality/digits/edm/seed0", "inversion/digits/backprop/seed0",
       "churn/digits/noised_ode/seed0"},
      pieces);
}

void add_mocogan_cells(Pieces& pieces) {
  add_cells(
      mocogan(),
      split_settings(
          R"(seeds=1; clips.size=8; clips.frames=8; clips.training=64; clips.test=32; evaluator.clips=128; evaluator.steps=20; evaluator.trunk=8 p 16;
    mocogan.width_G=2; mocogan.width_D=2; mocogan.d_C=4; mocogan.d_M=3; mocogan.d_E=3; recipe.iterations=50;
    recipe.iterations_of_actions=50; recipe.batch=8; control.contents=3; control.motions=3; control.times=2; control.long_clips=4)"),
      {"generated/shape_motion/mocogan/seed0", "actions/shape_motion/mocogan_action/seed0"},
      pieces);
}

void add_unit_cells(Pieces& pieces) {
  add_cells(
      unit(),
      split_settings(
          R"(seeds=1; digits.size=16; digits.training=48; digits.test=30; digits.evaluated=20; digits.evaluate_every=2; digits.iterations=4;
    digits.batch=8; digits.width_G=2; digits.width_D=2; digits.subspace=5; digit_classifier.training=48; digit_classifier.steps=20; map.training=12;
    map.test=6; map.evaluated=4; map.evaluate_every=2; map.iterations=4; map.batch=2; map.side=16; map.width=2; map.width_D=2;
    evaluator.trunk=4 p 8; evaluator.steps=20)"),
      {"digits/street_written/unit_digits/seed0", "map/scenes/unit/seed0"}, pieces);
}

Pieces cells() {
  Pieces pieces;
  add_prernn_cells(pieces);
  add_dynamic_face_cells(pieces);
  add_langevin_cells(pieces);
  add_mocogan_cells(pieces);
  add_unit_cells(pieces);
  return pieces;
}

const std::filesystem::path& stored_hashes() {
  static const auto path = fixture("../accuracy/portable.json");
  return path;
}

/// The study whose cell a piece is; nullptr for data and operators.
const Study* study_of_piece(const std::string& piece) {
  for (const auto& study : studies())
    if (piece.starts_with("cell/" + study.name + "/")) return &study;
  return nullptr;
}

/// Returns what to do if a piece changed on purpose.
std::string advice(const std::string& piece) {
  constexpr auto then = "then store the new hashes (REPRISE_UPDATE_PORTABLE=1)";
  const auto* study = study_of_piece(piece);
  if (study == nullptr)
    return fmt::format(
        "on purpose? Raise STUDY_version in reproduce/STUDY/study.h of every study whose cells move with it, {}",
        then);
  return fmt::format("on purpose? Raise {0}_version in reproduce/{0}/study.h, which is {1}, {2}",
                     study->name, study->version, then);
}

/// Stores the hash of a piece and the version of its study. Fails where the hash differs from the
/// one in `before` and the version does not.
void store_hash(const std::string& piece, const std::string& hash, const nlohmann::json& before,
                nlohmann::json& stored) {
  if (const auto* study = study_of_piece(piece)) {
    const auto key = "version/" + study->name;
    if (before.value(piece, hash) != hash && before.value(key, 1) == study->version) {
      ADD_FAILURE() << piece << " has moved and is not stored; " << advice(piece);
      return;
    }
    stored[key] = study->version;
  }
  stored[piece] = hash;
}

/// Compares every piece with the hash stored for this platform. The first difference is the cause
/// of later ones.
void compare(const Pieces& pieces) {
  at::set_num_threads(1);
  const auto arithmetic = arithmetic_fingerprint("", 1);
  auto all = nlohmann::json::parse(read_file(stored_hashes()));
  const bool update = std::getenv("REPRISE_UPDATE_PORTABLE") != nullptr;
  if (!all.contains(arithmetic) && !update)
    GTEST_SKIP() << "no hashes are stored for \"" << arithmetic
                 << "\"; REPRISE_UPDATE_PORTABLE=1 stores this machine's";
  auto& stored = all[arithmetic];
  if (stored.is_null()) stored = nlohmann::json::object();
  const auto before = stored;
  for (const auto& [name, make] : pieces) {
    const auto now = make();
    if (update)
      store_hash(name, now, before, stored);
    else
      EXPECT_EQ(stored.value(name, "nothing stored"), now)
          << name << " is not what " << arithmetic << " gives elsewhere, or gave before; "
          << advice(name);
  }
  if (update) write_file(stored_hashes(), all.dump(1) + "\n");
}

TEST(Portable, SquareRootsAreRoundedAsIeee754Asks) {
  const auto expect_exact = [](auto zero, at::ScalarType type) {
    using Value = decltype(zero);
    auto x = at::rand({100003}, at::make_generator<at::CPUGeneratorImpl>(1), type).square() * 9;
    const auto roots = x.sqrt(), every_other = x.slice(0, 1, x.numel(), 2).sqrt();
    std::int64_t off = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const auto exact = std::sqrt(x.data_ptr<Value>()[i]);
      off += roots.data_ptr<Value>()[i] != exact;
      if (i % 2 == 1) off += every_other.data_ptr<Value>()[i / 2] != exact;
    }
    EXPECT_EQ(off, 0) << "of " << x.numel() << " in " << type;
    EXPECT_TRUE(x.sqrt_().equal(roots)) << "in place";
  };
  expect_exact(0.0F, at::kFloat);
  expect_exact(0.0, at::kDouble);
  const auto special = at::tensor({-1.0F, -0.0F, std::numeric_limits<float>::infinity(),
                                   std::numeric_limits<float>::denorm_min()})
                           .sqrt();
  EXPECT_TRUE(std::isnan(special[0].item<float>()));
  EXPECT_TRUE(std::signbit(special[1].item<float>()));
  EXPECT_EQ(special[2].item<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(special[3].item<float>(), std::sqrt(std::numeric_limits<float>::denorm_min()));
}

TEST(Portable, ACellThatMovedNamesTheVersionToRaiseAndIsStoredOnlyWithIt) {
  const std::string cell = "cell/prernn/cnn/stills/cnn/seed0";
  EXPECT_THAT(advice(cell),
              testing::AllOf(testing::HasSubstr("Raise prernn_version in reproduce/prernn/study.h"),
                             testing::HasSubstr("which is " + std::to_string(prernn_version))));
  EXPECT_THAT(advice("operator/exp"), testing::HasSubstr("of every study"));
  nlohmann::json before = {{cell, "old"}, {"version/prernn", prernn_version}}, stored = before;
  EXPECT_NONFATAL_FAILURE(store_hash(cell, "new", before, stored), "has moved and is not stored");
  EXPECT_EQ(stored, before);
  before["version/prernn"] = prernn_version - 1;
  store_hash(cell, "new", before, stored);
  EXPECT_EQ(stored, nlohmann::json({{cell, "new"}, {"version/prernn", prernn_version}}));
}

// In order of dependence: if operators differ, cells differ too.
TEST(Portable, OperatorsAreTheSameOnEveryMachine) { compare(operators()); }
TEST(Portable, DataIsTheSameOnEveryMachineSlow) { compare(data()); }
TEST(Portable, SmallCellsOfEveryStudyAreTheSameOnEveryMachineSlow) { compare(cells()); }

// A loader that does not find the library to preload only prints a warning.
TEST(Portable, WhatIsToBePreloadedIs) {
  const char* name = std::getenv("LD_PRELOAD");
  if (name == nullptr || std::string_view(name).find("other_maker") == std::string_view::npos)
    GTEST_SKIP() << "as the CPU is";
  Dl_info info{};
  const auto* asked = dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true");
  ASSERT_TRUE(asked != nullptr && dladdr(asked, &info) != 0);
  EXPECT_THAT(info.dli_fname, testing::HasSubstr("other_maker"));
}

TEST(Portable, TheFingerprintNamesWhatChangesNumbersAndNotTheCpu) {
  const auto text = arithmetic_fingerprint("", 1);
  EXPECT_THAT(text,
              testing::AllOf(testing::HasSubstr("float32, LibTorch 2."),
                             testing::HasSubstr("OpenCV 4."), testing::HasSubstr("1 thread")));
  EXPECT_THAT(arithmetic_fingerprint("H200", 2),
              testing::AllOf(testing::HasSubstr("2 threads"), testing::EndsWith(", H200")));
  setenv("DNNL_MAX_CPU_ISA", "SSE41", 1);
  EXPECT_THAT(arithmetic_fingerprint("", 1), testing::HasSubstr("(oneDNN SSE41), float32"));
  unsetenv("DNNL_MAX_CPU_ISA");
  EXPECT_EQ(arithmetic_fingerprint("", 1), text);
}

}  // namespace
}  // namespace reprise::reproduce
