#include "assembler/target.h"

#include <fmt/core.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <set>
#include <utility>

#include "assembler/features.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

std::string_view ToString(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAArch64:
      return "aarch64";
    case Architecture::kX86_64:
      return "x86_64";
  }
  std::unreachable();
}

std::string_view DisplayName(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAArch64:
      return "AArch64";
    case Architecture::kX86_64:
      return "x86-64";
  }
  std::unreachable();
}

std::optional<Architecture> ParseArchitecture(std::string_view name) {
  for (const Architecture architecture : kArchitectures) {
    if (ToString(architecture) == name) return architecture;
  }
  return std::nullopt;
}

std::vector<std::string> KnownCpus(Architecture architecture) {
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      LlvmTargetOf(architecture).createMCSubtargetInfo(TripleOf(architecture).str(), "", ""));
  std::vector<std::string> names;
  for (const auto& cpu : subtarget->getAllProcessorDescriptions()) names.emplace_back(cpu.Key);
  std::ranges::sort(names);
  return names;
}

HostCpu FindHostCpu(Architecture architecture, std::span<const std::string> offered,
                    std::string_view reported) {
  HostCpu cpu{.name = reported.empty() ? llvm::sys::getHostCPUName().str() : std::string(reported)};
  if (!std::ranges::binary_search(KnownCpus(architecture), cpu.name)) return cpu;
  const std::unique_ptr<llvm::MCSubtargetInfo> described(
      LlvmTargetOf(architecture).createMCSubtargetInfo(TripleOf(architecture).str(), cpu.name, ""));
  for (const FirstCpu& first : FirstCpus(architecture)) {
    if (std::ranges::find(offered, first.feature.word) == offered.end()) continue;
    if (described->checkFeatures(fmt::format("+{}", first.feature.llvm))) break;
    return {.name = std::string(first.cpu), .by_features = std::string(first.product)};
  }
  return cpu;
}

std::string LlvmVersion() { return LLVM_VERSION_STRING; }

Target HostTarget(Architecture architecture, std::span<const std::string> offered,
                  std::string_view cpu, Syntax syntax) {
  Target target{.architecture = architecture,
                .cpu = cpu.empty() ? FindHostCpu(architecture, offered).name : std::string(cpu),
                .features = {},
                .syntax = syntax};
  // An emulator's CPU may carry a name that LLVM has for another architecture or not at all.
  if (!std::ranges::binary_search(KnownCpus(architecture), target.cpu)) target.cpu.clear();

  std::set<std::string_view> missing;
  for (const FeatureName& name : FeatureNames(architecture)) {
    if (std::ranges::find(offered, name.word) == offered.end()) missing.insert(name.llvm);
  }
  // Features imply others, and the last word counts: first what there is, then what there is not.
  std::set<std::string_view> added;
  for (const FeatureName& name : FeatureNames(architecture)) {
    if (!missing.contains(name.llvm) && added.insert(name.llvm).second) {
      target.features.push_back(fmt::format("+{}", name.llvm));
    }
  }
  for (const std::string_view name : missing) target.features.push_back(fmt::format("-{}", name));
  return target;
}

std::vector<std::string> HiddenFeatures(const Target& target) {
  if (target.cpu.empty()) return {};
  const std::unique_ptr<llvm::MCSubtargetInfo> described(
      LlvmTargetOf(target.architecture)
          .createMCSubtargetInfo(TripleOf(target.architecture).str(), target.cpu, ""));
  std::vector<std::string> hidden;
  for (const FeatureName& name : FeatureNames(target.architecture)) {
    const bool taken_away =
        std::ranges::find(target.features, fmt::format("-{}", name.llvm)) != target.features.end();
    if (!taken_away || !described->checkFeatures(fmt::format("+{}", name.llvm))) continue;
    hidden.emplace_back(name.word.empty() ? name.llvm : name.word);
  }
  return hidden;
}

}  // namespace cyclescope::assembler
