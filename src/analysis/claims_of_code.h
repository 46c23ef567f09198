// Claims about code: instructions, snippets and loops, predictions, ports.
#pragma once

#include "analysis/claims.h"

namespace cyclescope::claim_tables {

using enum ClaimCode;

inline constexpr ClaimRule kClaimsOfCode[] = {
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
     "of their own, by intervals, with neither contended nor disturbed, and the form writes all of "
     "its destination.",
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
    {kNotOffered, "instruction",
     "this CPU or virtual machine does not offer it to programs: {reason}",
     "The worker ended with an illegal instruction, and the code holds none that ends programs by "
     "design.",
     "ConcludeTest.OnlyAnIllegalInstructionIsNotOffered"},
    {kFeatureNotOffered, "instruction",
     "'{instruction}' needs {features}, which is not offered here",
     "The instruction exists, and the system does not offer a feature that it needs.",
     "InstructionJobs.OnlyWhatLacksAFeatureIsNotOffered"},
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
    {kAvoidsLoops, "block",
     "only the ways through it that go around the loop{count:|s} inside of it at line{count:|s} "
     "{lines}, and do the same work: not the time of {count:that loop|those loops}",
     "A loop of a compiler's file has ways that pass no loop inside of it, and on these more "
     "instructions of their own than such a loop has.",
     "BlockPlanTest.LoopsThatAreAvoidedAreSaid"},
    {kLoopAround, "block",
     "the loop around it at line {line:.0f} has ways that do its work without it, with a row of "
     "their own: which of the two a program takes follows from its data",
     "The row of another loop of the file avoids this one.",
     "BlockPlanTest.LoopsThatAreAvoidedAreSaid"},
    {kEndOfLoopShows, "block",
     "the {trips:.0f} trips by which the two runs differ take {cycles:.0f} cycles: whether the end "
     "of the loop is predicted makes a difference, here as in a program (--trips for longer loops)",
     "A loop that counts its trips, and the cycles of the trips by which its runs differ are fewer "
     "than 20 mispredictions of 20 cycles.",
     "BlockPlanTest.OnlyInAShortLoopDoesItsEndShow"},
    {kRunsOverlap, "block",
     "where it makes few trips at a time[, as here with {instructions:.0f} instructions], its runs "
     "overlap: a core begins the next before this one is done, and what a trip takes depends on "
     "the "
     "code around it",
     "A loop that counts its trips is inside another one, or the trips by which its runs differ "
     "have fewer instructions than 512, the largest window of a core known here.",
     "BlockPlanTest.OnlyShortRunsOverlap"},
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
    {kNothingEndsLoop, "block",
     "nothing ends a loop of it: from its instruction {place:.0f} on, no way leads out",
     "The snippet did not end in time, and from an instruction that it jumps back to no way leads "
     "to its end. Where it jumps is all known from its code.",
     "BlockPlanTest.OnlyALoopWithoutAWayOutNeverEnds"},
    {kBoundFailed, "block", "the {bound} bound of {cycles:.2f} cycles does not hold: it takes less",
     "A bound is more than 2 % above the upper end of the measured interval.",
     "Bounds.WhatTakesLessThanABoundHasNone"},
    {kNoPrediction, "block", "llvm-mca: {reason}", "LLVM has no model that predicts the snippet.",
     "Predict.WhereThereIsAModelNothingIsMissing"},
    {kBoundByChain, "block", "bound by the chain {what}",
     "The largest bound is that of a chain, and the upper end of the time's interval is at most 8 "
     "% above it.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kBoundByResource, "block", "bound by what executes {what}",
     "The largest bound is one instruction's throughput, and the upper end of the time's interval "
     "is at most 8 % above it.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kBoundByIssue, "block", "bound by how many instructions start at once: {width:.0f} a cycle",
     "The largest bound is the width of the core, and the upper end of the time's interval is at "
     "most 8 % above it.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kAboveAllBounds, "block",
     "{excess:.2f} cycles more than any bound known here; nearest: {nearest}",
     "The lower end of the time's interval is more than 8 % above the largest bound.",
     "Bounds.ABoundIsNamedOnlyWhereItExplainsTheTime"},
    {kMispredictedBranch, "block",
     "data decide which way a branch goes, and it is mispredicted: how often follows from the data "
     "of a program and from what the predictor has learnt of them",
     "Random or few-valued data take more than 5 % longer than another kind, by intervals, and a "
     "branch inside of the loop depends on them.",
     "BlockWords.DataMatterOnlyByIntervalsThatLieApart"},
    {kMispredictedJump, "block",
     "data decide where a jump leads through its table, and it is mispredicted: how often follows "
     "from the data of a program and from what the predictor has learnt of them",
     "Random data take more than 5 % longer than constant data, by intervals, and the loop jumps "
     "through a table by what it reads.",
     "BlockWords.SayWhatDataMean"},
    {kWellPredicted, "block",
     "data decide which way a branch goes, and here it is predicted well: the same data come again "
     "and again, which those of a program may not",
     "A branch inside of the loop depends on data, and random ones take less than 2 cycles more "
     "than constant ones, a tenth of a misprediction, by intervals, and no kind of data is known "
     "to mispredict it.",
     "BlockWords.ABranchIsWellPredictedOnlyWhereItsDataCostNothing"},
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
     "the core and the throughput of every instruction are known, and the next bound is at least "
     "1.3 times lower.",
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
     "The interval of their ratio holds 1; of predictions, which have none, the ratio is within 2 "
     "%.",
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
    {kPortsNotFound, "ports", "the ports of '{instruction}' were not found",
     "The core's ports are known, and a search for those of the instruction has no result.",
     "InstructionRowsTest.PortsOfAModelAreNotMeasured"},
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
     "the model.",
     "PortsText.AmbiguousPortsAreNotCompared"},
};

}  // namespace cyclescope::claim_tables
