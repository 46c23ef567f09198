#include <fmt/core.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "arch/value_patterns.h"
#include "base/text.h"
#include "base/try.h"
#include "library/block_jobs.h"

namespace cyclescope {

std::vector<std::string_view> MemoryWords() {
  std::vector<std::string_view> words;
  for (const std::string_view word : NamesOf(blocks::AreaData{})) words.push_back(word);
  for (const std::string_view word : NamesOf(blocks::MemoryValues{})) {
    if (word != ToString(blocks::MemoryValues::kGiven)) words.push_back(word);
  }
  return words;
}

namespace library {
namespace {

const char* Example() {
  return arch::Name() == "aarch64" ? "as in --set x1=64,v0=1.0" : "as in --set rcx=64,xmm0=1.0";
}

// 64, -1, 0x40
std::optional<std::uint64_t> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const auto value = ParseNumber<std::uint64_t>(text, hex ? 16 : 10);
  return negative && value ? -*value : value;
}

// 1.0 is of double precision, 1.0f of single; each element of the register gets it.
std::optional<std::uint64_t> ParseFloat(std::string_view text, bool single) {
  if (text.ends_with('f')) {
    text.remove_suffix(1);
    single = true;
  }
  const auto value = ParseNumber<double>(text);
  if (!value) return std::nullopt;
  return single ? arch::SinglePattern(static_cast<float>(*value)) : arch::DoublePattern(*value);
}

Result<void> ApplyOne(const assembler::Assembler& assembler, std::string_view setting,
                      blocks::Block& block) {
  const std::size_t equal = setting.find('=');
  if (equal == std::string_view::npos)
    return BadInput(fmt::format("--set: '{}' gives no value", setting), Example());
  const std::string_view name = Trimmed(setting.substr(0, equal));
  const std::string_view text = Trimmed(setting.substr(equal + 1));
  const auto reg = assembler.FindRegister(name);
  const bool general = reg && reg->file == assembler::RegisterFile::kGeneral;
  const bool vector = reg && reg->file == assembler::RegisterFile::kVector;
  if (!general && !vector) {
    return BadInput(fmt::format("--set: there is no general or vector register '{}'", name),
                    Example());
  }
  constexpr int kSingleBits = 32;
  std::optional<std::uint64_t> value = ParseInteger(text);
  if (!value && vector) value = ParseFloat(text, reg->bits == kSingleBits);
  if (!value) {
    return BadInput(fmt::format("--set: '{}' is no {}", text, vector ? "number" : "whole number"),
                    Example());
  }
  if (vector) {
    block.vectors.push_back({reg->index, *value});
  } else {
    constexpr int kStackPointer = 31;
    if (reg->index == kStackPointer || name == "rsp" || name == "esp")
      return BadInput("--set: the stack pointer cannot be set; it gets its value automatically");
    block.registers[reg->index] = *value;
  }
  return {};
}

}  // namespace

Result<void> ApplySettings(const assembler::Assembler& assembler, const BlockRequest& request,
                           blocks::Block& block) {
  using blocks::MemoryValues;
  std::string_view rest = request.set;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    TRY(ApplyOne(assembler, Trimmed(rest.substr(0, end)), block));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  block.strict = request.strict;
  if (!request.memory_contents.empty()) {
    block.memory = MemoryValues::kGiven;
    block.memory_contents = request.memory_contents;
  } else if (!request.memory.empty()) {
    block.data = ParseName<blocks::AreaData>(request.memory);
    block.memory = ParseName<MemoryValues>(request.memory);
    if ((!block.data && !block.memory) || block.memory == MemoryValues::kGiven)
      return BadInput(
          fmt::format("memory cannot be '{}'", request.memory),
          fmt::format("it is {}, or the contents of a file", fmt::join(MemoryWords(), ", ")));
  }
  if (block.strict && (block.memory || block.data)) {
    return BadInput("with --strict memory holds its own address, and nothing else",
                    "leave out --strict or --memory");
  }
  return {};
}

}  // namespace library
}  // namespace cyclescope
