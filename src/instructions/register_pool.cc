#include "instructions/register_pool.h"

#include "arch/kernel_parts.h"

namespace cyclescope::instructions {

RegisterPool::RegisterPool(const Form& form) {
  const arch::KernelRegisters& reserved = arch::ReservedRegisters();
  for (const int index :
       {reserved.counter, reserved.address, reserved.zero, reserved.temporary, reserved.stack}) {
    MarkUsed(RegisterFile::kGeneral, 1U << index);
  }
  Exclude(form);
}

void RegisterPool::Exclude(const Form& form) {
  for (const Group& group : form.groups) {
    if (group.fixed) MarkUsed(group.file, MaskOf(group, group.index));
  }
}

std::uint32_t RegisterPool::MaskOf(const Group& group, std::uint8_t first) {
  std::uint32_t mask = 0;
  // Lists wrap around at 32, as v31 and v0 do.
  for (int i = 0; i < group.count; ++i) mask |= 1U << (first + i * group.stride) % 32;
  return mask;
}

std::optional<std::uint8_t> RegisterPool::Find(const Group& group) const {
  const std::uint32_t used = used_[static_cast<std::size_t>(group.file)];
  for (std::uint8_t index = 0; index < 32; ++index) {
    if ((group.allowed >> index & 1) != 0 && (used & MaskOf(group, index)) == 0) return index;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> RegisterPool::Take(const Group& group) {
  const auto index = Find(group);
  if (index) MarkUsed(group.file, MaskOf(group, *index));
  return index;
}

std::vector<std::uint8_t> RegisterPool::TakeUpTo(const Group& group, std::size_t most) {
  std::vector<std::uint8_t> taken;
  while (taken.size() < most) {
    const auto index = Take(group);
    if (!index) break;
    taken.push_back(*index);
  }
  return taken;
}

std::size_t RegisterPool::Available(const Group& group) const {
  RegisterPool copy = *this;
  return copy.TakeUpTo(group, 32).size();
}

std::optional<std::uint8_t> RegisterPool::TakeGeneral() {
  Group general;
  general.file = RegisterFile::kGeneral;
  general.allowed = arch::GeneralRegisters();
  return Take(general);
}

}  // namespace cyclescope::instructions
