#include "instructions/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "instructions/testing/planning.h"
#include "measure/tick_clock.h"

namespace cyclescope::instructions {
namespace {

using testing::Either;

constexpr std::size_t kForms = 12;

std::vector<SweepForm> ManyForms() {
  auto lab = testing::PlanningLab();
  const auto form = lab->FormOf(Either("add x0, x1, x2", "add rax, rcx"));
  std::vector<SweepForm> forms;
  for (std::size_t i = 0; i < kForms; ++i) forms.push_back({i, "base", form->instruction});
  return forms;
}

// Two labs take turns on the last CPU; they plan on the others, where there are any.
SweepSettings TwoOnOneCpu() {
  os::CpuList cpus = *os::AllowedCpus();
  SweepSettings settings;
  settings.measuring_cpus = {cpus.back()};
  if (cpus.size() > 1) cpus.pop_back();
  settings.planning_cpus = cpus;
  return settings;
}

Result<std::unique_ptr<Lab>> MakeLab(int cpu, std::mutex& turn) {
  assembler::Target target;
  target.architecture = *assembler::ParseArchitecture(arch::Name());
  Lab::Options options;
  options.cpu = cpu;
  options.turn = &turn;
  return Lab::Create(target, measure::FindTickClock(measure::SystemClockReaders()), options);
}

TEST(Sweep, EveryFormGivesOneRow) {
  std::multiset<std::size_t> places;
  const auto swept = Sweep(ManyForms(), TwoOnOneCpu(), MakeLab,
                           {.take_row = [&](const PlacedRow& row) -> Result<void> {
                              places.insert(row.place);
                              EXPECT_EQ(row.row.isa, "base");
                              return {};
                            },
                            .is_over = [] { return false; }});
  EXPECT_TRUE(swept) << swept.error().ToString();
  EXPECT_THAT(places, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(Sweep, EndsWhenItIsOver) {
  std::size_t rows = 0;
  std::atomic<bool> over = false;
  const auto swept = Sweep(ManyForms(), TwoOnOneCpu(), MakeLab,
                           {.take_row = [&](const PlacedRow&) -> Result<void> {
                              over = ++rows >= 3;
                              return {};
                            },
                            .is_over = [&] { return over.load(); }});
  EXPECT_TRUE(swept) << swept.error().ToString();
  EXPECT_GE(rows, 3u);
  EXPECT_LT(rows, kForms);
}

TEST(Sweep, AnErrorOfTheObserverEndsIt) {
  std::size_t rows = 0;
  const auto swept = Sweep(ManyForms(), TwoOnOneCpu(), MakeLab,
                           {.take_row = [&](const PlacedRow&) -> Result<void> {
                              ++rows;
                              return Failed("the disk is full");
                            },
                            .is_over = [] { return false; }});
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().message, "the disk is full");
  EXPECT_LT(rows, kForms);
}

}  // namespace
}  // namespace cyclescope::instructions
