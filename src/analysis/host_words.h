// A machine in a few words, with the command that measured it.
#pragma once

#include <string>
#include <string_view>

#include "cyclescope/result/document.h"
#include "cyclescope/result/host.h"

namespace cyclescope {

// What people call it, after its maker: "Intel Granite Rapids (Redwood Cove)". The system's words
// where no better one is known.
std::string CpuName(const Host& host);
// The microarchitecture of a CPU that has what no CPU before `first` has, where its model number is
// of none that has it, or of none that we know (empty): "Granite Rapids or later (by its features;
// its model number is Rocket Lake's)".
std::string MicroarchitectureByFeatures(std::string_view first, std::string_view by_number);
// True if both have the same kind of CPU. In virtual machines many kinds have one name ("Intel(R)
// Xeon(R) Processor"), so that it does not tell alone.
bool AreSameKindOfCpu(const Host& first, const Host& second);
bool IsVirtualMachine(const Host& host);
// True if time stamps count at the rate that the processor's maker calls its base clock. Arm's
// generic timer has nothing to do with the core's clock.
bool TicksAtBaseClock(const Host& host);
// "2 CPUs, virtual machine (kvm)"
std::string MachineKind(const Host& host);
// All of it: "Intel Granite Rapids (Redwood Cove), x86_64, 2 CPUs, virtual machine (kvm)"
std::string HostText(const Host& host);

// The command as it can be given again: "cyclescope block 'add rax, rbx' --unroll 8".
std::string CommandText(const Config& config);

}  // namespace cyclescope
