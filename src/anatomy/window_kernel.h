// Machine code that shows a window of the core: two heads with fillers behind each, in a loop.
//
//   WindowKernels kernels(assembler, places);
//   auto made = kernels.Make(filler, 512, Heads::kTwoChains);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "arch/window_code.h"
#include "assembler/assembler.h"
#include "cyclescope/base/error.h"
#include "sandbox/kernel_code.h"
#include "sandbox/worker_memory.h"

namespace cyclescope::anatomy {

// Whether the two heads of a trip follow one chain, so that the second waits for the first whatever
// the window, or two.
enum class Heads { kOneChain, kTwoChains };

class WindowKernels {
 public:
  // The assembler must outlive it.
  WindowKernels(assembler::Assembler& assembler, const sandbox::KernelPlaces& places,
                std::uint64_t scratch_address)
      : assembler_(assembler), places_(places), scratch_address_(scratch_address) {}

  // A kernel whose loop is one trip: two heads, `fillers` fillers behind each. Fails where this CPU
  // does not have an instruction of it.
  Result<sandbox::Kernel> Make(const arch::WindowFiller& filler, int fillers, Heads heads);
  // One whose loop is a step of each of these chains.
  Result<sandbox::Kernel> MakeChains(int chains);

 private:
  Result<assembler::Bytes> Bytes(std::string_view text);

  assembler::Assembler& assembler_;
  sandbox::KernelPlaces places_;
  std::uint64_t scratch_address_;
  std::map<std::string, assembler::Bytes, std::less<>> assembled_;
};

}  // namespace cyclescope::anatomy
