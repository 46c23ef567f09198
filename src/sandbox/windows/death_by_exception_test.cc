#include <gtest/gtest.h>
#include <windows.h>

#include "sandbox/death.h"

namespace cyclescope::sandbox {
namespace {

TEST(DeathByException, NamesWhatHappenedAndToWhat) {
  const Death death = DeathByException(EXCEPTION_ACCESS_VIOLATION, 0x1000, CodePlace{1, 12});
  EXPECT_EQ(death.kind, DeathKind::kBadAddress);
  EXPECT_EQ(death.reason, "bad memory access (EXCEPTION_ACCESS_VIOLATION) to address 0x1000");
  EXPECT_EQ(death.code_place, (CodePlace{1, 12}));
}

TEST(DeathByException, KnowsTheKinds) {
  EXPECT_EQ(DeathByException(EXCEPTION_ILLEGAL_INSTRUCTION).kind, DeathKind::kIllegalInstruction);
  EXPECT_EQ(DeathByException(EXCEPTION_PRIV_INSTRUCTION).kind, DeathKind::kBadAddress);
  EXPECT_EQ(DeathByException(EXCEPTION_INT_DIVIDE_BY_ZERO).kind, DeathKind::kArithmetic);
  EXPECT_EQ(DeathByException(EXCEPTION_DATATYPE_MISALIGNMENT).kind, DeathKind::kBusError);
  EXPECT_EQ(DeathByException(EXCEPTION_BREAKPOINT).kind, DeathKind::kTrap);
  EXPECT_EQ(DeathByException(EXCEPTION_STACK_OVERFLOW).kind, DeathKind::kBadAddress);
  EXPECT_EQ(DeathByException(0xc0000409).kind, DeathKind::kOtherSignal);
}

TEST(IsFault, TellsFaultsFromWhatLibrariesRaise) {
  EXPECT_TRUE(IsFault(EXCEPTION_ACCESS_VIOLATION));
  EXPECT_TRUE(IsFault(EXCEPTION_SINGLE_STEP));
  EXPECT_TRUE(IsFault(0xc0000409));
  EXPECT_FALSE(IsFault(0xe06d7363)) << "an exception of C++";
  EXPECT_FALSE(IsFault(0x20474343)) << "an exception of GCC's C++";
  EXPECT_FALSE(IsFault(DBG_PRINTEXCEPTION_C));
  EXPECT_FALSE(IsFault(1)) << "an exit status";
}

}  // namespace
}  // namespace cyclescope::sandbox
