#include "assembler/isa.h"

#include <fmt/core.h>

#include <algorithm>

#include "assembler/features.h"
#include "assembler/needed_features.h"

namespace cyclescope::assembler {
namespace {

bool IsOffered(const Llvm& llvm, std::string_view word) {
  const auto& baseline = llvm.rules->baseline;
  if (std::ranges::find(baseline, word) != baseline.end()) return true;
  return OffersExtension(llvm, word).value_or(true);
}

}  // namespace

std::optional<bool> OffersExtension(const Llvm& llvm, std::string_view word) {
  for (const FeatureName& name : FeatureNames(llvm.description.architecture)) {
    if (name.word == word || name.llvm == word)
      return llvm.subtarget->checkFeatures(fmt::format("+{}", name.llvm));
  }
  return std::nullopt;
}

std::vector<std::string> IsaOf(const Llvm& llvm, const Instruction& instruction) {
  return llvm.rules->isa == nullptr ? std::vector<std::string>()
                                    : llvm.rules->isa(llvm, instruction);
}

std::vector<std::string> MissingIsa(const Llvm& llvm, const Instruction& instruction) {
  std::vector<std::string> missing = IsaOf(llvm, instruction);
  std::erase_if(missing, [&llvm](const std::string& word) { return IsOffered(llvm, word); });
  return missing;
}

std::unique_ptr<llvm::MCSubtargetInfo> BareCpu(const Llvm& llvm) {
  return llvm.Subtarget("", llvm.rules->without_extensions);
}

std::vector<std::string> FeaturesOf(const Llvm& llvm, const Instruction& instruction) {
  std::vector<std::string> features = IsaOf(llvm, instruction);
  std::ranges::move(NeededFeatures(llvm, *BareCpu(llvm), instruction.text),
                    std::back_inserter(features));
  return features;
}

}  // namespace cyclescope::assembler
