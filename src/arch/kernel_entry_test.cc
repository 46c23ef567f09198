#include "arch/kernel_entry.h"

#include <gtest/gtest.h>

#include "arch/testing/kernel_entry_code.h"
#include "arch/testing/kernel_in_memory.h"

namespace cyclescope::arch {
namespace {

TEST(EnterKernel, GivesArgumentsAndStack) {
  KernelInMemory kernel(StoreArguments());
  EnterKernel(kernel.entry(), 42, kernel.scratch(), kernel.stack());
  EXPECT_EQ(kernel.Scratch(0), 42u);
  EXPECT_EQ(kernel.Scratch(1), kernel.scratch());
  EXPECT_EQ(kernel.Scratch(2), kernel.stack());
}

TEST(EnterKernel, ClearsAllOtherRegisters) {
  KernelInMemory kernel(StoreOtherRegisters());
  kernel.SetScratch(0, 1);
  EnterKernel(kernel.entry(), 1, kernel.scratch(), kernel.stack());
  EXPECT_EQ(kernel.Scratch(0), 0u);
}

TEST(EnterKernel, ComesBackWithCalleeSavedRegisters) {
  KernelInMemory kernel(OverwriteCalleeSaved());
  EXPECT_TRUE(CalleeSavedSurvive(kernel.entry(), kernel.scratch(), kernel.stack()));
}

}  // namespace
}  // namespace cyclescope::arch
