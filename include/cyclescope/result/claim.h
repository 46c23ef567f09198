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
  kMergesDestination,
  kRepeats,
  kLengthChangingPrefix,
  kWithoutPrefix,
  kHypervisorAnswers,
  kLimitedByDecoder,
  kLimitedByPipes,
  kHiddenFeature,
  kNotOffered,
  kFeatureNotOffered,
  // Of a snippet or loop.
  kOnePage,
  kSetsBases,
  kLeavesEarly,
  kSetsStack,
  kDataEndLoop,
  kNeverEndedByData,
  kSameWay,
  kAvoidsCalls,
  kAvoidsLoops,
  kLoopAround,
  kEndOfLoopShows,
  kRunsOverlap,
  kPlaceMatters,
  kFastQuarter,
  kMovesStack,
  kNothingEndsLoop,
  kBoundFailed,
  kNoPrediction,
  kBoundByChain,
  kBoundByResource,
  kBoundByIssue,
  kAboveAllBounds,
  kMispredictedBranch,
  kMispredictedJump,
  kWellPredicted,
  kStoreReadAgain,
  kSlowValues,
  kUseSelect,
  kMoreAccumulators,
  kBoundByPorts,
  kBoundByOwnUnit,
  kBoundByPredictedChain,
  kBoundByDispatch,
  // Of two snippets.
  kLoopsNotCompared,
  kLoopsAlike,
  kLoopsDiffer,
  kBytesAlike,
  kBytesDiffer,
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
  kPortsNotFound,
  kUnevenRate,
  kAsWideAsDispatch,
  kSeveralSlots,
  kPortsOfTwoClasses,
  kNoOwnValue,
  kTooLongForPorts,
  kSlotsUnknown,
  kMixWithoutValue,
  kNoPortsFit,
  kPortsTakeLonger,
  kTwoPortSetsFit,
  kOtherPortMaps,
  kPortsDiffer,
  // Of the reference clock.
  kCheckDisturbed,
  kLinkIsCycle,
  kChainsDisagree,
  kLinkIsNotCycle,
  kUntrustedReference,
  kCountersDisagree,
  kRateInDoubt,
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
  kSmallWindows,
  kFastClock,
  kFastInstructions,
  kLargeWindows,
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
  kCoreStructure,
  // Of the latencies between cores or hosts.
  kAsymmetry,
  kOutlier,
  kParallelBias,
  kClocksDiffer,
  kHostsAlike,
  // Of a run: what its values suffer from.
  kValuesBesideOthers,
  kTimeWithheldMeanwhile,
  // Of several runs of one machine.
  kRunsDisagree,
  // Of a machine beside the published one of its kind.
  kLikePublished,
  kUnlikePublished,
  kPublishedCache,
  kPublishedWindow,
  kPublishedTime,
  kPublishedMore,
  // Of caches and memory.
  kSmallerCache,
  kLargerCache,
  kNoSuchCache,
  kUnknownCache,
  kEarlyMemory,
  kCoreWasShared,
  kSharingUnknown,
  kTooFewVisits,
  kSeenBySingleLoads,
  kTranslationReach,
  kSplitTranslation,
  kSwappedOut,
  kNoPlateau,
  // Of a core's buffers and widths: `anatomy`.
  kKeptFree,
  kEndsWithWindow,
  kEndsBeforeOthers,
  kOneSizeSeen,
  kNopsShareEntries,
  kJumpTime,
  kJumpTimeWithin,
  kLineTimeBeyond,
  kCodeSpeedWithin,
  kBranchTimes,
  kCallTime,
  kCallTimeBeyond,
  kPortsNotScarce,
  kSlotsNotScarce,
  kTimesVary,
  kNoJumpSteps,
  kNoCodeEnd,
  kNoBranchPenalty,
  kNoCallStep,
  kNoHistoryEnd,
  kNoIndirectPlateau,
  kVagueEnd,
  kNoMissPlateau,
  kNoWindowStep,
  kNeverAlone,
  kEndedTooSoon,
  // Of LLVM's scheduling model.
  kModelAgrees,
  kModelNotCompared,
  kModelOffset,
  kModelFactor,
  kModelDiffers,
  kNotInModel,
  kModelMixed,
  // Of a GPU.
  kGpuClusters,
  kNoGpuCluster,
  // Of two results: why `compare` leaves a change open, and what makes them unequal.
  kValueDisturbed,
  kValueOfSharedCore,
  kValueOfUntrustedClock,
  kValueTwoModes,
  kValueCutShort,
  kValueUpperBound,
  kValueLowerBound,
  kValueUnclear,
  kCpusMayMove,
  kWindowMayBeSplit,
  kCurveInterrupted,
  kCurveOfSharedCore,
  kLevelEndUnclear,
  kLevelCountDiffers,
  kCacheShared,
  kNoInterval,
  kIntervalsOverlap,
  kNearThreshold,
  kSeveralStates,
  kRunsDiffer,
  kChanceOfMany,
  kSchemasDiffer,
  kArchitecturesDiffer,
  kCpusDiffer,
  kCycleSourcesDiffer,
  kVersionsDiffer,
  kAtomicsDiffer,
  kNotComplete,
  // Of what disturbs measuring: `doctor`.
  kCpusUsable,
  kCpusLeftOut,
  kOneCpu,
  kMachineUnknown,
  kNoHypervisor,
  kVirtualMachine,
  kUserCounters,
  kSystemCounters,
  kNoCounters,
  kSettingAllows,
  kSuperuserCounters,
  kNoUserCounters,
  kFastestSetting,
  kSlowerSetting,
  kTurboOff,
  kTurboOn,
  kThreadsUnknown,
  kNoSiblings,
  kIdleSiblings,
  kBusySiblings,
  kCachesListed,
  kCachesOfVirtualMachine,
  kNeighboursUnknown,
  kChainsUnfit,
  kNeverSteady,
  kNoNeighbour,
  kNeighbourSeen,
  kNeighbourUnclear,
  kCpusIdle,
  kCpusBusy,
  kLittleStolen,
  kTimeStolen,
  kTickRate,
  kTickRateWrong,
  kTickRateCoarse,
  kTicksInvariant,
  kTicksVary,
  kWindowWhole,
  kWindowSplit,
  kIsolatedCpus,
  kParkingUnknown,
  kNoParking,
  kCoreParking,
  kSystemClockStep,
  kNoCallFilter,
  kGpusSeen,
  kNoGpu,
  kNoGpuDriver,
  kGpuFailed,
};

constexpr auto NamesOf(ClaimCode) {
  return Names(
      "pairs-missing", "zero-idiom", "eliminated", "memory-renaming", "x87-top-only",
      "false-dependence", "merges-destination", "repeats", "length-changing-prefix",
      "without-prefix", "hypervisor-answers", "limited-by-decoder", "limited-by-pipes",
      "hidden-feature", "not-offered", "feature-not-offered", "one-page", "sets-bases",
      "leaves-early", "sets-stack", "data-end-loop", "never-ended-by-data", "same-way",
      "avoids-calls", "avoids-loops", "loop-around", "end-of-loop-shows", "runs-overlap",
      "place-matters", "fast-quarter", "moves-stack", "nothing-ends-loop", "bound-failed",
      "no-prediction", "bound-by-chain", "bound-by-resource", "bound-by-issue", "above-all-bounds",
      "mispredicted-branch", "mispredicted-jump", "well-predicted", "store-read-again",
      "slow-values", "use-select", "more-accumulators", "bound-by-ports", "bound-by-own-unit",
      "bound-by-predicted-chain", "bound-by-dispatch", "loops-not-compared", "loops-alike",
      "loops-differ", "bytes-alike", "bytes-differ", "predicted-chain", "predicted-ports",
      "predicted-dispatch", "predicted-branch", "predicted-unit", "predicted-window",
      "predicted-schedule", "no-port-map", "ports-not-found", "uneven-rate", "as-wide-as-dispatch",
      "several-slots", "ports-of-two-classes", "no-own-value", "too-long-for-ports",
      "slots-unknown", "mix-without-value", "no-ports-fit", "ports-take-longer",
      "two-port-sets-fit", "other-port-maps", "ports-differ", "check-disturbed", "link-is-cycle",
      "chains-disagree", "link-is-not-cycle", "untrusted-reference", "counters-disagree",
      "rate-in-doubt", "time-withheld", "cores-shared", "slow-clock", "slow-clock-of-one-core",
      "cycles-as-elsewhere", "power-limit", "slow-cache", "far-memory-and-cores", "far-memory",
      "low-bandwidth", "far-cores", "slow-instructions", "small-windows", "fast-clock",
      "fast-instructions", "large-windows", "near-memory", "quiet-host", "odd-setting",
      "too-few-nodes", "too-uncertain", "no-result", "run-failed", "passes-failed",
      "passes-left-out", "partial-result", "more-deviations", "cycles-not-trusted", "floating-cpus",
      "hidden-shared-core", "split-core", "hidden-cluster", "drift", "core-in-use", "model-is-off",
      "core-structure", "asymmetry", "outlier", "parallel-bias", "clocks-differ", "hosts-alike",
      "values-beside-others", "time-withheld-meanwhile", "runs-disagree", "like-published",
      "unlike-published", "published-cache", "published-window", "published-time", "published-more",
      "smaller-cache", "larger-cache", "no-such-cache", "unknown-cache", "early-memory",
      "core-was-shared", "sharing-unknown", "too-few-visits", "seen-by-single-loads",
      "translation-reach", "split-translation", "swapped-out", "no-plateau", "kept-free",
      "ends-with-window", "ends-before-others", "one-size-seen", "nops-share-entries", "jump-time",
      "jump-time-within", "line-time-beyond", "code-speed-within", "branch-times", "call-time",
      "call-time-beyond", "ports-not-scarce", "slots-not-scarce", "times-vary", "no-jump-steps",
      "no-code-end", "no-branch-penalty", "no-call-step", "no-history-end", "no-indirect-plateau",
      "vague-end", "no-miss-plateau", "no-window-step", "never-alone", "ended-too-soon",
      "model-agrees", "model-not-compared", "model-offset", "model-factor", "model-differs",
      "not-in-model", "model-mixed", "gpu-clusters", "no-gpu-cluster", "value-disturbed",
      "value-of-shared-core", "value-of-untrusted-clock", "value-two-modes", "value-cut-short",
      "value-upper-bound", "value-lower-bound", "value-unclear", "cpus-may-move",
      "window-may-be-split", "curve-interrupted", "curve-of-shared-core", "level-end-unclear",
      "level-count-differs", "cache-shared", "no-interval", "intervals-overlap", "near-threshold",
      "several-states", "runs-differ", "chance-of-many", "schemas-differ", "architectures-differ",
      "cpus-differ", "cycle-sources-differ", "versions-differ", "atomics-differ", "not-complete",
      "cpus-usable", "cpus-left-out", "one-cpu", "machine-unknown", "no-hypervisor",
      "virtual-machine", "user-counters", "system-counters", "no-counters", "setting-allows",
      "superuser-counters", "no-user-counters", "fastest-setting", "slower-setting", "turbo-off",
      "turbo-on", "threads-unknown", "no-siblings", "idle-siblings", "busy-siblings",
      "caches-listed", "caches-of-virtual-machine", "neighbours-unknown", "chains-unfit",
      "never-steady", "no-neighbour", "neighbour-seen", "neighbour-unclear", "cpus-idle",
      "cpus-busy", "little-stolen", "time-stolen", "tick-rate", "tick-rate-wrong",
      "tick-rate-coarse", "ticks-invariant", "ticks-vary", "window-whole", "window-split",
      "isolated-cpus", "parking-unknown", "no-parking", "core-parking", "system-clock-step",
      "no-call-filter", "gpus-seen", "no-gpu", "no-gpu-driver", "gpu-failed");
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
