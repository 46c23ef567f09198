#include "ports/port_names.h"

#include "ports/testing/simulated_ports.h"

namespace cyclescope::ports {
namespace {

TEST(PortNames, ShortNamesAreThoseOfTables) {
  EXPECT_EQ(ShortPortName("SPRPort00"), "p0");
  EXPECT_EQ(ShortPortName("SPRPort10"), "p10");
  EXPECT_EQ(ShortPortName("V1UnitM0"), "M0");
  EXPECT_EQ(ShortPortName("SPRPortAny"), "SPRPortAny");
}

TEST(PortNames, AreTheModelsWhereTheSetsMatch) {
  const std::vector<NamedSet> sets = {
      {Set({0}), {"p5"}},
      {Set({0, 1}), {"p1", "p5"}},
      {Set({1, 2}), {"p0", "p1"}},
      {Set({3, 4}), {}},
  };
  EXPECT_EQ(NamePorts(5, sets), (std::vector<std::string>{"p5", "p1", "p0", "A", "B"}));
}

TEST(PortNames, UnitsKeepTheirNames) {
  EXPECT_EQ(NamePorts(1, {{Set({0}), {"M0"}}}), (std::vector<std::string>{"M0"}));
}

TEST(PortNames, WithoutAModelPortsAreLetters) {
  EXPECT_EQ(NamePorts(2, {{Set({0, 1}), {}}}), (std::vector<std::string>{"A", "B"}));
}

TEST(PortNames, LettersThatTheModelUsesAreSkipped) {
  EXPECT_EQ(NamePorts(3, {{Set({1}), {"B"}}, {Set({0, 2}), {}}}),
            (std::vector<std::string>{"A", "B", "C"}));
}

TEST(PortNames, PortThatTheModelPutsElsewhereIsNotNamedAfterIt) {
  // Used together once, and apart twice.
  const std::vector<NamedSet> sets = {
      {Set({0}), {"p2"}}, {Set({1}), {"p2"}}, {Set({0, 1}), {"p7"}}, {Set({1, 2}), {"p2"}}};
  EXPECT_NE(NamePorts(3, sets)[0], "p2");
}

}  // namespace
}  // namespace cyclescope::ports
