#include "os/windows/cpu_identity.h"

#include <gtest/gtest.h>

namespace cyclescope::os {
namespace {

TEST(ParseIdentifier, ReadsTheNumbers) {
  const X86Signature signature = ParseIdentifier("Intel64 Family 6 Model 173 Stepping 1", "Intel");
  EXPECT_EQ(signature.family, 6u);
  EXPECT_EQ(signature.model, 173u);
  EXPECT_EQ(signature.stepping, 1u);
  EXPECT_EQ(X86Microarchitecture(signature), "Granite Rapids (Redwood Cove)");
}

TEST(ParseIdentifier, TextWithoutNumbersIsUnknown) {
  EXPECT_EQ(X86Microarchitecture(ParseIdentifier("", "Intel")), "");
  EXPECT_EQ(X86Microarchitecture(ParseIdentifier("Family Model x", "AMD")), "");
}

TEST(HypervisorName, KnowsTheUsualOnes) {
  EXPECT_EQ(HypervisorName("KVMKVMKVM"), "kvm");
  EXPECT_EQ(HypervisorName("Microsoft Hv"), "hyper-v");
  EXPECT_EQ(HypervisorName("NewOne"), "NewOne");
}

}  // namespace
}  // namespace cyclescope::os
