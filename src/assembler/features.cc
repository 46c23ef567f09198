#include "assembler/features.h"

#include <algorithm>
#include <utility>

namespace cyclescope::assembler {

std::span<const FeatureName> FeatureNames(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAArch64:
      return aarch64::FeatureNames();
    case Architecture::kX86_64:
      return x86::FeatureNames();
  }
  std::unreachable();
}

std::span<const FirstCpu> FirstCpus(Architecture architecture) {
  // Arm's kernels give the numbers of the core itself, also to guests.
  if (architecture == Architecture::kAArch64) return {};
  return x86::FirstCpus();
}

std::string_view FeatureWord(Architecture architecture, std::string_view llvm_feature) {
  const auto names = FeatureNames(architecture);
  const auto found = std::ranges::find(names, llvm_feature, &FeatureName::llvm);
  return found == names.end() || found->word.empty() ? llvm_feature : found->word;
}

}  // namespace cyclescope::assembler
