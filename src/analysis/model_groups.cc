// What differences from the model have in common.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/model_agreement.h"

namespace cyclescope {
namespace {

struct RegisterKind {
  std::string_view prefix;
  std::string_view name;
};

// The first that a text has is what its instruction works on.
constexpr std::array kRegisterKinds = std::to_array<RegisterKind>({{"tmm", "tiles"},
                                                                   {"zmm", "zmm"},
                                                                   {"ymm", "ymm"},
                                                                   {"xmm", "xmm"},
                                                                   {"mm", "mmx"},
                                                                   {"st", "x87"},
                                                                   {"k", "masks"},
                                                                   {"z", "SVE"},
                                                                   {"p", "predicates"},
                                                                   {"v", "vectors"},
                                                                   {"q", "FP scalars"},
                                                                   {"d", "FP scalars"},
                                                                   {"s", "FP scalars"},
                                                                   {"h", "FP scalars"},
                                                                   {"b", "FP scalars"}});

bool IsWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// "zmm0" is one of "zmm", and so is "st"; "sil" is none of "s".
bool IsRegister(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return false;
  const std::string_view number = word.substr(prefix.size());
  if (number.empty()) return prefix == "st";
  return std::ranges::all_of(
      number, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

bool HasRegister(std::string_view operands, std::string_view prefix) {
  for (std::size_t at = 0; at < operands.size();) {
    if (!IsWordLetter(operands[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < operands.size() && IsWordLetter(operands[end])) ++end;
    if (IsRegister(operands.substr(at, end - at), prefix)) return true;
    at = end;
  }
  return false;
}

// "zmm, memory", "general". A document has the text of an instruction and no list of its operands.
std::string OperandKind(std::string_view text) {
  const std::string_view operands = text.substr(std::min(text.find(' '), text.size()));
  const auto kind = std::ranges::find_if(
      kRegisterKinds, [&](const RegisterKind& each) { return HasRegister(operands, each.prefix); });
  std::string name(kind == kRegisterKinds.end() ? "general" : kind->name);
  // "[x1]", but not the element in "v2.h[3]".
  bool memory = operands.contains("(%");
  for (std::size_t at = operands.find('['); at != std::string_view::npos;
       at = operands.find('[', at + 1))
    memory |= at == 0 || !IsWordLetter(operands[at - 1]);
  if (memory) name += ", memory";
  return name;
}

// Without what vector instructions of x86-64 say about sizes: "vpaddd" and "paddq" are "padd".
std::string FamilyOf(const InstructionRow& row, std::string_view kind) {
  std::string_view name = row.mnemonic;
  const bool sized = kind.starts_with("xmm") || kind.starts_with("ymm") || kind.starts_with("zmm");
  if (!sized) return row.mnemonic;
  if (name.starts_with('v') && name.size() > 3) name.remove_prefix(1);
  name = name.substr(0, name.find_first_of("0123456789"));
  for (const std::string_view size : {"ps", "pd", "ss", "sd", "ph", "sh", "b", "w", "d", "q"}) {
    if (name.ends_with(size) && name.size() >= size.size() + 3) {
      name.remove_suffix(size.size());
      break;
    }
  }
  return std::string(name);
}

// By what the measured value differs, where that is a factor that has a cause (half of the pipes,
// one pipe of three, twice the steps) or a few whole cycles; else only which way.
std::string FactorOf(const ModelDifference& difference) {
  constexpr std::array kFactors = {0.125, 0.25, 1 / 3., 0.5, 2 / 3., 1.5, 2., 3., 4., 8.};
  constexpr double kEqualFactor = 0.03, kEqualCycles = 0.1, kMostCycles = 5;
  if (difference.model_cycles <= 0) return "model 0";
  const double more = difference.measured_cycles - difference.model_cycles;
  const double whole = std::round(more);
  // Of a latency, a cycle more is a cycle more, whatever the factor.
  const bool is_whole =
      whole != 0 && std::abs(whole) <= kMostCycles && std::abs(more - whole) <= kEqualCycles;
  if (difference.quantity == ModelQuantity::kLatency && is_whole)
    return fmt::format("{:+.0f} cycle{}", whole, std::abs(whole) == 1 ? "" : "s");
  const double factor = difference.measured_cycles / difference.model_cycles;
  for (const double each : kFactors) {
    if (std::abs(factor / each - 1) <= kEqualFactor) return fmt::format("×{:.2g}", each);
  }
  return more < 0 ? "less" : "more";
}

// A cause that may explain a difference: kind and factor, or a family.
using Cause = std::tuple<ModelQuantity, std::string, std::string, std::string>;

struct Candidate {
  Cause by_kind;
  Cause by_family;
};

Candidate CandidateOf(const ModelDifference& difference) {
  const std::string kind = OperandKind(difference.row->text);
  return {.by_kind = {difference.quantity, "", kind, FactorOf(difference)},
          .by_family = {difference.quantity, FamilyOf(*difference.row, kind), "", ""}};
}

// What all members share is said of the group, too.
template <typename Of>
std::string Shared(const std::vector<const ModelDifference*>& members, const Of& of) {
  const std::string first = of(*members.front());
  const bool same =
      std::ranges::all_of(members, [&](const ModelDifference* each) { return of(*each) == first; });
  return same ? first : "";
}

ModelGroup GroupOf(std::vector<const ModelDifference*> members) {
  ModelGroup group;
  group.quantity = members.front()->quantity;
  const auto kind = [](const ModelDifference& each) { return OperandKind(each.row->text); };
  group.operands = Shared(members, kind);
  group.family =
      Shared(members, [&](const ModelDifference& each) { return FamilyOf(*each.row, kind(each)); });
  group.factor = Shared(members, FactorOf);
  group.differences = std::move(members);
  return group;
}

}  // namespace

std::vector<ModelGroup> GroupByCause(std::span<const ModelDifference> differences) {
  std::vector<Candidate> candidates;
  std::map<Cause, std::vector<std::size_t>> members;
  std::map<Cause, std::size_t> left;
  for (const ModelDifference& difference : differences) {
    candidates.push_back(CandidateOf(difference));
    for (const Cause& cause : {candidates.back().by_kind, candidates.back().by_family}) {
      members[cause].push_back(candidates.size() - 1);
      ++left[cause];
    }
  }
  std::vector<ModelGroup> groups;
  std::vector<bool> taken(differences.size(), false);
  while (!left.empty()) {
    const auto best =
        std::ranges::max_element(left, {}, [](const auto& entry) { return entry.second; });
    if (best->second == 0) break;
    std::vector<const ModelDifference*> group;
    for (const std::size_t i : members[best->first]) {
      if (taken[i]) continue;
      taken[i] = true;
      group.push_back(&differences[i]);
      --left[candidates[i].by_kind];
      --left[candidates[i].by_family];
    }
    groups.push_back(GroupOf(std::move(group)));
  }
  return groups;
}

}  // namespace cyclescope
