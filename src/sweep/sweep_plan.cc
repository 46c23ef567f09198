#include "sweep/sweep_plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/claims.h"
#include "base/form_filter.h"
#include "base/near_names.h"
#include "base/try.h"

namespace cyclescope::sweep {
namespace {

using assembler::CatalogueEntry;
using assembler::CatalogueStatus;

constexpr std::string_view kBase = "base";

// True if `name` is the extension of an entry, or one of several that it needs.
bool BelongsTo(const CatalogueEntry& entry, const std::string& name) {
  return IsaName(entry.features) == name ||
         std::ranges::find(entry.features, name) != entry.features.end();
}

// "avx512f+avx512vl" is one of several extensions together.
Result<void> CheckIsa(const std::string& name, const std::vector<std::string>& extensions) {
  std::set<std::string, std::less<>> known(extensions.begin(), extensions.end());
  known.emplace(kBase);
  bool all_known = true;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    all_known = all_known && known.contains(std::string_view(name).substr(begin, end - begin));
    begin = end + 1;
  }
  if (all_known) return {};
  const std::vector<std::string> names(known.begin(), known.end());
  const std::vector<std::string> near = NearNames(name, names);
  constexpr std::size_t kMaxNamesListed = 12;
  const std::span<const std::string> some(names.data(), std::min(names.size(), kMaxNamesListed));
  return BadInput(
      fmt::format("no instruction belongs to an extension '{}'{}", name, DidYouMean(near)),
      near.empty() ? fmt::format("there are {}: {}{}", names.size(), fmt::join(some, ", "),
                                 some.size() < names.size() ? ", …" : "")
                   : "");
}

class Selector {
 public:
  Selector(std::string isa, FormFilter filter) : isa_(std::move(isa)), filter_(std::move(filter)) {}

  bool Selects(const CatalogueEntry& entry) const {
    if (!isa_.empty() && !BelongsTo(entry, isa_)) return false;
    return filter_.Selects(entry.instruction ? entry.instruction->text : "", entry.mnemonic,
                           entry.opcode);
  }

 private:
  std::string isa_;
  FormFilter filter_;
};

// True if nothing but the system stands between the form and the CPU.
bool IsHidden(const CatalogueEntry& entry, const TargetFacts& target) {
  // What 64-bit mode does not have is not missing.
  return !entry.missing.empty() &&
         std::ranges::all_of(entry.missing, [&target](const std::string& feature) {
           return std::ranges::find(target.hidden, feature) != target.hidden.end();
         });
}

Claim HiddenFeature(const CatalogueEntry& entry, const TargetFacts& target) {
  return {ClaimCode::kHiddenFeature,
          {{"hider", std::string(target.virtual_machine ? "hypervisor" : "kernel")},
           {"cpu", target.cpu},
           {"features", fmt::format("{}", fmt::join(entry.missing, ", "))}}};
}

// Why a form that there is must not be run.
std::optional<std::string> WhyNotRun(const assembler::Instruction& instruction) {
  if (instruction.flags.traps)
    return "would change the system's state: it enters the kernel or a debugger";
  return std::nullopt;
}

InstructionRow SettledRow(const CatalogueEntry& entry) {
  InstructionRow row;
  row.opcode = entry.opcode;
  row.mnemonic = entry.mnemonic;
  row.text = entry.instruction ? entry.instruction->text : entry.mnemonic;
  row.isa = IsaName(entry.features);
  row.status = Status::kUnmeasurable;
  row.reason = entry.reason;
  return row;
}

}  // namespace

std::string IsaName(const std::vector<std::string>& features) {
  return features.empty() ? std::string(kBase) : fmt::format("{}", fmt::join(features, "+"));
}

Result<void> CheckSelection(const SweepSelection& selection,
                            const std::vector<std::string>& extensions) {
  TRY(FormFilter::Parse(selection.filter));
  return selection.isa.empty() ? Result<void>() : CheckIsa(selection.isa, extensions);
}

SweepPlan PlanSweep(const std::vector<CatalogueEntry>& catalogue, const SweepSelection& selection,
                    const TargetFacts& target) {
  auto filter = FormFilter::Parse(selection.filter);
  assert(filter && "CheckSelection() comes before");
  const Selector selector(selection.isa, std::move(*filter));
  SweepPlan plan;
  plan.summary.opcodes = static_cast<int>(catalogue.size());
  for (std::size_t place = 0; place < catalogue.size(); ++place) {
    const CatalogueEntry& entry = catalogue[place];
    if (entry.status == CatalogueStatus::kPseudo) {
      ++plan.summary.pseudos;
      continue;
    }
    if (entry.status == CatalogueStatus::kDuplicate) {
      ++plan.summary.duplicates;
      continue;
    }
    if (!selector.Selects(entry)) {
      ++plan.summary.left_out;
      continue;
    }
    const auto why_not = entry.instruction ? WhyNotRun(*entry.instruction) : std::nullopt;
    if (entry.status == CatalogueStatus::kForm && !why_not) {
      plan.forms.push_back({place, IsaName(entry.features), &*entry.instruction});
      continue;
    }
    InstructionRow row = SettledRow(entry);
    if (entry.status == CatalogueStatus::kNeedsFeature) {
      row.status = Status::kUnsupported;
      if (IsHidden(entry, target)) {
        row.claims.push_back(HiddenFeature(entry, target));
        row.reason = Sentence(row.claims.back());
      }
    } else if (why_not) {
      row.reason = *why_not;
    }
    plan.settled.push_back({place, std::move(row)});
  }
  return plan;
}

}  // namespace cyclescope::sweep
