// Claims about machines: their clock, nodes of a fleet, latencies between cores, runs of one
// machine.
#pragma once

#include "analysis/claims.h"

namespace cyclescope::claim_tables {

using enum ClaimCode;

inline constexpr ClaimRule kClaimsOfMachines[] = {
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
    {kRateInDoubt, "clock", "the rate is in doubt by more than a tenth",
     "The interval of a CPU's rate is wider than a tenth of it, and no three steps of its clock "
     "explain four fifths of the time.",
     "MeasureFrequency.NoRateFollowsFromDisturbedSamples"},
    // ---- Nodes of a fleet
    {kTimeWithheld, "node",
     "the hypervisor withholds {percent:.0f} % of its time, where {usual:.0f} % is usual: its host "
     "has more to do than it can",
     "Stolen time deviates to the slower side.", "Cause.NearMissesHaveOtherCauses"},
    {kCoresShared, "node",
     "another thread shares its cores for {percent:.0f} % of the time, where {usual:.0f} % is "
     "usual: a co-tenant on the other hyperthread, or work of its own that should not run",
     "Time with a neighbour deviates to the slower side.", "Cause.NearMissesHaveOtherCauses"},
    {kSlowClock, "node", "its cores run at a lower frequency",
     "The clock of its typical core deviates to the slower side.",
     "Cause.NearMissesHaveOtherCauses"},
    {kSlowClockOfOneCore, "node", "at least one of its cores runs at a lower frequency",
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
     "memory setting",
     "Memory latency deviates to the slower side, core-to-core latency does not.",
     "Cause.NearMissesHaveOtherCauses"},
    {kLowBandwidth, "node",
     "less bandwidth, and no load was seen to take longer: fewer memory channels, slower modules, "
     "or others that use them",
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
     "its cores run at a higher frequency than those of nodes like it: another frequency "
     "setting, or a limit on the others",
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
    {kQuietHost, "node", "its host is quieter than those of nodes like it",
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
     "CPU, they answer each other within 21 ns, and the system lists them on different cores "
     "(`findings[].kind` is `shared-core`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kSplitCore, "machine",
     "CPUs {cpus} do not share a core, although the system says so[: {ns:.0f} ns between them, and "
     "a loop that needs a whole core runs at {speed:.0f} % of its speed on CPU {first:.0f} while "
     "CPU {second:.0f} runs it too]",
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
     "up to {percent:.0f} % longer at one time than at another]",
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
     "{usual:.1f} {unit}[ (and {more:.0f} more pair{more:|s} like it)]",
     "A pair, of at least ten of its group, stands 1.3 times above all but the few slowest, and "
     "its interval does (`findings[].kind` is `outlier`).",
     "FindFindings.NearMissesAreNoFindings"},
    {kParallelBias, "cores",
     "pairs measured at once take {percent:+.1f} % compared with {pairs:.0f} of them measured "
     "alone; run without --parallel for exact values",
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
};

}  // namespace cyclescope::claim_tables
