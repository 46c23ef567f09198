#include "analysis/highlights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "analysis/core_words.h"
#include "analysis/memory_words.h"
#include "analysis/model_agreement.h"
#include "analysis/row_figures.h"
#include "base/ranges.h"

namespace cyclescope {
namespace {

constexpr std::size_t kMostHighlights = 3;

std::string OfSelfCheck(const Clock& clock) {
  if (!clock.self_check || clock.self_check->trusted) return "";
  return "The self-check failed: cycles cannot be trusted on this machine";
}

// How much the owner should care; what is left out has no highlight.
std::optional<int> RankOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kFloating:
      return 0;
    case FindingKind::kSharedCore:
      return 1;
    case FindingKind::kSplitCore:
      return 2;
    case FindingKind::kHiddenCluster:
      return 3;
    case FindingKind::kDrift:
      return 4;
    case FindingKind::kAsymmetry:
    case FindingKind::kOutlier:
    case FindingKind::kParallelBias:
      return std::nullopt;
  }
  std::unreachable();
}

// The finding alone, without the figures that the list of findings has.
std::string InShort(const CoreFinding& finding, std::size_t alike) {
  const std::string cpus = FormatRanges(finding.cpus);
  const int first = finding.cpus.empty() ? 0 : finding.cpus.front();
  const int second = finding.cpus.empty() ? 0 : finding.cpus.back();
  const std::string more = alike > 1 ? fmt::format(" (and {} more pairs)", alike - 1) : "";
  switch (finding.kind) {
    case FindingKind::kFloating:
      return "Virtual CPUs move between cores: placing threads by CPU number means nothing here";
    case FindingKind::kSharedCore:
      return fmt::format("CPUs {} and {} share a core{}, which the system does not say", first,
                         second, more);
    case FindingKind::kSplitCore:
      return fmt::format("CPUs {} and {} do not share a core{}, although the system says so", first,
                         second, more);
    case FindingKind::kHiddenCluster:
      return fmt::format("CPUs {} are close to each other, and the system does not say why", cpus);
    case FindingKind::kDrift:
      return "The machine changed while the latency between cores was measured";
    case FindingKind::kAsymmetry:
    case FindingKind::kOutlier:
    case FindingKind::kParallelBias:
      return "";
  }
  std::unreachable();
}

// Of the first matrix, which stands for the others.
std::vector<std::string> OfCores(const Document& document) {
  if (document.cores.empty()) return {};
  std::vector<const CoreFinding*> findings;
  for (const CoreFinding& finding : document.cores.front().findings) {
    if (RankOf(finding.kind)) findings.push_back(&finding);
  }
  std::ranges::stable_sort(findings, {},
                           [](const CoreFinding* each) { return RankOf(each->kind); });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const FindingKind kind = findings[i]->kind;
    if (i > 0 && findings[i - 1]->kind == kind) continue;
    const auto alike =
        std::ranges::count(findings, kind, [](const CoreFinding* each) { return each->kind; });
    texts.push_back(InShort(*findings[i], static_cast<std::size_t>(alike)));
  }
  return texts;
}

std::string OfContention(const std::vector<Contention>& contention) {
  constexpr double kWorthTelling = 0.02;
  const auto most = std::ranges::max_element(contention, {}, &Contention::share);
  if (most == contention.end() || most->share <= kWorthTelling) return "";
  return fmt::format("Something else used the core of CPU {} for {} of the time", most->cpu,
                     PercentText(most->share));
}

std::string OfMemory(const std::vector<MemoryRow>& rows) {
  for (const MemoryRow& row : rows) {
    if (!row.findings.empty()) return FindingText(row.findings.front());
  }
  return "";
}

std::string RoundCycles(double cycles) {
  const double whole = std::round(cycles);
  return std::abs(cycles - whole) < 0.05 ? fmt::format("{:.0f}", whole)
                                         : fmt::format("{:.2f}", cycles);
}

// A form that people have a name for tells more than the one that is farthest off: by the pair
// that stands for it everywhere else.
const ModelDifference* Example(const ModelAgreement& agreement) {
  const auto is_latency = [](const ModelDifference& each) {
    return each.quantity == ModelQuantity::kLatency;
  };
  const auto known = std::ranges::find_if(agreement.differences, [&](const auto& each) {
    return is_latency(each) && !each.row->known_as.empty() && each.pair == ShownLatency(*each.row);
  });
  if (known != agreement.differences.end()) return &*known;
  const auto any = std::ranges::find_if(agreement.differences, is_latency);
  return any == agreement.differences.end() ? nullptr : &*any;
}

std::string OfModel(const std::vector<InstructionRow>& rows) {
  const ModelAgreement agreement = CompareWithModel(rows);
  const int compared = agreement.latency.compared;
  const ModelDifference* example = Example(agreement);
  if (compared == 0 || example == nullptr) return "";
  const InstructionRow& row = *example->row;
  return fmt::format("LLVM's model of {} is off for {} of {} latencies: {} takes {}, not {}",
                     agreement.cpu, compared - agreement.latency.agreeing, compared,
                     row.known_as.empty() ? row.text : row.known_as,
                     RoundCycles(example->measured_cycles), RoundCycles(example->model_cycles));
}

std::string OfStructure(const Document& document) {
  return document.cores.empty() ? "" : StructureText(document.cores.front());
}

}  // namespace

std::vector<std::string> Highlights(const Document& document) {
  std::vector<std::string> highlights;
  const auto add = [&highlights](std::string text) {
    if (text.empty() || highlights.size() >= kMostHighlights) return;
    // Findings are parts of sentences elsewhere; here each is one.
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    highlights.push_back(std::move(text));
  };
  add(OfSelfCheck(document.clock));
  // One of each kind first: a machine with many odd pairs has other news, too.
  const std::vector<std::string> cores = OfCores(document);
  if (!cores.empty()) add(cores.front());
  add(OfContention(document.contention));
  add(OfModel(document.instructions));
  add(OfMemory(document.memory));
  for (std::size_t i = 1; i < cores.size(); ++i) add(cores[i]);
  if (highlights.empty()) add(OfStructure(document));
  return highlights;
}

}  // namespace cyclescope
