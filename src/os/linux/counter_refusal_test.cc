#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "os/linux/counter_settings.h"

namespace cyclescope::os {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Explain(int error_number, const CounterSettings& settings = {},
                    std::string_view hypervisor = "none") {
  return ExplainRefusal("cycles", error_number, settings, hypervisor).ToString();
}

TEST(ExplainRefusal, NamesTheSysctl) {
  EXPECT_EQ(Explain(EACCES, {.perf_event_paranoid = 4}),
            "cannot count cycles: kernel.perf_event_paranoid is 4; 'sudo sysctl "
            "kernel.perf_event_paranoid=2' allows them");
}

TEST(ExplainRefusal, NamesNoSysctlWhereThereIsNothingToAllow) {
  EXPECT_THAT(Explain(EACCES, {.exist = false, .perf_event_paranoid = 4}, "kvm"),
              HasSubstr("the hypervisor offers no counters"));
}

TEST(ExplainRefusal, DoesNotBlameASysctlThatAllowsIt) {
  EXPECT_THAT(Explain(EACCES, {.perf_event_paranoid = 2}),
              AllOf(HasSubstr("security module"), Not(HasSubstr("sysctl"))));
}

TEST(ExplainRefusal, KnowsAContainersFilter) {
  EXPECT_THAT(
      Explain(EPERM, {.perf_event_paranoid = 4}),
      AllOf(HasSubstr("seccomp"), HasSubstr("--cap-add PERFMON"), Not(HasSubstr("sysctl"))));
}

TEST(ExplainRefusal, TellsAVirtualMachineFromAMissingDriver) {
  EXPECT_THAT(Explain(ENOENT, {}, "kvm"), HasSubstr("the hypervisor offers no counters"));
  EXPECT_THAT(Explain(ENOENT, {}, "unnamed"), HasSubstr("the hypervisor offers no counters"));
  EXPECT_THAT(Explain(ENOENT, {}, "none"), HasSubstr("the kernel has no driver"));
}

TEST(ExplainRefusal, KnowsASystemWithoutPerfEvents) {
  EXPECT_THAT(Explain(ENOSYS), HasSubstr("this system has no perf events"));
}

TEST(ExplainRefusal, PassesOnWhatItDoesNotKnow) {
  EXPECT_EQ(Explain(EMFILE), "cannot count cycles: Too many open files");
}

TEST(ExplainNoUserAccess, NamesTheSetting) {
  EXPECT_THAT(ExplainNoUserAccess({.perf_user_access = 0}).ToString(),
              HasSubstr("sudo sysctl kernel.perf_user_access=1"));
  EXPECT_THAT(ExplainNoUserAccess({.rdpmc = 0}).ToString(),
              HasSubstr("echo 1 | sudo tee /sys/devices/cpu*/rdpmc"));
  EXPECT_THAT(ExplainNoUserAccess({}).ToString(), HasSubstr("Linux 5.17"));
}

}  // namespace
}  // namespace cyclescope::os
