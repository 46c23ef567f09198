#include "assembler/needed_features.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "assembler/features.h"
#include "assembler/parse.h"

namespace cyclescope::assembler {
namespace {

using llvm::FeatureBitset;
using llvm::SubtargetFeatureKV;

// Features of AArch64 that are no extension: one stands for all the others, one changes how text is
// read.
constexpr std::array<std::string_view, 2> kNoExtension = {"all", "no-neg-immediates"};

bool IsExtension(Architecture architecture, std::string_view feature) {
  // x86 has more features that say how a CPU behaves than what it offers; all that are extensions
  // are in our table. AArch64's extensions for the kernel have no word, so that all count.
  if (architecture == Architecture::kX86_64) {
    const auto names = FeatureNames(architecture);
    return std::ranges::find(names, feature, &FeatureName::llvm) != names.end();
  }
  return std::ranges::find(kNoExtension, feature) == kNoExtension.end();
}

FeatureBitset WithImplied(const Llvm& llvm, const FeatureBitset& bits) {
  const auto subtarget = llvm.Subtarget("", "");
  subtarget->setFeatureBits({});
  return subtarget->SetFeatureBitsTransitively(bits);
}

struct Extension {
  std::string_view name;
  FeatureBitset with_implied;
};

// Those that imply the most first: where `avx` is enough, `avx512f` must not be what is left over.
std::vector<Extension> MissingExtensions(const Llvm& llvm, const FeatureBitset& offered) {
  std::vector<Extension> missing;
  for (const SubtargetFeatureKV& feature : llvm.subtarget->getAllProcessorFeatures()) {
    if (offered.test(feature.Value) || !IsExtension(llvm.description.architecture, feature.Key)) {
      continue;
    }
    missing.push_back({feature.Key, WithImplied(llvm, FeatureBitset({feature.Value}))});
  }
  std::ranges::stable_sort(missing, std::greater{},
                           [](const Extension& e) { return e.with_implied.count(); });
  return missing;
}

}  // namespace

std::unique_ptr<llvm::MCSubtargetInfo> WithAllFeatures(const Llvm& llvm) {
  auto subtarget = llvm.Subtarget(llvm.description.cpu, "");
  FeatureBitset bits = llvm.subtarget->getFeatureBits();
  for (const Extension& extension : MissingExtensions(llvm, bits)) bits |= extension.with_implied;
  subtarget->setFeatureBits(bits);
  return subtarget;
}

std::vector<std::string> NeededFeatures(const Llvm& llvm, const llvm::MCSubtargetInfo& offered,
                                        const std::string& statement) {
  const auto subtarget = llvm.Subtarget(llvm.description.cpu, "");
  const auto is_instruction = [&](const std::vector<Extension>& extensions) {
    FeatureBitset bits = offered.getFeatureBits();
    for (const Extension& extension : extensions) bits |= extension.with_implied;
    subtarget->setFeatureBits(bits);
    bool found = false;
    const auto outcome = ParseText(llvm, *subtarget, statement, [&](auto&&...) { found = true; });
    return found && outcome.complaints.empty();
  };

  std::vector<Extension> needed = MissingExtensions(llvm, offered.getFeatureBits());
  if (is_instruction({}) || !is_instruction(needed)) return {};
  // Take away, in halves first, what is not missed.
  for (std::size_t chunk = std::max<std::size_t>(needed.size() / 2, 1);; chunk /= 2) {
    for (std::size_t start = 0; start < needed.size();) {
      const std::size_t end = std::min(start + chunk, needed.size());
      std::vector<Extension> fewer(needed.begin(), needed.begin() + start);
      fewer.insert(fewer.end(), needed.begin() + end, needed.end());
      if (is_instruction(fewer)) {
        needed = std::move(fewer);
      } else {
        start = end;
      }
    }
    if (chunk == 1) break;
  }
  std::vector<std::string> words;
  for (const Extension& extension : needed) {
    words.emplace_back(FeatureWord(llvm.description.architecture, extension.name));
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

}  // namespace cyclescope::assembler
