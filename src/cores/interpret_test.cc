#include "cores/interpret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cores/matrix_experiment.h"
#include "cores/testing/simulated_line_source.h"

namespace cyclescope::cores {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CoreMatrix MeasureAndInterpret(const testing::SimulatedMachine& machine) {
  testing::SimulatedLineSource source(machine, {});
  auto measured =
      MeasureMatrix(source, machine.Cpus(), {}, [](const CoreMatrix&, Progress) { return true; });
  EXPECT_TRUE(measured.has_value());
  Interpret(*measured, machine.topology, source);
  return std::move(measured->matrix);
}

// From lines to the sentence: the whole way, on a machine that hides something.
TEST(Interpret, AHiddenThreadIsFoundAndTried) {
  const CoreMatrix matrix = MeasureAndInterpret(testing::MachineThatHidesSmt());
  ASSERT_EQ(matrix.groups.size(), 1u);
  ASSERT_EQ(matrix.findings.size(), 1u);
  EXPECT_EQ(matrix.findings[0].kind, FindingKind::kSharedCore);
  EXPECT_THAT(matrix.findings[0].cpus, ElementsAre(0, 12));
}

TEST(Interpret, AnHonestMachineHasGroupsAndNoFindings) {
  const CoreMatrix matrix = MeasureAndInterpret(testing::HybridDesktop());
  EXPECT_EQ(matrix.groups.size(), 12u);
  EXPECT_THAT(matrix.findings, IsEmpty());
}

// Two lines go to and fro in 20 ns between two threads of a core that one line takes 9.5 ns for.
TEST(Interpret, ThreadsOfACoreHaveItsNameInTestsOfTwoLines) {
  testing::SimulatedMachine machine = testing::HybridDesktop();
  machine.nanoseconds = [of_one_line = machine.nanoseconds](int first, int second) {
    return 2.1 * of_one_line(first, second);
  };
  const CoreMatrix matrix = MeasureAndInterpret(machine);
  ASSERT_FALSE(matrix.spectrum.levels.empty());
  EXPECT_NEAR(matrix.spectrum.levels[0].nanoseconds, 20, 0.5);
  EXPECT_EQ(matrix.spectrum.levels[0].name, "same core");
}

// A matrix from elsewhere: values, no topology, no visits.
TEST(Interpret, OfValuesAlone) {
  CoreMatrix matrix = testing::MakeMatrix(testing::TwoSocketServer(), testing::kUsualNoise, 1);
  matrix.low = matrix.high = {};
  Interpret(matrix, {});
  EXPECT_EQ(matrix.groups.size(), 34u);
  EXPECT_THAT(matrix.findings, IsEmpty());
  ASSERT_EQ(matrix.spectrum.levels.size(), 3u);
  EXPECT_EQ(matrix.spectrum.levels[0].name, "same core");
  EXPECT_EQ(matrix.spectrum.levels[1].name, "same cluster or die");
  EXPECT_EQ(matrix.spectrum.levels[2].name, "other die or socket");
}

// A busy machine has slow visits, which are no other die.
TEST(Interpret, TwoCpusThatStayHaveOneDistance) {
  const testing::SimulatedMachine machine = testing::HybridDesktop();
  testing::SimulatedLineSource source(machine, {});
  const std::vector<int> cpus = {machine.Cpus().front(), machine.Cpus().back()};
  auto measured = MeasureMatrix(source, cpus, {}, [](const CoreMatrix&, Progress) { return true; });
  ASSERT_TRUE(measured);
  ASSERT_NE(measured->verdict.stability, Stability::kFloating);
  measured->matrix.spectrum.levels = {
      {.name = "same cluster or tile", .nanoseconds = 82.8, .low = 80, .high = 85, .share = 0.8},
      {.name = "same die", .nanoseconds = 226.8, .low = 220, .high = 230, .share = 0.1},
      {.name = "other die or socket", .nanoseconds = 372.7, .low = 360, .high = 380, .share = 0.1}};
  Interpret(*measured, machine.topology, source);
  ASSERT_EQ(measured->matrix.spectrum.levels.size(), 1u);
  EXPECT_EQ(measured->matrix.spectrum.levels[0].name, "other core");
  EXPECT_DOUBLE_EQ(measured->matrix.spectrum.levels[0].nanoseconds, 82.8);
  EXPECT_DOUBLE_EQ(measured->matrix.spectrum.levels[0].high, 380);
}

// Ctrl-C must not wait for hundreds of trials.
TEST(Interpret, HoldsNoTrialsOnceItIsToEnd) {
  const testing::SimulatedMachine machine = testing::MachineThatHidesSmt();
  testing::SimulatedLineSource source(machine, {});
  auto measured =
      MeasureMatrix(source, machine.Cpus(), {}, [](const CoreMatrix&, Progress) { return true; });
  ASSERT_TRUE(measured);
  const int before = source.draws();
  MeasuredMatrix ended = *measured;
  Interpret(ended, machine.topology, source, [] { return false; });
  EXPECT_EQ(source.draws(), before);
  Interpret(*measured, machine.topology, source, [] { return true; });
  EXPECT_GT(source.draws(), before);
}

}  // namespace
}  // namespace cyclescope::cores
