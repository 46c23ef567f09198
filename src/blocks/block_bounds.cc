#include "blocks/block_bounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "instructions/conclude_latency.h"
#include "instructions/form.h"

namespace cyclescope::blocks {
namespace {

using assembler::AddressPart;
using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

// Something that holds a value: a register, or memory at an address that stays the same.
using Place = std::tuple<int, int, int, std::int64_t>;

constexpr int kMemoryPlace = 1000;

// The places of an instruction's operands; none for memory whose address changes in the snippet.
class Places {
 public:
  explicit Places(std::span<const Instruction> instructions) {
    for (const Instruction& instruction : instructions) {
      for (const Operand& operand : instruction.operands) {
        if (operand.kind == OperandKind::kRegister && operand.written)
          written_[{static_cast<int>(operand.reg.file), operand.reg.index}] = true;
      }
    }
  }

  std::vector<Place> Of(const Instruction& instruction, const Operand& operand) const {
    if (operand.kind == OperandKind::kMemory) {
      const auto memory = MemoryPlace(instruction);
      return memory ? std::vector<Place>{*memory} : std::vector<Place>();
    }
    std::vector<Place> places;
    if (operand.kind != OperandKind::kRegister || !instructions::CarriesValues(operand.reg.file))
      return places;
    for (int i = 0; i < operand.count; ++i) {
      places.emplace_back(static_cast<int>(operand.reg.file),
                          (operand.reg.index + i * operand.stride) % 32, 0, 0);
    }
    return places;
  }

 private:
  std::optional<Place> MemoryPlace(const Instruction& instruction) const {
    int base = -1;
    int index = -1;
    std::int64_t displacement = 0;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == OperandKind::kImmediate &&
          (operand.address == AddressPart::kDisplacement)) {
        displacement = operand.value;
      }
      if (operand.address != AddressPart::kBase && operand.address != AddressPart::kIndex) continue;
      if (written_.contains({static_cast<int>(operand.reg.file), operand.reg.index}))
        return std::nullopt;
      (operand.address == AddressPart::kBase ? base : index) = operand.reg.index;
    }
    return Place{kMemoryPlace + base, index, 0, displacement};
  }

  std::map<std::pair<int, int>, bool> written_;
};

// When a value is there, and how it came about.
struct Arrival {
  double cycles = 0;
  std::optional<std::size_t> event;  // in Dataflow::events_
};

// Runs the snippet again and again on a core that never lacks anything.
class Dataflow {
 public:
  Dataflow(std::span<const Instruction> instructions, const LatencyOf& latency)
      : instructions_(instructions), latency_(latency), places_(instructions) {}

  void Iterate() {
    for (std::size_t i = 0; i < instructions_.size(); ++i) Execute(i);
    ++iteration_;
  }

  const std::map<Place, Arrival>& ready() const { return ready_; }

  struct Event {
    std::size_t instruction;
    int iteration;
    std::string to;
    double cycles;
    std::optional<std::size_t> before;
  };
  const Event& event(std::size_t index) const { return events_[index]; }

 private:
  void Execute(std::size_t index) {
    const Instruction& instruction = instructions_[index];
    std::vector<std::pair<Place, Arrival>> results;
    for (const Operand& to : instruction.operands) {
      if (!to.written) continue;
      for (const Place& place : places_.Of(instruction, to))
        results.emplace_back(place, Latest(index, to));
    }
    for (auto& [place, arrival] : results) {
      // One of several writes to a place in one instruction: the last one counts.
      ready_[place] = arrival;
    }
  }

  Arrival Latest(std::size_t index, const Operand& to) {
    const Instruction& instruction = instructions_[index];
    Arrival latest;
    double added = 0;
    for (const Operand& from : instruction.operands) {
      if (!from.read) continue;
      for (const Place& place : places_.Of(instruction, from)) {
        const auto known = ready_.find(place);
        if (known == ready_.end()) continue;
        const std::optional<double> cycles = latency_(index, from, to);
        if (!cycles || known->second.cycles + *cycles < latest.cycles) continue;
        latest = known->second;
        latest.cycles += *cycles;
        added = *cycles;
      }
    }
    events_.push_back({index, iteration_, to.name, added, latest.event});
    latest.event = events_.size() - 1;
    return latest;
  }

  std::span<const Instruction> instructions_;
  const LatencyOf& latency_;
  Places places_;
  std::map<Place, Arrival> ready_;
  std::vector<Event> events_;
  int iteration_ = 0;
};

}  // namespace

DependenceChain LongestChain(std::span<const Instruction> instructions, const LatencyOf& latency) {
  constexpr int kSettle = 32;
  constexpr int kWatched = 32;
  Dataflow flow(instructions, latency);
  for (int i = 0; i < kSettle; ++i) flow.Iterate();
  const std::map<Place, Arrival> before = flow.ready();
  for (int i = 0; i < kWatched; ++i) flow.Iterate();
  DependenceChain chain;
  const Arrival* last = nullptr;
  for (const auto& [place, arrival] : flow.ready()) {
    const auto earlier = before.find(place);
    if (earlier == before.end()) continue;
    const double growth = (arrival.cycles - earlier->second.cycles) / kWatched;
    if (growth <= chain.cycles) continue;
    chain.cycles = growth;
    last = &arrival;
  }
  if (last == nullptr) return chain;
  // Back along the chain until an instruction comes again that was met before: once round.
  std::vector<std::size_t> path;
  for (auto at = last->event; at; at = flow.event(*at).before) {
    const auto same = std::ranges::find_if(path, [&](std::size_t other) {
      return flow.event(other).instruction == flow.event(*at).instruction &&
             flow.event(other).to == flow.event(*at).to;
    });
    if (same != path.end()) {
      path.erase(path.begin(), same);
      break;
    }
    path.push_back(*at);
  }
  std::ranges::reverse(path);
  for (const std::size_t at : path) {
    const Dataflow::Event& event = flow.event(at);
    chain.links.push_back({event.instruction, event.to, event.cycles});
  }
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
  int slots = 0;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    ++slots;
    const bool flags_before =
        i > 0 && std::ranges::any_of(instructions[i - 1].operands, [](const Operand& operand) {
          return operand.reg.file == RegisterFile::kFlags && operand.written;
        });
    if (instructions[i].flags.fuses && flags_before) --slots;
  }
  return slots;
}

BlockBounds BoundsOf(std::span<const Instruction> instructions,
                     std::span<const InstructionRow> parts, const InstructionRow& nop) {
  const auto latency = [&](std::size_t index, const Operand& from,
                           const Operand& to) -> std::optional<double> {
    const InstructionRow& part = parts[index];
    const bool zero_idiom = std::ranges::any_of(
        part.notes, [](const std::string& note) { return note.starts_with("zero idiom"); });
    if (zero_idiom) return std::nullopt;
    for (const Latency& each : part.latency) {
      if (each.from != from.name || each.to != to.name) continue;
      // Less is possible: Golden Cove takes 3.8 cycles for a store and its load in one place, and
      // almost none in another.
      if (each.kind == LatencyKind::kUpperBound) return std::nullopt;
      // What is done at rename takes no time. What was measured is how many are renamed at once.
      return each.cycles.value < instructions::kDoneAtRename ? 0 : each.cycles.value;
    }
    return std::nullopt;
  };
  BlockBounds bounds;
  const DependenceChain chain = LongestChain(instructions, latency);
  bounds.chain = chain.cycles;
  bounds.chain_text = ToString(chain, instructions);
  // Only on a core of our own does the throughput of anything say what the core can do.
  const auto is_known = [](const std::optional<Throughput>& throughput) {
    return throughput && !throughput->upper_bound && !throughput->cycles.contended &&
           throughput->cycles.value > 0;
  };
  if (is_known(nop.throughput)) {
    // As many as start in a cycle at best, a whole number: Golden Cove starts six instructions, and
    // 5.6 `nop`s.
    constexpr double kNoise = 0.97;
    bounds.width = std::ceil(kNoise / nop.throughput->cycles.value);
    bounds.issue = SlotsOf(instructions) / bounds.width;
  }
  // Copies of one instruction share whatever it needs; of two different ones nobody knows.
  std::map<std::string, std::pair<int, double>> by_opcode;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto& throughput = parts[i].throughput;
    if (!is_known(throughput)) continue;
    // As many as start in a cycle: that bound has them already, and no resource was seen.
    constexpr double kStarts = 1.1;
    if (bounds.width > 0 && throughput->cycles.value * bounds.width < kStarts) continue;
    auto& [count, each] = by_opcode[instructions[i].opcode];
    ++count;
    each = throughput->cycles.value;
    if (count * each <= bounds.resource) continue;
    bounds.resource = count * each;
    bounds.resource_text = fmt::format("{} × {} at {:.3g}", count, instructions[i].mnemonic, each);
  }
  return bounds;
}

std::string WhatBinds(double cycles, const BlockBounds& bounds) {
  // So near to a bound, that bound explains the time.
  constexpr double kNear = 1.08;
  struct Bound {
    double cycles;
    std::string text;
  };
  const std::vector<Bound> all = {
      {bounds.chain, "bound by the chain " + bounds.chain_text},
      {bounds.resource, "bound by what executes " + bounds.resource_text},
      {bounds.issue,
       fmt::format("bound by how many instructions start at once: {:.0f} a cycle", bounds.width)}};
  const auto largest = std::ranges::max_element(all, {}, &Bound::cycles);
  if (largest->cycles <= 0) return "";
  if (cycles <= kNear * largest->cycles) return largest->text;
  return fmt::format("{:.2f} cycles more than any bound known here; nearest: {}",
                     cycles - largest->cycles, largest->text);
}

}  // namespace cyclescope::blocks
