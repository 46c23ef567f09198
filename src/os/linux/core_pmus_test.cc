#include "os/linux/core_pmus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

TEST(CorePmus, NameTheKindsOfAHybrid) {
  const auto pmus = ReadCorePmus(RecordedMachine("hybrid-desktop"));
  ASSERT_THAT(pmus, SizeIs(2)) << "the uncore PMU has no cpus";
  EXPECT_EQ(CoreKind(pmus[0]), "efficiency");
  EXPECT_THAT(pmus[0].cpus, SizeIs(8));
  EXPECT_EQ(CoreKind(pmus[1]), "performance");
  EXPECT_THAT(pmus[1].cpus, SizeIs(12));
}

TEST(CorePmuType, IsThatOfTheCpu) {
  const auto pmus = ReadCorePmus(RecordedMachine("hybrid-desktop"));
  EXPECT_THAT(CorePmuType(0, pmus), Optional(4U));
  EXPECT_THAT(CorePmuType(19, pmus), Optional(8U));
  EXPECT_EQ(CorePmuType(20, pmus), std::nullopt);
}

TEST(CorePmuType, NeedNotBeNamedWhereThereIsOne) {
  const auto pmus = ReadCorePmus(RecordedMachine("arm-server"));
  ASSERT_THAT(pmus, SizeIs(1));
  EXPECT_EQ(CoreKind(pmus[0]), "");
  EXPECT_EQ(CorePmuType(0, pmus), std::nullopt);
}

TEST(CorePmus, AreMissingInAVirtualMachine) {
  EXPECT_THAT(ReadCorePmus(RecordedMachine("hiding-vm")), IsEmpty());
}

}  // namespace
}  // namespace cyclescope::os
