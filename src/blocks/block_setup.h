// How a snippet whose needs are not known is set up: what registers and memory hold when
// it starts, where there is memory, and how its copies are repeated. Some setups are tried in turn,
// until one of them runs; what was seen so far decides about the next, and nothing here runs
// anything.
//
//   Exploration exploration(SetupsFor(code, wishes), page_size);
//   while (!Runs(exploration.setup(), exploration.pages()) && exploration.Learn(death)) {}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/block_memory.h"
#include "cyclescope/result/names.h"
#include "sandbox/death.h"

namespace cyclescope::blocks {

// What general registers hold at first, but for those that the user set.
enum class RegisterValues {
  kAddresses,  // an address of its own in each, so low that sums and multiples are addresses too
  kRoles,      // addresses where the snippet uses them as such; small numbers elsewhere
};

// What memory holds at first.
enum class MemoryValues {
  kPointers,  // the address of other such memory in every eight bytes
  kFloats,    // ordinary numbers of every precision
  kZero,
  kOnes,
  kGiven,  // what the user gave
};
constexpr auto NamesOf(MemoryValues) { return Names("pointers", "floats", "zero", "ones", "file"); }

// What vector registers hold at first.
enum class VectorValues {
  kOrdinary,  // numbers between 1 and 2
  kSmall,     // whose squares are below them
  kZero,
};

struct Setup {
  // Memory of its own for each register that addresses start from; unset: pages that appear where
  // they are touched.
  std::optional<AreaData> areas = {};
  // An exit that data decide about leads to the end of the pass; else to a trap.
  bool leaves_early = false;
  VectorValues vectors = VectorValues::kOrdinary;
  RegisterValues registers = RegisterValues::kAddresses;
  MemoryValues memory = MemoryValues::kPointers;
  // Each pass through the loop starts with the initial values again, and ends with a barrier, so
  // that values cannot drift away: for code that does not run in a plain loop.
  bool passes = false;
  // The stack pointer is a multiple of 16, as inside a function; else it is as where one begins.
  bool aligned_stack = true;
  // The largest number of copies in the shorter kernel; none: as many as make a good sample.
  std::optional<int> most_copies = {};
  // An instruction of ours before each copy sets the stack pointer: for code that moves it by what
  // is no multiple of 16, and then needs one that is.
  bool sets_stack = false;
  // Instructions of ours before each copy set the registers that addresses start from and that the
  // snippet writes: for code that leaves no address in them.
  bool sets_bases = false;
  // Where a loop begins within its line of code, in bytes.
  int place_in_line = 0;

  bool operator==(const Setup&) const = default;
};

// An address for a register or a symbol, apart from those of others.
std::uint64_t InitialAddress(int number);

// The values of all general registers (by number) that the setup gives.
std::map<int, std::uint64_t> InitialValues(const BlockCode& code, RegisterValues values);

// Where the stack pointer begins.
std::uint64_t InitialStack(const Setup& setup);

// What every eight bytes of memory hold; not for kGiven.
std::uint64_t MemoryPattern(MemoryValues values);

// The pages that the snippet's own addresses lie in, and that which pointers in memory lead to.
std::set<std::uint64_t> FirstPages(const BlockCode& code,
                                   const std::map<int, std::uint64_t>& registers,
                                   const Setup& setup, std::uint64_t page_size);

// Best first.
struct SetupWishes {
  std::optional<MemoryValues> memory;  // the user's
  bool needs_passes = false;           // no register is left to count loops
  bool allows_passes = true;           // not where the user wants to see a loop
  bool fixed_copies = false;           // fewer make no difference
  bool walks = false;                  // its addresses go on from copy to copy
  bool has_areas = false;              // where its memory is can be seen from the code
  bool has_data_exits = false;         // of a loop
  bool needs_own_data = false;         // only data that we know lead into its tables, or end it
  std::optional<AreaData> data;        // the user's
};
std::vector<Setup> SetupsFor(const BlockCode& code, const SetupWishes& wishes);

class Exploration {
 public:
  Exploration(std::vector<Setup> setups, std::uint64_t page_size)
      : setups_(std::move(setups)), page_size_(page_size) {}

  const Setup& setup() const { return setups_[current_]; }
  // What faults have asked for so far in this setup.
  const std::set<std::uint64_t>& pages() const { return pages_; }

  // After a run that ended so. False when there is nothing left to try.
  bool Learn(const sandbox::Death& death, const std::set<std::uint64_t>& mapped);

  // After a run that left its loop too early. False when there is nothing left to try.
  bool LearnOfExit();

  // True if a run has ended in what no page could prevent.
  bool has_failed() const { return has_failed_; }

 private:
  bool AddPage(std::uint64_t address, const std::set<std::uint64_t>& mapped);
  bool NextSetup(const sandbox::Death& death);

  std::vector<Setup> setups_;
  std::uint64_t page_size_;
  std::size_t current_ = 0;
  std::set<std::uint64_t> pages_;
  std::uint64_t ahead_ = 1;  // pages that the next fault beside a page gets
  int faults_ = 0;
  bool has_failed_ = false;
};

}  // namespace cyclescope::blocks
