// Every registered sequence estimator, the documents' own and the baselines, through the suite of
// its contract: a new line in a registry is tested by being there. And what the registries as a
// whole hold.
#include "baselines/methods.h"
#include "models/methods.h"
#include "tests/sequence_methods.h"

namespace reprise::testing_contracts {
namespace {

using models::InputToHidden;
using models::Layer;
using models::MethodTraits;
using models::RecurrentCell;
using Kind = MethodTraits::Kind;

std::vector<models::Method> every_method() {
  auto all = baselines::methods();
  for (const auto& methods : {models::methods(), models::convolutional_methods()})
    all.insert(all.end(), methods.begin(), methods.end());
  return all;
}

std::vector<SequenceCase> cases_of(const std::vector<models::Method>& methods) {
  std::vector<SequenceCase> cases;
  for (const auto& method : methods) cases.push_back(case_of(method));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Registry, SequenceContract, testing::ValuesIn(cases_of(every_method())),
                         name_of_case);

std::unique_ptr<training::SequenceNetwork> made(const models::Method& method) {
  Random random(2);
  return case_of(method).make(random);
}

TEST(SequenceRegistry, EveryMethodIsThereOnceAndSaysWhatItIs) {
  std::set<std::string> ids, titles;
  for (const auto& [info, traits, make] : every_method()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_TRUE(titles.insert(info.title).second) << info.title;
    EXPECT_NE(info.source, "") << info.id;
    EXPECT_NE(info.cost, "") << info.id;
    EXPECT_NE(models::describe_traits(traits), "") << info.id;
  }
}

TEST(SequenceRegistry, FactsSayWhichLayersRecurAndOfWhichCell) {
  for (const auto& [info, traits, make] : every_method()) {
    EXPECT_EQ(traits.kind == Kind::PreRnn, !traits.layers.empty()) << info.id;
    EXPECT_EQ(traits.kind == Kind::Traditional, traits.appended > 0) << info.id;
    EXPECT_EQ(traits.recurrent_layers() > 0, traits.cell.has_value()) << info.id;
  }
}

// Else the same network is better or worse by what its author calls a layer, and `compare` gives
// the method the credit.
TEST(SequenceRegistry, FirstOutputsFollowTheStartThatAllMethodsShare) {
  for (const auto& method : every_method()) EXPECT_EQ(start_fault(method), "") << method.info.id;
}

TEST(SequenceRegistry, AMethodThatIgnoresTheStartIsFound) {
  const auto forced = [](bool draw_output) {
    auto method = models::methods().front();
    method.make = [make = method.make, draw_output](const models::Backbone& trained,
                                                    const models::MethodStart&, Random& random) {
      return make(trained, {.draw_output = draw_output}, random);
    };
    return method;
  };
  EXPECT_THAT(start_fault(forced(false)),
              testing::HasSubstr("starts from the trained output layer"));
  EXPECT_THAT(start_fault(forced(true)),
              testing::HasSubstr("does not start from the trained output layer"));
}

TEST(SequenceRegistry, AnOutputLayerIsDrawnAsTheStartSaysOrCopied) {
  const auto trained = trained_network(false);
  const auto& map = trained->stages().back().parts.back().map;
  Random random(3);
  const auto kept = models::start_output_layer(trained, {.draw_output = false}, random);
  EXPECT_TRUE(kept->weight.equal(map->weight) && kept->bias.equal(map->bias));
  const auto drawn = models::start_output_layer(trained, {.draw_output = true}, random);
  EXPECT_LE(drawn->weight.abs().max().item<double>(), 0.25) << "1 / sqrt(16 inputs)";
  EXPECT_FALSE(drawn->weight.equal(map->weight));
  EXPECT_EQ(drawn->bias.abs().max().item<double>(), 0);
  EXPECT_FALSE(models::start_output_layer(trained, {}, random)->weight.equal(drawn->weight))
      << "each method draws its own";
}

/// How many registered methods are this one.
std::ptrdiff_t count(const MethodTraits& traits) {
  const auto all = every_method();
  return std::count_if(all.begin(), all.end(),
                       [&](const models::Method& method) { return method.traits == traits; });
}

// Table 1 of the document has 21 cells: 6 of VRNN up to SIH, which a cell with one gate does not
// have.
TEST(SequenceRegistry, HoldsEveryCellOfTable1Once) {
  int cells = 0;
  const auto expect_once = [&](const MethodTraits& traits) {
    EXPECT_EQ(count(traits), 1) << models::describe_traits(traits);
    ++cells;
  };
  EXPECT_EQ(count({.kind = Kind::Plain}), 1);
  for (const auto cell : models::document_cells()) {
    for (const int layers : {1, 2})
      expect_once({.kind = Kind::Traditional, .cell = cell, .appended = layers});
    for (const auto& place :
         {std::vector{Layer::Fc6}, std::vector{Layer::Fc7}, std::vector{Layer::Fc6, Layer::Fc7}}) {
      expect_once({.kind = Kind::PreRnn, .cell = cell, .layers = place});
      if (gate_names(cell).size() > 1)
        expect_once({.kind = Kind::PreRnn,
                     .cell = cell,
                     .layers = place,
                     .input_to_hidden = InputToHidden::Shared});
    }
  }
  EXPECT_EQ(cells, 21);
}

TEST(SequenceRegistry, HoldsEveryCellAtTheLastConvolutionAndWithFixedInputsOnce) {
  for (const auto cell : models::document_cells()) {
    const bool shares = gate_names(cell).size() > 1;
    EXPECT_EQ(count({.kind = Kind::PreRnn, .cell = cell, .layers = {Layer::LastConvolution}}), 1);
    EXPECT_EQ(count({.kind = Kind::PreRnn,
                     .cell = cell,
                     .layers = {Layer::LastConvolution},
                     .input_to_hidden = InputToHidden::Shared}),
              shares);
    for (const auto layer : {Layer::Fc6, Layer::LastConvolution})
      EXPECT_EQ(
          count({.kind = Kind::PreRnn, .cell = cell, .layers = {layer}, .train_inputs = false}), 1);
  }
}

// Claim 2 of the document against claim 3.
TEST(SequenceRegistry, WithFixedInputsOnlyTheHiddenWeightsOfTheRecurrentLayersLearn) {
  for (const auto& method : every_method()) {
    if (method.traits.train_inputs) continue;
    Random random(2);
    const auto network = method.make(trained_network(is_convolutional(method.traits)),
                                     {.draw_output = false}, random);
    network->forward(uniform({2, 3, 3, 2, 2}, 10)).square().sum().backward();
    std::set<std::string> hidden, layers;
    for (const auto& fresh : network->untrained_parameters())
      for (const auto& parameter : network->named_parameters())
        if (parameter.value().is_same(fresh)) {
          hidden.insert(parameter.key());
          layers.insert(parameter.key().substr(0, parameter.key().find_last_of('.') + 1));
        }
    ASSERT_EQ(hidden.size(), method.traits.recurrent_layers()) << method.info.id;
    for (const auto& parameter : network->named_parameters()) {
      const bool recurrent =
          std::any_of(layers.begin(), layers.end(),
                      [&](const std::string& layer) { return parameter.key().starts_with(layer); });
      EXPECT_EQ(parameter.value().grad().defined(), !recurrent || hidden.contains(parameter.key()))
          << method.info.id << " " << parameter.key();
    }
  }
}

TEST(SequenceRegistry, EveryRecurrentLayerOfTheDocumentAddsParametersAndCanBeFollowed) {
  for (const auto& method : every_method()) {
    if (method.traits.kind == Kind::Own) continue;
    const auto network = made(method);
    EXPECT_EQ(network->recurrent_parameters(12, 16) > 0, method.traits.recurrent_layers() > 0)
        << method.info.id;
    EXPECT_TRUE(followed(*network, uniform({1, 2, 3, 2, 2}, 14), {1, 1})) << method.info.id;
  }
}

// Products of a frame beyond the CNN's: (G - 1) + G for a PreRNN layer of G gates, G with SIH, 2 G
// for a traditional one.
TEST(MethodInWords, SaysWhatItIsAndWhatItCosts) {
  const MethodTraits pre{
      .kind = Kind::PreRnn, .cell = RecurrentCell::Lstm, .layers = {Layer::Fc6, Layer::Fc7}};
  EXPECT_EQ(models::describe_traits(pre), "LSTM at fc6 and fc7, an input product per gate");
  EXPECT_EQ(models::describe_cost(pre), "14 matrix products per frame more than the CNN");
  const MethodTraits sih{.kind = Kind::PreRnn,
                         .cell = RecurrentCell::Gru,
                         .layers = {Layer::LastConvolution},
                         .input_to_hidden = InputToHidden::Shared};
  EXPECT_EQ(models::describe_traits(sih), "GRU at conv, one input product for all gates");
  EXPECT_EQ(models::describe_cost(sih), "3 matrix products per frame more than the CNN");
  const MethodTraits traditional{
      .kind = Kind::Traditional, .cell = RecurrentCell::Vrnn, .appended = 1};
  EXPECT_EQ(models::describe_traits(traditional), "1 new VRNN layer before the output layer");
  EXPECT_EQ(models::describe_cost(traditional), "2 matrix products per frame more than the CNN");
  EXPECT_EQ(models::describe_traits({.kind = Kind::Own, .causal = false}),
            "a network of its own, sees frames to come");
}

}  // namespace
}  // namespace reprise::testing_contracts
