// Hardware counters through perf events: cycles, instructions and (where there are any) reference
// cycles of the calling thread in user space, as one group.
//
//   Result<Counters> counters = Counters::Open(CounterAccess::kUser);
//   std::optional<CounterValues> before = counters->Read();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

enum class CounterAccess {
  kUser,    // read by an instruction, no system call
  kSystem,  // read()
};

struct CounterValues {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t reference_cycles = 0;  // 0 when the group has none
};

class Counters {
 public:
  // Counts the calling thread from now on. On a processor with several kinds of core it counts on
  // the kind the thread is on, so pin the thread first. The error names the setting that stands in
  // the way and the command that changes it.
  static Result<Counters> Open(CounterAccess access);

  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  bool has_reference_cycles() const;

  // Totals; only differences between two reads mean something. Makes no allocation and, with kUser,
  // no system call, so that a sandboxed worker can use it. Unset when the counters were not on the
  // CPU all the time since the read before (others took them, or the thread is on another kind of
  // core), or user space may no longer read them.
  std::optional<CounterValues> Read();

 private:
  struct State;
  explicit Counters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cyclescope::os
