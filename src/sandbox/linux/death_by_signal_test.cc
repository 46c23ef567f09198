#include <gtest/gtest.h>

#include <csignal>

#include "sandbox/death.h"

namespace cyclescope::sandbox {
namespace {

TEST(DeathBySignal, NamesWhatHappenedWhereAndToWhat) {
  const Death death = DeathBySignal(SIGSEGV, 0x1000, CodePlace{1, 12});
  EXPECT_EQ(death.kind, DeathKind::kBadAddress);
  EXPECT_EQ(death.reason, "bad memory access (SIGSEGV) to address 0x1000");
}

TEST(DeathBySignal, DoesNotBlameAnAddressThatIsNotKnown) {
  EXPECT_EQ(DeathBySignal(SIGSEGV).reason,
            "bad memory access (SIGSEGV) or instruction that only the kernel may use, no address "
            "known");
}

TEST(DeathBySignal, KnowsTheKinds) {
  EXPECT_EQ(DeathBySignal(SIGILL).kind, DeathKind::kIllegalInstruction);
  EXPECT_EQ(DeathBySignal(SIGFPE).kind, DeathKind::kArithmetic);
  EXPECT_EQ(DeathBySignal(SIGSYS).kind, DeathKind::kForbiddenSystemCall);
  EXPECT_EQ(DeathBySignal(SIGXCPU).kind, DeathKind::kTimeout);
  EXPECT_EQ(DeathBySignal(SIGUSR2).kind, DeathKind::kOtherSignal);
}

}  // namespace
}  // namespace cyclescope::sandbox
