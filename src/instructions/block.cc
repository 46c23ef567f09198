#include "instructions/block.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "arch/kernel_parts.h"
#include "arch/value_patterns.h"
#include "instructions/classic.h"
#include "instructions/measure_form.h"

namespace cyclescope::instructions {
namespace {

// Copies of the snippet in the shorter kernel, when the user does not say: so many bytes of code.
// Without a loop the copies alone must last long enough for the clock.
int UsualCopies(const Block& block) {
  if (block.loop == BlockLoop::kAsLoop) return 1;
  const std::size_t body_bytes = block.loop == BlockLoop::kStraight ? 16 * 1024 : 512;
  return static_cast<int>(
      std::max<std::size_t>(body_bytes / std::max<std::size_t>(block.bytes.size(), 1), 1));
}

Difference DifferenceOf(BlockLoop loop) {
  switch (loop) {
    case BlockLoop::kUnrolled:
      return Difference::kCopies;
    case BlockLoop::kAsLoop:
      return Difference::kLoops;
    case BlockLoop::kStraight:
      return Difference::kStraight;
  }
  std::unreachable();
}

std::uint32_t GeneralRegistersUsed(const std::vector<assembler::Instruction>& instructions) {
  std::uint32_t used = 0;
  for (const assembler::Instruction& instruction : instructions) {
    for (const assembler::Operand& operand : instruction.operands) {
      if (operand.kind != assembler::OperandKind::kRegister ||
          operand.reg.file != RegisterFile::kGeneral)
        continue;
      for (int i = 0; i < operand.count; ++i)
        used |= 1U << (operand.reg.index + i * operand.stride) % 32;
    }
  }
  return used;
}

int WidestVector(const std::vector<assembler::Instruction>& instructions) {
  int bits = 128;
  for (const assembler::Instruction& instruction : instructions) {
    for (const assembler::Operand& operand : instruction.operands) {
      if (operand.reg.file == RegisterFile::kVector) bits = std::max<int>(bits, operand.reg.bits);
    }
  }
  return bits;
}

// The highest register that the snippet does not name; unset when it names all. Raw bytes may use
// any: the register that compilers use least is taken for them.
std::optional<int> CounterFor(const Block& block) {
  const std::uint32_t free = arch::GeneralRegisters() & ~GeneralRegistersUsed(block.instructions) &
                             ~(1U << arch::ReservedRegisters().loops_argument);
  if (free == 0) return std::nullopt;
  return std::bit_width(free) - 1;
}

class BlockKernels {
 public:
  BlockKernels(Lab& lab, const Block& block, int counter)
      : lab_(lab), block_(block), counter_(counter) {}

  Result<sandbox::Kernel> Build(int copies, bool loop) {
    sandbox::Kernel kernel;
    for (const std::string& text : SetUpTexts()) {
      const auto bytes = lab_.builder().Bytes(text);
      if (!bytes) return std::unexpected(bytes.error());
      kernel.insert(kernel.end(), bytes->begin(), bytes->end());
    }
    kernel.insert(kernel.end(), block_.init.begin(), block_.init.end());
    const std::size_t begin = kernel.size();
    prologue_bytes_ = begin;
    for (int i = 0; i < copies; ++i)
      kernel.insert(kernel.end(), block_.bytes.begin(), block_.bytes.end());
    if (loop) {
      const auto end = arch::LoopEnd(counter_, kernel.size() - begin, /*keep_flags=*/true);
      kernel.insert(kernel.end(), end.begin(), end.end());
    }
    return kernel;
  }

  // What stands before the snippet's first copy in the kernels built.
  std::size_t prologue_bytes() const { return prologue_bytes_; }

 private:
  std::vector<std::string> SetUpTexts() const {
    const int temporary = arch::ReservedRegisters().temporary == counter_
                              ? arch::ReservedRegisters().zero
                              : arch::ReservedRegisters().temporary;
    std::vector<std::string> texts = {
        arch::CopyGeneralText(counter_, arch::ReservedRegisters().loops_argument),
        arch::SetGeneralText(temporary, arch::kUsualValue)};
    const int widest = WidestVector(block_.instructions);
    for (int i = 0; i < arch::VectorRegisters(); ++i)
      texts.push_back(arch::SetVectorText(i, widest, temporary));
    for (int i = 0; i < 32; ++i) {
      if ((arch::GeneralRegisters() >> i & 1) != 0 && i != counter_) {
        texts.push_back(arch::SetGeneralText(i, lab_.builder().address()));
      }
    }
    return texts;
  }

  Lab& lab_;
  const Block& block_;
  int counter_;
  std::size_t prologue_bytes_ = 0;
};

// A place in a kernel means nothing to the user; one in the snippet does.
Failure WithPlace(Failure failure, const Block& block, std::size_t prologue_bytes) {
  if (!failure.place || failure.place->offset < prologue_bytes) return failure;
  const std::size_t offset = (failure.place->offset - prologue_bytes) % block.bytes.size();
  failure.reason += fmt::format(", at or just before byte {} of the snippet", offset);
  return failure;
}

int CountInstructions(Lab& lab, const Block& block) {
  if (!block.raw) return static_cast<int>(block.instructions.size());
  const auto lines = lab.assembler().Disassemble(block.bytes);
  return static_cast<int>(
      std::ranges::count_if(lines, [](const auto& line) { return !line.text.empty(); }));
}

// Then only counters know how many instructions were executed.
bool Branches(const Block& block) {
  return std::ranges::any_of(block.instructions, [](const assembler::Instruction& instruction) {
    return instruction.flags.ChangesFlow();
  });
}

BlockRow RowFor(Lab& lab, const Block& block) {
  BlockRow row;
  row.text = block.text;
  row.init = block.init_text;
  row.instructions = CountInstructions(lab, block);
  row.loop = block.loop != BlockLoop::kStraight;
  return row;
}

BlockRow Failed(BlockRow row, const Failure& failure) {
  row.status = failure.status;
  row.reason = failure.reason;
  return row;
}

std::optional<Failure> RefusalOf(Lab& lab, const Block& block) {
  if (block.raw && !lab.filters_system_calls()) {
    return Failure{Status::kUnmeasurable,
                   "raw bytes may call the kernel, and this system offers no filter to stop them"};
  }
  for (const auto* part : {&block.instructions, &block.init_instructions}) {
    for (const assembler::Instruction& instruction : *part) {
      if (instruction.flags.privileged) {
        return Failure{Status::kPrivileged,
                       fmt::format("only the kernel may execute '{}'", instruction.text)};
      }
      if (instruction.flags.traps && !lab.filters_system_calls()) {
        return Failure{
            Status::kUnmeasurable,
            fmt::format("'{}' enters the kernel, and this system offers no filter to stop it",
                        instruction.text)};
      }
    }
  }
  return std::nullopt;
}

std::string CodeOf(Lab& lab, const Block& block) {
  if (!block.raw) {
    std::vector<std::string> lines;
    for (const assembler::Instruction& instruction : block.instructions)
      lines.push_back(instruction.text);
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
  std::vector<std::string> lines;
  for (const assembler::DisassembledLine& line : lab.assembler().Disassemble(block.bytes)) {
    lines.push_back(fmt::format("{:02x}  {}", fmt::join(line.bytes, " "),
                                line.text.empty() ? "(no instruction)" : line.text));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

BlockRow MeasureBlock(Lab& lab, const Block& block) {
  BlockRow row = RowFor(lab, block);
  row.code = CodeOf(lab, block);
  if (const auto refusal = RefusalOf(lab, block)) return Failed(std::move(row), *refusal);
  const std::optional<int> counter = CounterFor(block);
  if (!counter) {
    return Failed(std::move(row),
                  {Status::kUnmeasurable,
                   "the snippet uses every general register and leaves none to count its loops"});
  }
  row.unroll = block.unroll.value_or(UsualCopies(block));
  const bool loop = block.loop != BlockLoop::kStraight;
  BlockKernels builder(lab, block, *counter);
  std::array<sandbox::Kernel, 2> kernels;
  const std::array<int, 2> copies = {
      row.unroll, block.loop == BlockLoop::kAsLoop ? row.unroll : 2 * row.unroll};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto kernel = builder.Build(copies[i], loop);
    if (!kernel) return Failed(std::move(row), {Status::kUnmeasurable, kernel.error().ToString()});
    kernels[i] = std::move(*kernel);
  }
  lab.FillScratch(lab.builder().address());
  const auto measured =
      lab.MeasureKernels(kernels, DifferenceOf(block.loop), row.unroll, lab.sampling());
  // Whatever it did to the worker's memory must not reach the next measurement.
  lab.RetireWorker();
  if (!measured)
    return Failed(std::move(row), WithPlace(measured.error(), block, builder.prologue_bytes()));
  row.cycles = measured->estimate;
  measure::Totals totals = measured->totals;
  if (totals.instructions || !Branches(block)) {
    totals.units *= std::max(row.instructions, 1);
    if (auto classic = MakeClassicRow("BLK", totals, lab.instrument().clock()))
      row.classic.push_back(std::move(*classic));
  }
  if (row.cycles->disturbed) {
    row.status = Status::kDisturbed;
    row.reason = measure::kTooFewSamples;
  }
  return row;
}

}  // namespace cyclescope::instructions
