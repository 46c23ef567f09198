#include "simulator/core_model.h"

#include <gtest/gtest.h>

namespace cyclescope::simulator {
namespace {

constexpr double kMissCycles = 400;

Instruction Head() {
  return {.latency_cycles = kMissCycles,
          .holds = {Resource::kLoads, Resource::kIntegerRegisters},
          .carried_from = {0}};
}

// Two heads in chains of their own, with fillers behind each.
std::vector<Instruction> Trip(const Instruction& filler, int fillers) {
  std::vector<Instruction> trip;
  for (int head = 0; head < 2; ++head) {
    trip.push_back(Head());
    for (int i = 0; i < fillers; ++i) trip.push_back(filler);
  }
  return trip;
}

TEST(CoreModel, DispatchesAsManyACycleAsItIsWide) {
  const CoreModel core{.dispatch_width = 6};
  const std::vector<Instruction> trip(60, Instruction{.needs_port = false});
  EXPECT_NEAR(CyclesPerTrip(core, trip), 10, 0.01);
}

TEST(CoreModel, AChainTakesTheSumOfItsLatencies) {
  const CoreModel core;
  const std::vector<Instruction> trip = {
      {.latency_cycles = 3, .operands = {}, .carried_from = {0}}};
  EXPECT_NEAR(CyclesPerTrip(core, trip), 3, 0.01);
}

TEST(CoreModel, PortsLimitWhatStartsInACycle) {
  const CoreModel core{.dispatch_width = 8, .ports = 4};
  const std::vector<Instruction> trip(40, Instruction{});
  EXPECT_NEAR(CyclesPerTrip(core, trip), 10, 0.5);
}

TEST(CoreModel, MissesOverlapWhileTheyFitIntoTheReorderBuffer) {
  CoreModel core;
  core.SizeOf(Resource::kReorderBuffer) = 224;
  const Instruction nop{.needs_port = false};
  EXPECT_LT(CyclesPerTrip(core, Trip(nop, 200)), 1.4 * kMissCycles);
  EXPECT_LT(CyclesPerTrip(core, Trip(nop, 222)), 1.5 * kMissCycles);
  EXPECT_GT(CyclesPerTrip(core, Trip(nop, 223)), 1.9 * kMissCycles);
}

TEST(CoreModel, WhatEndsFirstDecides) {
  CoreModel core;
  core.SizeOf(Resource::kReorderBuffer) = 224;
  core.SizeOf(Resource::kStores) = 56;
  const Instruction store{.holds = {Resource::kStores}};
  EXPECT_LT(CyclesPerTrip(core, Trip(store, 50)), 1.4 * kMissCycles);
  EXPECT_GT(CyclesPerTrip(core, Trip(store, 60)), 1.8 * kMissCycles);
}

TEST(CoreModel, WhatWaitsFillsTheScheduler) {
  CoreModel core;
  core.SizeOf(Resource::kReorderBuffer) = 512;
  core.SizeOf(Resource::kScheduler) = 97;
  const auto trip = [](int fillers) {
    std::vector<Instruction> made;
    for (int head = 0; head < 2; ++head) {
      made.push_back(Head());
      for (int i = 0; i < fillers; ++i) made.push_back({.operands = {i + 1}});
    }
    return made;
  };
  EXPECT_LT(CyclesPerTrip(core, trip(90)), 1.4 * kMissCycles);
  EXPECT_GT(CyclesPerTrip(core, trip(98)), 1.9 * kMissCycles);
}

}  // namespace
}  // namespace cyclescope::simulator
