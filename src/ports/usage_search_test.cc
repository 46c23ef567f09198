#include "ports/usage_search.h"

#include "ports/testing/made_ports.h"

namespace cyclescope::ports {
namespace {

// The found usage, with the map's ports in place of the made core's.
bool IsTruth(const Usage& found, const Usage& truth, const CoreMap& map, const MadePorts& core) {
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

TEST(UsageSearch, MicroOpsOfOtherFormsAreFoundOrNotExplained) {
  for (const MadePorts& core : {LikeGoldenCove(), LikeNeoverseV1(), LikeZen()}) {
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
  const MadePorts core = LikeGoldenCove();
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
  const MadePorts core = LikeGoldenCove();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  const std::size_t form = core.map_forms;
  FormPorts ports;
  for (;;) {
    const UsageStep step = InferUsage(map, form, /*most_fused=*/0, bench.measured());
    ports = step.ports;
    if (step.wanted.empty()) break;
    bench.Measure(step.wanted);
    // Beside others it takes twice as long, whatever they are.
    for (const Mix& mix : step.wanted) {
      if (mix.size() > 1 && mix.front().first != 0) *bench.measured()[mix] *= 2;
    }
  }
  EXPECT_FALSE(ports.usage);
  EXPECT_THAT(ports.not_explained, testing::HasSubstr("no µops"));
}

TEST(UsageSearch, FormThatCannotBeMeasuredSaysSo) {
  const MadePorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  const CoreMap map = bench.FindMap();
  bench.measured()[{{core.map_forms, 1}}] = std::nullopt;
  EXPECT_THAT(bench.FindUsage(map, core.map_forms).not_explained, testing::HasSubstr("quiet"));
}

}  // namespace
}  // namespace cyclescope::ports
