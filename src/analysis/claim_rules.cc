// The table of all claims; claims.h says what it is for.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>

#include "analysis/claims.h"

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
    {kLimitedByDecoder, "instruction",
     "with fillers between; {back_to_back:.2f} back to back, limited by: decoder",
     "Copies with fillers between them take less than 0.92 of copies back to back, by intervals "
     "(`limit` is `decoder`).",
     "FillersTest.IntervalsDecideAboutTheLimit"},
    {kLimitedByPipes, "instruction", "limited by: pipes",
     "Copies with and without fillers take the same within 5 %, by both intervals (`limit` is "
     "`pipes`).",
     "FillersTest.IntervalsDecideAboutTheLimit"},
    // ---- Snippets and loops
    {kOnePage, "block",
     "it touches {pages:.0f} pages at addresses that its code does not explain: all of them are "
     "one and the same page",
     "More pages appeared than get memory of their own.", "BlockPlanTest.NearMissesHaveNoClaims"},
    {kSetsBases, "block",
     "it leaves no address where it begins with one: registers are set before each run, which "
     "takes {slots:.0f} slots",
     "A copy cannot follow another, since a base register no longer holds an address.",
     "BlockPlanTest.NearMissesHaveNoClaims"},
    {kLeavesEarly, "block",
     "with all data tried, it leaves the loop before its counter ends it: cycles are those of a "
     "shorter run",
     "Every kind of data took an exit of the loop before the last trip.",
     "BlockPlanTest.NearMissesHaveNoClaims"},
    {kSetsStack, "block",
     "every other run would begin with a stack pointer that is no multiple of 16: it is set before "
     "each run, which takes a slot",
     "A copy moves the stack pointer by a distance that is no multiple of 16.",
     "Setups.SetTheStackBeforeEachCopyLastAndOnlyWhereItMovesByEights"},
    {kDataEndLoop, "block",
     "its data decide when the loop ends: copies of it follow each other, and its branch leads to "
     "the next",
     "No register counts the trips of the loop.", "BlockPlanTest.ALoopMakesTwiceAsManyTrips"},
    {kSameWay, "block",
     "its branches go the same way each time here: where data decide about them in a program, each "
     "misprediction comes on top",
     "Copies of the loop follow each other, and a branch inside of it has two ways.",
     "BlockPlanTest.ALoopThatDataEndSaysThatItGoesOneWay"},
    {kFastQuarter, "block", "its visits differ: this is what the fast quarter of them took",
     "The runner took the fast quarter of the visits.", "BlockPlanTest.NearMissesHaveNoClaims"},
    {kBoundFailed, "block", "the {bound} bound of {cycles:.2f} cycles does not hold: it takes less",
     "A bound is more than 2 % above the upper end of the measured interval.",
     "Bounds.WhatTakesLessThanABoundHasNone"},
    {kNoPrediction, "block", "llvm-mca: {reason}", "LLVM has no model that predicts the snippet.",
     "BlockPlanTest.NearMissesHaveNoClaims"},
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
     "BlockWords.DataMatterOnlyByIntervalsThatLieApart"},
    {kMispredictedJump, "block",
     "data decide where a jump leads through its table, and it is mispredicted",
     "Random data take more than 5 % longer than constant data, by intervals, and the loop jumps "
     "through a table by what it reads.",
     "BlockWords.SayWhatDataMean"},
    {kStoreReadAgain, "block", "a store is read again at once",
     "Constant data take more than 5 % longer than random data, by intervals, and the loop loads "
     "and stores at addresses that it read.",
     "BlockWords.DataMatterOnlyByIntervalsThatLieApart"},
    {kSlowValues, "block", "a division or root takes longer for some values",
     "Random data take more than 5 % longer than constant data, by intervals, no branch depends on "
     "them, and an instruction of the loop depends on values.",
     "BlockWords.DataMatterOnlyByIntervalsThatLieApart"},
    {kUseSelect, "block", "a select in place of the branch (cmov, csel) is never mispredicted",
     "The claim mispredicted-branch holds.", "BlockWords.SayWhatDataMean"},
    {kMoreAccumulators, "block",
     "{count:.0f} accumulators instead of one would take it to {cycles:.2f} cycles at best, the "
     "next bound, if the order of operations does not matter",
     "The loop is bound by a chain of one instruction that adds to its own result, and the next "
     "bound is at least 1.3 times lower.",
     "BlockWords.AdviseAccumulatorsOnlyForAChainThatBinds"},
    {kBoundByPorts, "block", "bound by port{count:|s} {ports}",
     "By the measured ports of its instructions, these ports are busy for 5 % longer than all else "
     "(`ports.binds` is `ports`).",
     "BlockWords.PortsBindOnlyWhereTheyAreBusiest"},
    {kBoundByOwnUnit, "block", "bound by something of its own in {what}",
     "One instruction keeps something busy that is no port, for longer than ports, dispatch and "
     "chain take (`ports.binds` is `other`).",
     "BlockWords.PortsBindOnlyWhereTheyAreBusiest"},
    {kBoundByPredictedChain, "block", "bound by the chain",
     "The longest chain takes longer than ports and dispatch (`ports.binds` is `chain`).",
     "BlockWords.PortsBindOnlyWhereTheyAreBusiest"},
    {kBoundByDispatch, "block", "bound by dispatch",
     "Its slots take longer than ports and chain (`ports.binds` is `dispatch`).",
     "BlockWords.PortsBindOnlyWhereTheyAreBusiest"},
    // ---- Two snippets
    {kLoopsNotCompared, "two blocks",
     "{first} and {second}: not compared, since one of them has no value of a core of its own",
     "One of the two has no value, or one of a shared core.",
     "BlockDifference.IntervalsThatTouchAreNoDifference"},
    {kLoopsAlike, "two blocks",
     "{second} does not clearly differ from {first} in cycles per {unit} ({second_cycles:.2f} and "
     "{first_cycles:.2f})",
     "The interval of their ratio holds 1.", "BlockDifference.IntervalsThatTouchAreNoDifference"},
    {kLoopsDiffer, "two blocks",
     "{second} takes {ratio:.2f} times the cycles per {unit} of {first} ({second_cycles:.2f} and "
     "{first_cycles:.2f})",
     "The interval of their ratio does not hold 1.",
     "BlockDifference.IntervalsThatTouchAreNoDifference"},
    {kBytesAlike, "two blocks",
     "a trip goes on by {second_bytes:.0f} and {first_bytes:.0f} bytes, so it does not clearly "
     "differ from that in cycles per byte",
     "Their trips go on by different distances, and the interval of the ratio per byte holds 1.",
     "BlockDifference.IntervalsThatTouchAreNoDifference"},
    {kBytesDiffer, "two blocks",
     "a trip goes on by {second_bytes:.0f} and {first_bytes:.0f} bytes, so it takes {ratio:.2f} "
     "times the cycles per byte of that",
     "Their trips go on by different distances, and the interval of the ratio per byte does not "
     "hold 1.",
     "BlockDifference.IntervalsThatTouchAreNoDifference"},
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
     "no more {window} entries are free: up to {cycles:.2f} cycles an iteration are lost to that",
     "The predicted time is more than 3 % above all bounds, and for more than half of the rest "
     "nothing is dispatched since a window is full that is neither reorder buffer nor scheduler.",
     "PredictBlock.AFullWindowIsNamed"},
    {kPredictedSchedule, "prediction",
     "{excess:.2f} cycles more than any bound: chains and ports wait for each other; nearest: "
     "{nearest}",
     "The predicted time is more than 3 % above all bounds, no such window is full, and nothing "
     "loads what it stored.",
     "PredictBlock.WaitingForPortsOnAChainIsSeen"},
    // ---- Ports of an instruction
    {kNoPortMap, "ports", "the core's ports were not found",
     "The search for the core's ports has no result.", "UsageSearch.NearMissesAreExplained"},
    {kNoOwnValue, "ports", "{reason}", "Copies of the form alone have no value.",
     "UsageSearch.NearMissesAreExplained"},
    {kTooLongForPorts, "ports",
     "it takes {cycles:.0f} cycles: too long to see its µops among others",
     "Copies of the form take longer than mixes can show.", "UsageSearch.NearMissesAreExplained"},
    {kSlotsUnknown, "ports", "its slots could not be measured: {reason}",
     "The mix with fillers that counts its slots has no value.",
     "UsageSearch.NearMissesAreExplained"},
    {kMixWithoutValue, "ports", "a mix that it needs has no value: {reason}",
     "A mix with blockers has no value.", "UsageSearch.NothingIsExplainedWithoutAMixThatWasLost"},
    {kNoPortsFit, "ports",
     "no µops on the known ports give the times measured (off by {percent:.0f} % on average)",
     "The best explanation misses the measured times by more than is allowed.",
     "UsageSearch.NearMissesAreExplained"},
    {kTwoPortSetsFit, "ports", "two sets of ports explain the times equally well",
     "Another explanation with no more µops fits as well.", "UsageSearch.NearMissesAreExplained"},
    {kOtherPortMaps, "ports", "{maps:.0f} other map{maps:|s} explain{maps:s|} the times as well",
     "Other maps of the core fit all mixes.",
     "PortsText.SaysWhatElseExplainsOnlyWhereSomethingDoes"},
    {kPortsDiffer, "ports",
     "{different:.0f} of {compared:.0f} instructions have other ports than in LLVM's model",
     "The ports of both are known, and none of the measured ones is ambiguous.",
     "PortsText.AmbiguousPortsAreNotCompared"},
    // ---- The reference clock
    {kCheckDisturbed, "clock",
     "the machine was too disturbed to compare the reference with other chains",
     "No sample of the chains was quiet.", "CoreWatch.TheSelfCheckShowsWhatSettledIt"},
    {kLinkIsCycle, "clock",
     "'{link}' takes one cycle: every other chain takes a whole number of it",
     "The chains take whole numbers of links, in the proportions of cores that are known.",
     "CoreWatch.ChanceMakesNoReference"},
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
     "Stolen time deviates to the slower side.", "Cause.NearMissesHaveOtherCauses"},
    {kCoresShared, "node",
     "another thread shares its cores for {percent:.0f} % of the time, where {usual:.0f} % is "
     "usual: a "
     "co-tenant on the other hyperthread, or work of its own that should not run",
     "Time with a neighbour deviates to the slower side.", "Cause.NearMissesHaveOtherCauses"},
    {kSlowClock, "node", "its cores make fewer cycles per second",
     "The clock of its typical core deviates to the slower side.",
     "Cause.NearMissesHaveOtherCauses"},
    {kSlowClockOfOneCore, "node", "at least one of its cores makes fewer cycles per second",
     "The clock of its slowest core deviates, that of its typical core does not.",
     "Cause.NearMissesHaveOtherCauses"},
    {kCyclesAsElsewhere, "node", "no instruction was seen to take more cycles than elsewhere",
     "The clock is slow, and no instruction deviates to the slower side.",
     "Cause.NearMissesHaveOtherCauses"},
    {kPowerLimit, "node", "likely a limit of power or heat, or another frequency setting",
     "The clock is slow, and neither governor nor turbo differs.",
     "Cause.NearMissesHaveOtherCauses"},
    {kSlowCache, "node",
     "a cache of its cores takes more cycles: another setting of prefetchers or of the cache",
     "A cache latency in cycles deviates to the slower side.", "Cause.NearMissesHaveOtherCauses"},
    {kFarMemoryAndCores, "node",
     "memory and its other CPUs are both farther away: it is spread over sockets, or what connects "
     "them is slower",
     "Memory latency and core-to-core latency both deviate to the slower side.",
     "Cause.NearMissesHaveOtherCauses"},
    {kFarMemory, "node",
     "memory is farther away: memory of another socket, missing or slower modules, or another "
     "memory "
     "setting",
     "Memory latency deviates to the slower side, core-to-core latency does not.",
     "Cause.NearMissesHaveOtherCauses"},
    {kLowBandwidth, "node",
     "less bandwidth, and no load was seen to take longer: fewer memory channels, slower modules, "
     "or "
     "others that use them",
     "Bandwidth deviates to the slower side, memory latency does not.",
     "Cause.NearMissesHaveOtherCauses"},
    {kFarCores, "node",
     "its CPUs are farther from each other: the host spreads them over dies or sockets, or what "
     "connects them is slower",
     "Core-to-core latency deviates to the slower side; clock and memory do not.",
     "Cause.NearMissesHaveOtherCauses"},
    {kSlowInstructions, "node",
     "instructions take more cycles: other microcode, a mitigation, or cores of another kind",
     "Cycles of instructions deviate to the slower side; clock, memory and cores do not.",
     "Cause.NearMissesHaveOtherCauses"},
    {kSmallWindows, "node",
     "its cores hold fewer instructions at once: another thread has a part of them all the time, "
     "or they are cores of another kind",
     "Sizes of buffers deviate to the smaller side; nothing else deviates to the slower side.",
     "Cause.SizesOfBuffers"},
    {kFastClock, "node",
     "its cores make more cycles per second than those of nodes like it: another frequency "
     "setting, or the others have a limit that it has not",
     "The clearest deviation is a faster clock.", "Cause.NearMissesHaveOtherCauses"},
    {kFastInstructions, "node",
     "instructions take fewer cycles than on nodes like it: other microcode, or cores of another "
     "kind",
     "The clearest deviation is an instruction of fewer cycles.",
     "Cause.NearMissesHaveOtherCauses"},
    {kLargeWindows, "node",
     "its cores hold more instructions at once: the others share theirs all the time, or they are "
     "cores of another kind",
     "The clearest deviation is a larger buffer.", "Cause.SizesOfBuffers"},
    {kNearMemory, "node",
     "it is closer to its memory or its other CPUs than nodes like it: another placement, or "
     "another setting",
     "The clearest deviation is a lower latency or a higher bandwidth.",
     "Cause.NearMissesHaveOtherCauses"},
    {kQuietHost, "node", "it shares its host with less than nodes like it do",
     "The clearest deviation is less stolen time or less time with a neighbour.",
     "Cause.NearMissesHaveOtherCauses"},
    {kOddSetting, "node", "its {setting} is {own}, where nodes like it have {usual}",
     "At least nine of ten nodes that it is compared with have another setting.",
     "JudgeFleet.NearMissesAreNormal"},
    {kTooFewNodes, "node", "nodes like it, with itself: {nodes:.0f}; too few to say what is usual",
     "Its group is smaller than needed, and no other group may stand for it.",
     "JudgeFleet.NearMissesAreNormal"},
    {kTooUncertain, "node",
     "its values are too uncertain, or too few, to see a difference that matters: measure it again",
     "Nothing deviates, but a difference of the threshold would not be seen.",
     "JudgeFleet.NearMissesAreNormal"},
    {kNoResult, "node", "it left no result of job {job}",
     "The engine lists the node for a job, and no result of it was read.",
     "JudgeFleet.NodesThatFailedOrAreMissingAreReported"},
    {kRunFailed, "node", "{reason}", "No pass of the node has values.",
     "JudgeFleet.NodesThatFailedOrAreMissingAreReported"},
    {kPassesFailed, "node", "{failed:.0f} of {passes:.0f} passes failed: {reason}",
     "Some passes of the node have no values.", "CombinePasses.NearMissesAreNotSaid"},
    {kPassesLeftOut, "node", "earlier passes left out: {passes:.0f}; the machine was another then",
     "Host data of earlier passes differ from those of the last.",
     "CombinePasses.NearMissesAreNotSaid"},
    {kPartialResult, "node", "not complete: only a part was measured",
     "A pass was interrupted or ended by its limit.", "JudgeFleet.NearMissesAreNormal"},
    {kMoreDeviations, "node", "values that deviate and are not listed: {values:.0f}",
     "More values deviate than are listed.", "JudgeFleet.NearMissesAreNormal"},
    // ---- A whole machine
    {kCyclesNotTrusted, "machine",
     "the self-check failed: cycles cannot be trusted on this machine",
     "The self-check of the reference clock failed.", "Highlights.AMachineWithoutNewsHasNone"},
    {kFloatingCpus, "machine",
     "virtual CPUs move between cores: [the same pair was [on one core in {share:percent} of "
     "visits, ]{levels} of all visits; ][it stays for {stays} on average; ][none moved while pairs "
     "were followed for {followed}; ]placement by CPU number means nothing on this machine",
     "Visits to the same pairs lie on different levels, and more pairs moved than chance or drift "
     "explain (`findings[].kind` is `floating`).",
     "FloatingBulk.IsNeverClaimedOfAMachineThatStays"},
    {kHiddenSharedCore, "machine",
     "CPUs {cpus} share a core, which the system does not say[: {ns:.0f} ns between them[, "
     "{least:.0f} to {most:.0f} ns to the others]; a loop that needs a whole core runs at "
     "{speed:.0f} % of its speed on CPU {first:.0f} while CPU {second:.0f} runs it too]",
     "A loop that fills a core runs at less than 1/1.4 of its speed beside a copy on the other "
     "CPU, "
     "they answer each other within 21 ns, and the system lists them on different cores "
     "(`findings[].kind` is `shared-core`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kSplitCore, "machine",
     "CPUs {cpus} do not share a core, although the system says so[: {ns:.0f} ns between them, and "
     "a loop that needs a whole core runs at {speed:.0f} % of its speed on CPU {first:.0f} while "
     "CPU "
     "{second:.0f} runs it too]",
     "The same loop runs at more than 1/1.15 of its speed, and the system lists one core "
     "(`findings[].kind` is `split-core`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kHiddenCluster, "machine",
     "CPUs {cpus} are closer to each other than to the others[ ({ns:.0f} ns, and {least:.0f} to "
     "{most:.0f} ns)], and the system lists nothing that they share",
     "They are a group that the topology does not have, and every other CPU is farther away "
     "(`findings[].kind` is `hidden-cluster`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kDrift, "machine",
     "the machine changed while the latency between cores was measured[: all pairs together took "
     "up "
     "to {percent:.0f} % longer at one time than at another]",
     "All pairs changed together by more than chance explains (`findings[].kind` is `drift`).",
     "Stability.NoiseIsNoDrift"},
    {kCoreInUse, "machine",
     "something else used the core of CPU {cpu:.0f} for {share:percent} of the time",
     "Probes saw another thread on the core, and the lower end of that share's interval is above 2 "
     "%.",
     "Highlights.AMachineWithoutNewsHasNone"},
    {kModelIsOff, "machine",
     "LLVM's model of {model} is off for {off:.0f} of {compared:.0f} latencies: {example} takes "
     "{measured:.4g}, not {predicted:.4g}",
     "That many latencies are off by more than their interval, 2 % and 0.05 cycles.",
     "Highlights.AMachineWithoutNewsHasNone"},
    {kCoreStructure, "machine", "{structure}",
     "Nothing else is to be said, and the core matrix is steady.",
     "Highlights.AStructureTakesThreeCpusThatStay"},
    // ---- Latencies between cores or hosts
    {kAsymmetry, "cores",
     "CPU {first:.0f} to {second:.0f} takes {there:.1f} {unit}, but {second:.0f} to {first:.0f} "
     "takes {back:.1f} {unit}[ (and {more:.0f} more pair{more:|s} like it)]",
     "One direction takes more than 1.1 times the other, and they lie apart by twice the half "
     "widths of both intervals (`findings[].kind` is `asymmetry`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kOutlier, "cores",
     "CPU {first:.0f} to {second:.0f} takes {there:.1f} {unit}, where pairs like it take "
     "{usual:.1f} "
     "{unit}[ (and {more:.0f} more pair{more:|s} like it)]",
     "A pair, of at least ten of its group, stands 1.3 times above all but the few slowest, and "
     "its "
     "interval does (`findings[].kind` is `outlier`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kParallelBias, "cores",
     "pairs measured at once take {percent:+.1f} % compared with {pairs:.0f} of them measured "
     "alone; "
     "run without --parallel for exact values",
     "The median ratio of both is beyond 5 % (`findings[].kind` is `parallel-bias`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kClocksDiffer, "cores", "clocks of two CPUs differ by up to {ns:.1f} ns, which is taken out",
     "The test `message` measured the offsets of clocks.", "CoresText.ClocksAreOfMessagesOnly"},
    {kHostsAlike, "cores", "no host is closer to some than to others",
     "Every pair was visited, and the latencies have no groups.",
     "HostsText.NothingIsSaidOfHostsThatWereNotVisited"},
    // ---- Several runs of one machine
    {kRunsDisagree, "several runs",
     "{what} ({kind}): {first:.4g} {unit} in {first_run}, {second:.4g} in {second_run}",
     "`compare` calls the value changed between two of the runs: their intervals lie apart by more "
     "than chance allows over all values.",
     "MergeRuns.RunsThatMayBeEqualDoNotDisagree"},
    // ---- A machine beside the published one of its kind
    {kLikePublished, "published machines", "as the published {machine}",
     "Of 20 values or more that `compare` can judge (latencies, throughputs, caches, windows), at "
     "most a tenth changed.",
     "PublishedWords.FewValuesSayNothing"},
    {kUnlikePublished, "published machines",
     "unlike the published {machine}: {changed:.0f} of {judged:.0f} values differ",
     "Of 20 values or more that `compare` can judge, more than a tenth changed.",
     "PublishedWords.FewValuesSayNothing"},
    {kPublishedCache, "published machines", "{level} ends at {here:bytes}, not at {there:bytes}",
     "`compare` calls what the cache holds changed.",
     "PublishedWords.IntervalsThatOverlapSayNothing"},
    {kPublishedWindow, "published machines", "{window} has {here:.0f} entries, not {there:.0f}",
     "`compare` calls the window changed.", "PublishedWords.IntervalsThatOverlapSayNothing"},
    {kPublishedTime, "published machines", "{what} takes {here:.3g} cycles, not {there:.3g}",
     "`compare` calls the latency or throughput changed.",
     "PublishedWords.IntervalsThatOverlapSayNothing"},
    {kPublishedMore, "published machines", "{more:.0f} more value{more:|s} differ{more:s|}",
     "More values changed than are listed.", "PublishedWords.IntervalsThatOverlapSayNothing"},
    // ---- Caches and memory
    {kSmallerCache, "memory",
     "the system says {level} {claimed:bytes}, and this curve shows {found:bytes} of it: other "
     "work "
     "may hold the rest, or the host does not give it",
     "The interval of where the level ends lies below 0.8 of what the system says; neither level "
     "nor "
     "end is marked as unclear.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kLargerCache, "memory",
     "the system says {level} {claimed:bytes}, but it ends only at {found:bytes}",
     "The interval of where the level ends lies above 1.2 times what the system says of it and the "
     "level before; all levels are seen, and this one is clear.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kNoSuchCache, "memory",
     "the system says {level} {claimed:bytes}, but no footprint shows such a cache: others may use "
     "all of it",
     "All levels are clear, footprints go to twice its size, and no level is its.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kUnknownCache, "memory",
     "the curve has a step at {found:bytes} that no cache of the system explains: another user of "
     "the last cache, or a cache that the system does not list",
     "All levels are clear, and there are more than the system lists.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kEarlyMemory, "memory",
     "the system says {level} {claimed:bytes}, but from {found:bytes} on a load takes as long as "
     "from memory[ ({ns:.3g} ns)]",
     "Memory's plateau is clear, and the intervals of clear footprints below 0.8 of the last cache "
     "reach 0.8 of it.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kCoreWasShared, "memory",
     "the core was shared in up to {share:.0f} % of the visits; loads may take less[, {rates} may "
     "be "
     "higher][, and where ≥ stands, a {level} may hold more]",
     "A value is marked as not clear, and visits were contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kSharingUnknown, "memory",
     "the self-check failed, and so it is not known when the core was shared; loads may take "
     "less[, "
     "{rates} may be higher][, and where ≥ stands, a {level} may hold more]",
     "Footprints are marked as not clear, and no visit was seen to be contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kTooFewVisits, "memory",
     "there was time for too few visits; loads may take less[, {rates} may be higher][, and where "
     "≥ "
     "stands, a {level} may hold more]",
     "A level is marked as not clear, and no footprint is.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kSeenBySingleLoads, "memory",
     "{level}: the curve has no step for it, but the times of single loads tell it from the others",
     "The level was read from the times of single loads (`by_single_loads`).",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kTranslationReach, "memory",
     "translation, pages of {page:bytes}: {entries:.0f} entries[ ({low:.0f} – {high:.0f})] reach "
     "{reach:bytes}; beyond, a load takes {cycles:.3g} cycles more",
     "A curve of one line per page has a step that a curve of as many lines in few pages does not "
     "have.",
     "ReadTranslation.AStepThatDataExplainIsNone"},
    {kSwappedOut, "memory",
     "{swapped:bytes} of the visited memory were swapped out: large footprints took longer than "
     "they "
     "should",
     "The system counts swapped pages of the visited memory.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    // ---- LLVM's scheduling model
    {kModelAgrees, "model",
     "{quantity} agrees for {agreeing:.0f} of {compared:.0f} {values} ({percent:.1f} %)",
     "That number of values of cores of our own lies at the model's within their interval, 2 % or "
     "0.05 "
     "cycles.",
     "ModelWords.SharedAndSystemValuesAreNotCompared"},
    {kModelNotCompared, "model",
     "not compared: {count:.0f} value{count:|s} that {count:was|were} measured on a shared core",
     "Values with a model's were contended.", "ModelWords.SharedAndSystemValuesAreNotCompared"},
    {kModelOffset, "model",
     "{which} {different:is|are} {cycles:.0f} cycle{cycles:|s} {direction} than in the model: "
     "{example} takes {measured:cycles}, the model has {model:cycles}",
     "All of the group differ by the same whole number of up to five cycles, each to 0.1.",
     "ModelWords.OneThatDiffersOtherwiseIsNotInTheGroup"},
    {kModelFactor, "model",
     "{which} {different:is|are} {factor} the model's: {example} takes {measured:cycles}, the "
     "model "
     "has {model:cycles}",
     "All of the group differ by the same simple factor, each to 3 %.",
     "ModelWords.OneThatDiffersOtherwiseIsNotInTheGroup"},
    {kModelDiffers, "model",
     "{which} {different:is|are} {least:cycles}[ to {most:cycles}] cycles {direction} than in the "
     "model: {example} takes {measured:cycles}, the model has {model:cycles}",
     "All of the group differ to the same side.",
     "ModelWords.OneThatDiffersOtherwiseIsNotInTheGroup"},
    {kNotInModel, "model",
     "{which} {different:takes|take} no time in the model: {example} takes {measured:cycles}, the "
     "model has {model:cycles}",
     "The model has 0 cycles for all of the group.",
     "ModelWords.OneThatDiffersOtherwiseIsNotInTheGroup"},
    {kModelMixed, "model",
     "{which} {different:differs|differ} from the model, not all in one way: {example} takes "
     "{measured:cycles}, the model has {model:cycles}",
     "All of the group differ, some to each side.",
     "ModelWords.OneThatDiffersOtherwiseIsNotInTheGroup"},
    // ---- A GPU
    {kGpuClusters, "gpu",
     "{gpcs:.0f} GPC{gpcs:|s}, by where clusters of blocks run: {sizes} multiprocessors",
     "Blocks of one cluster were seen on the same multiprocessors, again and again.",
     "GpuText.ClustersAreToldOnlyWhereTheyRan"},
    {kNoGpuCluster, "gpu",
     "{multiprocessors:.0f} multiprocessors run no cluster of more than two blocks",
     "No larger cluster was seen on them.", "GpuText.ClustersAreToldOnlyWhereTheyRan"},
    // ---- What disturbs measuring
    {kCpusUsable, "doctor", "{usable:.0f}[ of {online:.0f} online] CPUs may be used: {cpus}",
     "All CPUs that are online, of at least two, may be used.", "DoctorClaims.NearMissesAreSilent"},
    {kCpusLeftOut, "doctor", "{usable:.0f} of {online:.0f} online CPUs may be used: {cpus}",
     "More CPUs are online than may be used.", "DoctorClaims.NearMissesAreSilent",
     "the other CPUs are left out of every result"},
    {kOneCpu, "doctor", "only one CPU may be used: {cpus}", "The process may use one CPU.",
     "DoctorClaims.NearMissesAreSilent",
     "latency between cores needs two CPUs, and everything else shares this one"},
    {kMachineUnknown, "doctor", "the system does not say whether this is a virtual machine",
     "The system has no word on a hypervisor.", "DoctorClaims.NearMissesAreSilent"},
    {kNoHypervisor, "doctor", "no hypervisor", "The system says so.",
     "DoctorClaims.NearMissesAreSilent"},
    {kVirtualMachine, "doctor", "virtual machine[ ({hypervisor})]",
     "The system or the processor names a hypervisor.", "DoctorClaims.NearMissesAreSilent",
     "topology may be made up and time may be withheld; groups of cores are inferred from "
     "measurements"},
    {kUserCounters, "doctor", "hardware counters can be read from user space (source counter-user)",
     "Opening and reading them worked.", "DoctorClaims.NearMissesAreSilent"},
    {kSystemCounters, "doctor",
     "hardware counters can be read by system call only (source counter): {reason}",
     "Opening them worked, reading them from user space did not.",
     "DoctorClaims.NearMissesAreSilent", "each read costs a system call; values stay exact"},
    {kNoCounters, "doctor", "no hardware counters: {reason}", "Opening them failed.",
     "DoctorClaims.NearMissesAreSilent",
     "cycles come from the reference chain instead (source reference); instructions are known by "
     "construction"},
    {kSettingAllows, "doctor", "{setting} is {value:.0f}",
     "The setting is not in the way: kernel.perf_event_paranoid up to 2, kernel.perf_user_access "
     "or "
     "rdpmc not 0.",
     "CounterSettings.AreJudgedAtTheirLimits"},
    {kSuperuserCounters, "doctor", "{setting} is {value:.0f}",
     "kernel.perf_event_paranoid is above 2.", "CounterSettings.AreJudgedAtTheirLimits",
     "counters are for the superuser only"},
    {kNoUserCounters, "doctor", "{setting} is {value:.0f}",
     "kernel.perf_user_access or rdpmc is 0.", "CounterSettings.AreJudgedAtTheirLimits",
     "counters cannot be read without a system call"},
    {kFastestSetting, "doctor", "{name} {setting}",
     "The governor or power plan is the one that keeps cores at their fastest.",
     "DoctorClaims.NearMissesAreSilent"},
    {kSlowerSetting, "doctor", "{name} {setting}", "It is another one.",
     "DoctorClaims.NearMissesAreSilent",
     "a core that was idle needs a moment to speed up; samples from before are dropped"},
    {kTurboOff, "doctor", "turbo is off: one frequency", "The system says so.",
     "DoctorClaims.NearMissesAreSilent"},
    {kTurboOn, "doctor", "turbo is on", "The system says so.", "DoctorClaims.NearMissesAreSilent",
     "nanoseconds move with the frequency; cycles do not"},
    {kThreadsUnknown, "doctor",
     "unknown: the virtual machine claims one thread per core, which need not be so",
     "A virtual machine lists no two CPUs on one core.", "DoctorClaims.NearMissesAreSilent",
     "the check 'neighbour' finds out by measuring"},
    {kNoSiblings, "doctor", "no two CPUs are said to share a core",
     "No two CPUs are listed on one core, and there is no hypervisor.",
     "DoctorClaims.NearMissesAreSilent"},
    {kIdleSiblings, "doctor", "{cpus:.0f} CPUs share their core with another; none is busy",
     "CPUs are listed on one core, and none was busy for more than a tenth of the time.",
     "DoctorClaims.NearMissesAreSilent"},
    {kBusySiblings, "doctor", "CPUs {cpus} are busy and share their core with another",
     "CPUs that are listed on one core were busy for more than a tenth of the time.",
     "DoctorClaims.NearMissesAreSilent",
     "throughput measured on the sibling comes out up to two times worse"},
    {kCachesListed, "doctor", "{caches}", "The system lists who shares caches; no hypervisor.",
     "DoctorClaims.NearMissesAreSilent"},
    {kCachesOfVirtualMachine, "doctor", "the VM reports {caches}",
     "The system lists who shares caches, under a hypervisor.", "DoctorClaims.NearMissesAreSilent",
     "other virtual machines of the host use the last cache, and the others too where they have a "
     "thread of the core: how much is left changes, and `memory` shows it"},
    {kNeighboursUnknown, "doctor", "unknown: {reason}", "Cores could not be looked at.",
     "DoctorClaims.NearMissesAreSilent", "cyclescope cannot detect another thread on a core"},
    {kChainsUnfit, "doctor", "unknown: the reference chains and the clock don't fit together here",
     "The self-check failed.", "DoctorClaims.NearMissesAreSilent",
     "cyclescope cannot detect another thread on a core"},
    {kNeverSteady, "doctor",
     "unknown: no moment was steady enough to show what a quiet core looks like",
     "A CPU has no probe that can be judged.", "DoctorClaims.NearMissesAreSilent",
     "most likely another thread shares the core all the time: throughputs come out too high"},
    {kNoNeighbour, "doctor", "no other thread shares a core ({where})",
     "On every CPU that was looked at, at most 2 % of the probes were contended.",
     "DoctorClaims.NearMissesAreSilent"},
    {kNeighbourSeen, "doctor",
     "another thread shared the core while it was looked at: {shares} ({where})",
     "On a CPU, the lower end of the interval of the share of contended probes is above 2 %.",
     "DoctorClaims.NearMissesAreSilent",
     "[independent adds take {contended:.2f} cycles each then, instead of {quiet:.2f}: "
     "]throughputs "
     "come out too high by as much. Measuring waits for quiet moments; what it cannot get is "
     "marked "
     "as contended"},
    {kNeighbourUnclear, "doctor",
     "unknown: too few looks at the core tell whether another thread shared it ({where})",
     "More than 2 % of a CPU's probes were contended, but the interval of that share reaches "
     "below.",
     "DoctorClaims.NearMissesAreSilent", "what is measured beside another thread is marked"},
    {kCpusIdle, "doctor", "[load average {load:.2f}, ]every CPU idle now",
     "No CPU was busy for more than a tenth of the time.", "DoctorClaims.NearMissesAreSilent"},
    {kCpusBusy, "doctor", "[load average {load:.2f}, ]busy now: CPU {cpus}",
     "A CPU was busy for more than a tenth of the time.", "DoctorClaims.NearMissesAreSilent",
     "samples that other work spoils are dropped and counted; measuring takes longer"},
    {kLittleStolen, "doctor", "the hypervisor withheld {percent:.2f} % of the time since boot",
     "The system counts stolen time: less than 1 %.", "DoctorClaims.NearMissesAreSilent"},
    {kTimeStolen, "doctor", "the hypervisor withheld {percent:.2f} % of the time since boot",
     "The system counts stolen time: 1 % or more.", "DoctorClaims.NearMissesAreSilent",
     "samples are lost to it, and tails grow"},
    {kTickRate, "doctor",
     "time stamps at {ghz:.6g} GHz ({source}), resolution {resolution_ns:.3g} ns",
     "The declared rate agrees with the system's clock, and a step takes up to 20 ns.",
     "DoctorClaims.NearMissesAreSilent"},
    {kTickRateWrong, "doctor",
     "{source} says {declared_ghz:.6g} GHz, the system's clock says {ghz:.6g} GHz",
     "The declared rate and the calibrated one differ by more than calibrating can be off.",
     "DoctorClaims.NearMissesAreSilent",
     "the system's clock is believed; nanoseconds may be off by the difference"},
    {kTickRateCoarse, "doctor",
     "time stamps at {ghz:.6g} GHz ({source}), resolution {resolution_ns:.3g} ns",
     "A step of the clock takes more than 20 ns.", "DoctorClaims.NearMissesAreSilent",
     "samples are made longer, so that a step of the clock is small against them"},
    {kTicksInvariant, "doctor", "the time-stamp counter runs at one rate whatever the core does",
     "The processor says so.", "DoctorClaims.NearMissesAreSilent"},
    {kTicksVary, "doctor", "the time-stamp counter may change its rate or stop",
     "The processor does not say that it does not.", "DoctorClaims.NearMissesAreSilent",
     "base frequency and nanoseconds cannot be trusted; cycles still hold, as each sample has its "
     "own reference"},
    {kIsolatedCpus, "doctor", "CPUs {cpus} are isolated from the scheduler: the best to measure on",
     "The system lists isolated CPUs.", "DoctorClaims.NearMissesAreSilent"},
    {kParkingUnknown, "doctor", "the system does not say whether it parks cores",
     "Windows: the power plan has no such setting.", "DoctorClaims.WordsOfWindowsAreTheirs"},
    {kNoParking, "doctor", "no core is parked", "Windows: 100 % of the cores stay unparked.",
     "DoctorClaims.WordsOfWindowsAreTheirs"},
    {kCoreParking, "doctor", "all but {percent:.0f} % of the cores may be parked while idle",
     "Windows: less than 100 % of the cores stay unparked.", "DoctorClaims.WordsOfWindowsAreTheirs",
     "a parked core needs a moment to begin; brackets reject what that spoils"},
    {kSystemClockStep, "doctor",
     "the system's clock has steps of {ns:.3g} ns; time stamps are calibrated against it",
     "Windows says so.", "DoctorClaims.WordsOfWindowsAreTheirs"},
    {kNoCallFilter, "doctor", "Windows has no filter for the system calls of a process",
     "Always on Windows.", "DoctorClaims.WordsOfWindowsAreTheirs",
     "instructions that make system calls are not run"},
    {kGpusSeen, "doctor", "{gpus}", "The driver lists them.", "GpuCheck.SaysWhatTheDriverSays"},
    {kNoGpu, "doctor", "the NVIDIA driver sees no GPU", "The driver lists none.",
     "GpuCheck.SaysWhatTheDriverSays"},
    {kNoGpuDriver, "doctor", "no NVIDIA driver, so no GPU is measured[: {reason}]",
     "The driver's library is not there, or this program cannot open it.",
     "GpuCheck.SaysWhatTheDriverSays"},
    {kGpuFailed, "doctor", "{reason}", "The driver is there and fails.",
     "GpuCheck.SaysWhatTheDriverSays", "GPUs cannot be measured"},
};

static_assert(std::size(kRules) == NamesOf(ClaimCode{}).size());
static_assert(std::ranges::equal(kRules, std::views::iota(std::size_t{0}, std::size(kRules)), {},
                                 [](const ClaimRule& rule) {
                                   return static_cast<std::size_t>(rule.code);
                                 }));

}  // namespace

std::span<const ClaimRule> ClaimRules() { return kRules; }

}  // namespace cyclescope
