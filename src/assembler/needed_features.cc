#include "assembler/needed_features.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <algorithm>

#include "assembler/features.h"
#include "assembler/parse.h"

namespace cyclescope::assembler {
namespace {

using llvm::FeatureBitset;
using llvm::SubtargetFeatureKV;

// Those that the target lacks, in the target's order.
std::vector<Extension> MissingExtensions(const Llvm& llvm, const FeatureBitset& offered) {
  std::vector<Extension> missing = llvm.extensions;
  std::erase_if(missing, [&offered](const Extension& e) { return offered.test(e.number); });
  return missing;
}

// Without every run of `chunk` extensions that `enough` does not miss.
std::vector<Extension> TakeAway(std::vector<Extension> extensions, std::size_t chunk,
                                llvm::function_ref<bool(const std::vector<Extension>&)> enough) {
  for (std::size_t start = 0; start < extensions.size();) {
    const std::size_t end = std::min(start + chunk, extensions.size());
    std::vector<Extension> fewer(extensions.begin(), extensions.begin() + start);
    fewer.insert(fewer.end(), extensions.begin() + end, extensions.end());
    if (enough(fewer)) {
      extensions = std::move(fewer);
    } else {
      start = end;
    }
  }
  return extensions;
}

}  // namespace

std::vector<Extension> FindExtensions(const Llvm& llvm) {
  const auto subtarget = llvm.Subtarget("", "");
  std::vector<Extension> extensions;
  for (const SubtargetFeatureKV& feature : subtarget->getAllProcessorFeatures()) {
    if (!llvm.rules->is_extension(feature.Key)) continue;
    subtarget->setFeatureBits({});
    extensions.push_back({feature.Key, feature.Value,
                          subtarget->SetFeatureBitsTransitively(FeatureBitset({feature.Value}))});
  }
  // Where `avx` is enough, `avx512f` must not be what is left over.
  std::ranges::stable_sort(extensions, std::greater{},
                           [](const Extension& e) { return e.with_implied.count(); });
  return extensions;
}

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

  const std::vector<Extension> missing = MissingExtensions(llvm, offered.getFeatureBits());
  if (is_instruction({}) || !is_instruction(missing)) return {};
  // Coarsely first, in halves. That may leave an extension only for what it implies, so that those
  // come back in, and each is then taken away by itself, the ones that imply the most first.
  std::vector<Extension> needed = missing;
  for (std::size_t chunk = missing.size() / 2; chunk > 0; chunk /= 2) {
    needed = TakeAway(needed, chunk, is_instruction);
  }
  FeatureBitset implied;
  for (const Extension& extension : needed) implied |= extension.with_implied;
  std::vector<Extension> refined = missing;
  std::erase_if(refined, [&implied](const Extension& e) { return !implied.test(e.number); });
  needed = TakeAway(refined, 1, is_instruction);

  std::vector<std::string> words;
  for (const Extension& extension : needed) {
    words.emplace_back(FeatureWord(llvm.description.architecture, extension.name));
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

}  // namespace cyclescope::assembler
