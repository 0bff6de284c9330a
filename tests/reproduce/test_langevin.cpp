// The study of document langevin as a description: its profiles, plan, methods and report.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "records/claims/claims_file.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "tests/reproduce/tiny_domains.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(LangevinStudy, EveryNeedIsInThePlanAndOfTheSameSeedOrATrialOrTheOneEvaluator) {
  std::map<std::string, PlannedCell> cells;
  for (const auto& cell : langevin().plan(tiny_domains(), ""))
    EXPECT_TRUE(cells.emplace(cell.cell.id(), cell).second) << cell.cell.id();
  for (const auto& [id, cell] : cells)
    for (const auto& need : cell.needs) {
      EXPECT_TRUE(cells.contains(need.id())) << id << " needs " << need.id();
      EXPECT_TRUE(need.seed == cell.cell.seed || need.table.starts_with("search_") ||
                  need.method == "judge")
          << id;
    }
}

TEST(LangevinStudy, SeedsThatShareNetworksNeedTheOneCellOfEach) {
  const auto ids = [](const std::vector<PlannedCell>& plan, bool networks) {
    std::set<std::string> out;
    for (const auto& planned : plan)
      if ((planned.cell.table == "prior") == networks) out.insert(planned.cell.id());
    return out;
  };
  const auto shared = langevin().plan(tiny_domains({"replicates=weights", "seeds=3"}), "");
  const auto apart = langevin().plan(tiny_domains({"seeds=3"}), "");
  EXPECT_EQ(ids(shared, true), ids(langevin().plan(tiny_domains({"seeds=1"}), ""), true));
  EXPECT_EQ(ids(shared, false), ids(apart, false));
  for (const auto& planned : shared) {
    std::set<std::string> needed;
    for (const auto& need : planned.needs) {
      if (need.table != "prior") continue;
      EXPECT_TRUE(ids(shared, true).contains(need.id()))
          << planned.cell.id() << " needs " << need.id();
      needed.insert(need.method);
    }
    if (planned.cell.table == "churn")
      EXPECT_EQ(needed, (std::set<std::string>{"edm", "judge", "other", "small"}))
          << planned.cell.id();
  }
}

TEST(LangevinStudy, FewerPriorsThanSeedsServeThemInTurn) {
  std::set<std::string> trained;
  for (const auto& planned : langevin().plan(tiny_domains({"seeds=5", "prior.seeds=2"}), "")) {
    if (planned.cell.table == "prior" && planned.cell.method == "edm")
      trained.insert(planned.cell.id());
    for (const auto& need : planned.needs)
      if (need.table == "prior" && need.method != "judge")
        EXPECT_EQ(need.seed, planned.cell.seed % 2) << planned.cell.id();
  }
  EXPECT_EQ(trained.size(), 10U) << "two of each of five domains";
}

/// Distances in the feature spaces of different evaluators do not belong in one mean.
TEST(LangevinStudy, OneEvaluatorServesAllSeedsThoughTheyResampleEverythingElse) {
  std::map<std::string, std::set<std::int64_t>> seeds;
  for (const auto& planned : langevin().plan(tiny_domains({"seeds=3"}), "")) {
    if (planned.cell.table == "prior") seeds[planned.cell.method].insert(planned.cell.seed);
    for (const auto& need : planned.needs)
      if (need.method == "judge") EXPECT_EQ(need.seed, 0) << planned.cell.id();
  }
  EXPECT_EQ(seeds.at("judge"), std::set<std::int64_t>{0});
  EXPECT_EQ(seeds.at("edm").size(), 3U);
}

TEST(LangevinStudy, TablesAndDomainsMayBeLeftOut) {
  std::vector<std::string> none;
  for (const std::string table : {"inversion", "latent", "churn", "steering", "completion",
                                  "painting", "extension", "object"})
    none.push_back("methods." + table + "=[]");
  std::set<std::string> ids;
  for (const auto& planned : langevin().plan(tiny_domains(none), ""))
    ids.insert(planned.cell.table + "/" + planned.cell.method);
  EXPECT_TRUE(ids.contains("quality/edm"));
  EXPECT_FALSE(ids.contains("prior/small")) << "no method has it";
  none.insert(none.end(), {"domains=[]", "methods.exact=[]"});
  for (const auto& planned : langevin().plan(tiny_domains(none), ""))
    EXPECT_EQ(planned.cell.dataset, "gaussian") << planned.cell.id();
  const auto report = langevin().report(tiny_domains(none));
  EXPECT_TRUE(report.tables.empty());
  EXPECT_TRUE(report.galleries.empty());
  for (const auto& figure : report.figures) EXPECT_FALSE(figure.series.empty()) << figure.id;
}

/// A failed requirement is a result: its numbers are shown without the tables that depend on it.
TEST(LangevinStudy, APriorMayBeMeasuredAndNothingElse) {
  const std::vector<std::string> hyperparameters{R"(domains=["digits"])",
                                                 R"(priors_only=["sounds"])"};
  std::set<std::string> tables;
  for (const auto& planned : langevin().plan(tiny_domains(hyperparameters), ""))
    if (planned.cell.dataset == "sounds") tables.insert(planned.cell.table);
  EXPECT_THAT(tables, ElementsAre("prior", "quality"));
  const auto report = langevin().report(tiny_domains(hyperparameters));
  EXPECT_THAT(report.tables.front().columns, ElementsAre("digits", "sounds"));
  for (const auto& table : report.tables) EXPECT_THAT(table.id, Not(HasSubstr("extension")));
  EXPECT_THAT([] { langevin().plan(tiny_domains({R"(priors_only=["sounds"])"}), ""); },
              ThrowsUsageError(HasSubstr("sounds is in domains and in priors_only")));
}

TEST(LangevinStudy, EverySearchedMethodHasEquallyManyTrials) {
  for (const auto& [name, text] : langevin().profiles) {
    const auto settings = langevin_profile(name);
    for (const std::string table :
         {"exact", "churn", "steering", "completion", "painting", "extension", "object"}) {
      std::set<std::size_t> counts;
      for (const auto& method : settings.texts("methods." + table))
        if (method.find('+') != std::string::npos)
          continue;  // its name says a part of it
        else if (const auto search = langevin_study::make_search(
                     langevin_study::cell(table, "digits", method, 0),
                     langevin_study::parse_configuration(method, table), settings);
                 !search.grid.empty())
          counts.insert(list_trials(search, search.grid).size());
      EXPECT_LE(counts.size(), 1U) << name << ", " << table;
    }
  }
}

TEST(LangevinStudy, EveryProfileRunsTheMethodsThatClaimsAreAbout) {
  for (const auto& [name, text] : langevin().profiles) {
    if (name == "ci") continue;  // it guards numbers, and leaves out what makes them noisy
    auto settings = langevin_profile(name, {"gpu=false"});
    for (const std::string domain : {"digits", "landscapes", "videos", "sounds"})
      settings.set(domain + ".source=drawn");
    const auto sigmas = settings.numbers("inversion.sigmas");
    EXPECT_EQ(std::count(sigmas.begin(), sigmas.end(), 2.0), 1)
        << name << ": claims are judged at sigma = 2";
    std::map<std::string, std::set<std::string>> methods;  // of a table
    for (const auto& planned : langevin().plan(settings, ""))
      methods[planned.cell.table].insert(planned.cell.method);
    for (const auto& row : records::read_claims(langevin().claims, "claims.toml"))
      for (const auto& test : row.tests) {
        if (name == "small" && methods[test.table].empty())
          continue;  // its hours do not pay for every table
        const auto& asked = test.methods;
        std::size_t found = 0;
        for (const auto& method : methods[test.table]) {
          if (!std::regex_match(method, asked)) continue;
          ++found;
          const auto than = std::regex_replace(method, asked, test.than);
          EXPECT_TRUE(methods[test.table].contains(than))
              << name << ", claim " << row.id << ": " << than;
        }
        EXPECT_GT(found, 0U) << name << ", claim " << row.id;
      }
  }
}

TEST(LangevinMethods, AreReadFromTheirNames) {
  const auto config =
      langevin_study::parse_configuration("backprop_small+langevin=0.3+first=5", "churn");
  EXPECT_EQ(config.method.info.id, "backprop_small");
  EXPECT_EQ(config.hyperparameters,
            (std::map<std::string, double>{{"first", 5}, {"langevin", 0.3}}));
  EXPECT_EQ(config.method.aux, langevin_study::Network::Small);
  const auto options = langevin_study::synthesis_options(config, "churn", tiny_domains(), 1);
  EXPECT_EQ(options.sigma_first, 5);
  EXPECT_EQ(options.churning.noise, models::ChurnNoise::Langevin);
  EXPECT_DOUBLE_EQ(options.churning.h(), 0.3);
  EXPECT_THAT([] { langevin_study::parse_configuration("backprop+first", "churn"); },
              ThrowsUsageError(HasSubstr("\"first\" is not NAME=NUMBER")));
  EXPECT_THAT([] { langevin_study::parse_configuration("backprop+first=2x", "churn"); },
              ThrowsUsageError(HasSubstr("first=2x")));
  EXPECT_THAT([] { models::parse_churn_options("balanced"); },
              ThrowsUsageError(HasSubstr("balanced 1")));
  EXPECT_THAT([] { models::parse_churn_options("balanced 1.5"); }, ThrowsUsageError());
}

TEST(LangevinMethods, TrialsTakeOneValueOfEachEntryAndNoneThatTheNameFixes) {
  auto settings =
      tiny_domains({R"(search.churn.loop=["first=0.5|2", "balanced=1 langevin=0.1|0.3"])"});
  const auto tried = [&](const std::string& name) {
    const auto search =
        langevin_study::make_search(langevin_study::cell("churn", "digits", name, 0),
                                    langevin_study::parse_configuration(name, "churn"), settings);
    std::vector<std::string> names;
    for (const auto& trial : list_trials(search, search.grid))
      names.push_back(records::trial_name(trial));
    return names;
  };
  EXPECT_EQ(tried("backprop").size(), 6U);
  EXPECT_EQ(tried("backprop").front(), "backprop+first=0.5+balanced=1");
  EXPECT_EQ(tried("backprop+langevin=0.3"),
            (std::vector<std::string>{"backprop+langevin=0.3+first=0.5",
                                      "backprop+langevin=0.3+first=2"}))
      << "its churn is said";
  EXPECT_EQ(tried("sdedit"), std::vector<std::string>{"sdedit"})
      << "it has a list of its own, without a value here";
}

TEST(LangevinMethods, AnUnknownNameIsRefusedBeforeAnythingRuns) {
  const auto planned = [](const std::string& change) {
    return langevin().plan(tiny_domains({change}), "");
  };
  EXPECT_THAT([&] { planned(R"(methods.churn=["backprob"])"); },
              ThrowsUsageError(HasSubstr("table churn"), HasSubstr("'backprop'")));
  EXPECT_THAT([&] { planned(R"(methods.churn=["repaint"])"); },
              ThrowsUsageError(HasSubstr("repaint"), HasSubstr("sdedit")))
      << "table completion alone runs it";
  EXPECT_THAT([&] { planned(R"(methods.steering=["naive+frist=5"])"); },
              ThrowsUsageError(HasSubstr("frist"), HasSubstr("first")));
  EXPECT_THAT([&] { planned(R"(search.steering.loop=["rounts=5"])"); },
              ThrowsUsageError(HasSubstr("rounts"), HasSubstr("rounds")));
  EXPECT_THAT([&] { planned(R"(methods.inversion=["naive+first=5"])"); },
              ThrowsUsageError(HasSubstr("table inversion")));
  EXPECT_THAT([&] { planned(R"(domains=["digit"])"); },
              ThrowsUsageError(HasSubstr("digit"), HasSubstr("landscapes")));
}

TEST(LangevinMethods, EachIsListedOnceAndEveryTableThatItNamesIsOne) {
  std::set<std::string> ids;
  for (const auto& method : langevin_study::prior_methods()) {
    EXPECT_TRUE(ids.insert(method.info.id).second) << method.info.id;
    EXPECT_FALSE(method.info.title.empty() || method.info.source.empty() ||
                 method.info.cost.empty())
        << method.info.id;
    EXPECT_FALSE(method.tables.empty()) << method.info.id;
    for (const auto& table : method.tables)
      EXPECT_EQ(langevin_study::find_method_table(table).name, table);
    EXPECT_EQ(method.inversion.has_value(), method.algorithm == langevin_study::Algorithm::Loop)
        << method.info.id;
  }
  EXPECT_EQ(langevin().methods().size(), ids.size());
  for (const auto& listed : langevin().methods())
    EXPECT_FALSE(listed.facts.empty()) << listed.info.id;
}

TEST(LangevinReport, EveryEntryOfATableIsACellOfThePlan) {
  for (const auto& [name, text] : langevin().profiles) {
    auto settings = langevin_profile(name);
    for (const std::string domain : {"digits", "landscapes", "videos", "sounds"})
      settings.set(domain + ".source=drawn");
    settings.set("gpu=false");
    std::set<std::string> planned;
    for (const auto& cell : langevin().plan(settings, ""))
      planned.insert(cell.cell.table + "/" + cell.cell.dataset + "/" + cell.cell.method);
    for (const auto& table : langevin().report(settings).tables)
      for (const auto& row : table.entries)
        for (const auto& entry : row)
          if (entry)
            EXPECT_TRUE(planned.contains(entry->table + "/" + entry->dataset + "/" + entry->method))
                << name << ": " << table.id << " " << entry->method;
    for (const auto& figure : langevin().report(settings).figures)
      for (const auto& series : figure.series)
        EXPECT_TRUE(planned.contains(series.table + "/" + series.dataset + "/" + series.method))
            << name << ": " << figure.id << " " << series.method;
  }
}

}  // namespace
}  // namespace reprise::reproduce
