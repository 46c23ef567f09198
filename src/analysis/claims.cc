#include "analysis/claims.h"

#include <fmt/args.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>

#include "base/printable.h"

namespace cyclescope {
namespace {

using enum ClaimCode;

constexpr ClaimRule kRules[] = {
    // ---- Instructions
    {kPairsMissing, "instruction", "not every pair was measured: {reason}",
     "A pair has no value: no chain closes, the worker ended, or too few samples were kept.",
     "ConcludeTest.AChainOfTheFormAloneIsExact"},
    {kZeroIdiom, "instruction", "zero idiom: waits for none of its sources",
     "An exact latency whose interval ends below 0.85 cycles, and a register is read twice.",
     "ConcludeTest.LessThanACycleIsEliminatedOrAnIdiom"},
    {kEliminated, "instruction", "eliminated: done at rename, in less than a cycle",
     "An exact latency whose interval ends below 0.85 cycles, and no register is read twice.",
     "ConcludeTest.LessThanACycleIsEliminatedOrAnIdiom"},
    {kMemoryRenaming, "instruction",
     "memory to memory takes less than a load: the core hands on what was stored last without "
     "reading it (memory renaming)",
     "The interval of a pair from memory ends below 3 cycles, less than any load.",
     "ConcludeTest.AnUpdateThatTakesLessThanALoadIsNoted"},
    {kX87TopOnly, "instruction",
     "it writes st(0) and nothing else, so copies wait for each other: its throughput is an upper "
     "bound",
     "An x87 form that writes only the top of the stack.",
     "Roles.X87FormsSayWhetherTheyWriteOnlyTheTop"},
    {kFalseDependence, "instruction",
     "false dependence: waits for the old value of its destination, which it does not use",
     "Copies with one destination take 0.8 cycles more than copies with destinations of their own, "
     "by intervals, with neither contended nor disturbed.",
     "ConcludeTest.SlowerWithOneDestinationIsAFalseDependence"},
    {kRepeats, "instruction", "it repeats {times:.0f} times (rcx)", "A repeat prefix.",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    {kLengthChangingPrefix, "instruction", "length-changing prefix: the decoder limits it",
     "An operand-size prefix that changes the length of an immediate.",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    {kWithoutPrefix, "instruction", "without that prefix: '{text}'",
     "The assembler has a form of the same meaning without it.",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    {kHypervisorAnswers, "instruction",
     "in a virtual machine the hypervisor answers it: its time is the hypervisor's, not the core's",
     "An instruction that always leaves a virtual machine (cpuid).",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    // ---- Snippets and loops
    {kOnePage, "block",
     "it touches {pages:.0f} pages at addresses that its code does not explain: all of them are "
     "one and the same page",
     "More pages appeared than get memory of their own.",
     "BlockPlanTest.AMeasurementIsCyclesPerIterationAndAClassicRow"},
    {kSetsBases, "block",
     "it leaves no address where it begins with one: registers are set before each run, which "
     "takes {slots:.0f} slots",
     "A copy cannot follow another, since a base register no longer holds an address.",
     "BlockPlanTest.AMeasurementIsCyclesPerIterationAndAClassicRow"},
    {kLeavesEarly, "block",
     "with all data tried, it leaves the loop before its counter ends it: cycles are those of a "
     "shorter run",
     "Every kind of data took an exit of the loop before the last trip.",
     "BlockPlanTest.AMeasurementIsCyclesPerIterationAndAClassicRow"},
    {kSetsStack, "block",
     "every other run would begin with a stack pointer that is no multiple of 16: it is set before "
     "each run, which takes a slot",
     "A copy moves the stack pointer by a distance that is no multiple of 16.",
     "Setups.SetTheStackBeforeEachCopyLastAndOnlyWhereItMovesByEights"},
    {kDataEndLoop, "block",
     "its data decide when the loop ends: copies of it follow each other, and its branch leads to "
     "the next",
     "No register counts the trips of the loop.", "BlockPlanTest.ALoopMakesTwiceAsManyTrips"},
    {kFastQuarter, "block", "its visits differ: this is what the fast quarter of them took",
     "The runner took the fast quarter of the visits.",
     "BlockPlanTest.AMeasurementIsCyclesPerIterationAndAClassicRow"},
    {kBoundFailed, "block", "the {bound} bound of {cycles:.2f} cycles does not hold: it takes less",
     "A bound is more than 2 % above the upper end of the measured interval.",
     "Bounds.WhatTakesLessThanABoundHasNone"},
    {kNoPrediction, "block", "llvm-mca: {reason}", "LLVM has no model that predicts the snippet.",
     "BlockPlanTest.AMeasurementIsCyclesPerIterationAndAClassicRow"},
    {kBoundByChain, "block", "bound by the chain {what}",
     "The largest bound is that of a chain, and the upper end of the time's "
     "interval is at most 8 % above it.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kBoundByResource, "block", "bound by what executes {what}",
     "The largest bound is one instruction's throughput, and the upper end of the time's "
     "interval is at most 8 % above it.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kBoundByIssue, "block", "bound by how many instructions start at once: {width:.0f} a cycle",
     "The largest bound is the width of the core, and the upper end of the time's "
     "interval is at most 8 % above it.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kAboveAllBounds, "block",
     "{excess:.2f} cycles more than any bound known here; nearest: {nearest}",
     "The lower end of the time's interval is more than 8 % above the largest bound.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kMispredictedBranch, "block", "data decide which way a branch goes, and it is mispredicted",
     "Random data take more than 5 % longer than constant data, by intervals, and a branch inside "
     "of the loop depends on them.",
     "BlockWords.SayWhatDataMean"},
    {kStoreReadAgain, "block", "a store is read again at once",
     "Constant data take more than 5 % longer than random data, by intervals, and the loop loads "
     "and stores at addresses that it read.",
     "BlockWords.SayWhatDataMean"},
    {kSlowValues, "block", "a division or root takes longer for some values",
     "Random data take more than 5 % longer than constant data, by intervals, no branch depends on "
     "them, and an instruction of the loop depends on values.",
     "BlockWords.SayWhatDataMean"},
    {kUseSelect, "block", "a select in place of the branch (cmov, csel) is never mispredicted",
     "The claim mispredicted-branch holds.",
     "BlockWords.AdviseASelectOnlyForABranchThatDataDecide"},
    {kMoreAccumulators, "block",
     "{count:.0f} accumulators instead of one would take it to {cycles:.2f} cycles at best, the "
     "next bound, if the order of operations does not matter",
     "The loop is bound by a chain of one instruction that adds to its own result, and the next "
     "bound is at least 1.3 times lower.",
     "BlockWords.AdviseAccumulatorsOnlyForAChainThatBinds"},
    // ---- Predictions
    {kPredictedChain, "prediction", "the chain {what} binds; without it {next:.2f} cycles are left",
     "The predicted time is at most 3 % above the bound of the longest chain, which is the "
     "largest.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedPorts, "prediction",
     "ports {ports} bind; on others, {next:.2f} cycles would be left",
     "The predicted time is at most 3 % above what the µops need of some ports, which is the "
     "largest bound.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedDispatch, "prediction",
     "{slots:.3g} slots bind, {width:.3g} of which are dispatched in a cycle; fewer instructions "
     "would help, down to {next:.2f} cycles",
     "The predicted time is at most 3 % above what dispatch needs, which is the largest bound.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedBranch, "prediction",
     "the taken branch binds; unrolled, {next:.2f} cycles would be left of each iteration",
     "The predicted time is at most 3 % above a taken branch's, which is the largest bound.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedUnit, "prediction",
     "what executes {what} binds; without it {next:.2f} cycles are left",
     "The predicted time is at most 3 % above what copies of an instruction need of something that "
     "is no port, which is the largest bound.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedWindow, "prediction",
     "no more {window} entries are free: {cycles:.2f} cycles an iteration are lost to that",
     "The predicted time is more than 3 % above all bounds, and in more than half of the rest "
     "nothing is dispatched since a window is full.",
     "PredictBlock.AFullWindowIsNamed"},
    {kPredictedSchedule, "prediction",
     "{excess:.2f} cycles more than any bound, since µops that others wait for find their ports "
     "busy; nearest: {nearest}",
     "The predicted time is more than 3 % above all bounds, and no window is full for long.",
     "PredictBlock.WaitingForPortsOnAChainIsSeen"},
    // ---- Ports of an instruction
    {kNoPortMap, "ports", "the core's ports were not found",
     "The search for the core's ports has no result.",
     "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    {kNoOwnValue, "ports", "{reason}", "Copies of the form alone have no value.",
     "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    {kTooLongForPorts, "ports",
     "it takes {cycles:.0f} cycles: too long to see its µops among others",
     "Copies of the form take longer than mixes can show.",
     "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    {kSlotsUnknown, "ports", "its slots could not be measured: {reason}",
     "The mix with fillers that counts its slots has no value.",
     "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    {kMixWithoutValue, "ports", "a mix that it needs has no value: {reason}",
     "A mix with blockers has no value.", "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    {kNoPortsFit, "ports",
     "no µops on the known ports give the times measured (off by {percent:.0f} % on average)",
     "The best explanation misses the measured times by more than is allowed.",
     "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    {kTwoPortSetsFit, "ports", "two sets of ports explain the times equally well",
     "Another explanation with no more µops fits as well.",
     "UsageSearch.FormOfTheMapUsesWhatItsClassSays"},
    // ---- The reference clock
    {kCheckDisturbed, "clock",
     "the machine was too disturbed to compare the reference with other chains",
     "No sample of the chains was quiet.", "CoreWatch.TheSelfCheckShowsWhatSettledIt"},
    {kLinkIsCycle, "clock",
     "'{link}' takes one cycle: every other chain takes a whole number of it",
     "The chains take whole numbers of links, in the proportions of cores that are known.",
     "CoreWatch.RefusesChainsThatAreNotWhole"},
    {kChainsDisagree, "clock",
     "too few samples of the chains agreed on how many cycles each of them takes",
     "The proportions of the chains vary.", "CoreWatch.TheSelfCheckShowsWhatSettledIt"},
    {kLinkIsNotCycle, "clock",
     "'{instruction}' takes {ratio:.3f} links of '{link}' where a whole number from {least:.0f} to "
     "{most:.0f} is expected: a link is not one cycle here",
     "A chain takes no whole number of links, or not one of those expected.",
     "CoreWatch.TheSelfCheckShowsWhatSettledIt"},
    // ---- Nodes of a fleet
    {kTimeWithheld, "node",
     "the hypervisor withholds {percent:.0f} % of its time, where {usual:.0f} % is usual: its host "
     "has "
     "more to do than it can",
     "Stolen time deviates to the slower side.", "Cause.NothingDeviates"},
    {kCoresShared, "node",
     "another thread shares its cores for {percent:.0f} % of the time, where {usual:.0f} % is "
     "usual: a "
     "co-tenant on the other hyperthread, or work of its own that should not run",
     "Time with a neighbour deviates to the slower side.", "Cause.NothingDeviates"},
    {kSlowClock, "node", "its cores make fewer cycles per second",
     "The clock of its typical core deviates to the slower side.", "Cause.NothingDeviates"},
    {kSlowClockOfOneCore, "node", "at least one of its cores makes fewer cycles per second",
     "The clock of its slowest core deviates, that of its typical core does not.",
     "Cause.FewerCyclesPerSecond"},
    {kCyclesAsElsewhere, "node", "no instruction was seen to take more cycles than elsewhere",
     "The clock is slow, and no instruction deviates to the slower side.",
     "Cause.FewerCyclesPerSecond"},
    {kPowerLimit, "node", "likely a limit of power or heat, or another frequency setting",
     "The clock is slow, and neither governor nor turbo differs.", "Cause.FewerCyclesPerSecond"},
    {kSlowCache, "node",
     "a cache of its cores takes more cycles: another setting of prefetchers or of the cache",
     "A cache latency in cycles deviates to the slower side.", "Cause.NothingDeviates"},
    {kFarMemoryAndCores, "node",
     "memory and its other CPUs are both farther away: it is spread over sockets, or what connects "
     "them is slower",
     "Memory latency and core-to-core latency both deviate to the slower side.",
     "Cause.NothingDeviates"},
    {kFarMemory, "node",
     "memory is farther away: memory of another socket, missing or slower modules, or another "
     "memory "
     "setting",
     "Memory latency deviates to the slower side, core-to-core latency does not.",
     "Cause.NothingDeviates"},
    {kLowBandwidth, "node",
     "less bandwidth, and no load was seen to take longer: fewer memory channels, slower modules, "
     "or "
     "others that use them",
     "Bandwidth deviates to the slower side, memory latency does not.", "Cause.NothingDeviates"},
    {kFarCores, "node",
     "its CPUs are farther from each other: the host spreads them over dies or sockets, or what "
     "connects them is slower",
     "Core-to-core latency deviates to the slower side; clock and memory do not.",
     "Cause.NothingDeviates"},
    {kSlowInstructions, "node",
     "instructions take more cycles: other microcode, a mitigation, or cores of another kind",
     "Cycles of instructions deviate to the slower side; clock, memory and cores do not.",
     "Cause.NothingDeviates"},
    {kFastClock, "node",
     "its cores make more cycles per second than those of nodes like it: another frequency "
     "setting, or the others have a limit that it has not",
     "The clearest deviation is a faster clock.", "Cause.NothingDeviates"},
    {kFastInstructions, "node",
     "instructions take fewer cycles than on nodes like it: other microcode, or cores of another "
     "kind",
     "The clearest deviation is an instruction of fewer cycles.", "Cause.NothingDeviates"},
    {kNearMemory, "node",
     "it is closer to its memory or its other CPUs than nodes like it: another placement, or "
     "another setting",
     "The clearest deviation is a lower latency or a higher bandwidth.", "Cause.NothingDeviates"},
    {kQuietHost, "node", "it shares its host with less than nodes like it do",
     "The clearest deviation is less stolen time or less time with a neighbour.",
     "Cause.NothingDeviates"},
    {kOddSetting, "node", "its {setting} is {own}, where nodes like it have {usual}",
     "At least nine of ten nodes that it is compared with have another setting.",
     "Cause.NothingDeviates"},
    {kTooFewNodes, "node", "nodes like it, with itself: {nodes:.0f}; too few to say what is usual",
     "Its group is smaller than needed, and no other group may stand for it.",
     "JudgeFleet.AFleetOfEquals"},
    {kTooUncertain, "node",
     "its values are too uncertain, or too few, to see a difference that matters: measure it again",
     "Nothing deviates, but a difference of the threshold would not be seen.",
     "JudgeFleet.AFleetOfEquals"},
    {kNoResult, "node", "it left no result of job {job}",
     "The engine lists the node for a job, and no result of it was read.",
     "JudgeFleet.AFleetOfEquals"},
    {kRunFailed, "node", "{reason}", "No pass of the node has values.",
     "JudgeFleet.AFleetOfEquals"},
    {kPassesFailed, "node", "{failed:.0f} of {passes:.0f} passes failed: {reason}",
     "Some passes of the node have no values.", "CombinePasses.OnePassStaysAsItIs"},
    {kPassesLeftOut, "node", "earlier passes left out: {passes:.0f}; the machine was another then",
     "Host data of earlier passes differ from those of the last.",
     "CombinePasses.OnePassStaysAsItIs"},
    {kPartialResult, "node", "not complete: only a part was measured",
     "A pass was interrupted or ended by its limit.", "JudgeFleet.AFleetOfEquals"},
    {kMoreDeviations, "node", "values that deviate and are not listed: {values:.0f}",
     "More values deviate than are listed.", "JudgeFleet.AFleetOfEquals"},
    // ---- A whole machine
    {kCyclesNotTrusted, "machine",
     "The self-check failed: cycles cannot be trusted on this machine",
     "The self-check of the reference clock failed.", "Highlights.AMachineWithoutNewsHasNone"},
    {kFloatingCpus, "machine",
     "Virtual CPUs move between cores: placing threads by CPU number means nothing here",
     "The core matrix has the finding `floating`.", "Highlights.AMachineWithoutNewsHasNone"},
    {kHiddenSharedCore, "machine", "CPUs {cpus} share a core, which the system does not say",
     "The core matrix has the finding `shared-core`.", "Highlights.AMachineWithoutNewsHasNone"},
    {kSplitCore, "machine", "CPUs {cpus} do not share a core, although the system says so",
     "The core matrix has the finding `split-core`.", "Highlights.AMachineWithoutNewsHasNone"},
    {kHiddenCluster, "machine",
     "CPUs {cpus} are close to each other, and the system does not say why",
     "The core matrix has the finding `hidden-cluster`.", "Highlights.AMachineWithoutNewsHasNone"},
    {kDrift, "machine", "The machine changed while the latency between cores was measured",
     "The core matrix has the finding `drift`.", "Highlights.AMachineWithoutNewsHasNone"},
    {kCoreInUse, "machine", "Something else used the core of CPU {cpu:.0f} for {share} of the time",
     "Probes saw another thread on the core, and the lower end of that share's interval is above 2 "
     "%.",
     "Highlights.AMachineWithoutNewsHasNone"},
    {kModelIsOff, "machine",
     "LLVM's model of {model} is off for {off:.0f} of {compared:.0f} latencies: {example} takes "
     "{measured:.4g}, not {predicted:.4g}",
     "That many latencies are off by more than their interval, 2 % and 0.05 cycles.",
     "Highlights.AMachineWithoutNewsHasNone"},
    {kMemoryFinding, "machine", "{finding}",
     "The memory curves contradict the system: the finding's own condition.",
     "Highlights.AMachineWithoutNewsHasNone"},
    {kCoreStructure, "machine", "{structure}",
     "Nothing else is to be said, and the core matrix is steady.",
     "Highlights.NothingIsSaidOfNothing"},
};

static_assert(std::size(kRules) == NamesOf(ClaimCode{}).size());
static_assert(std::ranges::equal(kRules, std::views::iota(std::size_t{0}, std::size(kRules)), {},
                                 [](const ClaimRule& rule) {
                                   return static_cast<std::size_t>(rule.code);
                                 }));

}  // namespace

std::span<const ClaimRule> ClaimRules() { return kRules; }

std::string Sentence(const Claim& claim) {
  fmt::dynamic_format_arg_store<fmt::format_context> figures;
  for (const ClaimFigure& figure : claim.figures) {
    if (figure.value) {
      figures.push_back(fmt::arg(figure.name.c_str(), *figure.value));
    } else {
      figures.push_back(fmt::arg(figure.name.c_str(), Printable(figure.text)));
    }
  }
  return fmt::vformat(kRules[static_cast<std::size_t>(claim.code)].sentence, figures);
}

std::string Sentences(std::span<const Claim> claims) {
  std::string text;
  for (const Claim& claim : claims) text += (text.empty() ? "" : "; ") + Sentence(claim);
  return text;
}

}  // namespace cyclescope
