#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "analysis/claims.h"
#include "analysis/core_words.h"
#include "analysis/document_claims.h"
#include "analysis/memory_words.h"
#include "analysis/model_agreement.h"
#include "analysis/row_figures.h"
#include "statistics/statistics.h"

namespace cyclescope {
namespace {

constexpr std::size_t kMostHighlights = 3;

std::optional<Claim> OfSelfCheck(const Clock& clock) {
  if (!clock.self_check || clock.self_check->trusted) return std::nullopt;
  return Claim{ClaimCode::kCyclesNotTrusted, {}};
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
Claim InShort(const CoreMatrix& matrix, const CoreFinding& finding, std::size_t alike) {
  const Claim full = ClaimOf(matrix, finding);
  Claim claim{full.code, {}};
  const auto cpus = std::ranges::find(full.figures, "cpus", &ClaimFigure::name);
  if (cpus == full.figures.end()) return claim;
  const bool are_pairs = finding.kind != FindingKind::kHiddenCluster && alike > 1;
  claim.figures.emplace_back(
      "cpus", cpus->text + (are_pairs ? fmt::format(" (and {} more pairs)", alike - 1) : ""));
  return claim;
}

// Of the first matrix, which stands for the others.
std::vector<Claim> OfCores(const Document& document) {
  if (document.cores.empty()) return {};
  std::vector<const CoreFinding*> findings;
  for (const CoreFinding& finding : document.cores.front().findings) {
    if (RankOf(finding.kind)) findings.push_back(&finding);
  }
  std::ranges::stable_sort(findings, {},
                           [](const CoreFinding* each) { return RankOf(each->kind); });
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const FindingKind kind = findings[i]->kind;
    if (i > 0 && findings[i - 1]->kind == kind) continue;
    const auto alike =
        std::ranges::count(findings, kind, [](const CoreFinding* each) { return each->kind; });
    claims.push_back(
        InShort(document.cores.front(), *findings[i], static_cast<std::size_t>(alike)));
  }
  return claims;
}

std::optional<Claim> OfContention(const std::vector<Contention>& contention) {
  constexpr double kMinContendedShare = 0.02;
  const auto surely = [](const Contention& each) {
    return statistics::LeastShare(each.share, each.probes);
  };
  const auto most = std::ranges::max_element(contention, {}, surely);
  if (most == contention.end() || surely(*most) <= kMinContendedShare) return std::nullopt;
  return Claim{ClaimCode::kCoreInUse,
               {{"cpu", static_cast<double>(most->cpu)}, {"share", most->share}}};
}

std::optional<Claim> OfMemory(const std::vector<MemoryRow>& rows) {
  for (const MemoryRow& row : rows) {
    if (row.findings.empty()) continue;
    return ClaimOf(row.findings.front());
  }
  return std::nullopt;
}

// What is nearly a whole number is one in a headline.
double RoundCycles(double cycles) {
  constexpr double kWholeTolerance = 0.05;
  const double whole = std::round(cycles);
  return std::abs(cycles - whole) < kWholeTolerance ? whole : std::round(100 * cycles) / 100;
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

std::optional<Claim> OfModel(const std::vector<InstructionRow>& rows) {
  const ModelAgreement agreement = CompareWithModel(rows);
  const int compared = agreement.latency.compared;
  const ModelDifference* example = Example(agreement);
  if (compared == 0 || example == nullptr) return std::nullopt;
  const InstructionRow& row = *example->row;
  return Claim{ClaimCode::kModelIsOff,
               {{"model", agreement.cpu},
                {"off", static_cast<double>(compared - agreement.latency.agreeing)},
                {"compared", static_cast<double>(compared)},
                {"example", row.known_as.empty() ? row.text : row.known_as},
                {"measured", RoundCycles(example->measured_cycles)},
                {"predicted", RoundCycles(example->model_cycles)}}};
}

std::optional<Claim> OfStructure(const Document& document) {
  const std::string structure = document.cores.empty() ? "" : StructureText(document.cores.front());
  if (structure.empty()) return std::nullopt;
  return Claim{ClaimCode::kCoreStructure, {{"structure", structure}}};
}

}  // namespace

std::vector<Claim> Highlights(const Document& document) {
  std::vector<Claim> highlights;
  const auto add = [&highlights](std::optional<Claim> claim) {
    if (claim && highlights.size() < kMostHighlights) highlights.push_back(std::move(*claim));
  };
  add(OfSelfCheck(document.clock));
  // One of each kind first: a machine with many odd pairs has other news, too.
  const std::vector<Claim> cores = OfCores(document);
  if (!cores.empty()) add(cores.front());
  add(OfContention(document.contention));
  add(OfModel(document.instructions));
  add(OfMemory(document.memory));
  for (std::size_t i = 1; i < cores.size(); ++i) add(cores[i]);
  if (highlights.empty()) add(OfStructure(document));
  return highlights;
}

std::vector<std::string> HighlightTexts(const Document& document) {
  std::vector<std::string> texts;
  for (const Claim& claim : Highlights(document)) {
    std::string text = Sentence(claim);
    // Findings are parts of sentences elsewhere; here each is one.
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
      text[0] = static_cast<char>(text[0] - 'a' + 'A');
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace cyclescope
