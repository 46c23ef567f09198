// What the program says about a machine besides its values: a code, the figures behind it, and the
// sentence. Sentences and the conditions under which they are true are in src/analysis/claims.cc;
// docs/claims.md lists them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/describe.h"
#include "cyclescope/result/names.h"

namespace cyclescope {

enum class ClaimCode {
  // Of an instruction.
  kPairsMissing,
  kZeroIdiom,
  kEliminated,
  kMemoryRenaming,
  kX87TopOnly,
  kFalseDependence,
  kRepeats,
  kLengthChangingPrefix,
  kWithoutPrefix,
  kHypervisorAnswers,
  // Of a snippet or loop.
  kOnePage,
  kSetsBases,
  kLeavesEarly,
  kSetsStack,
  kDataEndLoop,
  kFastQuarter,
  kBoundFailed,
  kNoPrediction,
  kBoundByChain,
  kBoundByResource,
  kBoundByIssue,
  kAboveAllBounds,
  kMispredictedBranch,
  kStoreReadAgain,
  kSlowValues,
  kUseSelect,
  kMoreAccumulators,
  // Of a prediction.
  kPredictedChain,
  kPredictedPorts,
  kPredictedDispatch,
  kPredictedBranch,
  kPredictedUnit,
  kPredictedWindow,
  kPredictedSchedule,
  // Of the ports of an instruction.
  kNoPortMap,
  kNoOwnValue,
  kTooLongForPorts,
  kSlotsUnknown,
  kMixWithoutValue,
  kNoPortsFit,
  kTwoPortSetsFit,
  // Of the reference clock.
  kCheckDisturbed,
  kLinkIsCycle,
  kChainsDisagree,
  kLinkIsNotCycle,
  // Of a node of a fleet.
  kTimeWithheld,
  kCoresShared,
  kSlowClock,
  kSlowClockOfOneCore,
  kCyclesAsElsewhere,
  kPowerLimit,
  kSlowCache,
  kFarMemoryAndCores,
  kFarMemory,
  kLowBandwidth,
  kFarCores,
  kSlowInstructions,
  kFastClock,
  kFastInstructions,
  kNearMemory,
  kQuietHost,
  kOddSetting,
  kTooFewNodes,
  kTooUncertain,
  kNoResult,
  kRunFailed,
  kPassesFailed,
  kPassesLeftOut,
  kPartialResult,
  kMoreDeviations,
  // Of a whole machine: the first lines of a report.
  kCyclesNotTrusted,
  kFloatingCpus,
  kHiddenSharedCore,
  kSplitCore,
  kHiddenCluster,
  kDrift,
  kCoreInUse,
  kModelIsOff,
  kMemoryFinding,
  kCoreStructure,
};

constexpr auto NamesOf(ClaimCode) {
  return Names(
      "pairs-missing", "zero-idiom", "eliminated", "memory-renaming", "x87-top-only",
      "false-dependence", "repeats", "length-changing-prefix", "without-prefix",
      "hypervisor-answers", "one-page", "sets-bases", "leaves-early", "sets-stack", "data-end-loop",
      "fast-quarter", "bound-failed", "no-prediction", "bound-by-chain", "bound-by-resource",
      "bound-by-issue", "above-all-bounds", "mispredicted-branch", "store-read-again",
      "slow-values", "use-select", "more-accumulators", "predicted-chain", "predicted-ports",
      "predicted-dispatch", "predicted-branch", "predicted-unit", "predicted-window",
      "predicted-schedule", "no-port-map", "no-own-value", "too-long-for-ports", "slots-unknown",
      "mix-without-value", "no-ports-fit", "two-port-sets-fit", "check-disturbed", "link-is-cycle",
      "chains-disagree", "link-is-not-cycle", "time-withheld", "cores-shared", "slow-clock",
      "slow-clock-of-one-core", "cycles-as-elsewhere", "power-limit", "slow-cache",
      "far-memory-and-cores", "far-memory", "low-bandwidth", "far-cores", "slow-instructions",
      "fast-clock", "fast-instructions", "near-memory", "quiet-host", "odd-setting",
      "too-few-nodes", "too-uncertain", "no-result", "run-failed", "passes-failed",
      "passes-left-out", "partial-result", "more-deviations", "cycles-not-trusted", "floating-cpus",
      "hidden-shared-core", "split-core", "hidden-cluster", "drift", "core-in-use", "model-is-off",
      "memory-finding", "core-structure");
}

struct ClaimFigure {
  std::string name;
  std::optional<double> value;
  std::string text;

  ClaimFigure() = default;
  ClaimFigure(std::string its_name, double its_value)
      : name(std::move(its_name)), value(its_value) {}
  ClaimFigure(std::string its_name, std::string its_text)
      : name(std::move(its_name)), text(std::move(its_text)) {}

  bool operator==(const ClaimFigure&) const = default;
};

void Describe(auto& visit, Of<ClaimFigure> auto& figure) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("ClaimFigure", "A figure or name that a claim rests on.");
  visit.Required("name", figure.name, "As in the table of claims in docs/claims.md.", kNew);
  visit.Optional("value", figure.value, "Of a figure.", kNew);
  visit.Optional("text", figure.text, "Of a name.", kNew);
}

struct Claim {
  ClaimCode code = ClaimCode::kPairsMissing;
  std::vector<ClaimFigure> figures;

  bool operator==(const Claim&) const = default;
};

void Describe(auto& visit, Of<Claim> auto& claim) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("Claim", "Something said about a machine, with the figures that carry it.");
  visit.Required("kind", claim.code, "Which claim: docs/claims.md has its sentence and condition.",
                 kNew);
  visit.Optional("figures", claim.figures, "What its sentence holds.", kNew);
}

}  // namespace cyclescope
