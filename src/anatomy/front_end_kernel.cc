#include "anatomy/front_end_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "arch/front_end_code.h"
#include "arch/kernel_parts.h"

namespace cyclescope::anatomy {
namespace {

constexpr std::size_t kLine = 64;
// The end of a loop reaches at least so far back on every architecture.
constexpr std::size_t kReachOfLoopEnd = 512 << 10;
// Bytes from one jump to the next between the two branches of kHistory: jumps right behind each
// other are more than some predictors follow.
constexpr std::int64_t kHistoryStride = 16;
constexpr int kFirstBit = 7;
constexpr int kOtherBit = 23;
constexpr int kWordBits = 64;

arch::RandomWords WordsOf(const CodePattern& pattern, std::uint64_t seed) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  switch (pattern.outcomes) {
    case Outcomes::kRandom:
    case Outcomes::kSameBit:
      return {seed, kAll, 0};
    case Outcomes::kNeverTaken:
      return {seed, 0, 0};
    case Outcomes::kAlwaysTaken:
      return {seed, 0, kAll};
    case Outcomes::kAlternating:
      return {seed, 0, 0x5555'5555'5555'5555};
  }
  std::unreachable();
}

}  // namespace

// Collects code until a piece of it cannot be made.
class FrontEndKernels::Writer {
 public:
  explicit Writer(FrontEndKernels& kernels) : kernels_(kernels) {}

  void Text(std::string_view text) {
    const auto bytes = kernels_.Bytes(text);
    if (!bytes && !failure_) failure_ = bytes.error();
    if (bytes) Bytes(*bytes);
  }
  void Bytes(std::span<const std::uint8_t> bytes) {
    kernel_.insert(kernel_.end(), bytes.begin(), bytes.end());
  }
  // Replaces what stands at `at`.
  void Replace(std::size_t at, std::span<const std::uint8_t> bytes) {
    std::ranges::copy(bytes, kernel_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  // Up to this place, with instructions that do nothing.
  void PadTo(std::size_t place) {
    const auto filler = kernels_.Bytes(arch::kFillerText);
    if (!filler && !failure_) failure_ = filler.error();
    if (!filler) return;
    while (kernel_.size() < place) Bytes(*filler);
  }
  // Everything since `begin`, `times` times in all.
  void Repeat(std::size_t begin, std::int64_t times) {
    const sandbox::Kernel once(kernel_.begin() + static_cast<std::ptrdiff_t>(begin), kernel_.end());
    for (std::int64_t i = 1; i < times; ++i) Bytes(once);
  }
  void Align() { PadTo((kernel_.size() + kLine - 1) / kLine * kLine); }
  // Jumps back over everything since `begin` while there are loops left.
  void EndLoop(std::size_t begin) {
    const int counter = arch::ReservedRegisters().counter;
    if (kernel_.size() - begin < kReachOfLoopEnd) {
      Bytes(arch::LoopEnd(counter, kernel_.size() - begin, /*keep_flags=*/false));
      return;
    }
    // By a jump near the loop's end, which everything else passes over.
    const auto jump_bytes = static_cast<std::int64_t>(arch::JumpCode(0).size());
    Bytes(arch::JumpCode(jump_bytes));
    const std::size_t back = kernel_.size();
    Bytes(arch::JumpCode(static_cast<std::int64_t>(begin) - static_cast<std::int64_t>(back) -
                         jump_bytes));
    Bytes(arch::LoopEnd(counter, kernel_.size() - back, /*keep_flags=*/false));
  }
  std::size_t size() const { return kernel_.size(); }
  Result<sandbox::Kernel> Take() {
    if (failure_) return std::unexpected(*failure_);
    return std::move(kernel_);
  }

 private:
  FrontEndKernels& kernels_;
  sandbox::Kernel kernel_;
  std::optional<Error> failure_;
};

Result<assembler::Bytes> FrontEndKernels::Bytes(std::string_view text) {
  if (const auto known = assembled_.find(text); known != assembled_.end()) return known->second;
  auto bytes = assembler_.AssembleText(text);
  if (bytes) assembled_.emplace(text, *bytes);
  return bytes;
}

Result<sandbox::Kernel> FrontEndKernels::Make(const CodePattern& pattern, std::uint64_t seed) {
  seed_ = seed;
  const arch::KernelRegisters& registers = arch::ReservedRegisters();
  Writer writer(*this);
  writer.Text(arch::CopyGeneralText(registers.counter, registers.loops_argument) +
              arch::SetGeneralText(registers.address, scratch_address_));
  switch (pattern.kind) {
    case PatternKind::kStraight:
      WriteStraight(pattern, writer);
      break;
    case PatternKind::kAligned:
      WriteAligned(pattern, writer);
      break;
    case PatternKind::kText:
      WriteText(pattern, writer);
      break;
    case PatternKind::kJumps:
      WriteJumps(pattern, writer);
      break;
    case PatternKind::kBranches:
      WriteBranches(pattern, writer);
      break;
    case PatternKind::kReturns:
      WriteReturns(pattern, writer);
      break;
    case PatternKind::kHistory:
      WriteHistory(pattern, writer);
      break;
    case PatternKind::kIndirect:
      WriteIndirect(pattern, writer);
      break;
  }
  return writer.Take();
}

void FrontEndKernels::WriteStraight(const CodePattern& pattern, Writer& writer) {
  const arch::StraightMix& mix = arch::StraightMixes()[pattern.mix];
  writer.Text(arch::StraightSetUpText());
  writer.Align();
  const std::size_t begin = writer.size();
  // Once by their text, then as often as there is room for all of them.
  const auto size = static_cast<std::int64_t>(mix.code.size());
  for (std::int64_t i = 0; i < std::min(pattern.count, size); ++i)
    writer.Text(mix.code[static_cast<std::size_t>(i)]);
  writer.Repeat(begin, pattern.count / size);
  for (std::int64_t i = 0; i < pattern.count % size && pattern.count > size; ++i)
    writer.Text(mix.code[static_cast<std::size_t>(i)]);
  writer.EndLoop(begin);
}

void FrontEndKernels::WriteAligned(const CodePattern& pattern, Writer& writer) {
  const auto& code = arch::StraightMixes()[pattern.mix].code;
  writer.Text(arch::StraightSetUpText());
  writer.Align();
  writer.PadTo(writer.size() + static_cast<std::size_t>(pattern.stride));
  const std::size_t begin = writer.size();
  for (std::int64_t i = 0; i < pattern.count; ++i)
    writer.Text(code[static_cast<std::size_t>(i) % code.size()]);
  writer.EndLoop(begin);
}

void FrontEndKernels::WriteText(const CodePattern& pattern, Writer& writer) {
  writer.Text(arch::StraightSetUpText());
  writer.Align();
  const std::size_t begin = writer.size();
  for (const std::string& line : pattern.text) writer.Text(line);
  writer.Repeat(begin, pattern.count);
  writer.EndLoop(begin);
}

void FrontEndKernels::WriteJumps(const CodePattern& pattern, Writer& writer) {
  writer.Align();
  const std::size_t begin = writer.size();
  const auto jump =
      arch::JumpCode(pattern.stride - static_cast<std::int64_t>(arch::JumpCode(0).size()));
  // The loop's end is the last of them.
  for (std::int64_t i = 1; i < pattern.count; ++i) {
    writer.Bytes(jump);
    writer.PadTo(begin + static_cast<std::size_t>(i * pattern.stride));
  }
  writer.EndLoop(begin);
}

void FrontEndKernels::WriteBranches(const CodePattern& pattern, Writer& writer) {
  const auto filler = Bytes(arch::kFillerText);
  const auto over = static_cast<std::int64_t>(filler ? filler->size() : 0);
  writer.Text(arch::SetUpRandomText(WordsOf(pattern, seed_)));
  writer.Align();
  const std::size_t begin = writer.size();
  writer.Text(arch::NextRandomText());
  for (std::int64_t i = 0; i < pattern.count; ++i) {
    writer.Bytes(arch::JumpIfBitCode(static_cast<int>(i % kWordBits), over));
    writer.Text(arch::kFillerText);
  }
  writer.EndLoop(begin);
  writer.Text(arch::KeepRandomText());
}

void FrontEndKernels::WriteReturns(const CodePattern& pattern, Writer& writer) {
  writer.Text(arch::SetUpRandomText(WordsOf(pattern, seed_)));
  const std::size_t over = writer.size();
  writer.Bytes(arch::JumpCode(0));
  const auto call_bytes = static_cast<std::int64_t>(arch::CallCode(0).size());
  // The innermost first, so that each knows where the one is that it calls.
  std::size_t callee = 0;
  const auto call = [&] {
    writer.Bytes(arch::CallCode(static_cast<std::int64_t>(callee) -
                                static_cast<std::int64_t>(writer.size()) - call_bytes));
  };
  for (std::int64_t level = pattern.count - 1; level >= 0; --level) {
    writer.Align();
    const std::size_t function = writer.size();
    writer.Text(arch::FunctionBeginText());
    if (level + 1 < pattern.count) {
      // Two places to call from, each with an end of its own.
      const std::size_t choice = writer.size();
      const int bit =
          pattern.outcomes == Outcomes::kSameBit ? 0 : static_cast<int>(level % kWordBits);
      writer.Bytes(arch::JumpIfBitCode(bit, 0));
      const std::size_t first = writer.size();
      call();
      writer.Text(arch::FunctionEndText());
      writer.Replace(choice,
                     arch::JumpIfBitCode(bit, static_cast<std::int64_t>(writer.size() - first)));
      call();
    }
    writer.Text(arch::FunctionEndText());
    callee = function;
  }
  writer.Align();
  writer.Replace(over, arch::JumpCode(static_cast<std::int64_t>(writer.size() - over -
                                                                arch::JumpCode(0).size())));
  const std::size_t begin = writer.size();
  writer.Text(arch::NextRandomText());
  call();
  writer.EndLoop(begin);
  writer.Text(arch::KeepRandomText());
}

void FrontEndKernels::WriteHistory(const CodePattern& pattern, Writer& writer) {
  const auto filler = Bytes(arch::kFillerText);
  const auto over = static_cast<std::int64_t>(filler ? filler->size() : 0);
  writer.Text(arch::SetUpRandomText(WordsOf(pattern, seed_)));
  writer.Align();
  const std::size_t begin = writer.size();
  writer.Text(arch::NextRandomText());
  writer.Bytes(arch::JumpIfBitCode(kFirstBit, over));
  writer.Text(arch::kFillerText);
  const auto jump =
      arch::JumpCode(kHistoryStride - static_cast<std::int64_t>(arch::JumpCode(0).size()));
  for (std::int64_t i = 0; i < pattern.count; ++i) {
    const std::size_t next = writer.size() + static_cast<std::size_t>(kHistoryStride);
    writer.Bytes(jump);
    writer.PadTo(next);
  }
  writer.Bytes(
      arch::JumpIfBitCode(pattern.outcomes == Outcomes::kSameBit ? kFirstBit : kOtherBit, over));
  writer.Text(arch::kFillerText);
  writer.EndLoop(begin);
  writer.Text(arch::KeepRandomText());
}

void FrontEndKernels::WriteIndirect(const CodePattern& pattern, Writer& writer) {
  const auto count = static_cast<std::size_t>(pattern.count);
  // In which order they are visited: one cycle through all of them, the same each time.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, std::mt19937_64(count));
  const std::size_t set_up = writer.size();
  writer.Bytes(arch::TargetCode(0));
  const std::size_t target_bytes = writer.size() - set_up;
  writer.Align();
  const std::size_t begin = writer.size();
  writer.Text(arch::IndirectJumpText());
  writer.Align();
  const std::size_t targets = writer.size();
  const auto place = [targets](std::size_t target) { return targets + target * kLine; };
  const auto distance = [](std::size_t from, std::size_t to) {
    return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
  };
  writer.Replace(set_up, arch::TargetCode(distance(set_up + target_bytes, place(order.front()))));
  const std::size_t end = place(count);
  std::vector<std::size_t> next(count);
  for (std::size_t i = 0; i < count; ++i) next[order[i]] = order[(i + 1) % count];
  for (std::size_t target = 0; target < count; ++target) {
    writer.PadTo(place(target));
    writer.Bytes(arch::TargetCode(distance(place(target) + target_bytes, place(next[target]))));
    const std::size_t behind = writer.size() + arch::JumpCode(0).size();
    const bool is_last = target == order.back();
    writer.Bytes(arch::JumpCode(distance(behind, is_last ? end : begin)));
  }
  writer.PadTo(end);
  writer.EndLoop(begin);
}

std::vector<std::string> FrontEndKernels::TextOf(const CodePattern& pattern) {
  const auto lines = [](std::string_view text) {
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (end > begin) found.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return found;
  };
  switch (pattern.kind) {
    case PatternKind::kStraight:
    case PatternKind::kAligned: {
      const auto& code = arch::StraightMixes()[pattern.mix].code;
      return {code.begin(), code.end()};
    }
    case PatternKind::kText:
      return pattern.text;
    case PatternKind::kJumps:
      return {fmt::format("jump to the next, {} bytes further", pattern.stride)};
    case PatternKind::kBranches: {
      auto text = lines(arch::NextRandomText());
      text.emplace_back("for each bit: branch over a nop where it is set");
      return text;
    }
    case PatternKind::kReturns: {
      auto text = lines(arch::NextRandomText());
      text.emplace_back(
          "call the first of the functions; in each: call the next from one of two "
          "places, by a bit, and return");
      return text;
    }
    case PatternKind::kHistory: {
      auto text = lines(arch::NextRandomText());
      text.emplace_back("branch by a bit; taken jumps; branch by the same bit, or by another");
      return text;
    }
    case PatternKind::kIndirect: {
      auto text = lines(arch::IndirectJumpText());
      text.emplace_back("each target: put the address of the next there, and jump back");
      return text;
    }
  }
  std::unreachable();
}

}  // namespace cyclescope::anatomy
