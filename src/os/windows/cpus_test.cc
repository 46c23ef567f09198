#include "os/cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <bit>

namespace cyclescope::os {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

TEST(Cpus, AllowedOnesExist) {
  const auto allowed = AllowedCpus();
  ASSERT_TRUE(allowed);
  EXPECT_THAT(*allowed, Not(IsEmpty()));
  EXPECT_THAT(PresentCpus(), IsSupersetOf(*allowed));
}

// As `start /affinity 1` does.
TEST(Cpus, SomebodyMayHaveLeftTheProcessOneOnly) {
  const auto before = AllowedCpus();
  ASSERT_TRUE(before);
  DWORD_PTR mask = 0;
  DWORD_PTR all = 0;
  ASSERT_NE(GetProcessAffinityMask(GetCurrentProcess(), &mask, &all), 0);
  const DWORD_PTR last = std::bit_floor(mask);
  ASSERT_NE(SetProcessAffinityMask(GetCurrentProcess(), last), 0);
  const auto left = AllowedCpus();
  SetProcessAffinityMask(GetCurrentProcess(), mask);
  ASSERT_TRUE(left);
  EXPECT_THAT(*left, ElementsAre(before->back()));
  EXPECT_EQ(AllowedCpus().value(), *before);
}

TEST(Cpus, AThreadGoesWhereItIsPutAndBack) {
  const auto allowed = AllowedCpus();
  ASSERT_TRUE(allowed);
  for (const int cpu : *allowed) {
    const auto pinned = Pin(cpu);
    ASSERT_TRUE(pinned) << pinned.error().ToString();
    EXPECT_EQ(CurrentCpu(), cpu);
  }
  EXPECT_TRUE(Unpin(*allowed));
  EXPECT_EQ(AllowedCpus().value(), *allowed) << "a thread's place says nothing about its process";
}

TEST(Cpus, OneThatDoesNotExistIsRefused) {
  const auto pinned = Pin(1 << 20);
  ASSERT_FALSE(pinned);
  EXPECT_THAT(pinned.error().message, testing::HasSubstr("does not exist"));
  EXPECT_FALSE(SelectCpus("60000", *AllowedCpus()));
}

}  // namespace
}  // namespace cyclescope::os
