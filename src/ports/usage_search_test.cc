#include "ports/usage_search.h"

#include <bit>

#include "ports/testing/simulated_ports.h"

namespace cyclescope::ports {
namespace {

// The found usage, with the map's ports in place of the simulated core's.
bool IsTruth(const Usage& found, const Usage& truth, const CoreMap& map,
             const SimulatedPorts& core) {
  std::map<PortSet, int> expected;
  for (const auto& [ports, count] : truth.uops) {
    const auto same = std::ranges::find_if(map.classes, [&](const MapClass& each) {
      const Usage& usage = core.forms[each.forms.front()];
      return usage.own_cycles == 0 && usage.uops.begin()->first == ports;
    });
    if (same == map.classes.end()) return false;
    expected[same->ports.ports] += count;
  }
  return found.uops == expected;
}

// The ports that the class of such forms has in the map.
PortSet FoundAs(const Usage& usage, const CoreMap& map, const SimulatedPorts& core) {
  for (const MapClass& each : map.classes) {
    if (core.forms[each.forms.front()] == usage) return each.ports.ports;
  }
  return 0;
}

std::optional<ClaimCode> CodeOf(const FormPorts& ports) {
  if (!ports.not_explained) return std::nullopt;
  return ports.not_explained->code;
}

TEST(UsageSearchBulk, MicroOpsOfOtherFormsAreFoundOrNotExplained) {
  for (const SimulatedPorts& core :
       {LikeGoldenCove(), LikeGoldenCoveWithWideVectors(), LikeNeoverseV1(), LikeZen()}) {
    int right = 0;
    int wrong = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      PortsBench bench(core, 0.003, seed);
      const CoreMap map = bench.FindMap();
      for (std::size_t form = core.map_forms; form < core.forms.size(); ++form) {
        const FormPorts ports = bench.FindUsage(map, form);
        if (!ports.usage) continue;
        (IsTruth(*ports.usage, core.forms[form], map, core) ? right : wrong) += 1;
      }
    }
    const int all = 20 * static_cast<int>(core.forms.size() - core.map_forms);
    EXPECT_GE(right, all * 9 / 10) << core.name;
    EXPECT_LE(wrong, all / 50) << core.name;
  }
}

TEST(UsageSearch, WhatPortsDoNotLimitHasALimitOfItsOwn) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  const FormPorts divider = bench.FindUsage(map, core.map_forms + 2);
  ASSERT_TRUE(divider.usage);
  EXPECT_NEAR(divider.usage->own_cycles, 4, 0.01);
  const FormPorts bswap = bench.FindUsage(map, core.map_forms);
  ASSERT_TRUE(bswap.usage);
  EXPECT_EQ(bswap.usage->own_cycles, 0);
}

TEST(UsageSearch, TimesThatNoPortsGiveAreNotExplained) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  const std::size_t form = core.map_forms;
  FormPorts ports;
  for (;;) {
    const UsageStep step = InferUsage(map, form, FormTraits(), bench.measured());
    ports = step.ports;
    if (step.wanted.empty()) break;
    bench.Measure(step.wanted);
    // Beside others it takes twice as long, whatever they are.
    for (const Mix& mix : step.wanted) {
      if (mix.size() > 1 && mix.front().first != 0) *bench.measured()[mix].cycles *= 2;
    }
  }
  EXPECT_FALSE(ports.usage);
  EXPECT_EQ(CodeOf(ports), ClaimCode::kNoPortsFit);
}

// A shift that saturates ends later than an addition, and where a pipe has both, one waits for the
// other: among twelve additions it takes the time of two µops. Beside multiplications it does not.
TEST(UsageSearch, WhatOnlyTookLongerIsNoMicroOp) {
  SimulatedPorts core = LikeNeoverseV1();
  const std::size_t form = core.forms.size();
  core.forms.push_back(One({7, 9}));
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  const std::size_t addition = 5;
  ASSERT_EQ(core.forms[addition], One({6, 7, 8, 9}));
  FormPorts ports;
  for (;;) {
    const UsageStep step = InferUsage(map, form, {.uops_in_slot = 2}, bench.measured());
    ports = step.ports;
    if (step.wanted.empty()) break;
    bench.Measure(step.wanted);
    for (const Mix& mix : step.wanted) {
      const bool has_additions = std::ranges::find(mix, addition, [](const auto& part) {
                                   return part.first;
                                 }) != mix.end();
      if (has_additions) *bench.measured()[mix].cycles += 0.25;
    }
  }
  ASSERT_TRUE(ports.usage);
  EXPECT_TRUE(IsTruth(*ports.usage, core.forms[form], map, core));
}

// As the vector stores of a Neoverse V1: data goes to one port of V0 V2 and one of V1 V3.
TEST(UsageSearch, DataOfStoresIsFoundOnPortsThatNoClassHasAlone) {
  SimulatedPorts core = LikeNeoverseV1();
  std::erase(core.forms, One({6, 7}));
  std::erase(core.forms, One({7}));
  core.map_forms -= 2;
  const std::size_t form = core.forms.size();
  core.forms.push_back({.uops = {{Set({10, 11}), 1}, {Set({6, 7}), 1}}, .slots = 1});
  for (unsigned seed = 0; seed < 10; ++seed) {
    PortsBench bench(core, 0.003, seed);
    const CoreMap map = bench.FindMap();
    const auto found_as = [&](const Usage& usage) { return FoundAs(usage, map, core); };
    const FormPorts ports = bench.FindUsage(map, form, {.most_fused = 2, .only_stores = true});
    ASSERT_TRUE(ports.usage);
    ASSERT_EQ(ports.usage->uops.size(), 2U);
    EXPECT_TRUE(ports.usage->uops.contains(found_as(One({10, 11}))));
    for (const auto& [set, count] : ports.usage->uops) {
      if (set == found_as(One({10, 11}))) continue;
      EXPECT_EQ(std::popcount(set), 2);
      EXPECT_EQ(set & found_as(One({6, 8})), found_as(One({6})));
      EXPECT_EQ(std::popcount(set & found_as(One({7, 9}))), 1);
    }
  }
}

TEST(UsageSearch, DataOfStoresHasAllPortsOfAClassIfItHas) {
  SimulatedPorts core = LikeNeoverseV1();
  const std::size_t form = core.forms.size();
  core.forms.push_back({.uops = {{Set({10, 11}), 1}, {Set({6, 7, 8, 9}), 1}}, .slots = 1});
  PortsBench bench(core, 0.003, 1);
  const CoreMap map = bench.FindMap();
  const FormPorts ports = bench.FindUsage(map, form, {.most_fused = 2, .only_stores = true});
  ASSERT_TRUE(ports.usage);
  EXPECT_TRUE(IsTruth(*ports.usage, core.forms[form], map, core));
}

// Three in a cycle, of four ports of a class: a class of one of them tells that it is among the
// three, or that something else is the reason.
TEST(UsageSearch, WhatTakesLongerThanItsPortsNeedMayHaveFewer) {
  SimulatedPorts core = LikeNeoverseV1();
  std::erase_if(core.forms, [](const Usage& usage) { return usage.own_cycles == 1.0 / 3; });
  --core.map_forms;
  const std::size_t narrow = core.forms.size();
  core.forms.push_back(One({0, 1, 2}));
  const std::size_t limited = core.forms.size();
  core.forms.push_back({.uops = {{Set({0, 1, 2, 3}), 1}}, .slots = 1, .own_cycles = 1.0 / 3});
  for (unsigned seed = 0; seed < 10; ++seed) {
    PortsBench bench(core, 0.003, seed);
    const CoreMap map = bench.FindMap();
    const auto found_as = [&](const Usage& usage) { return FoundAs(usage, map, core); };
    const FormPorts fewer = bench.FindUsage(map, narrow);
    ASSERT_TRUE(fewer.usage);
    EXPECT_EQ(fewer.usage->own_cycles, 0);
    ASSERT_EQ(fewer.usage->uops.size(), 1U);
    const PortSet ports = fewer.usage->uops.begin()->first;
    EXPECT_EQ(std::popcount(ports), 3);
    EXPECT_EQ(ports & found_as(One({2, 3})), found_as(One({2})));
    const FormPorts all = bench.FindUsage(map, limited);
    ASSERT_TRUE(all.usage);
    EXPECT_TRUE(IsTruth(*all.usage, core.forms[limited], map, core));
    EXPECT_NEAR(all.usage->own_cycles, 1.0 / 3, 0.01);
  }
}

TEST(UsageSearch, FormThatCannotBeMeasuredSaysSo) {
  const SimulatedPorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  bench.Lose({{core.map_forms, 1}});
  EXPECT_EQ(CodeOf(bench.FindUsage(map, core.map_forms)), ClaimCode::kNoOwnValue);
}

TEST(UsageSearch, NothingIsExplainedWithoutAMixThatWasLost) {
  const SimulatedPorts core = LikeGoldenCove();
  const std::size_t form = core.map_forms;
  PortsBench whole(core, 0, 1);
  const CoreMap map = whole.FindMap();
  ASSERT_TRUE(whole.FindUsage(map, form).usage);
  int blocked = 0;
  for (const auto& [mix, result] : whole.measured()) {
    const bool has =
        std::ranges::find(mix, form, [](const auto& part) { return part.first; }) != mix.end();
    if (!has || mix.size() < 2 || mix.front().first == 0) continue;
    PortsBench bench(core, 0, 1);
    bench.measured() = whole.measured();
    bench.Lose(mix);
    const FormPorts ports = bench.FindUsage(map, form);
    EXPECT_FALSE(ports.usage);
    ASSERT_TRUE(ports.not_explained);
    ASSERT_EQ(ports.not_explained->figures.size(), 1u);
    EXPECT_THAT(ports.not_explained->figures[0].text, testing::HasSubstr("no quiet moment"));
    ++blocked;
  }
  EXPECT_GT(blocked, 3);
}

TEST(UsageSearch, WithoutAMapNothingIsExplained) {
  const MixResults measured = {{{{1, 1}}, {1.0, {}}}};
  CoreMap without_classes;
  without_classes.dispatch = 6;
  for (const CoreMap& map : {CoreMap(), without_classes}) {
    const UsageStep step = InferUsage(map, 1, FormTraits(), measured);
    EXPECT_TRUE(step.wanted.empty());
    EXPECT_FALSE(step.ports.usage);
    EXPECT_EQ(CodeOf(step.ports), ClaimCode::kNoPortMap);
  }
}

TEST(UsageSearch, FormOfTheMapUsesWhatItsClassSays) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0.003, 1);
  const CoreMap map = bench.FindMap();
  ASSERT_TRUE(map.is_found()) << map.why_none;
  for (const MapClass& each : map.classes) {
    for (const std::size_t form : each.forms) {
      const FormPorts ports = bench.FindUsage(map, form);
      ASSERT_TRUE(ports.usage);
      EXPECT_EQ(*ports.usage, UsageOf(each.ports));
      EXPECT_FALSE(ports.not_explained);
    }
  }
}

TEST(UsageSearch, FormThatWaitsForItselfHasNoDivider) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  const std::size_t form = core.map_forms + 2;
  bench.FindUsage(map, form);
  const UsageStep step =
      InferUsage(map, form, {.most_fused = 0, .depends_on_itself = true}, bench.measured());
  ASSERT_TRUE(step.ports.usage);
  EXPECT_EQ(step.ports.usage->own_cycles, 0);
  EXPECT_TRUE(step.ports.waits_for_itself);
}

// Times between those of a form on one port and of the same form on another.
std::optional<ClaimCode> CodeBetween(const SimulatedPorts& one, const SimulatedPorts& other,
                                     std::size_t form, double share) {
  PortsBench bench(one, 0, 1);
  PortsBench rival(other, 0, 1);
  const CoreMap map = bench.FindMap();
  for (;;) {
    const UsageStep step = InferUsage(map, form, FormTraits(), bench.measured());
    if (step.wanted.empty()) return CodeOf(step.ports);
    bench.Measure(step.wanted);
    rival.Measure(step.wanted);
    for (const Mix& mix : step.wanted) {
      auto& cycles = bench.measured()[mix].cycles;
      *cycles += share * (*rival.measured()[mix].cycles - *cycles);
    }
  }
}

TEST(UsageSearch, TwoSetsFitOnlyInTheMiddleBetweenThem) {
  SimulatedPorts one = LikeGoldenCove();
  SimulatedPorts other = one;
  const std::size_t form = one.forms.size();
  one.forms.push_back(One({1}));
  other.forms.push_back(One({5}));
  EXPECT_EQ(CodeBetween(one, other, form, 0), std::nullopt);
  EXPECT_EQ(CodeBetween(one, other, form, 0.02), std::nullopt) << "clearly the first";
  EXPECT_EQ(CodeBetween(one, other, form, 0.98), std::nullopt) << "clearly the second";
  EXPECT_NE(CodeBetween(one, other, form, 0.5), std::nullopt);
}

// A map of one class is enough to look for ports; no own value is that of the form alone.
TEST(UsageSearch, AMapOfOneClassIsAMap) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0, 1);
  CoreMap map = bench.FindMap();
  const std::size_t form = core.map_forms;
  map.classes.resize(1);
  const UsageStep step = InferUsage(map, form, FormTraits(), bench.measured());
  EXPECT_NE(CodeOf(step.ports), ClaimCode::kNoPortMap);
  EXPECT_FALSE(step.wanted.empty()) << "it asks for mixes";
  map.classes.clear();
  EXPECT_EQ(CodeOf(InferUsage(map, form, FormTraits(), bench.measured()).ports),
            ClaimCode::kNoPortMap);
}

TEST(UsageSearch, TheValueOfAnotherFormIsNotMissed) {
  const SimulatedPorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  bench.Lose({{core.map_forms + 1, 1}});
  EXPECT_EQ(CodeOf(bench.FindUsage(map, core.map_forms)), std::nullopt);
  EXPECT_EQ(CodeOf(bench.FindUsage(map, core.map_forms + 1)), ClaimCode::kNoOwnValue);
}

// What nearly is not explained: an own time just short enough, the least loss of a mix, times off
// by what measuring is off by.
TEST(UsageSearch, NearMissesAreExplained) {
  const SimulatedPorts core = LikeGoldenCove();
  PortsBench bench(core, 0.003, 1);
  const CoreMap map = bench.FindMap();
  const std::size_t form = core.map_forms;
  EXPECT_EQ(CodeOf(bench.FindUsage(map, form)), std::nullopt);
  const auto with_own_cycles = [&](double cycles) {
    MixResults measured = {{{{form, 1}}, {cycles, {}}}};
    return CodeOf(InferUsage(map, form, FormTraits(), measured).ports);
  };
  EXPECT_EQ(with_own_cycles(60), std::nullopt) << "it asks for mixes";
  EXPECT_EQ(with_own_cycles(60.1), ClaimCode::kTooLongForPorts);
  // Its slots need a mix with fillers.
  PortsBench slots(core, 0, 1);
  slots.FindMap();
  slots.FindUsage(map, form);
  for (const auto& [mix, result] : MixResults(slots.measured())) {
    const bool has =
        std::ranges::find(mix, form, [](const auto& part) { return part.first; }) != mix.end();
    if (!has || mix.size() != 2 || mix.front().first != 0) continue;
    EXPECT_EQ(CodeOf(slots.FindUsage(map, form)), std::nullopt);
    slots.Lose(mix);
    EXPECT_EQ(CodeOf(slots.FindUsage(map, form)), ClaimCode::kSlotsUnknown);
    break;
  }
}

}  // namespace
}  // namespace cyclescope::ports
