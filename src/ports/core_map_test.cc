#include "ports/core_map.h"

#include <fstream>
#include <sstream>

#include "ports/testing/made_ports.h"

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
bool IsRight(const CoreMap& map, const MadePorts& core) {
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
  return !map.classes.empty() && Shape(found) == Shape(truth);
}

struct Case {
  MadePorts core;
  double noise = 0;
};

class MadeCores : public testing::TestWithParam<Case> {};

TEST_P(MadeCores, AreFoundUpToTheNamesOfPorts) {
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

INSTANTIATE_TEST_SUITE_P(CoreMap, MadeCores,
                         testing::Values(Case{LikeGoldenCove(), 0.003}, Case{LikeGoldenCove(), 0.01},
                                         Case{LikeNeoverseV1(), 0.003}, Case{LikeNeoverseV1(), 0.01},
                                         Case{LikeZen(), 0.003}, Case{LikeZen(), 0.01}));

TEST(CoreMap, LimitThatIsNoPortIsNotTakenForOneWithoutSayingSo) {
  PortsBench bench(LikeNeoverseV1(), 0.003, 1);
  const CoreMap map = bench.FindMap();
  const auto flags = std::ranges::find_if(
      map.classes, [](const MapClass& each) { return each.forms.front() == 12; });
  ASSERT_NE(flags, map.classes.end());
  EXPECT_TRUE(flags->ambiguous || flags->ports.limited);
}

TEST(CoreMap, FormsThatCannotBeMeasuredAreLeftOutWithAReason) {
  const MadePorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  bench.measured()[{{3, 1}}] = std::nullopt;
  const CoreMap map = bench.FindMap();
  EXPECT_THAT(map.left_out.at(3), testing::HasSubstr("quiet"));
  EXPECT_TRUE(std::ranges::none_of(
      map.classes, [](const MapClass& each) { return std::ranges::count(each.forms, 3U) > 0; }));
}

TEST(CoreMap, WithoutTheWidthOfDispatchThereIsNoMap) {
  const MadePorts core = LikeZen();
  PortsBench bench(core, 0, 1);
  bench.measured()[{{0, 1}}] = std::nullopt;
  const CoreMap map = bench.FindMap();
  EXPECT_TRUE(map.classes.empty());
  EXPECT_TRUE(map.left_out.contains(0));
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
  MixResults measured = {{{{0, 1}}, 1.0 / 6}};
  for (auto& [mix, cycles] : recorded) measured[mix] = std::ranges::min(cycles);
  CoreMap map;
  for (;;) {
    MapStep step = InferMap(truth.size(), measured);
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
      measured[mix] = std::max(PortTime(uops), slots / 6.0);
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
