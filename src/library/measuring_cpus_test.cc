#include "library/measuring_cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::library {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Four CPUs, of which each stands on the core that is given for it.
Host HostOf(const std::vector<int>& cores) {
  Host host;
  host.hypervisor = "kvm";
  for (int cpu = 0; cpu < static_cast<int>(cores.size()); ++cpu) {
    host.cpus_allowed.push_back(cpu);
    host.topology.push_back(
        {.cpu = cpu, .core = cores[static_cast<std::size_t>(cpu)], .package = 0});
  }
  return host;
}

TEST(NeighbourCpus, TheOneThatTheSystemLists) {
  const Host host = HostOf({0, 1, 0, 1});
  EXPECT_THAT(NeighbourCpus(1, host), ElementsAre(3));
  EXPECT_THAT(NeighbourCpus(2, host), ElementsAre(0));
}

TEST(NeighbourCpus, AllOthersWhereAHypervisorListsNoThreads) {
  EXPECT_THAT(NeighbourCpus(2, HostOf({0, 1, 2, 3})), ElementsAre(1, 3, 0));
  Host silent = HostOf({0, 1});
  silent.topology.clear();
  EXPECT_THAT(NeighbourCpus(1, silent), ElementsAre(0));
}

TEST(NeighbourCpus, NoneWhereWhatIsListedSettlesIt) {
  Host bare = HostOf({0, 1, 2, 3});
  bare.hypervisor = "none";
  EXPECT_THAT(NeighbourCpus(2, bare), IsEmpty());
  // Threads are listed, and ours is one that we may not use.
  Host half = HostOf({0, 1, 0, 1});
  half.cpus_allowed = {0, 1};
  EXPECT_THAT(NeighbourCpus(0, half), IsEmpty());
}

TEST(NeighbourCpus, CoresOfTwoPackagesMayHaveOneNumber) {
  Host host = HostOf({0, 0});
  host.topology[1].package = 1;
  host.hypervisor = "none";
  EXPECT_THAT(NeighbourCpus(0, host), IsEmpty());
}

}  // namespace
}  // namespace cyclescope::library
