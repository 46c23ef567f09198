#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "arch/architecture.h"
#include "os/cpus.h"
#include "sandbox/in_process_executor.h"

namespace cyclescope::sandbox {
namespace {

using Records = std::vector<CallRecord>;

TEST(InProcessExecutor, CountsContextSwitches) {
  const int cpu = os::AllowedCpus()->front();
  std::uint32_t switches = 0;
  // Two threads that want the same CPU for tens of milliseconds cannot both keep it.
  std::jthread rival([cpu](const std::stop_token& stop) {
    ASSERT_TRUE(os::Pin(cpu));
    while (!stop.stop_requested()) arch::Relax();
  });
  std::jthread measuring([cpu, &switches] {
    ASSERT_TRUE(os::Pin(cpu));
    InProcessExecutor executor;
    const std::vector<Call> calls(4, Call{{Entry::Kind::kReferenceChain, 0}, 1'000'000});
    const Outcome outcome = executor.Run(calls);
    for (const CallRecord& record : std::get<Records>(outcome)) switches += record.context_switches;
  });
  measuring.join();
  EXPECT_GT(switches, 0u);
  EXPECT_LT(switches, 100'000u) << "not a difference of two readings";
}

// The record of a call that goes on tells nothing; the next one's tells both.
TEST(InProcessExecutor, LooksOnlyWhereACallDoesNotGoOn) {
  const int cpu = os::AllowedCpus()->front();
  std::jthread rival([cpu](const std::stop_token& stop) {
    ASSERT_TRUE(os::Pin(cpu));
    while (!stop.stop_requested()) arch::Relax();
  });
  std::jthread measuring([cpu] {
    ASSERT_TRUE(os::Pin(cpu));
    InProcessExecutor executor;
    std::vector<Call> calls(4, Call{{Entry::Kind::kReferenceChain, 0}, 1'000'000, true});
    calls.back().goes_on = false;
    const Outcome outcome = executor.Run(calls);
    const Records& records = std::get<Records>(outcome);
    for (std::size_t i = 0; i + 1 < records.size(); ++i) EXPECT_EQ(records[i].context_switches, 0u);
    EXPECT_GT(records.back().context_switches, 0u);
  });
  measuring.join();
}

}  // namespace
}  // namespace cyclescope::sandbox
