// CPU features have two names: the kernel's, which people know from /proc/cpuinfo and which
// arch::Features gives, and LLVM's. One table per architecture pairs them.
#pragma once

#include <span>
#include <string_view>

#include "assembler/target.h"

namespace cyclescope::assembler {

// A kernel word and the LLVM feature that it lets programs use. Where several words share a
// feature, programs need all of them. An empty word: the kernel has none, so it is not known
// whether programs may use the feature, and it counts as missing.
struct FeatureName {
  std::string_view word;
  std::string_view llvm;
};

std::span<const FeatureName> FeatureNames(Architecture architecture);

// The first CPU that has a feature, by LLVM's name and its maker's: a machine that offers the
// feature is none that came before.
struct FirstCpu {
  FeatureName feature;
  std::string_view cpu;
  std::string_view product;
};
// The latest first. Only features that a hypervisor cannot emulate.
std::span<const FirstCpu> FirstCpus(Architecture architecture);

// The kernel's word for LLVM's feature; LLVM's own where the kernel has none.
std::string_view FeatureWord(Architecture architecture, std::string_view llvm_feature);

namespace aarch64 {
std::span<const FeatureName> FeatureNames();
}
namespace x86 {
std::span<const FeatureName> FeatureNames();
std::span<const FirstCpu> FirstCpus();
}  // namespace x86

}  // namespace cyclescope::assembler
