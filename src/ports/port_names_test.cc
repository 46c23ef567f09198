#include "ports/port_names.h"

#include "ports/testing/made_ports.h"

namespace cyclescope::ports {
namespace {

TEST(PortNames, AreTheModelsWhereTheSetsMatch) {
  const std::vector<NamedSet> sets = {
      {Set({0}), {"SPRPort05"}},
      {Set({0, 1}), {"SPRPort01", "SPRPort05"}},
      {Set({1, 2}), {"SPRPort00", "SPRPort01"}},
      {Set({3, 4}), {}},
  };
  EXPECT_EQ(NamePorts(5, sets), (std::vector<std::string>{"p5", "p1", "p0", "A", "B"}));
}

TEST(PortNames, UnitsOfArmModelsKeepTheirNames) {
  EXPECT_EQ(NamePorts(1, {{Set({0}), {"V1UnitM0"}}}), (std::vector<std::string>{"M0"}));
}

TEST(PortNames, WithoutAModelPortsAreLetters) {
  EXPECT_EQ(NamePorts(2, {{Set({0, 1}), {}}}), (std::vector<std::string>{"A", "B"}));
}

TEST(PortNames, PortThatTheModelPutsElsewhereIsNotNamedAfterIt) {
  // Used together once, and apart twice.
  const std::vector<NamedSet> sets = {{Set({0}), {"HPort2"}},
                                      {Set({1}), {"HPort2"}},
                                      {Set({0, 1}), {"HPort7"}},
                                      {Set({1, 2}), {"HPort2"}}};
  const auto names = NamePorts(3, sets);
  EXPECT_EQ(names[1], "p2");
  EXPECT_NE(names[0], "p2");
}

}  // namespace
}  // namespace cyclescope::ports
