#include "ports/core_map.h"

#include <fstream>
#include <sstream>

#include "ports/fit.h"
#include "ports/testing/simulated_ports.h"

namespace cyclescope::ports {
namespace {

// The classes' ports, whatever they are called: how many ports each set of classes has in common.
std::map<std::vector<bool>, int> Shape(const std::vector<PortSet>& sets) {
  std::map<std::vector<bool>, int> shape;
  for (int port = 0; port < kMostPorts; ++port) {
    std::vector<bool> users;
    for (const PortSet set : sets) users.push_back((set >> port & 1) != 0);
    if (std::ranges::find(users, true) != users.end()) ++shape[users];
  }
  return shape;
}

// Classes that are truly ambiguous (a limit looks like a port less) are left out.
bool IsRight(const CoreMap& map, const SimulatedPorts& core) {
  std::vector<PortSet> found;
  std::vector<PortSet> truth;
  for (const MapClass& each : map.classes) {
    const Usage& usage = core.forms[each.forms.front()];
    for (const std::size_t form : each.forms) {
      if (!(core.forms[form] == usage)) return false;
    }
    if (each.ambiguous && usage.own_cycles != 0) continue;
    found.push_back(each.ports.ports);
    truth.push_back(usage.uops.begin()->first);
  }
  std::size_t in_classes = 0;
  for (const MapClass& each : map.classes) in_classes += each.forms.size();
  // All but the one that does nothing.
  return in_classes == core.map_forms - 1 && Shape(found) == Shape(truth);
}

struct Case {
  SimulatedPorts core;
  double noise = 0;
};

class SimulatedCoresBulk : public testing::TestWithParam<Case> {};

TEST_P(SimulatedCoresBulk, AreFoundUpToTheNamesOfPorts) {
  constexpr unsigned kSeeds = 100;
  int right = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    PortsBench bench(GetParam().core, GetParam().noise, seed);
    const CoreMap map = bench.FindMap();
    EXPECT_NEAR(map.dispatch, GetParam().core.dispatch, 0.04 * map.dispatch);
    right += IsRight(map, GetParam().core) ? 1 : 0;
  }
  EXPECT_GE(right, 98) << GetParam().core.name << " with noise " << GetParam().noise;
}

INSTANTIATE_TEST_SUITE_P(
    CoreMap, SimulatedCoresBulk,
    testing::Values(Case{LikeGoldenCove(), 0.003}, Case{LikeGoldenCove(), 0.01},
                    Case{LikeGoldenCoveWithWideVectors(), 0.003},
                    Case{LikeGoldenCoveWithWideVectors(), 0.01}, Case{LikeNeoverseV1(), 0.003},
                    Case{LikeNeoverseV1(), 0.01}, Case{LikeZen(), 0.003}, Case{LikeZen(), 0.01}));

TEST(CoreMap, LimitThatIsNoPortIsNotTakenForOneWithoutSayingSo) {
  PortsBench bench(LikeNeoverseV1(), 0.003, 1);
  const CoreMap map = bench.FindMap();
  const auto flags = std::ranges::find_if(
      map.classes, [](const MapClass& each) { return each.forms.front() == 12; });
  ASSERT_NE(flags, map.classes.end());
  EXPECT_TRUE(flags->ambiguous || flags->ports.limited);
}

TEST(CoreMap, FormsThatCannotBeMeasuredAreLeftOutWithAReason) {
  const SimulatedPorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  bench.Lose({{3, 1}});
  const CoreMap map = bench.FindMap();
  EXPECT_EQ(map.left_out.at(3).code, ClaimCode::kNoOwnValue);
  EXPECT_THAT(map.left_out.at(3).figures.at(0).text, testing::HasSubstr("quiet"));
  EXPECT_TRUE(std::ranges::none_of(
      map.classes, [](const MapClass& each) { return std::ranges::count(each.forms, 3U) > 0; }));
}

// Three that no port alone limits, and two that come near: a rate that is 3 % under a whole number,
// and one µop that takes its slot.
TEST(CoreMap, FormsOutsideOfAllClassesAreNamed) {
  SimulatedPorts core = LikeZen();
  core.forms.resize(core.map_forms);
  const std::size_t uneven = core.forms.size();
  core.forms.push_back({.uops = {{Set({1}), 1}}, .own_cycles = 1.3});
  core.forms.push_back({.uops = {{Set({4, 5}), 2}}, .slots = 2});
  core.forms.push_back(Usage());
  core.forms.push_back({.uops = {{Set({1}), 1}}, .own_cycles = 1.03});
  core.forms.push_back(One({5}));
  core.map_forms = core.forms.size();
  PortsBench bench(core, 0, 1);
  std::map<std::size_t, ClaimCode> codes;
  for (const auto& [form, claim] : bench.FindMap().left_out) codes.emplace(form, claim.code);
  EXPECT_THAT(codes, testing::ElementsAre(testing::Pair(uneven, ClaimCode::kUnevenRate),
                                          testing::Pair(uneven + 1, ClaimCode::kSeveralSlots),
                                          testing::Pair(uneven + 2, ClaimCode::kAsWideAsDispatch)));
}

TEST(CoreMap, WithoutTheWidthOfDispatchThereIsNoMap) {
  const SimulatedPorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  for (const int fillers : {1, 8, 20}) bench.Lose({{0, fillers}});
  const CoreMap map = bench.FindMap();
  EXPECT_FALSE(map.is_found());
  EXPECT_THAT(map.why_none, testing::HasSubstr("no quiet moment"));
}

TEST(CoreMap, OneRowOfFillersIsEnoughForDispatch) {
  const SimulatedPorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  for (const int fillers : {1, 20}) bench.Lose({{0, fillers}});
  EXPECT_NEAR(bench.FindMap().dispatch, core.dispatch, 0.01);
}

TEST(Slots, AreSeenBesideAsFewFillersAsLetDispatchBind) {
  constexpr double kDispatch = 8;
  for (const double cycles : {0.125, 0.25, 0.5, 1.0, 4.0}) {
    const Mix mix = SlotsMix(3, cycles, kDispatch);
    const double slots = mix.front().second + mix.back().second;
    EXPECT_GE(slots / kDispatch, 1.2 * cycles * mix.back().second) << cycles;
    // two slots each
    EXPECT_NEAR(SlotsFrom(mix, (slots + mix.back().second) / kDispatch, kDispatch), 2, 1e-9);
  }
  EXPECT_EQ(SlotsMix(3, 0.25, kDispatch).back().second, 4);
}

TEST(CoreMap, WithoutClassesThereIsNoMap) {
  SimulatedPorts core;
  core.dispatch = 6;
  core.forms = {Usage(), {.uops = {{Set({0, 1, 2}), 2}}, .slots = 2}};
  core.map_forms = core.forms.size();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  EXPECT_FALSE(map.is_found());
  EXPECT_FALSE(map.why_none.empty());
}

// Stores: nothing else uses their ports, and a few mixes take a little longer than the ports need.
TEST(CoreMap, ClassThatSharesNothingHasPortsOfItsOwn) {
  SimulatedPorts core = LikeGoldenCove();
  const std::size_t store = core.forms.size() - 4;
  core.forms.insert(core.forms.begin() + static_cast<std::ptrdiff_t>(store), One({7, 8}));
  ++core.map_forms;
  int own = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    PortsBench bench(core, 0.003, seed);
    MapStep step = InferMap(core.VectorsOfMap(), bench.measured());
    while (!step.wanted.empty()) {
      bench.Measure(step.wanted);
      for (const Mix& mix : step.wanted) {
        const bool with_adds =
            mix.size() == 2 && mix.front().first == 1 && mix.back().first == store;
        if (with_adds) *bench.measured()[mix].cycles *= 1.03;
      }
      step = InferMap(core.VectorsOfMap(), bench.measured());
    }
    const auto found = std::ranges::find_if(step.map.classes, [store](const MapClass& each) {
      return std::ranges::count(each.forms, store) > 0;
    });
    ASSERT_NE(found, step.map.classes.end());
    PortSet others = 0;
    for (const MapClass& each : step.map.classes) {
      if (&each != &*found) others |= each.ports.ports;
    }
    own += !found->ports.limited && (found->ports.ports & others) == 0 ? 1 : 0;
  }
  EXPECT_EQ(own, 20);
}

TEST(CoreMap, MixThatCannotBeMeasuredIsNotAskedForAgain) {
  const std::vector<SetSolution> solutions = {
      {.classes = {{1, Set({0})}, {1, Set({1})}, {2, Set({0, 1})}}},
      {.classes = {{1, Set({0})}, {1, Set({1})}, {2, Set({0, 2})}}}};
  std::set<Mix> tried;
  for (int round = 0; round < 3; ++round) {
    const std::vector<Mix> next =
        SeparatingMixes(solutions, tried, [](const Mix&) { return true; }, /*dispatch=*/6);
    ASSERT_FALSE(next.empty()) << round;
    for (const Mix& mix : next) EXPECT_TRUE(tried.insert(mix).second);
  }
}

TEST(CoreMap, LostMixesDoNotEndTheSearch) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0, 1);
  MapStep step = InferMap(core.VectorsOfMap(), bench.measured());
  while (!step.wanted.empty()) {
    bench.Measure(step.wanted);
    for (const Mix& mix : step.wanted) {
      if (mix.size() > 2 && mix.front().first % 2 == 0) bench.Lose(mix);
    }
    step = InferMap(core.VectorsOfMap(), bench.measured());
  }
  EXPECT_TRUE(IsRight(step.map, core) || step.map.other_solutions > 0);
}

TEST(CoreMap, EveryClassAboutWhichSolutionsDisagreeIsAmbiguous) {
  const SetSolution best = {
      .classes = {{2, Set({0, 1})}, {1, Set({0})}, {1, Set({1})}, {1, Set({2})}}};
  EXPECT_EQ(AmbiguousClasses({best}), (std::vector<bool>{false, false, false, false}));
  SetSolution one = best;
  one.classes[1].ports = Set({3});
  // It may be the first or the second that differs.
  EXPECT_EQ(AmbiguousClasses({best, one}), (std::vector<bool>{true, true, false, false}));
  SetSolution two = one;
  two.classes[2].ports = Set({2});
  const std::vector<bool> of_two = AmbiguousClasses({best, two});
  EXPECT_TRUE(of_two[1]);
  EXPECT_TRUE(of_two[2]);
  SetSolution renamed = best;
  std::swap(renamed.classes[1].ports, renamed.classes[2].ports);
  EXPECT_EQ(AmbiguousClasses({best, renamed}), (std::vector<bool>{false, false, false, false}));
}

// Three forms of each kind. A form that cannot be compared with a class may belong to it: as a
// class of its own it would be a false one, and with many of them the search took minutes.
TEST(CoreMap, FormsThatCannotBeComparedMakeNoClasses) {
  for (SimulatedPorts core : {LikeGoldenCove(), LikeNeoverseV1()}) {
    core.forms.resize(core.map_forms);
    const std::vector<Usage> kinds(core.forms.begin() + 1, core.forms.end());
    for (int copies = 0; copies < 2; ++copies)
      core.forms.insert(core.forms.end(), kinds.begin(), kinds.end());
    core.map_forms = core.forms.size();
    for (const double lost : {0.3, 0.6, 0.9}) {
      PortsBench bench(core, 0.003, 1);
      std::mt19937 random(1);
      std::bernoulli_distribution is_lost(lost);
      MapStep step = InferMap(core.VectorsOfMap(), bench.measured());
      while (!step.wanted.empty()) {
        bench.Measure(step.wanted);
        for (const Mix& mix : step.wanted) {
          if (mix.size() > 1 && is_lost(random)) bench.Lose(mix);
        }
        step = InferMap(core.VectorsOfMap(), bench.measured());
      }
      EXPECT_LE(step.map.classes.size(), kinds.size()) << core.name << " " << lost;
      std::size_t accounted = step.map.left_out.size();
      for (const MapClass& each : step.map.classes) accounted += each.forms.size();
      EXPECT_EQ(accounted, core.map_forms - 1) << core.name << " " << lost;
    }
  }
}

// Two µops in one slot, on different ports, look like one on the ports of either.
TEST(CoreMap, FormOnThePortsOfTwoClassesIsInNeither) {
  SimulatedPorts core = LikeNeoverseV1();
  core.forms.resize(core.map_forms);
  core.forms.push_back({.uops = {{Set({6, 8}), 1}, {Set({7, 9}), 1}}});
  core.map_forms = core.forms.size();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  ASSERT_TRUE(map.left_out.contains(core.map_forms - 1));
  EXPECT_EQ(map.left_out.at(core.map_forms - 1).code, ClaimCode::kPortsOfTwoClasses);
}

TEST(SetSearch, GivesUpWhereTimesSayNothing) {
  EXPECT_TRUE(SearchSets(std::vector<int>(24, 5), {}, 8).empty());
}

TEST(CoreMap, UnionRestsOnEachOfItsClasses) {
  CoreMap map;
  map.classes = {{.ports = {1, Set({0})}, .forms = {1}, .ambiguous = true},
                 {.ports = {1, Set({1})}, .forms = {2}}};
  EXPECT_TRUE(map.IsAmbiguous(Set({0})));
  EXPECT_TRUE(map.IsAmbiguous(Set({0, 1})));
  EXPECT_FALSE(map.IsAmbiguous(Set({1})));
}

TEST(Misfit, TooShortAlwaysSpeaksAtLeastAsMuchAgainstAPredictionAsTooLong) {
  for (const double predicted : {0.5, 1.0, 4.0, 12.0, 30.0, 100.0}) {
    EXPECT_GE(Misfit(0.95 * predicted, predicted), Misfit(1.05 * predicted, predicted) - 1e-9)
        << predicted;
  }
}

// Mixes that were measured on a shared Granite Rapids (tests/data/recordings): the sister core's
// published ports are add 0 1 5 6 10; shl 0 6; imul 1; scaled lea 0 6 10; vpaddd 0 1 5; vpshufd and
// vaddpd 1 5; vmulpd and vpslld 0 1; vpermd 5; loads 2 3 11.
TEST(CoreMap, RecordedRedwoodCoveIsFound) {
  const std::vector<std::pair<std::string, PortSet>> truth = {{"nop", 0},
                                                              {"add", Set({0, 1, 5, 6, 10})},
                                                              {"shl", Set({0, 6})},
                                                              {"imul", Set({1})},
                                                              {"lea3", Set({0, 6, 10})},
                                                              {"paddd", Set({0, 1, 5})},
                                                              {"pshufd", Set({1, 5})},
                                                              {"addpd", Set({1, 5})},
                                                              {"mulpd", Set({0, 1})},
                                                              {"permd", Set({5})},
                                                              {"load", Set({2, 3, 11})},
                                                              {"psll", Set({0, 1})}};
  const auto number_of = [&truth](const std::string& name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (truth[i].first == name) return i;
    }
    return std::nullopt;
  };
  std::map<Mix, std::vector<double>> recorded;
  std::ifstream file(std::string(CYCLESCOPE_TEST_DATA) + "/recordings/port-mixes-redwood-cove.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string run, text, cycles;
    std::getline(fields, run, ',');
    std::getline(fields, text, ',');
    std::getline(fields, cycles, ',');
    Mix mix;
    std::istringstream parts(text);
    std::string part;
    bool known = true;
    while (std::getline(parts, part, '+')) {
      const std::size_t digits = part.find_first_not_of("0123456789");
      const auto number = number_of(part.substr(digits));
      known = known && number;
      if (number) mix.emplace_back(*number, std::stoi(part.substr(0, digits)));
    }
    std::ranges::sort(mix);
    if (known) recorded[mix].push_back(std::stod(cycles));
  }
  ASSERT_GT(recorded.size(), 100U);
  MixResults measured;
  measured[{{0, 1}}].cycles = 1.0 / 6;
  for (auto& [mix, cycles] : recorded) measured[mix].cycles = std::ranges::min(cycles);
  CoreMap map;
  for (;;) {
    MapStep step = InferMap(std::vector<VectorKind>(truth.size()), measured);
    map = step.map;
    if (step.wanted.empty()) break;
    for (const Mix& mix : step.wanted) {
      // What was not recorded follows from the truth: slots, and mixes of equal widths.
      std::map<PortSet, double> uops;
      int slots = 0;
      for (const auto& [form, count] : mix) {
        if (form != 0) uops[truth[form].second] += count;
        slots += count;
      }
      measured[mix].cycles = std::max(PortTime(uops), slots / 6.0);
    }
  }
  std::vector<PortSet> found;
  std::vector<PortSet> expected;
  for (const MapClass& each : map.classes) {
    for (const std::size_t form : each.forms) {
      found.push_back(each.ports.ports);
      expected.push_back(truth[form].second);
    }
  }
  EXPECT_EQ(found.size(), truth.size() - 1);
  EXPECT_EQ(Shape(found), Shape(expected));
}

}  // namespace
}  // namespace cyclescope::ports
