#include "instructions/sweep_plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "base/near_names.h"

namespace cyclescope::instructions {
namespace {

using assembler::CatalogueEntry;
using assembler::CatalogueStatus;

constexpr std::string_view kBase = "base";

// Whether `name` is the extension of an entry, or one of several that it needs.
bool BelongsTo(const CatalogueEntry& entry, const std::string& name) {
  return IsaName(entry.features) == name ||
         std::ranges::find(entry.features, name) != entry.features.end();
}

Result<void> CheckIsa(const std::vector<CatalogueEntry>& catalogue, const std::string& name) {
  std::set<std::string> known = {std::string(kBase)};
  for (const CatalogueEntry& entry : catalogue)
    known.insert(entry.features.begin(), entry.features.end());
  if (known.contains(name) || std::ranges::any_of(catalogue, [&name](const CatalogueEntry& entry) {
        return BelongsTo(entry, name);
      })) {
    return {};
  }
  const std::vector<std::string> names(known.begin(), known.end());
  const std::vector<std::string> near = NearNames(name, names);
  return BadInput(
      fmt::format("no instruction belongs to an extension '{}'{}", name, DidYouMean(near)),
      near.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : "");
}

class Selector {
 public:
  static Result<Selector> Create(const SweepSelection& selection) {
    Selector selector;
    selector.isa_ = selection.isa;
    if (selection.filter.empty()) return selector;
    try {
      selector.filter_.emplace(selection.filter);
    } catch (const std::regex_error& error) {
      return BadInput(fmt::format("--filter: '{}' is no regular expression: {}", selection.filter,
                                  error.what()));
    }
    return selector;
  }

  bool Selects(const CatalogueEntry& entry) const {
    if (!isa_.empty() && !BelongsTo(entry, isa_)) return false;
    if (!filter_) return true;
    const auto matches = [this](const std::string& text) {
      return std::regex_search(text, *filter_);
    };
    return matches(entry.opcode) || matches(entry.mnemonic) ||
           (entry.instruction && matches(entry.instruction->text));
  }

 private:
  std::string isa_;
  std::optional<std::regex> filter_;
};

std::string WhyMissing(const CatalogueEntry& entry, const TargetFacts& target) {
  // What 64-bit mode does not have is not missing.
  const bool all_hidden = !entry.missing.empty() &&
                          std::ranges::all_of(entry.missing, [&target](const std::string& feature) {
                            return std::ranges::find(target.hidden, feature) != target.hidden.end();
                          });
  if (!all_hidden) return entry.reason;
  return fmt::format("hidden by the {}: {} has {}, but programs may not use it here",
                     target.virtual_machine ? "hypervisor" : "kernel", target.cpu,
                     fmt::join(entry.missing, ", "));
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

Result<SweepPlan> PlanSweep(const std::vector<CatalogueEntry>& catalogue,
                            const SweepSelection& selection, const TargetFacts& target) {
  if (!selection.isa.empty()) {
    if (auto known = CheckIsa(catalogue, selection.isa); !known)
      return std::unexpected(known.error());
  }
  const auto selector = Selector::Create(selection);
  if (!selector) return std::unexpected(selector.error());

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
    if (!selector->Selects(entry)) {
      ++plan.summary.left_out;
      continue;
    }
    const auto why_not = entry.instruction ? WhyNotRun(*entry.instruction) : std::nullopt;
    if (entry.status == CatalogueStatus::kForm && !why_not) {
      plan.forms.push_back({place, IsaName(entry.features), *entry.instruction});
      continue;
    }
    InstructionRow row = SettledRow(entry);
    if (entry.status == CatalogueStatus::kNeedsFeature) {
      row.status = Status::kUnsupported;
      row.reason = WhyMissing(entry, target);
    } else if (why_not) {
      row.reason = *why_not;
    }
    plan.settled.push_back({place, std::move(row)});
  }
  return plan;
}

}  // namespace cyclescope::instructions
