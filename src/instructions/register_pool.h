// The registers that an experiment may still hand out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "instructions/form.h"

namespace cyclescope::instructions {

class RegisterPool {
 public:
  // Every register but those a kernel keeps for itself and those fixed in `form`.
  explicit RegisterPool(const Form& form);

  // Nor those fixed in another form that stands beside it.
  void Exclude(const Form& form);

  // The lowest free register (or first of a list) that may stand in the group; unset when none is
  // left.
  std::optional<std::uint8_t> Take(const Group& group);
  // Takes up to `most` registers.
  std::vector<std::uint8_t> TakeUpTo(const Group& group, std::size_t most);
  // How many Take would find.
  std::size_t Available(const Group& group) const;

  // A general register for a constant; unset when none is left.
  std::optional<std::uint8_t> TakeGeneral();

 private:
  std::optional<std::uint8_t> Find(const Group& group) const;
  void MarkUsed(RegisterFile file, std::uint32_t mask) {
    used_[static_cast<std::size_t>(file)] |= mask;
  }
  static std::uint32_t MaskOf(const Group& group, std::uint8_t first);

  std::array<std::uint32_t, 16> used_{};  // by file; bit n: register n is taken
};

}  // namespace cyclescope::instructions
