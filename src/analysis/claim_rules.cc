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
     "ConcludeTest.PairsAreMissingOnlyWhereAChainIs"},
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
     "Copies with one destination take 0.8 cycles and a tenth more than copies with destinations "
     "of "
     "their own, by intervals, with neither contended nor disturbed, and the form writes all of "
     "its "
     "destination.",
     "ConcludeTest.SlowerWithOneDestinationIsAFalseDependence"},
    {kMergesDestination, "instruction",
     "waits for the old value of its destination, of which it keeps {kept}",
     "The same, of a form that leaves a part of its destination as it was (cvtsi2sd, a register of "
     "16 bits), or all of it where its source is zero (bsf).",
     "ConcludeTest.WhatAFormKeepsIsNoFalseDependence"},
    {kRepeats, "instruction", "it repeats {times:.0f} times (rcx)", "A repeat prefix.",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    {kLengthChangingPrefix, "instruction",
     "length-changing prefix: where it has to be decoded, that may take longer",
     "An operand-size prefix that changes the length of an immediate.",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    {kWithoutPrefix, "instruction", "without that prefix: '{text}'",
     "The assembler has a form of the same meaning without it.",
     "PlanForm.ALengthChangingPrefixIsNotedWithTheFormThatHasNone"},
    {kHypervisorAnswers, "instruction",
     "in a virtual machine the hypervisor answers it: its time is the hypervisor's, not the core's",
     "An instruction that always leaves a virtual machine (cpuid).",
     "Roles.RemarksAndReasonsAreTheInstructions"},
    {kLimitedByDecoder, "instruction",
     "with fillers between; {back_to_back:.2f} back to back, limited by: decoder",
     "Copies with fillers between them take less than 0.92 of copies back to back, by intervals "
     "(`limit` is `decoder`).",
     "FillersTest.IntervalsDecideAboutTheLimit"},
    {kLimitedByPipes, "instruction", "not limited by the decoder",
     "Copies with and without fillers take the same within 5 %, by both intervals, none of them "
     "contended or disturbed (`limit` is `pipes`).",
     "FillersTest.IntervalsDecideAboutTheLimit"},
    {kHiddenFeature, "instruction",
     "hidden by the {hider}: LLVM lists {features} for {cpu}, but programs may not use it here",
     "The system offers none of the features that the form lacks, and LLVM's description of the "
     "CPU has all of them.",
     "PlanSweep.EveryRowThatIsNotMeasuredHasAReason"},
    // ---- Snippets and loops
    {kOnePage, "block",
     "it touches {pages:.0f} pages at addresses that do not follow from its code: all of them are "
     "mapped to one page",
     "More pages appeared than get memory of their own.", "BlockPlanTest.NearMissesHaveNoClaims"},
    {kSetsBases, "block",
     "it overwrites registers that it uses as addresses: they are set again before each run, which "
     "takes {slots:.0f} slots",
     "A copy cannot follow another, since a base register no longer holds an address.",
     "BlockPlanTest.NearMissesHaveNoClaims"},
    {kLeavesEarly, "block",
     "with every kind of data that was tried, the loop ends before its counter does: cycles are "
     "those of a shorter run",
     "Every kind of data took an exit of the loop before the last trip.",
     "BlockPlanTest.NearMissesHaveNoClaims"},
    {kSetsStack, "block",
     "every other run would begin with a stack pointer that is no multiple of 16: it is set before "
     "each run, which takes a slot",
     "A copy moves the stack pointer by a distance that is no multiple of 16.",
     "Setups.SetTheStackBeforeEachCopyLastAndOnlyWhereItMovesByEights"},
    {kDataEndLoop, "block",
     "data decide when the loop ends, so it is measured as copies in a row: the branch of each "
     "leads to the next",
     "No register counts the trips of the loop.", "BlockPlanTest.ALoopMakesTwiceAsManyTrips"},
    {kNeverEndedByData, "block",
     "data may end the loop before its counter does: here they never do, and what a misprediction "
     "at such an end takes is not in it",
     "A counted loop has another exit, which was not taken.",
     "BlockPlanTest.AnExitThatIsNeverTakenIsSaid"},
    {kSameWay, "block",
     "not what a program takes where data decide about the branches: here they go the same way "
     "each time, and no misprediction is in it",
     "Copies of the loop follow each other, and a branch inside of it has two ways.",
     "BlockPlanTest.ALoopThatDataEndSaysThatItGoesOneWay"},
    {kAvoidsCalls, "block",
     "only the ways through it that call nothing: branches to {calls} are never taken here",
     "Some ways through a loop of a compiler's file call a function, and others do not.",
     "BlockPlanTest.CallsThatAreAvoidedAreSaid"},
    {kEndOfLoopShows, "block",
     "the {trips:.0f} trips by which the two runs differ take {cycles:.0f} cycles: whether the end "
     "of the loop is predicted makes a difference, here as in a program (--trips for longer loops)",
     "A loop that counts its trips, and the cycles of the trips by which its runs differ are fewer "
     "than 20 mispredictions of 20 cycles.",
     "BlockPlanTest.OnlyInAShortLoopDoesItsEndShow"},
    {kPlaceMatters, "block", "a linker decides what it takes, by where it puts the code: {places}",
     "A loop takes more than 5 % longer at one place of a line of 64 bytes than at another, by "
     "intervals that do not touch, and neither was measured on a shared core.",
     "BlockWords.PlacesMatterOnlyByIntervalsThatLieApart"},
    {kFastQuarter, "block",
     "its visits differ: this is what it takes when it is fast[; in {share:percent} of them it was "
     "slower, by {lost:.2f} cycles]",
     "The visits never agreed, and in some the longer kernel took more than 1 % longer than in the "
     "fast quarter of them.",
     "BlockPlanTest.VisitsOfOneSpeedDoNotDiffer"},
    {kMovesStack, "block",
     "it moves the stack pointer, which is a likely cause: the snippet runs many times in a row, "
     "so each run must leave the stack pointer as it was",
     "The snippet ended its worker, and a run of it leaves the stack pointer elsewhere.",
     "BlockPlanTest.ADeathNamesThePlaceInTheSnippet"},
    {kBoundFailed, "block", "the {bound} bound of {cycles:.2f} cycles does not hold: it takes less",
     "A bound is more than 2 % above the upper end of the measured interval.",
     "Bounds.WhatTakesLessThanABoundHasNone"},
    {kNoPrediction, "block", "llvm-mca: {reason}", "LLVM has no model that predicts the snippet.",
     "Predict.WhereThereIsAModelNothingIsMissing"},
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
    {kMispredictedBranch, "block",
     "data decide which way a branch goes, and it is mispredicted: how often follows from the data "
     "of a program and from what the predictor has learnt of them",
     "Random data take more than 5 % longer than constant data, by intervals, and a branch inside "
     "of the loop depends on them.",
     "BlockWords.DataMatterOnlyByIntervalsThatLieApart"},
    {kMispredictedJump, "block",
     "data decide where a jump leads through its table, and it is mispredicted: how often follows "
     "from the data of a program and from what the predictor has learnt of them",
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
     "The loop is bound by a chain of one instruction that adds to its own result, the width of "
     "the "
     "core and the throughput of every instruction are known, and the next bound is at least 1.3 "
     "times lower.",
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
     "{first} and {second}: not compared, since one of them has no value[ {whose}]",
     "One of the two has no value, or one of a shared core.",
     "BlockDifference.IntervalsThatTouchAreNoDifference"},
    {kLoopsAlike, "two blocks",
     "[by {basis}, ]{second} does not clearly differ from {first} in cycles per {unit} "
     "({second_cycles:.2f} and {first_cycles:.2f})",
     "The interval of their ratio holds 1; of predictions, which have none, the ratio is within "
     "2 %.",
     "BlockDifference.IntervalsThatTouchAreNoDifference"},
    {kLoopsDiffer, "two blocks",
     "[by {basis}, ]{second} takes {ratio:.2f} times the cycles per {unit} of {first} "
     "({second_cycles:.2f} and {first_cycles:.2f})",
     "The interval of their ratio does not hold 1; of predictions the ratio is beyond 2 %.",
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
     "taken branches bind[: {count:.0f} in an iteration]; without them {next:.2f} cycles would be "
     "left of each iteration",
     "The predicted time is at most 3 % above that of its taken branches, which is the largest "
     "bound.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedUnit, "prediction",
     "what executes {what} binds; without it {next:.2f} cycles are left",
     "The predicted time is at most 3 % above what copies of an instruction need of something that "
     "is no port, which is the largest bound.",
     "PredictBlock.NamesTheLargestBound"},
    {kPredictedWindow, "prediction",
     "all entries for {window} are in use: up to {cycles:.2f} cycles an iteration are lost to that",
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
    {kNoPortMap, "ports", "the core's ports were not found[: {reason}]",
     "The search for the core's ports has no result.", "UsageSearch.AMapOfOneClassIsAMap"},
    {kUnevenRate, "ports", "it takes {cycles:.3f} cycles, which is no whole number in a cycle",
     "The rate of copies of the form alone is more than 4 % above or 7 % below each whole number.",
     "CoreMap.FormsOutsideOfAllClassesAreNamed"},
    {kAsWideAsDispatch, "ports",
     "the core takes as many of it as it dispatches, so that ports do not show",
     "Copies of the form alone start as fast as the core dispatches.",
     "CoreMap.FormsOutsideOfAllClassesAreNamed"},
    {kSeveralSlots, "ports", "it takes {slots:.2f} slots, not one",
     "By a mix with fillers it takes half a slot more or less than one.",
     "CoreMap.FormsOutsideOfAllClassesAreNamed"},
    {kPortsOfTwoClasses, "ports", "it takes the ports of two classes at once",
     "Mixed with each of two classes of its width, it takes the time of one with the same ports.",
     "CoreMap.FormsOutsideOfAllClassesAreNamed"},
    {kNoOwnValue, "ports", "{reason}", "Copies of the form alone have no value.",
     "UsageSearch.TheValueOfAnotherFormIsNotMissed"},
    {kTooLongForPorts, "ports",
     "it takes too long to see its µops among others[: {cycles:.0f} cycles]",
     "Copies of the form take longer than mixes can show.", "UsageSearch.NearMissesAreExplained"},
    {kSlotsUnknown, "ports", "its slots could not be measured: {reason}",
     "The mix with fillers that counts its slots has no value.",
     "UsageSearch.NearMissesAreExplained"},
    {kMixWithoutValue, "ports", "a mix that it needs has no value: {reason}",
     "A mix with blockers has no value.", "UsageSearch.NothingIsExplainedWithoutAMixThatWasLost"},
    {kNoPortsFit, "ports",
     "no µops on the known ports give the times measured[ (off by {percent:.0f} % on average)]",
     "The best explanation misses the measured times by more than is allowed.",
     "UsageSearch.NearMissesAreExplained"},
    {kPortsTakeLonger, "ports",
     "the µops that explain the mixes need more cycles than it takes[: {needed:.2f}, not "
     "{cycles:.2f}]",
     "Ports, slots or its own unit need 15 % more than the upper end of the measured throughput.",
     "AreContradicted.WhereCopiesTakeLessThanTheirPortsNeed"},
    {kTwoPortSetsFit, "ports", "two sets of ports explain the times equally well",
     "Another explanation with no more µops fits as well.",
     "UsageSearch.TwoSetsFitOnlyInTheMiddleBetweenThem"},
    {kOtherPortMaps, "ports", "{maps:.0f} other map{maps:|s} explain{maps:s|} the times as well",
     "Other maps of the core fit all mixes.",
     "PortsText.SaysWhatElseExplainsOnlyWhereSomethingDoes"},
    {kPortsDiffer, "ports",
     "{different:.0f} of {compared:.0f} instructions have other ports than in LLVM's model",
     "The ports of both are known, and none of the measured ones is ambiguous or has no name in "
     "the "
     "model.",
     "PortsText.AmbiguousPortsAreNotCompared"},
    // ---- The reference clock
    {kCheckDisturbed, "clock",
     "the machine was too disturbed to compare the reference with other chains",
     "No sample of the chains was quiet.", "CoreWatch.OneQuietSampleIsNotTooDisturbed"},
    {kLinkIsCycle, "clock",
     "'{link}' takes one cycle: every other chain takes a whole number of it",
     "The chains take whole numbers of links, in the proportions of cores that are known.",
     "CoreWatch.ChanceMakesNoReference"},
    {kChainsDisagree, "clock",
     "too few samples of the chains agreed on how many cycles each of them takes",
     "The proportions of the chains vary.", "CoreWatch.ChainsDisagreeOnlyUntilTheyAreTrusted"},
    {kLinkIsNotCycle, "clock",
     "'{instruction}' takes {ratio:.3f} links of '{link}' where a whole number from {least:.0f} to "
     "{most:.0f} is expected: a link is not one cycle here",
     "A chain takes no whole number of links, or not one of those expected.",
     "CoreWatch.TheSelfCheckShowsWhatSettledIt"},
    {kUntrustedReference, "clock", "[CPU {cpus}: ]cycles cannot be trusted here: {verdict}",
     "The self-check of the reference clock failed, and cycles come from that clock.",
     "Instrument.HasNothingToSayOfAGoodClock"},
    {kCountersDisagree, "clock",
     "[CPU {cpus}: ]the counters see {counted:.3f} cycles in each link of '{link}', which takes "
     "one",
     "The self-check passed, and counters are off by more than 1 %.",
     "Instrument.HasNothingToSayOfAGoodClock"},
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
    // ---- What the values of a run suffer from
    {kValuesBesideOthers, "run",
     "another thread shared {core}[ (an independent add takes {shared:.2f} cycles meanwhile, "
     "instead of {quiet:.2f})][, and {waited:.1f} s of waiting did not help]: {contended:.0f} of "
     "{values:.0f} values may be {direction}",
     "Values are marked as contended.", "WarnOfContention.SaysNothingWhereNoValueIsContended"},
    {kTimeWithheldMeanwhile, "run",
     "the hypervisor withheld {stolen:.2f} s of the CPUs' time during {elapsed:.1f} s",
     "The system counts stolen time: more than 0.05 s, and more than 1 % of what the CPUs had "
     "together.",
     "StolenTimeWarning.AFewTicksSayNothing"},
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
     "PublishedWords.ATenthOfTheValuesMakesNoOtherMachine"},
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
     "Memory's plateau is clear, and clear footprints below 0.8 of the last cache take 0.8 of it "
     "or more.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kCoreWasShared, "memory",
     "the core was shared[ in up to {share:.0f} % of the visits][; {loads} may take less]"
     "[; {rates} may be higher][; where ≥ stands, a {level} may hold more]",
     "A value is marked as not clear, and visits of curves or probes of rates and accesses were "
     "contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kSharingUnknown, "memory",
     "the self-check failed, and so it is not known when the core was shared[; {loads} may take "
     "less][; {rates} may be higher][; where ≥ stands, a {level} may hold more]",
     "Footprints are marked as not clear, and no visit was seen to be contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kTooFewVisits, "memory",
     "too few footprints of a level were visited three times or more[; {loads} may take less]"
     "[; {rates} may be higher][; where ≥ stands, a {level} may hold more]",
     "A level is marked as not clear, and nothing that was measured was contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kSeenBySingleLoads, "memory",
     "{level}: the curve has no step for it, but the times of single loads tell it from the others",
     "The level was read from the times of single loads (`by_single_loads`).",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kTranslationReach, "memory",
     "translation: beyond {entries:.0f} pages of {page:bytes}[ ({low:.0f} – {high:.0f})], "
     "{reach:bytes}, a load takes {cycles:.3g} cycles more",
     "A curve of one line per page has a step that a curve of as many lines in few pages does not "
     "have.",
     "ReadTranslation.AStepThatDataExplainIsNone"},
    {kSplitTranslation, "memory",
     "translation: beyond {entries:.0f} pages of {page:bytes}[ ({low:.0f} – {high:.0f})], as many "
     "as of {part:bytes}, a load takes {cycles:.3g} cycles more: the host may map them in pages of "
     "{part:bytes}, so that they reach {least_reach:bytes} or {reach:bytes}",
     "The machine is virtual, and the intervals of the entries for huge and for small pages "
     "overlap.",
     "JudgeHugePages.OnlyHugePagesOfWhichAsManyFitAsOfSmallOnesAreMarked"},
    {kSwappedOut, "memory",
     "{swapped:bytes} of the visited memory were swapped out: large footprints took longer than "
     "they "
     "should",
     "The system counts swapped pages of the visited memory.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kNoPlateau, "memory",
     "from {from:bytes} on a load takes {least:.3g} to {most:.3g} cycles, too wide a range to tell "
     "a cache from memory",
     "The last level may be a cache or memory, and the interval of its latency spans more than a "
     "factor of two.",
     "MemoryClaims.AWideIntervalIsNoLevel"},
    // ---- Buffers and widths of a core
    {kKeptFree, "anatomy", "{fit:.0f} fit at once, {free:.0f} are kept free",
     "Of the reorder buffer, both the whole and what one thread has of it were seen.",
     "EntriesKeptFree.NoneWhereThePartIsFarFromTheHalf"},
    {kEndsWithWindow, "anatomy", "ends with the {window}",
     "As many fillers fit as the other window has entries for, by intervals.",
     "MarkBounds.ValuesThatEndAloneStay"},
    {kOneSizeSeen, "anatomy",
     "only one size was seen: if another thread used the core all of the time, the whole one is "
     "larger",
     "Cores of this kind may run several threads, and no filler showed a whole size and that of a "
     "part.",
     "FindWindows.FindsBothSizesWhereTheCoreIsSharedNowAndThen"},
    {kNopsShareEntries, "anatomy",
     "of other instructions {others:.0f} fit: several nop share an entry, and this is no size",
     "By intervals, a fifth more nop fit than of any filler that nothing else ends.",
     "MarkNops.AsManyAsOthersAreASize"},
    {kJumpTime, "anatomy", "{cycles:.2f} cycles a jump", "A store of branch targets was found.",
     "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kJumpTimeWithin, "anatomy", "{cycles:.1f} cycles a jump within",
     "A plateau of predicted indirect jumps was found.",
     "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kLineTimeBeyond, "anatomy", "{cycles:.1f} cycles a line beyond it",
     "The end of the first code cache was found.", "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kCodeSpeedWithin, "anatomy",
     "{per_cycle:.2f} instructions a cycle within, {bytes:.0f} bytes each",
     "The end of a store of decoded code was found.", "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kBranchTimes, "anatomy",
     "{random:.2f} cycles a random branch, {fixed:.2f} a fixed one; half of the random ones are "
     "mispredicted",
     "Random branches take clearly longer than fixed ones.",
     "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kCallTime, "anatomy", "{cycles:.1f} cycles a level",
     "The times of calls are one line: the return stack is at least as deep.",
     "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kCallTimeBeyond, "anatomy", "{cycles:.1f} cycles a level within, {beyond:.1f} beyond",
     "The times of calls are two lines: the return stack ends where they meet.",
     "FrontEndRows.WithoutAReadingThereIsAReason"},
    {kPortsNotScarce, "anatomy",
     "this mix is not limited by ports on this core, so it cannot show whether a port was saved",
     "The mix that should wait for ports takes no clearly longer time than the one that should "
     "not.",
     "Elimination.AMixThatIsJustScarceEnoughHasNoReason"},
    {kSlotsNotScarce, "anatomy",
     "this mix is not limited by slots, so it cannot show whether a slot was saved",
     "The mix that should wait for slots takes no clearly longer time than the one that should "
     "not.",
     "Elimination.AMixThatIsJustScarceEnoughHasNoReason"},
    {kTimesVary, "anatomy", "the times vary too much",
     "The interval of the share that was saved is wider than 0.5 to each side.",
     "Elimination.AMixThatIsJustScarceEnoughHasNoReason"},
    {kNoJumpSteps, "anatomy", "the times of jumps show no clear steps",
     "No store of branch targets was found.", "FrontEndRows.WithAReadingThereIsNoReason"},
    {kNoCodeEnd, "anatomy",
     "jumps with different distances do not get slower at the same number of bytes",
     "The end of the first code cache was not found.", "FrontEndRows.WithAReadingThereIsNoReason"},
    {kNoBranchPenalty, "anatomy", "random branches do not take clearly longer than fixed ones",
     "The difference of both is not clear.", "FrontEndRows.WithAReadingThereIsNoReason"},
    {kNoCallStep, "anatomy", "the times of calls lie neither on one line nor on two",
     "No depth of the return stack explains them.", "FrontEndRows.WithAReadingThereIsNoReason"},
    {kNoHistoryEnd, "anatomy", "the second branch is either never clearly predicted, or always",
     "No length of the branch history was found.", "FrontEndRows.WithAReadingThereIsNoReason"},
    {kNoIndirectPlateau, "anatomy", "there is no clear plateau of predicted jumps",
     "No number of indirect targets was found.", "FrontEndRows.WithAReadingThereIsNoReason"},
    {kVagueEnd, "anatomy", "it ends anywhere from {low:.0f} to {high:.0f}, which is no size",
     "The interval's higher end is more than twice the lower one.",
     "FrontEndRows.ASizeWithinAFactorOfTwoIsNotVague"},
    {kNoMissPlateau, "anatomy", "the number of misses at once reaches no steady value",
     "No number of fill buffers was found.", "ReadFillBuffers.IsReadAlsoWhereTheTimesVary"},
    {kNoWindowStep, "anatomy",
     "no clear step: the misses overlap too little, or the times vary too much",
     "The search for the window's end is over, and found none.",
     "FindWindows.FindsAllOfAQuietCore"},
    {kNeverAlone, "anatomy", "another thread shared the core most of the time",
     "The search ended early, and its probes or its witness window saw another thread in more than "
     "half of the visits.",
     "FindWindows.SaysThatTheCoreWasSharedOnlyWhereItWas"},
    {kEndedTooSoon, "anatomy", "the run ended before it was visited often enough",
     "The search ended early, and more than half of its visits were quiet, or there were none.",
     "FindWindows.SaysThatTheCoreWasSharedOnlyWhereItWas"},
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
    // ---- Two results
    {kValueDisturbed, "comparison", "{document} was disturbed[, {also} too]",
     "The value, or the status of its row, says so.", "Compare.SaysWhyItCannotTell"},
    {kValueOfSharedCore, "comparison", "{document} was measured on a shared core[, {also} too]",
     "The value is contended.", "Compare.SaysWhyItCannotTell"},
    {kValueOfUntrustedClock, "comparison",
     "{document} has cycles that cannot be trusted[, {also} too]",
     "Cycles come from the reference clock, whose self-check failed, and the value is one of "
     "cycles "
     "or of cycles in a second.",
     "Compare.CyclesOfAClockThatFailedDoNotChange"},
    {kValueTwoModes, "comparison", "{document} has two modes[, {also} too]",
     "Samples have two modes, and fewer than six visits tell which.",
     "Compare.SaysWhyItCannotTell"},
    {kValueCutShort, "comparison", "{document} was not measured to the end[, {also} too]",
     "The status of its row is not `measured`.", "Compare.SaysWhyItCannotTell"},
    {kValueUpperBound, "comparison", "{document} is an upper bound[, {also} too]",
     "The value is one, and the other is not equal.", "Compare.SaysWhyItCannotTell"},
    {kValueLowerBound, "comparison", "{document} is a lower bound[, {also} too]",
     "A window that something else ended first.", "Compare.SaysWhyItCannotTell"},
    {kValueUnclear, "comparison", "{document} is not clear[, {also} too]",
     "A level of memory is marked so.", "Compare.SaysWhyItCannotTell"},
    {kCpusMayMove, "comparison",
     "{document} has virtual CPUs, which the host may move[, {also} too]",
     "Latency between CPUs, under a hypervisor.", "Compare.SaysWhyItCannotTell"},
    {kWindowMayBeSplit, "comparison",
     "{document} may show only the part of the window that one thread has[, {also} too]",
     "A window of x86-64 of which only one size was seen.", "Compare.SaysWhyItCannotTell"},
    {kCurveInterrupted, "comparison", "{document} was interrupted[, {also} too]",
     "Measuring memory was.", "CompareCapacities.WhatIsNotClearIsNotJudged"},
    {kCurveOfSharedCore, "comparison",
     "{document} was measured while others used the core[, {also} too]",
     "A tenth of the visits of a curve was contended; or fewer, and the level is marked as not "
     "clear.",
     "CompareCapacities.WhatIsNotClearIsNotJudged"},
    {kLevelEndUnclear, "comparison", "{document} has no clear end of this level[, {also} too]",
     "The interval of its end spans more than a factor of two; or the level is marked as not "
     "clear, and no visit was contended.",
     "CompareCapacities.WhatIsNotClearIsNotJudged"},
    {kLevelCountDiffers, "comparison", "{document} shows another number of levels[, {also} too]",
     "The results have different numbers of levels.",
     "CompareCapacities.WhatIsNotClearIsNotJudged"},
    {kCacheShared, "comparison", "{document} may share this cache with other cores[, {also} too]",
     "The system lists others that share it, or it is the third or a later one.",
     "CompareCapacities.WhatIsNotClearIsNotJudged"},
    {kNoInterval, "comparison", "a result gives no interval", "One of the two has none.",
     "Compare.SaysWhyItCannotTell"},
    {kIntervalsOverlap, "comparison", "the intervals overlap",
     "They do, and do not exclude a change of the threshold.", "Compare.SaysWhyItCannotTell"},
    {kNearThreshold, "comparison", "the change may be above or below the threshold",
     "The intervals lie apart, and the change is below the threshold.",
     "Compare.SaysWhyItCannotTell"},
    {kSeveralStates, "comparison", "{document} has several states",
     "The other value is none of its states, and lies within 1.5 times their distance.",
     "Compare.OneRunMayShowAStateMoreOftenThanAnother"},
    {kRunsDiffer, "comparison", "two runs may differ as much",
     "The change is less than what runs of the same machine differ by.",
     "Compare.SaysWhyItCannotTell"},
    {kChanceOfMany, "comparison",
     "of {values:.0f} values judged at once, one may differ as much by chance",
     "The intervals lie apart, but not when widened for the number of values.",
     "Compare.OneOfManyMayDifferByChance"},
    {kSchemasDiffer, "comparison",
     "different schema versions: {which}; only what this version understands is compared",
     "The documents name different schemas.", "Compare.SaysWhatMakesDocumentsUnequal"},
    {kArchitecturesDiffer, "comparison",
     "different architectures: {which}; their instructions have nothing in common",
     "The hosts have different architectures.", "Compare.SaysWhatMakesDocumentsUnequal"},
    {kCpusDiffer, "comparison",
     "different CPUs: {which}; CPUs of the same number are compared, whatever their place",
     "The hosts have different CPUs.", "Compare.SaysWhatMakesDocumentsUnequal"},
    {kCycleSourcesDiffer, "comparison",
     "different cycle sources: {which}; cycles may differ by what the sources differ",
     "The documents name different sources.", "Compare.SaysWhatMakesDocumentsUnequal"},
    {kVersionsDiffer, "comparison",
     "different versions of cyclescope: {which}; a difference may come from a change of method",
     "The documents name different versions.", "Compare.SaysWhatMakesDocumentsUnequal"},
    {kAtomicsDiffer, "comparison",
     "different core-to-core instructions: {which}; a difference may come from the instruction",
     "The matrices name different instructions.", "Compare.SaysWhatMakesDocumentsUnequal"},
    {kNotComplete, "comparison", "{document} is not complete", "The document is partial.",
     "Compare.SaysWhatMakesDocumentsUnequal"},
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
     "the hypervisor may report a topology that the hardware does not have, and may pause the "
     "CPUs; "
     "groups of cores are found by measuring"},
    {kUserCounters, "doctor", "hardware counters can be read from user space (source counter-user)",
     "Opening and reading them worked.", "DoctorClaims.NearMissesAreSilent"},
    {kSystemCounters, "doctor",
     "hardware counters can be read by system call only (source counter): {reason}",
     "Opening them worked, reading them from user space did not.",
     "DoctorClaims.NearMissesAreSilent", "each read costs a system call; values stay exact"},
    {kNoCounters, "doctor", "no hardware counters: {reason}", "Opening them failed.",
     "DoctorClaims.NearMissesAreSilent",
     "cycles are counted by a chain of adds instead (source reference), and instructions by what "
     "the code was made of"},
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
     "unknown: the virtual machine reports one thread per core, which may not be true",
     "A virtual machine lists no two CPUs on one core.", "DoctorClaims.NearMissesAreSilent",
     "the check 'neighbour' measures whether another thread shares a core"},
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
    {kCachesListed, "doctor", "{caches}",
     "The system lists which CPUs share caches; no hypervisor.",
     "DoctorClaims.NearMissesAreSilent"},
    {kCachesOfVirtualMachine, "doctor", "the VM reports {caches}",
     "The system lists which CPUs share caches, under a hypervisor.",
     "DoctorClaims.NearMissesAreSilent",
     "other virtual machines on the host share the last cache, and all caches where they run on "
     "another thread of the core: `memory` shows how much is left"},
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
     "another thread shared the core during this check: {shares} ({where})",
     "On a CPU, the lower end of the interval of the share of contended probes is above 2 %.",
     "DoctorClaims.NearMissesAreSilent",
     "[independent adds take {contended:.2f} cycles each meanwhile, instead of {quiet:.2f}: "
     "]throughputs come out too high. cyclescope waits for quiet moments, and marks the values "
     "that had none as contended"},
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
    {kWindowWhole, "doctor",
     "CPU {cpu:.0f} had room for {loads_low:.0f} to {loads_high:.0f} loads at once every time",
     "Every visit found the whole window.", "JudgeWindow.AHalvedOneIsASignOfANeighbour"},
    {kWindowSplit, "doctor",
     "CPU {cpu:.0f} had room for {loads_low:.0f} to {loads_high:.0f} loads at once, but only for "
     "{part_low:.0f} to {part_high:.0f} during {percent:.0f} % of this check: another thread "
     "shared "
     "the core",
     "Visits found two sizes of the window, three times each, the smaller below 0.7 of the other.",
     "JudgeWindow.AWholeWindowIsFine",
     "two threads split the buffers of a core, so fewer misses overlap"},
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
