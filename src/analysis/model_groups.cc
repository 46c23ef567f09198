// What differences from the model have in common.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <compare>
#include <map>
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

// In which way a value differs, and by how much.
struct Deviation {
  ModelPattern pattern = ModelPattern::kMixed;
  double amount = 0;

  auto operator<=>(const Deviation&) const = default;
};

// By what the measured value differs, where that is a factor that has a cause (half of the pipes,
// one pipe of three, twice the steps) or a few whole cycles; else only which way.
Deviation DeviationOf(const ModelDifference& difference) {
  constexpr std::array kFactors = {0.125, 0.25, 1 / 3., 0.5, 2 / 3., 1.5, 2., 3., 4., 8.};
  constexpr double kEqualFactor = 0.03, kEqualCycles = 0.1, kMaxWholeCycles = 5;
  if (difference.model_cycles <= 0) return {ModelPattern::kNotInModel};
  const double more = difference.difference();
  const double whole = std::round(more);
  // Of a latency, a cycle more is a cycle more, whatever the factor.
  const bool is_whole =
      whole != 0 && std::abs(whole) <= kMaxWholeCycles && std::abs(more - whole) <= kEqualCycles;
  if (difference.quantity == ModelQuantity::kLatency && is_whole)
    return {ModelPattern::kOffset, whole};
  const double factor = difference.measured_cycles / difference.model_cycles;
  for (const double each : kFactors) {
    if (std::abs(factor / each - 1) <= kEqualFactor) return {ModelPattern::kFactor, each};
  }
  return {more < 0 ? ModelPattern::kAllShorter : ModelPattern::kAllLonger};
}

// What values may have in common: a kind of operands and a pattern, or a family.
using Trait = std::tuple<ModelQuantity, std::string, std::string, Deviation>;

struct Traits {
  Trait by_kind;
  Trait by_family;
};

Traits TraitsOf(const ModelDifference& difference) {
  const std::string kind = OperandKind(difference.row->text);
  return {.by_kind = {difference.quantity, "", kind, DeviationOf(difference)},
          .by_family = {difference.quantity, FamilyOf(*difference.row, kind), "", {}}};
}

std::string KindOf(const ModelDifference& difference) { return OperandKind(difference.row->text); }

std::string FamilyOf(const ModelDifference& difference) {
  return FamilyOf(*difference.row, KindOf(difference));
}

// What all members share is said of the group, too.
template <typename Of>
auto Shared(const std::vector<const ModelDifference*>& members, const Of& of) {
  const auto first = of(*members.front());
  const bool same =
      std::ranges::all_of(members, [&](const ModelDifference* each) { return of(*each) == first; });
  return same ? first : decltype(of(*members.front())){};
}

// All members differ in it.
Deviation CommonDeviation(const std::vector<const ModelDifference*>& members) {
  const Deviation shared = Shared(members, DeviationOf);
  if (shared.pattern != ModelPattern::kMixed) return shared;
  const auto all = [&members](const auto& holds) {
    return std::ranges::all_of(
        members, [&](const ModelDifference* each) { return holds(each->difference()); });
  };
  if (all([](double more) { return more > 0; })) return {ModelPattern::kAllLonger};
  if (all([](double more) { return more < 0; })) return {ModelPattern::kAllShorter};
  return {ModelPattern::kMixed};
}

// Of everything that was compared, how many values are of that quantity, family and operands.
class ComparedCounts {
 public:
  explicit ComparedCounts(const ModelAgreement& agreement) {
    for (const auto* values : {&agreement.differences, &agreement.agreements}) {
      for (const ModelDifference& each : *values) {
        const std::string kind = KindOf(each);
        const std::string family = FamilyOf(*each.row, kind);
        for (const auto& [of_family, of_kind] :
             {std::pair(family, kind), {family, ""}, {"", kind}, {"", ""}}) {
          ++counts_[{each.quantity, of_family, of_kind}];
        }
      }
    }
  }

  std::size_t Of(const ModelGroup& group) const {
    return counts_.at({group.quantity, group.family, group.operands});
  }

 private:
  std::map<std::tuple<ModelQuantity, std::string, std::string>, std::size_t> counts_;
};

ModelGroup GroupOf(std::vector<const ModelDifference*> members, const ComparedCounts& compared) {
  ModelGroup group;
  group.quantity = members.front()->quantity;
  group.operands = Shared(members, KindOf);
  group.family = Shared(members, [](const ModelDifference& each) { return FamilyOf(each); });
  const Deviation deviation = CommonDeviation(members);
  group.pattern = deviation.pattern;
  group.amount = deviation.amount;
  group.compared = compared.Of(group);
  group.differences = std::move(members);
  return group;
}

}  // namespace

std::vector<ModelGroup> GroupDifferences(const ModelAgreement& agreement) {
  const std::vector<ModelDifference>& differences = agreement.differences;
  std::vector<Traits> traits;
  std::map<Trait, std::vector<std::size_t>> members;
  std::map<Trait, std::size_t> left;
  for (const ModelDifference& difference : differences) {
    traits.push_back(TraitsOf(difference));
    for (const Trait& trait : {traits.back().by_kind, traits.back().by_family}) {
      members[trait].push_back(traits.size() - 1);
      ++left[trait];
    }
  }
  const ComparedCounts compared(agreement);
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
      --left[traits[i].by_kind];
      --left[traits[i].by_family];
    }
    groups.push_back(GroupOf(std::move(group), compared));
  }
  return groups;
}

}  // namespace cyclescope
