#include <gtest/gtest.h>

#include <span>
#include <thread>
#include <vector>

#include "arch/architecture.h"
#include "os/cpus.h"
#include "sandbox/in_process_executor.h"

namespace cyclescope::sandbox {
namespace {

using Records = std::vector<CallRecord>;

// The records of some calls of tens of milliseconds, beside a thread that wants the same CPU: the
// two cannot both keep it.
Records RunBesideARival(std::span<const Call> calls) {
  const int cpu = os::AllowedCpus()->front();
  std::jthread rival([cpu](const std::stop_token& stop) {
    ASSERT_TRUE(os::Pin(cpu));
    while (!stop.stop_requested()) arch::Relax();
  });
  Records records;
  std::jthread measuring([cpu, calls, &records] {
    ASSERT_TRUE(os::Pin(cpu));
    InProcessExecutor executor;
    records = std::get<Records>(executor.Run(calls));
  });
  measuring.join();
  return records;
}

constexpr Call kLongCall = {{Entry::Kind::kReferenceChain, 0}, 1'000'000};

TEST(InProcessExecutor, CountsContextSwitches) {
  std::uint32_t switches = 0;
  for (const CallRecord& record : RunBesideARival(std::vector(4, kLongCall)))
    switches += record.context_switches;
  EXPECT_GT(switches, 0u);
  EXPECT_LT(switches, 100'000u) << "not a difference of two readings";
}

// The record of a call that goes on tells nothing; the next one's tells both.
TEST(InProcessExecutor, LooksOnlyWhereACallDoesNotGoOn) {
  std::vector<Call> calls(4, kLongCall);
  for (Call& call : calls) call.goes_on = true;
  calls.back().goes_on = false;
  const Records records = RunBesideARival(calls);
  ASSERT_EQ(records.size(), calls.size());
  EXPECT_GT(records.back().context_switches, 0u);
  for (const CallRecord& record : std::span(records).first(3))
    EXPECT_EQ(record.context_switches, 0u);
}

}  // namespace
}  // namespace cyclescope::sandbox
