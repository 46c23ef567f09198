// Copies of a form with registers handed out so that they depend on each other just as an
// experiment wants.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "arch/kernel_parts.h"
#include "instructions/form.h"
#include "instructions/kernel.h"
#include "instructions/register_pool.h"

namespace cyclescope::instructions {

// The bytes of a cache line, on every machine that we know of.
inline constexpr int kLineBytes = 64;

// The registers that one group takes in turn: copy i gets registers[(i + offset) % size].
struct Lane {
  std::vector<std::uint8_t> registers;
  std::size_t offset = 0;

  bool empty() const { return registers.empty(); }
  std::uint8_t At(std::size_t copy) const { return registers[(copy + offset) % registers.size()]; }
};

class Copies {
 public:
  // `values` (may be null) says what the form's sources hold.
  Copies(const Form& form, const arch::ValueSet* values, std::uint64_t address);

  // ---- Handing out registers; lanes that are set first get the first choice.

  // One register for both groups in turn: what copy i writes to `to` is what copy i + 1 reads as
  // `from`.
  bool Ring(std::size_t from, std::size_t to, std::size_t size);
  // All groups of `from` read what the copy before wrote to `to`.
  bool RingAll(const std::vector<std::size_t>& from, std::size_t to, std::size_t size);
  // The groups have the same register in every copy, up to `most` of them in turn: each copy works
  // in place.
  bool InPlace(const std::vector<std::size_t>& groups, std::size_t most);
  // The groups share one register that is not written; false where none may stand in all of them.
  bool Share(const std::vector<std::size_t>& groups);
  // The group keeps one register, or takes up to `most` in turn.
  bool Keep(std::size_t group) { return Rotate(group, 1); }
  bool Rotate(std::size_t group, std::size_t most);
  // Addresses take up to `places` registers in turn, which lead to places that many bytes apart.
  bool SpreadAddresses(std::size_t places, int stride_bytes);
  // Everything that has no lane yet: sources keep one register, destinations take up to `most` in
  // turn, or up to `most_pure` where their old value is not read.
  bool Rest(std::size_t most, std::size_t most_pure);
  bool Rest(std::size_t most) { return Rest(most, most); }

  // ---- What came of it

  // Copies until the registers repeat.
  std::size_t Period() const;
  Assignment At(std::size_t copy) const;
  RegisterPool& pool() { return pool_; }
  const Lane& lane(std::size_t group) const { return lanes_[group]; }

  // What a group's registers hold at first, before addresses are spread; unset for the usual value.
  std::optional<std::uint64_t> ValueOf(std::size_t group) const;
  // The i-th value is for the i-th group that is read.
  void FillIn(Sequence& sequence) const;

 private:
  Group Joint(const std::vector<std::size_t>& groups) const;

  const Form& form_;
  const arch::ValueSet* values_;
  std::uint64_t address_;
  RegisterPool pool_;
  std::vector<Lane> lanes_;
  int stride_bytes_ = 0;  // between the places that addresses lead to
};

}  // namespace cyclescope::instructions
