// Study unit end to end on tiny networks: what is promised of its cells, not how well they
// translate.
#include <fmt/format.h>
#include <torch/torch.h>

#include "core/files.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/generators/landscapes.h"
#include "datasets/generators/map_scenes.h"
#include "datasets/transforms/picture_scaling.h"
#include "metrics/pixel_accuracy.h"
#include "metrics/translation.h"
#include "models/translation/trained_unit.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"
#include "reproduce/unit/study.h"
#include "reproduce/unit/training_curves.h"
#include "tests/datasets/idx_files.h"
#include "tests/reproduce/run_cells.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;
using unit_study::find_picture_set;
using unit_study::load_digit_parts;
using unit_study::load_picture_parts;
using unit_study::sweep_rows;
using unit_study::TrainingCurves;

Settings tiny_unit(const Study& study) {
  auto settings = profile_settings(study, "smoke");
  for (
      const auto& assignment : split_settings(
          R"(seeds=1; digits.size=16; digits.training=48; digits.test=30; digits.evaluated=20; digits.evaluate_every=2; digits.iterations=4;
    digits.batch=8; digits.width_G=2; digits.width_D=2; digits.subspace=5; digit_classifier.training=48; digit_classifier.steps=20; map.training=12;
    map.test=6; map.evaluated=4; map.evaluate_every=2; map.iterations=4; map.batch=2; map.side=16; map.width=2; map.width_D=2;
    sweep.iterations=2; evaluator.trunk=4 p 8; evaluator.steps=20; photos.side=16; photos.training=10; photos.test=6; photos.evaluator_pictures=20;
    photos.iterations=2; photos.width=2; photos.width_D=2; photos.halvings=1; photos.blocks=1; photos.layers_D=2)"))
    settings.set(assignment);
  return settings;
}

TEST(UnitStudy, EveryPlannedCellRunsAndHasItsNumbersSlow) {
  const auto study = unit();
  const auto settings = tiny_unit(study);
  CellsInProcess run(study, settings);
  for (const auto& planned : study.plan(settings, DataFolder())) {
    const auto& record = run(planned.cell.id());
    EXPECT_FALSE(record.metrics.empty()) << planned.cell.id();
    const auto& table = planned.cell.table;
    const bool has_unit =
        planned.cell.method.starts_with("unit") || planned.cell.method == "paired";
    EXPECT_EQ(record.metric("accuracy_selected").has_value(), table == "digits")
        << planned.cell.id();
    EXPECT_EQ(record.metric("accuracy_translated").has_value(), table == "digits" && has_unit)
        << planned.cell.id();
    EXPECT_EQ(record.metric("pixel_accuracy").has_value(), table == "map" || table == "sweep")
        << planned.cell.id();
    EXPECT_EQ(record.metric("read_back").has_value(), table == "digits" && has_unit)
        << planned.cell.id();
    EXPECT_EQ(record.metric("code_top_1").has_value(), table == "map" || table == "sweep")
        << planned.cell.id();
    EXPECT_EQ(record.metric("rise_at_end").has_value(), (table == "map" && has_unit))
        << planned.cell.id();
    EXPECT_EQ(record.metric("sharpness_fine").has_value(), table == "photos") << planned.cell.id();
    EXPECT_FALSE(std::filesystem::exists(run.folder(planned.cell.id()) / "watched.json"))
        << planned.cell.id();
  }
  EXPECT_THAT(
      run.claims_that_are(records::Verdict::NotComparable,
                          {{"street_mnist", "street_written"}, {"day_night", "landscapes"}}),
      testing::IsEmpty());
}

// A cell depends on its axes, not on which cells ran before.
TEST(UnitStudy, TheSameCellHasTheSameNumbersSlow) {
  const auto study = unit();
  CellsInProcess once(study, tiny_unit(study)), again(study, tiny_unit(study));
  for (const std::string id : {"digits/street_written/unit_digits/seed0", "map/scenes/unit/seed0"})
    EXPECT_EQ(once.curves(once(id)), again.curves(again(id)));
  EXPECT_EQ(once("map/scenes/unit/seed0").metric("cycle"),
            again("map/scenes/unit/seed0").metric("cycle"));
}

// Trivial baselines have exact numbers.
TEST(UnitStudy, RowsThatDoNothingHaveTheNumbersOfNothingSlow) {
  const auto study = unit();
  CellsInProcess run(study, tiny_unit(study));
  const auto& same = run("map/scenes/identity/seed0");
  EXPECT_EQ(same.metric("cycle"), 0);
  EXPECT_NEAR(*same.metric("edges"), 1, 1e-9);
  const auto& floor = run("map/scenes/constant_colour/seed0");
  EXPECT_EQ(floor.metric("edges"), 0);
  EXPECT_EQ(floor.metric("accuracy_land"), 1) << "land is what there is most of";
  EXPECT_EQ(floor.metric("accuracy_road"), 0);
  EXPECT_EQ(floor.metric("accuracy_of_classes"), 0.2) << "one class of five is all right";
  EXPECT_EQ(floor.metric("accuracy_relabelled"), floor.metric("pixel_accuracy"))
      << "no exchange of colours finds more than land";
  EXPECT_NEAR(*run("photos/landscapes/identity/seed0").metric("layout_back"), 1, 1e-9);
}

/// What a cell of this study gets, without a run.
struct Place {
  explicit Place(Settings chosen) : settings(std::move(chosen)) {}
  Settings settings;
  TemporaryFolder results;
  records::Store store{results.path()};
  records::Record record{};
  training::Progress silent{nullptr};
  CellContext context(const std::string& table, const std::string& dataset, std::int64_t seed,
                      const std::filesystem::path& data = {}) {
    record.cell = unit_study::cell(table, dataset, "unit", seed);
    return {settings, store, results.path(), data, "cpu", record, silent};
  }
};

TEST(UnitStudy, NoSceneIsInTwoPartsAndASeedResamplesThemAll) {
  Place place(tiny_unit(unit()));
  const auto& scenes = find_picture_set("scenes", "map");
  const auto parts = load_picture_parts(scenes, place.context("map", "scenes", 0));
  const auto maps = at::cat({parts.b, parts.b_of_a, parts.test_b}).flatten(1);
  const auto apart = at::cdist(maps, maps) + 1e3 * at::eye(maps.size(0));
  EXPECT_GT(apart.min().item<double>(), 0.1);
  EXPECT_TRUE(load_picture_parts(scenes, place.context("map", "scenes", 0)).a.equal(parts.a));
  const auto other = load_picture_parts(scenes, place.context("map", "scenes", 1));
  EXPECT_FALSE(other.a.equal(parts.a));
  EXPECT_FALSE(other.test_b.equal(parts.test_b));
}

/// Photographs of four cameras, identified by their sizes. A camera's landscapes have one width.
void write_day_and_night(const std::filesystem::path& folder) {
  for (int camera = 0; camera < 4; ++camera) {
    const auto drawn =
        datasets::draw_landscapes(8, 24, 30 + 8 * camera, static_cast<std::uint64_t>(camera));
    for (std::int64_t i = 0; i < 8; ++i) {
      const auto name = fmt::format("{}/{}_{}.png",
                                    drawn.labels[i].item<int>() == 0 ? "day" : "night", camera, i);
      std::filesystem::create_directories((folder / name).parent_path());
      datasets::write_png(folder / name, drawn.images[i].contiguous());
    }
  }
}

TEST(UnitStudy, PhotographsOfDayAndNightAreReadSlow) {
  const TemporaryFolder data;
  write_day_and_night(data.path() / "day_night");
  const auto study = unit();
  auto settings = tiny_unit(study);
  settings.set("photos.datasets=[\"day_night\"]");
  CellsInProcess run(study, settings, data.path());
  EXPECT_TRUE(run("photos/day_night/unit/seed0").metric("kernel").has_value());
  EXPECT_TRUE(run("judge/day_night/picture_judge/seed0").metric("accuracy").has_value());
}

TEST(UnitStudy, AlignedPairsAreReadAndTheirHalvesAreOfDifferentPlacesSlow) {
  const TemporaryFolder data;
  const auto drawn = datasets::draw_map_scenes(36, 16, 1);
  for (std::int64_t i = 0; i < 36; ++i) {
    const auto file = data.path() / "maps" / (i < 28 ? "train" : "val") / fmt::format("{}.png", i);
    std::filesystem::create_directories(file.parent_path());
    datasets::write_png(file, at::cat({drawn.aerial[i], drawn.map[i]}, 1).contiguous());
  }
  const auto study = unit();
  auto settings = tiny_unit(study);
  settings.set("map.datasets=[\"maps\"]");
  Place place(settings);
  const auto parts = load_picture_parts(find_picture_set("maps", "map"),
                                        place.context("map", "maps", 0, data.path()));
  EXPECT_EQ(parts.a.sizes(), (std::vector<std::int64_t>{12, 3, 16, 16}));
  EXPECT_EQ(parts.test_b.size(0), 6);
  EXPECT_GT(at::cdist(parts.b.flatten(1), parts.b_of_a.flatten(1)).min().item<double>(), 0.1);
  CellsInProcess run(study, settings, data.path());
  EXPECT_TRUE(run("map/maps/unit/seed0").metric("pixel_accuracy").has_value());
  EXPECT_FALSE(run("map/maps/unit/seed0").metric("accuracy_land").has_value());
}

TEST(UnitStudy, WhatCannotBeRunIsRefusedBeforeTheRun) {
  const auto study = unit();
  const auto refused = [&](const std::string& assignment, const char* message) {
    auto settings = tiny_unit(study);
    const auto plan = [&] {
      settings.set(assignment);
      require_present(study.plan(settings, DataFolder()));
    };
    EXPECT_THAT(plan, ThrowsUsageError(HasSubstr(message))) << assignment;
  };
  refused("digits.pairs=[\"mnist_usps\"]", "mnist (written digits");
  refused("digits.pairs=[\"mnist_usps\"]", "; usps (written digits");
  refused("digits.pairs=[\"mnist\"]", "not a pair of digit sets");
  refused("digits.pairs=[\"street_street\"]", "one set twice");
  refused("digits.pairs=[\"street_writen\"]", "written");
  refused("digits.methods=[\"dan\"]", "dann");
  refused("map.methods=[\"unti\"]", "unit");
  refused("map.datasets=[\"landscapes\"]", "belongs to section photos");
  refused("photos.methods=[\"paired\"]", "photographs have none");
  refused("photos.datasets=[\"day_night\"]", "landscapes");
  refused("map.start=\"orthogonal\"", "gaussian");
  refused("map.test=1", "map.test");
  refused("digits.usps_margin=-1", "digits.usps_margin");
  refused("digits.usps_margin=17", "digits.usps_margin");
  refused("digits.training=0", "generated");
  refused("digits.svhn_part=\"test\"", "extra");
}

// A killed run resumes from a checkpoint and keeps its earlier evaluations.
TEST(UnitTrainingCurves, PointsOutliveTheProcessAndAreFoundByTheirMaximum) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "watched.json";
  TrainingCurves first(file);
  EXPECT_THAT([&] { first.value_at_maximum("sure", "right"); },
              ThrowsError(HasSubstr("nothing was measured")));
  first.add(200, {{"sure", 2}, {"right", 0.5}});
  first.add(100, {{"sure", 3}, {"right", 0.25}});
  TrainingCurves again(file);
  again.add(200, {{"sure", 1}, {"right", 0.125}});
  EXPECT_EQ(again.value_at_maximum("sure", "right"), 0.25);
  const auto curves = TrainingCurves(file).curves();
  EXPECT_EQ(curves.at("iteration"), (std::vector<double>{100, 200}));
  EXPECT_EQ(curves.at("right"), (std::vector<double>{0.25, 0.125}));
  again.remove_file();
  EXPECT_FALSE(std::filesystem::exists(file));
}

// Two rows of one system would agree in every digit.
TEST(UnitSweep, NoRowOfTheSweepIsAnotherOne) {
  auto settings = tiny_unit(unit());
  settings.set("map.shared=2");
  settings.set("sweep.shared=[0, 2, 1]");
  const auto rows = sweep_rows(settings);
  EXPECT_EQ(rows.front(), "unit");
  for (const auto& row : rows) {
    if (row == "unit") continue;
    for (const auto& [name, text, value] : records::parse_trial(row).hyperparameters)
      EXPECT_NE(settings.number("map." + name), value) << row;
  }
  EXPECT_EQ(std::ranges::count(rows, "unit+shared=0") + std::ranges::count(rows, "unit+shared=1"),
            2);
}

/// 150 digits in both parts of MNIST's and of USPS's files: noise, so that no two are alike.
void write_digit_sets(const std::filesystem::path& folder) {
  constexpr std::int64_t n = 150;
  for (const auto* part : {"train", "t10k"}) {
    const auto labels = torch::arange(n, torch::kLong).remainder(10);
    write_file(folder / "mnist" / fmt::format("{}-images-idx3-ubyte", part),
               datasets::testing_idx::idx(torch::randint(256, {n, 16, 16}).to(torch::kByte)));
    write_file(folder / "mnist" / fmt::format("{}-labels-idx1-ubyte", part),
               datasets::testing_idx::idx(labels.to(torch::kByte)));
    std::string lines;
    for (std::int64_t i = 0; i < n; ++i) {
      lines += std::to_string(i % 10 + 1);
      for (int k = 1; k <= 256; ++k)
        lines += fmt::format(" {}:{:.3f}", k, torch::rand({1}).item<double>() * 2 - 1);
      lines += "\n";
    }
    write_file(folder / "usps" / (std::string(part) == "train" ? "usps" : "usps.t"), lines);
  }
}

// A search sees no digit of a test part.
TEST(UnitStudy, DigitsThatSettingsAreSoughtWithAreOfTheTrainingPartAndNotLearnedFrom) {
  const TemporaryFolder data;
  write_digit_sets(data.path());
  auto settings = tiny_unit(unit());
  const auto drawn = [&](const char* held_out) {
    settings.set(std::string("digits.held_out=") + held_out);
    Place place(settings);
    return load_digit_parts("mnist_usps", place.context("digits", "mnist_usps", 0, data.path()));
  };
  const auto judged = drawn("test"), sought = drawn("train");
  EXPECT_TRUE(judged.learned.source.equal(sought.learned.source));
  const auto nearest = [](const at::Tensor& a, const at::Tensor& b) {
    return at::cdist(a.flatten(1), b.flatten(1)).min().item<double>();
  };
  EXPECT_GT(nearest(sought.source_test.x, sought.learned.source), 0);
  EXPECT_GT(nearest(sought.target_test.x, judged.target_test.x), 0);
  EXPECT_GT(nearest(sought.source_test.x, judged.source_test.x), 0);
}

/// Loads the digits of a pair with one seed.
unit_study::DigitParts load_with(const Settings& settings, const std::string& pair,
                                 const std::filesystem::path& data = {}) {
  Place place(settings);
  return load_digit_parts(pair, place.context("digits", pair, 0, data));
}

// The authors pad USPS by 3 of 22 pixels. Of 16 pixels a margin of more than two is paper then.
TEST(UnitDigits, TheMarginOfUspsShowsInTheMeanPictureOfAllParts) {
  const TemporaryFolder data;
  write_digit_sets(data.path());
  auto settings = tiny_unit(unit());
  const auto outermost_rows = [&](int margin) {
    settings.set(fmt::format("digits.usps_margin={}", margin));
    const auto parts = load_with(settings, "mnist_usps", data.path());
    Place place(settings);
    const auto evaluator =
        unit_study::load_evaluator_digits("usps", place.context("reader", "usps", 0, data.path()));
    std::vector<double> rows;
    // The evaluator's digits are inverted from the second on.
    for (const auto& x : {parts.learned.source, parts.learned.target, parts.target_test.x,
                          evaluator.test.x.slice(0, 0, evaluator.test.x.size(0), 2)})
      rows.push_back(x.mean(0)[0].slice(0, 0, 2).mean().item<double>());
    return rows;
  };
  const auto without = outermost_rows(0), padded = outermost_rows(3);
  EXPECT_EQ(without[0], padded[0]) << "MNIST has no margin added";
  for (std::size_t part = 1; part < padded.size(); ++part) {
    EXPECT_NEAR(padded[part], -1, 1e-6);
    EXPECT_NEAR(without[part], 0, 0.2) << "noise has ink everywhere";
  }
}

TEST(UnitDigits, ZeroTakesAllTrainingDigitsExceptThoseHeldOut) {
  const TemporaryFolder data;
  write_digit_sets(data.path());
  auto settings = tiny_unit(unit());
  settings.set("digits.training=0");
  EXPECT_EQ(load_with(settings, "mnist_usps", data.path()).learned.source.size(0), 150);
  settings.set("digits.held_out=train");
  const auto sought = load_with(settings, "mnist_usps", data.path());
  EXPECT_EQ(sought.learned.source.size(0), 120);
  EXPECT_EQ(sought.source_test.x.size(0), 30);
  EXPECT_GT(at::cdist(sought.source_test.x.flatten(1), sought.learned.source.flatten(1))
                .min()
                .item<double>(),
            0);
}

// CoGAN's release splits USPS anew.
TEST(UnitDigits, ThePooledSplitOfUspsHasADigitInOnePartAlone) {
  const TemporaryFolder data;
  write_digit_sets(data.path());
  auto settings = tiny_unit(unit());
  for (const auto* assignment : {"digits.usps_split=pooled", "digits.training=0", "digits.test=0"})
    settings.set(assignment);
  const auto parts = load_with(settings, "usps_mnist", data.path());
  EXPECT_EQ(parts.learned.source.size(0), 240) << "four fifths of 300";
  EXPECT_EQ(parts.source_test.x.size(0), 60);
  EXPECT_EQ(parts.target_test.x.size(0), 150) << "MNIST keeps its parts";
  EXPECT_GT(at::cdist(parts.source_test.x.flatten(1), parts.learned.source.flatten(1))
                .min()
                .item<double>(),
            0);
}

TEST(UnitDigits, BothPolaritiesAreEachGreyDigitTwice) {
  auto settings = tiny_unit(unit());
  settings.set("digits.both_polarities=true");
  const auto seen = load_with(settings, "street_written").learned.target;
  ASSERT_EQ(seen.size(0), 2 * settings.integer("digits.training"));
  const auto halves = seen.chunk(2);
  EXPECT_TRUE(halves[0].equal(-halves[1]));
}

// Whoever has digits alone can run the digits.
TEST(UnitDigits, CellsOfDigitsAskForNoPhotographs) {
  const TemporaryFolder data;
  write_digit_sets(data.path());
  auto settings = tiny_unit(unit());
  settings.set("digits.pairs=[\"mnist_usps\", \"svhn_mnist\"]");
  settings.set("photos.datasets=[\"day_night\"]");
  for (const auto& planned : unit().plan(settings, DataFolder(data.path()))) {
    const auto& cell = planned.cell;
    const bool lacks = cell.dataset.starts_with("svhn") || cell.dataset == "day_night";
    EXPECT_EQ(planned.missing.empty(), !lacks) << cell.id();
  }
}

TEST(UnitDigits, TheExtraPartOfSvhnIsAskedForByItsFile) {
  const TemporaryFolder data;
  write_digit_sets(data.path());
  std::filesystem::create_directories(data.path() / "svhn");
  auto settings = tiny_unit(unit());
  settings.set("digits.pairs=[\"svhn_mnist\"]");
  const auto plan = [&] { require_present(unit().plan(settings, DataFolder(data.path()))); };
  EXPECT_NO_THROW(plan());
  settings.set("digits.svhn_part=extra");
  EXPECT_THAT(plan, ThrowsUsageError(HasSubstr("extra_32x32.mat")));
}

// The choice needs no label of the target, and the chosen training goes on from where it was.
TEST(UnitDigits, TheSurestStartGoesOnSlow) {
  const auto study = unit();
  auto settings = tiny_unit(study);
  for (const auto* assignment :
       {"digits.iterations=6", "digits.starts=3", "digits.start_iterations=4"})
    settings.set(assignment);
  CellsInProcess run(study, settings);
  for (const std::string method : {"unit_digits", "cogan", "dann", "source_only"}) {
    const auto id = "digits/street_written/" + method + "/seed0";
    const auto& record = run(id);
    std::vector<double> sure;
    for (int start = 0; start < 3; ++start)
      sure.push_back(*record.metric(fmt::format("certainty_of_start_{}", start)));
    const auto most = std::ranges::max_element(sure);
    EXPECT_EQ(record.metric("start_taken"), static_cast<double>(most - sure.begin())) << method;
    EXPECT_NE(sure[0], sure[1]) << method << ": starts differ";
    const auto curves = run.curves(record);
    EXPECT_EQ(curves.at("iteration"), (std::vector<double>{2, 4, 6})) << method;
    EXPECT_NEAR(curves.at("certainty")[1], *most, 1e-4) << method << ": curves are rounded";
    for (const auto& file : std::filesystem::directory_iterator(run.folder(id)))
      EXPECT_THAT(file.path().filename().string(), testing::Not(HasSubstr("start"))) << method;
  }
  EXPECT_FALSE(run("digits/street_written/subspace_alignment/seed0").metric("start_taken"));
}

TEST(UnitDigits, StartsThatEndBetweenEvaluationsAreRefused) {
  auto settings = tiny_unit(unit());
  settings.set("digits.starts=2");
  settings.set("digits.start_iterations=3");
  EXPECT_THAT([&] { unit().plan(settings, DataFolder()); },
              ThrowsUsageError(HasSubstr("digits.start_iterations")));
}

/// The translator of maps that comes with the project.
models::TrainedUnit shipped() {
  return models::load_unit(fixture("../../docs/examples/unit_maps.safetensors"));
}

// Scenes that it has not seen. Nothing but borders holds a translator in its place, so that its
// maps may be some pixels off.
TEST(TheMapTranslator, MakesMapsOfScenes) {
  auto trained = shipped();
  EXPECT_EQ(trained.metadata.b, "map");
  EXPECT_LT(std::filesystem::file_size(fixture("../../docs/examples/unit_maps.safetensors")),
            4U << 20);
  const auto scenes = datasets::draw_map_scenes(32, 32, 11);
  const torch::NoGradGuard no_grad;
  const auto y = trained.G->decode(
      trained.G->encode(datasets::scale_pictures(scenes.aerial, 32, 3), training::Domain::A),
      training::Domain::B);
  const auto maps = datasets::to_pixels(y).permute({0, 2, 3, 1}).contiguous();
  const auto found = metrics::registered_pixel_accuracy(maps, scenes.map, 4);
  const auto land = datasets::map_palette()[0].expand_as(scenes.map);
  EXPECT_GT(found.accuracy, metrics::pixel_accuracy(land, scenes.map) + 0.1)
      << "better than one colour everywhere";
}

// Landscapes that it has not seen: night is as dark as night, day as bright as day, and hills stay
// where they are.
TEST(TheDayAndNightTranslator, MakesNightOfDayAndDayOfNight) {
  const auto file = fixture("../../docs/examples/unit_day_night.safetensors");
  EXPECT_LT(std::filesystem::file_size(file), 4U << 20);
  auto trained = models::load_unit(file);
  const auto drawn = datasets::draw_landscapes(64, 64, 64, 11);
  const auto values = datasets::scale_pictures(drawn.images, 64, 3);
  const auto day = values.index({drawn.labels.eq(0)}), night = values.index({drawn.labels.eq(1)});
  const torch::NoGradGuard no_grad;
  for (const auto from : {training::Domain::A, training::Domain::B}) {
    const bool to_night = from == training::Domain::A;
    const auto& input = to_night ? day : night;
    const auto& real = to_night ? night : day;
    const auto made = trained.G->decode(trained.G->encode(input, from),
                                        to_night ? training::Domain::B : training::Domain::A);
    const double gap = (day.mean() - night.mean()).item<double>();
    EXPECT_NEAR(made.mean().item<double>(), real.mean().item<double>(), 0.15 * gap);
    const auto edges = metrics::edge_correlation(input, made).mean().item<double>();
    const auto by_lot = metrics::edge_correlation(input, made.roll(1, 0)).mean().item<double>();
    EXPECT_GT(edges, by_lot + 0.1) << (to_night ? "to night" : "to day");
  }
}

// A picture larger than its tiles, of 16 scenes side by side.
TEST(TheMapTranslator, ItsTilesLeaveNoSeams) {
  auto trained = shipped();
  const auto scenes = datasets::scale_pictures(datasets::draw_map_scenes(16, 32, 12).aerial, 32, 3);
  const auto x = scenes.view({4, 4, 3, 32, 32}).permute({2, 0, 3, 1, 4}).reshape({3, 128, 128});
  const auto whole = models::translate_picture(trained.G, x, training::Domain::A),
             tiled = models::translate_picture(trained.G, x, training::Domain::A,
                                               {.side = 72, .overlap = 16});
  EXPECT_LT((whole - tiled).abs().mean().item<double>(), 0.1);
  const auto rows = [](const at::Tensor& y) {
    return (y.slice(1, 1) - y.slice(1, 0, -1)).abs().mean(at::IntArrayRef{0, 2});
  };
  EXPECT_LT((rows(tiled) / rows(whole)).max().item<double>(), 1.3)
      << "no row where one tile ends differs more from its neighbour";
}

}  // namespace
}  // namespace reprise::reproduce
