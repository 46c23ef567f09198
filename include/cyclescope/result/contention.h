// Co-tenants on our cores: on a virtual machine, another guest may run on the other hyperthread.
#pragma once

#include "cyclescope/result/describe.h"

namespace cyclescope {

struct Contention {
  int cpu = 0;
  double share = 0;
  int probes = 0;
  double wide_quiet = 0;
  double wide_shared = 0;
  double waited_s = 0;
};

void Describe(auto& visit, Of<Contention> auto& contention) {
  visit.Struct("Contention",
               "How much of the time the core of one CPU was shared with another thread.");
  visit.Required("cpu", contention.cpu, "As the system counts.");
  visit.Required("share", contention.share, "Of the time, from 0 to 1.");
  visit.Always("probes", contention.probes, "How often it was looked at.");
  visit.Always("wide_quiet", contention.wide_quiet,
               "Cycles of each of several independent adds while no other thread uses the core.");
  visit.Always("wide_shared", contention.wide_shared,
               "The same while it was shared, on average; as quiet where it never was.");
  visit.Always("waited_s", contention.waited_s,
               "Seconds spent waiting for a quiet core, on all CPUs together.");
}

}  // namespace cyclescope
