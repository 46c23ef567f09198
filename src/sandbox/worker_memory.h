// The memory that the tool and its worker share or agree on, and which of them may do what with it:
//
//                      tool         worker
//   code               read+write   read+execute
//   request            read+write   read
//   response           read         read+write
//   scratch            -            read+write     between guard pages, if Surroundings want it
//   pages              read+write   read+write     wherever Surroundings::pages want them, and in a
//                                                  row behind the window
//   page image         read+write   read           what each page holds at first
//   areas              read+write   read+write     wherever Surroundings::areas want them
//   chase              -            read+write     if Surroundings want it; filled at its start
//   kernel stack       -            read+write     between guard pages
//   fault stack        -            read+write     between guard pages
//
// The tool reserves the worker's addresses before there is one, so generated code can contain them.
// They are the same for every worker of the process: a kernel that was made once runs in any of
// them. A worker has nothing of the tool's column, neither of its own memory nor of another
// worker's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cyclescope/base/error.h"
#include "sandbox/control_block.h"
#include "sandbox/shared_memory.h"

namespace cyclescope::sandbox {

inline constexpr std::size_t kKibi = 1024;

// A power of two, and the code begins at a multiple of it: the system-call filter recognises an
// address in the code by its upper bits.
inline constexpr std::size_t kCodeSize = 16384 * kKibi;

// What a kernel may use from the scratch address on, and the room before and behind it in which
// displacements stay harmless.
inline constexpr std::size_t kScratchSize = 64 * kKibi;
inline constexpr std::size_t kScratchMargin = 32 * kKibi;

// Where a kernel finds its scratch memory: kScratchSize bytes, with kScratchMargin accessible bytes
// before and behind. The same in every worker.
Result<std::uintptr_t> ScratchAddress();

// Where else a kernel finds what, the same in every worker.
struct KernelPlaces {
  std::uintptr_t code = 0;  // where the first kernel of a load begins
  // This many bytes in reach of the code's 32-bit distances, which hold what Surroundings::pages
  // hold.
  std::uintptr_t window = 0;
  std::uintptr_t stack = 0;  // where its stack pointer begins
  std::uintptr_t count = 0;  // eight bytes for a count that no register has room for
  // Where the chase's cursors are (chase.h), if Surroundings::chase_bytes want one.
  std::uintptr_t cursors = 0;
};
// What a chase may take; and pages as large as it would like to have.
inline constexpr std::size_t kMostChaseBytes = 512 * kKibi * kKibi;
inline constexpr std::size_t kWindowSize = 64 * kKibi;
Result<KernelPlaces> FindKernelPlaces();

// What Surroundings::pages are multiples of: what memory is mapped by.
std::size_t PageSize();

class WorkerMemory {
 public:
  // The surroundings must be Placed().
  static Result<WorkerMemory> Create(const Surroundings& surroundings);

  // The same surroundings with all memory as areas that have a place in the memory file: pages too,
  // and two at the stack pointer, where a system may report faults on the code's own stack.
  static Surroundings Placed(const Surroundings& surroundings);

  // What a worker that is not a copy of the tool needs, to have the same memory.
  struct Parts {
    SharedMemory::Handle sent = 0;
    SharedMemory::Handle received = 0;
    SharedMemory::Handle page = 0;
    std::uintptr_t reserved = 0;
  };
  Parts parts() const;
  static WorkerMemory FromParts(const Parts& parts);

  // ---- In the tool

  std::span<std::uint8_t> code() const { return {Sent(0), kCodeSize}; }
  // What the pages hold at each filling (over and over, if it is shorter than a page), and what the
  // areas begin with.
  void SetContents(const Surroundings& surroundings) const;
  Request& request() const;
  const Response& response() const;

  // ---- In the worker

  // Changes the process's memory to the worker's column above.
  Result<void> BecomeWorker(const Surroundings& surroundings);
  // Writes the chase. To be called on the CPU that will use it: memory is taken near it.
  void FillChase(const Surroundings& surroundings) const;

  std::uintptr_t code_address() const;
  std::uintptr_t scratch_address() const;
  // Where a kernel's stack pointer begins: the middle, as kernels may pop what they did not push.
  std::uintptr_t kernel_stack_pointer() const;
  std::span<std::uint8_t> fault_stack() const;
  const Request& worker_request() const;
  Response& worker_response() const;
  // The scratch memory with its margins, as the worker sees it.
  std::span<std::uint64_t> scratch_words() const;
  // The window and the pages, as far as they are used.
  std::span<std::uint64_t> page_words(const Surroundings& surroundings) const;
  std::span<const std::uint64_t> page_image_words() const;

 private:
  WorkerMemory() = default;
  std::uint8_t* Sent(std::size_t offset) const { return sent_view_.begin() + offset; }

  SharedMemory sent_;      // code, request
  SharedMemory received_;  // response
  SharedMemory page_;      // the window's pages, own pages, their image, areas
  Mapping sent_view_;      // the tool's
  Mapping received_view_;
  Mapping page_view_;
  std::uint8_t* reserved_ = nullptr;  // where the worker's addresses begin
};

}  // namespace cyclescope::sandbox
