// What the assembler works for: an architecture, a CPU and the features it offers here.
//
//   Target target = HostTarget(arch::Name(), arch::Features(os::Capabilities()));
//   Result<Assembler> assembler = Assembler::Create(target);
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::assembler {

enum class Architecture { kX86_64, kAArch64 };
inline constexpr std::array kArchitectures = {Architecture::kX86_64, Architecture::kAArch64};

// "x86_64", "aarch64": as arch::Name() says it.
std::string_view ToString(Architecture architecture);
std::optional<Architecture> ParseArchitecture(std::string_view name);
// "x86-64", "AArch64": as people write it.
std::string_view DisplayName(Architecture architecture);

enum class Syntax { kIntel, kAtt };  // of x86-64 text; AArch64 has one syntax only

struct Target {
  Architecture architecture = Architecture::kAArch64;
  std::string cpu;                    // LLVM's name ("neoverse-v1"); empty: the generic CPU
  std::vector<std::string> features;  // LLVM's, on top of the CPU's: "+avx2", "-sve"
  Syntax syntax = Syntax::kIntel;
};

// The target for the machine we run on. `offered` is what programs may use here, in the kernel's
// words (arch::Features). LLVM knows what a CPU of that name has; a virtual machine or a kernel may
// hide some of it, and what it hides is taken away. `cpu` is LLVM's name of the CPU, found by
// asking the machine where none is given; one that LLVM does not know becomes the generic CPU.
Target HostTarget(Architecture architecture, std::span<const std::string> offered,
                  std::string_view cpu = {}, Syntax syntax = Syntax::kIntel);

// What the target's CPU has by LLVM's description and programs may not use here: hidden by a
// virtual machine or by the kernel. In the kernel's words.
std::vector<std::string> HiddenFeatures(const Target& target);

// The CPU we run on. A virtual machine may report the model number of a CPU that cannot have what
// is offered; then the first CPU that has it is named, and ours is that one or a later one.
struct HostCpu {
  std::string name;  // LLVM's; empty where it has none
  // The product, where the model number is that of another: "Granite Rapids".
  std::string by_features;
};
// `reported`: LLVM's name for the model number, found by asking the machine where none is given.
HostCpu FindHostCpu(Architecture architecture, std::span<const std::string> offered,
                    std::string_view reported = {});

// The names under which LLVM knows CPUs of the architecture, sorted.
std::vector<std::string> KnownCpus(Architecture architecture);

// "19.1.7"
std::string LlvmVersion();

}  // namespace cyclescope::assembler
