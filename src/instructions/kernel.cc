#include "instructions/kernel.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "arch/kernel_parts.h"
#include "arch/value_patterns.h"
#include "base/try.h"

namespace cyclescope::instructions {
namespace {

void Append(const assembler::Bytes& bytes, sandbox::Kernel& kernel) {
  kernel.insert(kernel.end(), bytes.begin(), bytes.end());
}

// Of the widest vector register that it uses.
int VectorBitsOf(const Sequence& sequence) {
  int bits = 0;
  for (const assembler::Register& reg : sequence.registers) {
    if (reg.file == RegisterFile::kVector) bits = std::max<int>(bits, reg.bits);
  }
  return bits;
}

}  // namespace

void Sequence::NoteRegisters(const Instruction& instruction) {
  for (const assembler::Operand& operand : instruction.operands) {
    if (operand.kind != assembler::OperandKind::kRegister) continue;
    assembler::Register reg = operand.reg;
    for (int i = 0; i < operand.count; ++i) {
      registers.push_back(reg);
      reg.index = static_cast<std::uint8_t>((reg.index + operand.stride) % 32);
    }
  }
}

void Sequence::Append(assembler::Assembler& assembler, const Instruction& instruction) {
  AppendText(instruction.text, assembler.Encode(instruction));
  NoteRegisters(instruction);
}

void Sequence::AppendRestart(assembler::Assembler& assembler, const Instruction& instruction) {
  restart.push_back(assembler.Encode(instruction));
  restart_text.push_back(instruction.text);
  NoteRegisters(instruction);
}

void Sequence::AppendText(const std::string& line, const assembler::Bytes& bytes) {
  code.push_back(bytes);
  text.push_back(line);
}

Result<assembler::Bytes> KernelBuilder::Bytes(const std::string& text) {
  if (const auto found = cache_.find(text); found != cache_.end()) return found->second;
  auto bytes = assembler_.AssembleText(text);
  if (bytes) cache_.emplace(text, *bytes);
  return bytes;
}

std::vector<std::string> KernelBuilder::SetUpTexts(const Sequence& sequence) const {
  const arch::KernelRegisters& reserved = arch::ReservedRegisters();
  std::vector<std::string> texts = {
      arch::CopyGeneralText(reserved.counter, reserved.loops_argument),
      arch::SetGeneralText(reserved.address, address_), arch::SetGeneralText(reserved.zero, 0)};
  if (sequence.moves_stack) texts.push_back(arch::SaveStackText());

  std::set<std::pair<RegisterFile, std::uint8_t>> used;
  for (const assembler::Register& reg : sequence.registers) used.emplace(reg.file, reg.index);
  for (const auto& [reg, value] : sequence.values) used.insert(reg);
  const int widest = VectorBitsOf(sequence);
  const std::set<int> own = {reserved.counter, reserved.address, reserved.zero, reserved.temporary,
                             reserved.stack};
  const auto value_of = [&sequence](const auto& reg) {
    const auto found = sequence.values.find(reg);
    return found == sequence.values.end() ? arch::kUsualValue : found->second;
  };
  bool tiles = false;
  int x87_places = 0;
  for (const auto& reg : used) {
    const auto& [file, index] = reg;
    if (file == RegisterFile::kGeneral && !own.contains(index)) {
      texts.push_back(arch::SetGeneralText(index, value_of(reg)));
    } else if (file == RegisterFile::kMask) {
      texts.push_back(arch::SetMaskText(index));
    } else if (file == RegisterFile::kMmx) {
      texts.push_back(arch::SetGeneralText(reserved.temporary, value_of(reg)));
      texts.push_back(arch::SetMmxText(index, reserved.temporary));
    } else if (file == RegisterFile::kX87) {
      // One place stays free for what pushes, unless it is used.
      constexpr int kPlacesInUse = 7;
      x87_places = std::max({x87_places, kPlacesInUse, index + 1});
    } else if (file == RegisterFile::kTile) {
      tiles = true;
    }
  }
  if (x87_places > 0) texts.push_back(arch::SetX87Text(x87_places));
  if (tiles) texts.push_back(arch::SetTilesText());
  // Vector registers come last, and the first of them, which are sources, at the very end: those
  // that a Neoverse V1 has not written for some ten cycles it reads at half speed.
  std::optional<std::uint64_t> temporary;
  for (const auto& reg : std::views::reverse(used)) {
    if (reg.first != RegisterFile::kVector) continue;
    const std::uint64_t value = value_of(reg);
    if (std::exchange(temporary, value) != value)
      texts.push_back(arch::SetGeneralText(reserved.temporary, value));
    texts.push_back(arch::SetVectorText(reg.second, widest, reserved.temporary));
  }
  return texts;
}

Result<void> KernelBuilder::AppendText(const std::string& text, sandbox::Kernel& kernel) {
  const auto bytes = TRY(Bytes(text));
  Append(bytes, kernel);
  return {};
}

Result<KernelBuilder::Start> KernelBuilder::BuildStart(const Sequence& sequence) {
  Start start;
  sandbox::Kernel& kernel = start.code;
  for (const std::string& text : SetUpTexts(sequence)) TRY(AppendText(text, kernel));
  for (int i = 0; i < sequence.lead; ++i) {
    TRY(AppendText(std::string(arch::PaddingText()), kernel));
  }
  start.loop_begin = kernel.size();
  if (sequence.moves_stack) TRY(AppendText(arch::RestoreStackText(), kernel));
  for (const auto& [index, offset] : sequence.moving_addresses)
    TRY(AppendText(arch::RestoreAddressText(index, offset), kernel));
  if (sequence.reads_flags) {
    const auto writers = sequence.mixed_flags ? arch::SetMixedFlagsText() : arch::SetFlagsText();
    TRY(AppendText(writers, kernel));
  }
  return start;
}

Result<sandbox::Kernel> KernelBuilder::Complete(const Start& start, const Sequence& sequence,
                                                int repeats, int times) {
  assert(sequence.stretch == 0 || repeats % sequence.stretch == 0);
  sandbox::Kernel once;
  for (const assembler::Bytes& code : sequence.code) Append(code, once);
  if (sequence.stretch > 0) {
    sandbox::Kernel stretch;
    for (int i = 0; i < times * sequence.stretch; ++i) Append(once, stretch);
    for (const assembler::Bytes& code : sequence.restart) Append(code, stretch);
    once = std::move(stretch);
    repeats /= sequence.stretch;
  } else {
    repeats *= times;
  }
  sandbox::Kernel kernel;
  constexpr std::size_t kEnd = 64;  // what comes behind the copies is shorter
  kernel.reserve(start.code.size() + static_cast<std::size_t>(repeats) * once.size() + kEnd);
  Append(start.code, kernel);
  for (int i = 0; i < repeats; ++i) Append(once, kernel);
  Append(arch::LoopEnd(arch::ReservedRegisters().counter, kernel.size() - start.loop_begin,
                       sequence.keeps_flags),
         kernel);
  const bool tiles = std::ranges::any_of(sequence.registers, [](const assembler::Register& reg) {
    return reg.file == RegisterFile::kTile;
  });
  if (tiles) TRY(AppendText(arch::ReleaseTilesText(), kernel));
  return kernel;
}

Result<sandbox::Kernel> KernelBuilder::Build(const Sequence& sequence, int repeats) {
  const auto start = TRY(BuildStart(sequence));
  return Complete(start, sequence, repeats, 1);
}

Result<std::array<sandbox::Kernel, 2>> KernelBuilder::BuildPair(const Sequence& sequence,
                                                                int repeats) {
  const auto start = TRY(BuildStart(sequence));
  std::array<sandbox::Kernel, 2> kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i] = TRY(Complete(start, sequence, repeats, static_cast<int>(i + 1)));
  }
  return kernels;
}

}  // namespace cyclescope::instructions
