// What holds on any machine. The counting itself is tested on an emulated PMU: tests/pmu.
#include "os/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::os {
namespace {

using testing::StartsWith;

class AnyAccess : public testing::TestWithParam<CounterAccess> {};

TEST_P(AnyAccess, CountsOrSaysWhyNot) {
  Result<Counters> counters = Counters::Open(GetParam());
  if (!counters) {
    EXPECT_EQ(counters.error().kind, ErrorKind::kFailed);
    EXPECT_THAT(counters.error().message, StartsWith("cannot "));
    return;
  }
  const auto before = counters->Read();
  const auto after = counters->Read();
  if (!before || !after) return;  // others took the counters in between
  EXPECT_GT(after->cycles, before->cycles);
  EXPECT_GT(after->instructions, before->instructions);
}

INSTANTIATE_TEST_SUITE_P(All, AnyAccess,
                         testing::Values(CounterAccess::kUser, CounterAccess::kSystem));

}  // namespace
}  // namespace cyclescope::os
