#include "predict/port_chooser.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace cyclescope::predict {
namespace {

std::vector<int> Chosen(PortChooser& chooser, PortSet ports, int uops) {
  std::vector<int> chosen;
  for (int slot = 0; slot < uops; ++slot) chosen.push_back(chooser.Choose(ports, slot));
  return chosen;
}

TEST(PortChooser, ThePortThatTheFewestWaitForIsTaken) {
  PortChooser chooser(PortChoice::kLeastWaiting, 0);
  chooser.BeginCycle(0);
  EXPECT_EQ(Chosen(chooser, 0b111, 4), (std::vector<int>{2, 1, 0, 2}));
  chooser.Started(1, 1);
  chooser.BeginCycle(1);
  EXPECT_EQ(Chosen(chooser, 0b111, 1), (std::vector<int>{1}));
}

TEST(PortChooser, APairMayBeTakenInTurn) {
  PortChooser chooser(PortChoice::kInTurn, 0b11);
  chooser.BeginCycle(0);
  EXPECT_EQ(Chosen(chooser, 0b11, 3), (std::vector<int>{1, 0, 1}));
}

TEST(PortChooser, TheUopsOfASetAreSpreadOverItInEachCycle) {
  PortChooser chooser(PortChoice::kTurnsOfSets, 0);
  for (int cycle = 0; cycle < 20; ++cycle) {
    chooser.BeginCycle(cycle);
    PortSet taken = 0;
    for (const int port : Chosen(chooser, 0b11100, 3)) taken |= PortSet{1} << port;
    EXPECT_EQ(std::popcount(taken), 3);
    for (const std::size_t port : {2, 3, 4}) chooser.Started(port, cycle + 1);
  }
}

TEST(PortChooser, APortThatThreeMoreWaitForIsPassedOver) {
  PortChooser chooser(PortChoice::kTurnsOfSets, 0);
  chooser.BeginCycle(0);
  Chosen(chooser, 0b01, 3);
  chooser.BeginCycle(1);
  EXPECT_EQ(Chosen(chooser, 0b11, 3), (std::vector<int>{1, 1, 1}));
}

TEST(PortChooser, ThatAUopStartedIsKnownLater) {
  PortChooser chooser(PortChoice::kTurnsOfSets, 0);
  chooser.BeginCycle(0);
  Chosen(chooser, 0b01, 1);
  chooser.Started(0, 1);
  chooser.BeginCycle(2);
  EXPECT_EQ(chooser.WaitingFor(0), 1);
  chooser.BeginCycle(3);
  EXPECT_EQ(chooser.WaitingFor(0), 0);
}

}  // namespace
}  // namespace cyclescope::predict
