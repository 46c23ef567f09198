#include "measure/reference_jury.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/testing/fake_executor.h"

namespace cyclescope::measure {
namespace {

using testing::FakeExecutor;
using ::testing::HasSubstr;

Jury JudgeRatios(std::vector<double> ratios) {
  std::vector<Estimate> estimates;
  for (const double ratio : ratios) estimates.push_back({.value = ratio});
  return Judge(arch::ReferenceChains(), estimates);
}

int MultiplyCycles() { return arch::ReferenceChains()[2].least_cycles; }

TEST(Judge, TrustsWholeNumbers) {
  const Jury jury = JudgeRatios({1.0, 0.999, MultiplyCycles() * 1.004});
  EXPECT_TRUE(jury.trusted) << jury.verdict;
  ASSERT_EQ(jury.chains.size(), 3u);
  EXPECT_EQ(jury.chains[1].ratio, 0.999);
}

TEST(Judge, RefusesAPartOfACycle) {
  const Jury jury = JudgeRatios({1.0, 1.0, MultiplyCycles() + 0.3});
  EXPECT_FALSE(jury.trusted);
  EXPECT_THAT(jury.verdict, HasSubstr("a link is not one cycle here"));
}

TEST(Judge, RefusesAWholeNumberThatNoProcessorHas) {
  EXPECT_FALSE(JudgeRatios({1.0, 1.0, 17.0}).trusted);
}

TEST(Judge, RefusesWhatWasDisturbed) {
  std::vector<Estimate> estimates = {{.value = 1}, {.value = 1, .disturbed = true}, {.value = 3}};
  const Jury jury = Judge(arch::ReferenceChains(), estimates);
  EXPECT_FALSE(jury.trusted);
  EXPECT_THAT(jury.verdict, HasSubstr("disturbed"));
}

Jury HoldOn(FakeExecutor& executor) {
  const auto source = MakeReferenceSource({.chain = 0, .links_per_loop = 100, .loops = 200});
  return HoldJury(executor, *source, arch::ReferenceChains(), 200);
}

FakeExecutor MachineWithLinks(double unit, double other, double multiply) {
  FakeExecutor executor;
  executor.cycles_per_loop = [=](sandbox::Entry entry) {
    return 100 * (entry.index == 0 ? unit : entry.index == 1 ? other : multiply);
  };
  return executor;
}

TEST(HoldJury, TrustsAGoodMachine) {
  FakeExecutor executor = MachineWithLinks(1, 1, 3);
  const Jury jury = HoldOn(executor);
  EXPECT_TRUE(jury.trusted) << jury.verdict;
  EXPECT_NEAR(jury.chains[2].ratio, 3, 0.01);
}

// What an add of an immediate does on Golden Cove. The multiply alone would not have told: it
// is 17.05 times the unit.
TEST(HoldJury, RefusesAReferenceThatIsResolvedAtRename) {
  FakeExecutor executor = MachineWithLinks(0.176, 1, 3);
  const Jury jury = HoldOn(executor);
  EXPECT_FALSE(jury.trusted);
  FakeExecutor all_renamed = MachineWithLinks(0.176, 0.176, 3);
  EXPECT_FALSE(HoldOn(all_renamed).trusted);
}

TEST(HoldJury, DoesNotTrustWhatCannotRun) {
  FakeExecutor executor;
  executor.dies = true;
  const Jury jury = HoldOn(executor);
  EXPECT_FALSE(jury.trusted);
  EXPECT_THAT(jury.verdict, HasSubstr("illegal instruction"));
}

}  // namespace
}  // namespace cyclescope::measure
