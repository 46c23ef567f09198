#include "sandbox/in_process_executor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "arch/architecture.h"
#include "os/cpus.h"

namespace cyclescope::sandbox {
namespace {

using Records = std::vector<CallRecord>;

TEST(InProcessExecutor, TimesReferenceChains) {
  InProcessExecutor executor;
  EXPECT_FALSE(executor.has_counters());
  for (std::uint32_t chain = 0; chain < arch::ReferenceChains().size(); ++chain) {
    const Entry entry{Entry::Kind::kReferenceChain, chain};
    std::vector<Call> calls(20, Call{entry, 200});
    calls.insert(calls.end(), 20, Call{entry, 2000});
    const Outcome outcome = executor.Run(calls);
    const Records& records = std::get<Records>(outcome);
    ASSERT_EQ(records.size(), calls.size());
    const auto shorter = std::ranges::min(std::span(records).first(20), {}, &CallRecord::ticks);
    const auto longer = std::ranges::min(std::span(records).last(20), {}, &CallRecord::ticks);
    EXPECT_GT(longer.ticks, shorter.ticks);
    EXPECT_FALSE(longer.counters_valid);
  }
}

}  // namespace
}  // namespace cyclescope::sandbox
