// Which features an instruction needs that the target does not offer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

// Every feature of the architecture that changes what is an instruction, those that imply the most
// first.
std::vector<Extension> FindExtensions(const Llvm& llvm);

// The target's CPU with every feature that LLVM knows to change what is an instruction.
std::unique_ptr<llvm::MCSubtargetInfo> WithAllFeatures(const Llvm& llvm);

// A least set of features, in the kernel's words, that would make the statement an instruction on
// top of `offered`; empty where none does, or none is needed.
std::vector<std::string> NeededFeatures(const Llvm& llvm, const llvm::MCSubtargetInfo& offered,
                                        const std::string& statement);

}  // namespace cyclescope::assembler
