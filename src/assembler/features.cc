#include "assembler/features.h"

#include <algorithm>

namespace cyclescope::assembler {

std::span<const FeatureName> FeatureNames(Architecture architecture) {
  return architecture == Architecture::kAArch64 ? aarch64::FeatureNames() : x86::FeatureNames();
}

std::string_view FeatureWord(Architecture architecture, std::string_view llvm_feature) {
  const auto names = FeatureNames(architecture);
  const auto found = std::ranges::find(names, llvm_feature, &FeatureName::llvm);
  return found == names.end() || found->word.empty() ? llvm_feature : found->word;
}

}  // namespace cyclescope::assembler
