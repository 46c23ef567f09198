#include "predict/dependence.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "predict/cycle_ratio.h"

namespace cyclescope::predict {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

using RegisterKey = std::pair<int, int>;  // file and number

std::vector<RegisterKey> KeysOf(const Operand& operand) {
  std::vector<RegisterKey> keys;
  if (operand.kind != OperandKind::kRegister || !arch::CarriesValues(operand.reg.file)) return keys;
  for (int i = 0; i < operand.count; ++i) {
    keys.emplace_back(static_cast<int>(operand.reg.file),
                      (operand.reg.index + i * operand.stride) % 32);
  }
  return keys;
}

bool CarriesValue(const Operand& operand) {
  return operand.kind == OperandKind::kMemory || !KeysOf(operand).empty();
}

// The last operand of the code that writes each register.
std::map<RegisterKey, OperandPlace> LastWrites(std::span<const Instruction> instructions) {
  std::map<RegisterKey, OperandPlace> last;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto& operands = instructions[i].operands;
    for (std::size_t to = 0; to < operands.size(); ++to) {
      if (!operands[to].written) continue;
      for (const RegisterKey& key : KeysOf(operands[to])) last[key] = {i, to};
    }
  }
  return last;
}

std::optional<std::size_t> StoredOperand(const Instruction& store) {
  const auto found = std::ranges::find_if(store.operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kMemory && operand.written;
  });
  if (found == store.operands.end()) return std::nullopt;
  return static_cast<std::size_t>(found - store.operands.begin());
}

bool IsSet(std::uint32_t registers, const RegisterKey& key) {
  return key.first == static_cast<int>(RegisterFile::kGeneral) &&
         (registers >> key.second & 1) != 0;
}

// A core may take the two as one: what sets flags, and the branch behind it.
bool MayFuse(const Instruction& first, const Instruction& second) {
  return second.flags.fuses && std::ranges::any_of(first.operands, [](const Operand& operand) {
           return operand.reg.file == RegisterFile::kFlags && operand.written;
         });
}

}  // namespace

std::vector<ValueFlow> FindFlows(std::span<const Instruction> instructions,
                                 std::span<const MemoryLink> memory, std::uint32_t set_before) {
  const std::map<RegisterKey, OperandPlace> last = LastWrites(instructions);
  std::map<RegisterKey, OperandPlace> now;  // in this iteration so far
  std::vector<ValueFlow> flows;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto& operands = instructions[i].operands;
    for (std::size_t from = 0; from < operands.size(); ++from) {
      const Operand& operand = operands[from];
      if (!operand.read && !operand.partial) continue;
      for (const RegisterKey& key : KeysOf(operand)) {
        if (const auto known = now.find(key); known != now.end()) {
          flows.push_back({known->second, {i, from}, 0});
        } else if (const auto before = last.find(key);
                   before != last.end() && !IsSet(set_before, key)) {
          flows.push_back({before->second, {i, from}, 1});
        }
      }
      if (operand.kind != OperandKind::kMemory) continue;
      for (const MemoryLink& link : memory) {
        if (link.load != i) continue;
        if (const auto stored = StoredOperand(instructions[link.store]))
          flows.push_back({{link.store, *stored}, {i, from}, link.iterations});
      }
    }
    for (std::size_t to = 0; to < operands.size(); ++to) {
      if (!operands[to].written) continue;
      for (const RegisterKey& key : KeysOf(operands[to])) now[key] = {i, to};
    }
  }
  return flows;
}

DependenceChain LongestChain(std::span<const Instruction> instructions, const LatencyOf& latency,
                             std::span<const ValueFlow> flows) {
  // The nodes are the values that instructions give: registers', or what they store.
  std::map<OperandPlace, std::size_t> nodes;
  std::vector<OperandPlace> values;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (std::size_t to = 0; to < instructions[i].operands.size(); ++to) {
      const Operand& operand = instructions[i].operands[to];
      if (!operand.written || !CarriesValue(operand)) continue;
      nodes.emplace(OperandPlace{i, to}, values.size());
      values.push_back({i, to});
    }
  }
  std::vector<DependenceEdge> edges;
  for (const ValueFlow& flow : flows) {
    const std::size_t i = flow.read.instruction;
    const auto& operands = instructions[i].operands;
    for (auto to = nodes.lower_bound({i, 0}); to != nodes.end() && to->first.instruction == i;
         ++to) {
      if (const auto cycles = latency(i, operands[flow.read.operand], operands[to->first.operand]))
        edges.push_back({nodes.at(flow.written), to->second, *cycles, flow.iterations});
    }
  }
  const CriticalCycle cycle = LongestCycle(values.size(), edges);
  DependenceChain chain{.cycles = cycle.cycles, .links = {}};
  for (const std::size_t edge : cycle.edges) {
    const OperandPlace& to = values[edges[edge].to];
    chain.links.push_back({to.instruction, instructions[to.instruction].operands[to.operand].name,
                           edges[edge].cycles});
  }
  // It begins with the first instruction, as one reads it.
  const auto first = std::ranges::min_element(chain.links, {}, &ChainLink::instruction);
  std::ranges::rotate(chain.links, first);
  return chain;
}

std::string ToString(const DependenceChain& chain, std::span<const Instruction> instructions) {
  if (chain.links.empty()) return "";
  // Runs of equal links are one part.
  std::vector<std::pair<std::string, int>> parts;
  for (const ChainLink& link : chain.links) {
    std::string part = fmt::format("{} {:.3g}", instructions[link.instruction].mnemonic,
                                   std::round(link.cycles * 100) / 100);
    if (!parts.empty() && parts.back().first == part) {
      ++parts.back().second;
    } else {
      parts.emplace_back(std::move(part), 1);
    }
  }
  // More would be a wall.
  constexpr std::size_t kMostParts = 24;
  std::string text = fmt::format("{0} → {0}: ", chain.links.back().to);
  for (std::size_t i = 0; i < std::min(parts.size(), kMostParts); ++i) {
    const auto& [part, count] = parts[i];
    text += (i > 0 ? " + " : "") + (count > 1 ? fmt::format("{} × {}", count, part) : part);
  }
  if (parts.size() > kMostParts) text += fmt::format(" + {} more", parts.size() - kMostParts);
  return text;
}

int SlotsOf(std::span<const Instruction> instructions) {
  int slots = static_cast<int>(instructions.size());
  for (std::size_t i = 1; i < instructions.size(); ++i) {
    if (MayFuse(instructions[i - 1], instructions[i])) --slots;
  }
  return slots;
}

}  // namespace cyclescope::predict
