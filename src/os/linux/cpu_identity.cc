#include "os/linux/cpu_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "os/x86_names.h"

namespace cyclescope::os {
namespace {

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

// "0xd40" to 0xd40.
std::optional<unsigned> ParseHexadecimal(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return ParseNumber<unsigned>(text, 16);
}

// Adds it, unless it is there.
void AddOnce(std::vector<std::string>& names, std::string name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

// "Arm Neoverse-V1"; what is not in the tables appears with its number, so that it can be looked
// up.
std::string ArmModel(unsigned implementer, unsigned part) {
  const std::string_view vendor = ArmImplementerName(implementer);
  const std::string_view name = ArmPartName(implementer, part);
  if (!name.empty()) return fmt::format("{} {}", vendor, name);
  if (!vendor.empty()) return fmt::format("{} part {:#05x}", vendor, part);
  return fmt::format("implementer {:#04x} part {:#05x}", implementer, part);
}

}  // namespace

CpuIdentity IdentifyCpu(std::string_view cpuinfo) {
  CpuIdentity identity;
  // In the order they appear, without repeats.
  std::vector<std::string> arm_models;
  std::vector<std::string> arm_cores;
  unsigned implementer = 0;
  X86Signature signature;
  while (!cpuinfo.empty()) {
    const std::string_view line = TakeLine(cpuinfo);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = Trimmed(line.substr(0, colon));
    const std::string_view value = Trimmed(line.substr(colon + 1));

    if (key == "processor") {
      ++identity.cpus;
    } else if (key == "vendor_id") {
      identity.architecture = "x86_64";
      identity.vendor = X86VendorName(value);
    } else if (key == "cpu family") {
      signature.family = ParseNumber<unsigned>(value).value_or(0);
    } else if (key == "model") {
      signature.model = ParseNumber<unsigned>(value).value_or(0);
    } else if (key == "stepping") {
      signature.stepping = ParseNumber<unsigned>(value).value_or(0);
    } else if (key == "model name") {
      identity.model = X86ModelName(value);
    } else if (key == "microcode") {
      identity.microcode = value;
    } else if (key == "flags") {
      identity.hypervisor = HasWord(value, "hypervisor");
    } else if (key == "CPU implementer") {
      implementer = ParseHexadecimal(value).value_or(0);
      identity.architecture = "aarch64";
      identity.vendor = ArmImplementerName(implementer);
    } else if (key == "CPU part") {
      const unsigned part = ParseHexadecimal(value).value_or(0);
      AddOnce(arm_models, ArmModel(implementer, part));
      if (const std::string_view core = ArmPartName(implementer, part); !core.empty())
        AddOnce(arm_cores, std::string(core));
    }
  }
  if (!arm_models.empty()) identity.model = fmt::format("{}", fmt::join(arm_models, " + "));
  signature.vendor = identity.vendor;
  identity.microarchitecture = identity.architecture == "x86_64"
                                   ? X86Microarchitecture(signature)
                                   : fmt::format("{}", fmt::join(arm_cores, " + "));
  return identity;
}

}  // namespace cyclescope::os
