#include "os/host.h"
#include "os/linux/core_pmus.h"
#include "os/linux/files.h"

namespace cyclescope::os {

CounterSettings ReadCounterSettings(const std::filesystem::path& root) {
  CounterSettings settings;
  settings.perf_event_paranoid = ReadInteger(root / "proc/sys/kernel/perf_event_paranoid");
  settings.perf_user_access = ReadInteger(root / "proc/sys/kernel/perf_user_access");
  settings.rdpmc = ReadInteger(root / "sys/devices/cpu/rdpmc");
  // Hybrid processors have one folder for each kind of core.
  if (!settings.rdpmc) settings.rdpmc = ReadInteger(root / "sys/devices/cpu_core/rdpmc");
  // Only a processor's own counters have that file on x86-64, and a list of CPUs on AArch64.
  settings.exist = settings.rdpmc || !ReadCorePmus(root).empty();
  return settings;
}

}  // namespace cyclescope::os
