// Claims about what a core is built of: caches, buffers and widths, LLVM's model of it; and a
// GPU.
#pragma once

#include "analysis/claims.h"

namespace cyclescope::claim_tables {

using enum ClaimCode;

inline constexpr ClaimRule kClaimsOfCores[] = {
    // ---- Caches and memory
    {kSmallerCache, "memory",
     "the system says {level} {claimed:bytes}, and this curve shows {found:bytes} of it: other "
     "work may hold the rest, or the host does not give it",
     "The interval of where the level ends lies below 0.8 of what the system says; neither level "
     "nor end is marked as unclear.",
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
     "or more, by their intervals.",
     "MemoryClaims.NearMissesAreNoFindings"},
    {kCoreWasShared, "memory",
     "the core was shared[ in up to {share:.0f} % of the visits][; {loads} may take less][; "
     "{rates} may be higher][; where ≥ stands, a {level} may hold more]",
     "A value is marked as not clear, and visits of curves or probes of rates and accesses were "
     "contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kSharingUnknown, "memory",
     "the self-check failed, and so it is not known when the core was shared[; {loads} may take "
     "less][; {rates} may be higher][; where ≥ stands, a {level} may hold more]",
     "Footprints are marked as not clear, and no visit was seen to be contended.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kTooFewVisits, "memory",
     "too few footprints of a level were visited three times or more[; {loads} may take less][; "
     "{rates} may be higher][; where ≥ stands, a {level} may hold more]",
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
     "they should",
     "The system counts swapped pages of the visited memory.",
     "MemoryWords.SayWhyOnlyWhereSomethingIsNotClear"},
    {kNoPlateau, "memory",
     "from {from:bytes} on a load takes {least:.3g} to {most:.3g} cycles, too wide a range to tell "
     "a cache from memory",
     "A level that may be a cache or memory, and is not the first: the interval of its latency "
     "spans more than a factor of two.",
     "MemoryClaims.AWideIntervalIsNoLevel"},
    // ---- Buffers and widths of a core
    {kKeptFree, "anatomy", "{fit:.0f} fit at once, {free:.0f} are kept free",
     "Of the reorder buffer, both the whole and what one thread has of it were seen.",
     "EntriesKeptFree.NoneWhereThePartIsFarFromTheHalf"},
    {kEndsWithWindow, "anatomy", "ends with the {window}",
     "As many fillers fit as the other window has entries for, by intervals.",
     "MarkBounds.ValuesThatEndAloneStay"},
    {kEndsBeforeOthers, "anatomy",
     "of other instructions {others:.0f} fit: something else ends this one",
     "By intervals, clearly more of another filler of the reorder buffer fit, which is not nop.",
     "MarkBounds.FillersOfTheReorderBufferThatEndNearEachOtherStay"},
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
     "0.05 cycles, or one of their states does.",
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
     "model has {model:cycles}",
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
};

}  // namespace cyclescope::claim_tables
