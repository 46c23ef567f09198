// Code that fills the windows of a core: the buffers and register files that an instruction has an
// entry of from dispatch to retirement.
//
// Two loads that miss every cache (heads), each in a chain of its own, with n fillers behind each.
// While all of that fits into the window, the two misses overlap; behind it the second waits until
// the first is done. Text is in the architecture's own syntax (Intel's on x86-64). Registers are
// those of kernel_parts.h and some more, which nothing else in this code uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::arch {

// What may end first.
enum class Window {
  kReorderBuffer,
  kIntegerRegisters,
  kVectorRegisters,
  kFlags,
  kMaskRegisters,
  kLoads,
  kStores,
  kBranches,
  kScheduler,
};

// The name that reports use.
std::string_view NameOf(Window window);

// What a filler takes of a window.
struct WindowShare {
  Window window = Window::kReorderBuffer;
  double share = 1;  // entries for each of its instructions
};

struct WindowFiller {
  Window window = Window::kReorderBuffer;  // that it is to fill
  // As reports name it: one instruction, or what it is made of.
  std::string_view name;
  // Instructions that follow each other, over and over. Each has an entry of the window and one of
  // the reorder buffer.
  std::vector<std::string_view> code;
  // What else they take, the reorder buffer excepted: where one of these ends first, the window is
  // at least so large.
  std::vector<WindowShare> also = {};
  std::string_view feature = {};  // the CPU feature that it needs (see Features); empty for none
};

// All that this architecture has, by window.
std::span<const WindowFiller> WindowFillers();

// How many entries of a window the two heads take themselves, and what stands between them besides
// fillers: what is to be added to the number of fillers that fit.
int EntriesOfHeads(Window window);

// Before the loop: heads from the two addresses that lie at `cursors`, flags and whatever fillers
// read.
std::string WindowSetUpText(std::uint64_t cursors);
// A load of the chain that the head follows, in place.
std::string_view HeadText(int head);
// Behind a head that was `HeadText(head)`, for fillers of a scheduler: a zero that is known only
// when the head is. Such fillers wait until then.
std::string_view WaitForHeadText(int head);
// The instructions of that may have entries of the same scheduler, or of another.
inline constexpr int kInstructionsThatWait = 2;
// Behind the loop: the heads' addresses at `cursors` again, for the next time.
std::string WindowEndText(std::uint64_t cursors);

// ---- Many misses at once

// Before a loop: the register that ChaseStepText uses points to `cursors`.
std::string ChaseSetUpText(std::uint64_t cursors);
// A step of the chain whose address is the cursor of that number.
std::string ChaseStepText(int cursor);

}  // namespace cyclescope::arch
