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
#include "instructions/conclude.h"

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

measure::Difference DifferenceOf(BlockLoop loop) {
  switch (loop) {
    case BlockLoop::kUnrolled:
      return measure::Difference::kCopies;
    case BlockLoop::kAsLoop:
      return measure::Difference::kLoops;
    case BlockLoop::kStraight:
      return measure::Difference::kStraight;
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

// How much of every vector register is set up: as much as the snippet can see.
int VectorBitsToSet(const std::vector<assembler::Instruction>& instructions) {
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
                             ~GeneralRegistersUsed(block.init_instructions) &
                             ~(1U << arch::ReservedRegisters().loops_argument);
  if (free == 0) return std::nullopt;
  return std::bit_width(free) - 1;
}

class BlockKernels {
 public:
  BlockKernels(Planner& planner, const Block& block, int counter)
      : planner_(planner), block_(block), counter_(counter) {}

  Result<sandbox::Kernel> Build(int copies, bool loop) {
    sandbox::Kernel kernel;
    for (const std::string& text : SetUpTexts()) {
      const auto bytes = planner_.builder().Bytes(text);
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
    const int widest = VectorBitsToSet(block_.instructions);
    for (int i = 0; i < arch::VectorRegisters(); ++i)
      texts.push_back(arch::SetVectorText(i, widest, temporary));
    for (int i = 0; i < 32; ++i) {
      if ((arch::GeneralRegisters() >> i & 1) != 0 && i != counter_) {
        texts.push_back(arch::SetGeneralText(i, planner_.builder().address()));
      }
    }
    return texts;
  }

  Planner& planner_;
  const Block& block_;
  int counter_;
  std::size_t prologue_bytes_ = 0;
};

int CountInstructions(Planner& planner, const Block& block) {
  if (!block.raw) return static_cast<int>(block.instructions.size());
  const auto lines = planner.assembler().Disassemble(block.bytes);
  return static_cast<int>(
      std::ranges::count_if(lines, [](const auto& line) { return !line.text.empty(); }));
}

// Then only counters know how many instructions were executed.
bool Branches(const Block& block) {
  return std::ranges::any_of(block.instructions, [](const assembler::Instruction& instruction) {
    return instruction.flags.ChangesFlow();
  });
}

// Why the snippet must not be run; unset when it may be.
std::optional<Refusal> RefusalOf(const Block& block, bool filters_system_calls) {
  if (block.raw && !filters_system_calls) {
    return Refusal{Status::kUnmeasurable,
                   "raw bytes may call the kernel, and this system offers no filter to stop them"};
  }
  for (const auto* part : {&block.instructions, &block.init_instructions}) {
    for (const assembler::Instruction& instruction : *part) {
      if (instruction.flags.privileged) {
        return Refusal{Status::kPrivileged,
                       fmt::format("only the kernel may execute '{}'", instruction.text)};
      }
      if (instruction.flags.traps && !filters_system_calls) {
        return Refusal{
            Status::kUnmeasurable,
            fmt::format("'{}' enters the kernel, and this system offers no filter to stop it",
                        instruction.text)};
      }
    }
  }
  return std::nullopt;
}

std::string CodeOf(Planner& planner, const Block& block) {
  if (!block.raw) {
    std::vector<std::string> lines;
    for (const assembler::Instruction& instruction : block.instructions)
      lines.push_back(instruction.text);
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
  std::vector<std::string> lines;
  for (const assembler::DisassembledLine& line : planner.assembler().Disassemble(block.bytes)) {
    lines.push_back(fmt::format("{:02x}  {}", fmt::join(line.bytes, " "),
                                line.text.empty() ? "(no instruction)" : line.text));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

BlockPlan PlanBlock(Planner& planner, const Block& block, bool filters_system_calls) {
  BlockPlan plan;
  plan.row.text = block.text;
  plan.row.init = block.init_text;
  plan.row.instructions = CountInstructions(planner, block);
  plan.row.loop = block.loop != BlockLoop::kStraight;
  plan.row.code = CodeOf(planner, block);
  plan.row.unroll = block.unroll.value_or(UsualCopies(block));
  plan.snippet_bytes = block.bytes.size();
  plan.knows_count = !Branches(block);
  const auto refuse = [&plan](Status status, std::string reason) {
    plan.row.status = status;
    plan.row.reason = std::move(reason);
    return plan;
  };
  if (const auto refusal = RefusalOf(block, filters_system_calls))
    return refuse(refusal->status, refusal->reason);
  const std::optional<int> counter = CounterFor(block);
  if (!counter) {
    return refuse(Status::kUnmeasurable,
                  "the snippet uses every general register and leaves none to count its loops");
  }
  BlockKernels builder(planner, block, *counter);
  measure::Experiment experiment;
  const std::array<int, 2> copies = {
      plan.row.unroll, block.loop == BlockLoop::kAsLoop ? plan.row.unroll : 2 * plan.row.unroll};
  for (std::size_t i = 0; i < copies.size(); ++i) {
    auto kernel = builder.Build(copies[i], plan.row.loop);
    if (!kernel) return refuse(Status::kUnmeasurable, kernel.error().ToString());
    experiment.kernels[i] = std::move(*kernel);
  }
  experiment.difference = DifferenceOf(block.loop);
  experiment.units = plan.row.unroll;
  experiment.memory = planner.builder().address();
  experiment.alone = true;
  // The loop ends in two or three instructions of ours.
  constexpr int kFewInstructions = 32;
  experiment.takes_twice_as_long = block.loop == BlockLoop::kAsLoop ||
                                   plan.row.unroll * plan.row.instructions >= kFewInstructions;
  plan.prologue_bytes = builder.prologue_bytes();
  plan.experiment = std::move(experiment);
  return plan;
}

BlockRow ConcludeBlock(const BlockPlan& plan, const measure::Measurement& measurement,
                       const Circumstances& circumstances) {
  BlockRow row = plan.row;
  if (measurement.death) {
    const sandbox::Death& death = *measurement.death;
    InstructionRow failed;
    Fail(death, failed);
    row.status = failed.status;
    row.reason = failed.reason;
    // A place in a kernel means nothing to the user; one in the snippet does.
    if (death.code_place && death.code_place->offset >= plan.prologue_bytes) {
      row.reason += fmt::format(", at or just before byte {} of the snippet",
                                (death.code_place->offset - plan.prologue_bytes) %
                                    std::max<std::size_t>(plan.snippet_bytes, 1));
    }
    return row;
  }
  if (!measurement.has_value()) {
    row.status = Status::kDisturbed;
    row.reason = kTooFewSamples;
    return row;
  }
  row.cycles = EstimateOf(measurement, circumstances.confidence);
  const measure::Totals& totals = measurement.totals;
  // With branches only counters know how many instructions were executed.
  if ((totals.instructions || plan.knows_count) && circumstances.clock != nullptr) {
    if (auto classic =
            MakeClassicRow("BLK", totals, *circumstances.clock, std::max(row.instructions, 1)))
      row.classic.push_back(std::move(*classic));
  }
  if (row.cycles->disturbed) {
    row.status = Status::kDisturbed;
    row.reason = kTooFewSamples;
  }
  return row;
}

std::optional<BlockRow> MeasureBlock(Bench& bench, Planner& planner, const Block& block,
                                     const measure::IsOver& is_over) {
  const BlockPlan plan = PlanBlock(planner, block, bench.filters_system_calls());
  if (!plan.experiment) return plan.row;
  const auto measured = bench.runner().Run({&*plan.experiment, 1}, is_over);
  if (measured.front().cut_short) return std::nullopt;
  return ConcludeBlock(plan, measured.front(), bench.circumstances());
}

}  // namespace cyclescope::instructions
