#include "blocks/loop_shape.h"

#include <algorithm>

#include "assembler/control_flow.h"

namespace cyclescope::blocks {
namespace {

bool IsConditional(const assembler::Instruction& instruction) {
  return instruction.flags.branch && !instruction.flags.never_falls_through &&
         !instruction.flags.indirect;
}

bool IsJump(const assembler::Instruction& instruction) {
  return instruction.flags.branch && instruction.flags.never_falls_through &&
         !instruction.flags.indirect;
}

}  // namespace

std::vector<std::vector<std::size_t>> FollowersOf(const BlockCode& code) {
  const std::vector<assembler::Decoded>& decoded = *code.decoded;
  std::vector<std::vector<std::size_t>> next(decoded.size() + 1);
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    const assembler::InstructionFlags& flags = decoded[i].instruction.flags;
    if (!flags.branch || !flags.never_falls_through) next[i].push_back(i + 1);
    if (!flags.branch) continue;
    if (const auto target = TargetOf(decoded[i], decoded);
        target && std::ranges::find(next[i], *target) == next[i].end())
      next[i].push_back(*target);
  }
  for (const TableJump& jump : code.tables) {
    std::vector<std::size_t>& targets = next[jump.instruction];
    targets = jump.targets;
    std::ranges::sort(targets);
    targets.erase(std::ranges::unique(targets).begin(), targets.end());
  }
  return next;
}

std::optional<LoopShape> FindLoop(const BlockCode& code) {
  if (!code.decoded || code.decoded->empty()) return std::nullopt;
  const auto next = FollowersOf(code);
  const auto loops = assembler::InnermostLoops(next, 0);
  if (loops.size() != 1) return std::nullopt;
  const assembler::NaturalLoop& found = loops.front();
  const auto in_loop = [&found](std::size_t instruction) {
    return std::ranges::binary_search(found.body, instruction);
  };
  const std::size_t end = code.decoded->size();
  for (std::size_t i = 0; i < end; ++i) {
    if (in_loop(i)) continue;
    const bool enters = i == 0 && next[0] == std::vector{found.header};
    const bool leaves = next[i] == std::vector{end};
    if (!IsJump((*code.decoded)[i].instruction) || (!enters && !leaves)) return std::nullopt;
  }
  LoopShape shape;
  shape.header = found.header;
  for (const std::size_t block : assembler::ReachableFrom(next, found.header)) {
    if (in_loop(block)) shape.body.push_back(block);
  }
  for (const std::size_t i : found.body) {
    if (!IsConditional((*code.decoded)[i].instruction) || next[i].size() != 2) continue;
    const bool falls_in = in_loop(next[i][0]);
    const bool jumps_in = in_loop(next[i][1]);
    if (falls_in != jumps_in)
      shape.exits.push_back({i, !jumps_in});
    else
      shape.choices.push_back(i);
  }
  for (const TableJump& jump : code.tables) {
    if (in_loop(jump.instruction)) shape.choices.push_back(jump.instruction);
  }
  return shape;
}

std::optional<std::size_t> BeginOfEndless(const BlockCode& code) {
  if (!code.decoded || code.decoded->empty()) return std::nullopt;
  const std::vector<assembler::Decoded>& decoded = *code.decoded;
  const auto next = FollowersOf(code);
  std::vector<std::size_t> reached = assembler::ReachableFrom(next, 0);
  std::ranges::sort(reached);
  for (const std::size_t i : reached) {
    if (i == decoded.size()) continue;
    const assembler::InstructionFlags& flags = decoded[i].instruction.flags;
    if (!flags.ChangesFlow()) continue;
    const bool has_table =
        std::ranges::find(code.tables, i, &TableJump::instruction) != code.tables.end();
    if (!flags.branch || (!has_table && !TargetOf(decoded[i], decoded))) return std::nullopt;
  }
  std::vector<std::vector<std::size_t>> before(next.size());
  for (std::size_t i = 0; i < next.size(); ++i) {
    for (const std::size_t to : next[i]) before[to].push_back(i);
  }
  std::vector<std::size_t> ending = assembler::ReachableFrom(before, decoded.size());
  std::ranges::sort(ending);
  // Every loop has a way back.
  const auto begins_endless = [&](std::size_t i) {
    return !std::ranges::binary_search(ending, i) &&
           std::ranges::any_of(before[i], [&](std::size_t from) {
             return from >= i && std::ranges::binary_search(reached, from);
           });
  };
  const auto found = std::ranges::find_if(reached, begins_endless);
  return found == reached.end() ? std::nullopt : std::optional(*found);
}

bool EveryTripPasses(const BlockCode& code, const LoopShape& loop,
                     const std::vector<std::size_t>& instructions) {
  auto next = FollowersOf(code);
  const auto is_one = [&](std::size_t i) {
    return std::ranges::find(instructions, i) != instructions.end();
  };
  if (is_one(loop.header)) return true;
  for (const std::size_t i : instructions) next[i].clear();
  const auto reached = assembler::ReachableFrom(next, loop.header);
  return std::ranges::none_of(reached, [&](std::size_t block) {
    return std::ranges::find(next[block], loop.header) != next[block].end();
  });
}

std::vector<std::vector<std::size_t>> WaysThrough(const BlockCode& code,
                                                  const std::optional<LoopShape>& loop,
                                                  std::size_t most) {
  if (!loop && OrderWithoutLoops(code).empty()) return {};
  const auto next = FollowersOf(code);
  const std::size_t begin = loop ? loop->header : 0;
  const auto goes_on = [&](std::size_t to) {
    return loop ? to != begin && std::ranges::find(loop->body, to) != loop->body.end()
                : to != code.decoded->size();
  };
  const auto ends = [&](std::size_t to) { return loop ? to == begin : to == code.decoded->size(); };
  std::vector<std::vector<std::size_t>> ways;
  std::vector<std::vector<std::size_t>> open = {{begin}};
  while (!open.empty()) {
    const std::vector<std::size_t> way = std::move(open.back());
    open.pop_back();
    for (const std::size_t to : next[way.back()]) {
      if (ends(to)) ways.push_back(way);
      if (!goes_on(to)) continue;
      open.push_back(way);
      open.back().push_back(to);
    }
    if (ways.size() + open.size() > most) return {};
  }
  return ways;
}

std::vector<std::size_t> OrderWithoutLoops(const BlockCode& code) {
  const auto next = FollowersOf(code);
  std::vector<std::size_t> order = assembler::ReachableFrom(next, 0);
  std::vector<std::size_t> place(next.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (const std::size_t block : order) {
    for (const std::size_t follower : next[block]) {
      if (place[follower] <= place[block]) return {};
    }
  }
  std::erase(order, code.decoded->size());
  return order;
}

}  // namespace cyclescope::blocks
