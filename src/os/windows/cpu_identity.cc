#include "os/windows/cpu_identity.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace cyclescope::os {
namespace {

// The number behind a word.
unsigned NumberAfter(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = Trimmed(text.substr(at + word.size()));
  return ParseNumber<unsigned>(rest.substr(0, rest.find(' '))).value_or(0);
}

}  // namespace

X86Signature ParseIdentifier(std::string_view identifier, std::string_view vendor) {
  return {.vendor = vendor,
          .family = NumberAfter(identifier, "Family "),
          .model = NumberAfter(identifier, "Model "),
          .stepping = NumberAfter(identifier, "Stepping ")};
}

std::string HypervisorName(std::string_view signature) {
  using Name = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Name, 8> kNames = {{
      {"KVMKVMKVM", "kvm"},
      {"Linux KVM Hv", "kvm"},
      {"Microsoft Hv", "hyper-v"},
      {"VMwareVMware", "vmware"},
      {"VBoxVBoxVBox", "virtualbox"},
      {"XenVMMXenVMM", "xen"},
      {"TCGTCGTCGTCG", "qemu"},
      {"bhyve bhyve ", "bhyve"},
  }};
  const auto found = std::ranges::find(kNames, signature, &Name::first);
  return std::string(found == kNames.end() ? signature : found->second);
}

}  // namespace cyclescope::os
