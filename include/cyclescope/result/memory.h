// `cyclescope memory`: how far caches and memory are from a core, how much they hold, and how much
// passes at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"
#include "cyclescope/result/estimate.h"
#include "cyclescope/result/names.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

struct MemoryValue {
  double value = 0;
  double low = 0;
  double high = 0;
};

void Describe(auto& visit, Of<MemoryValue> auto& value) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryValue", "A measured value in the unit that the object's name has.");
  visit.Required("value", value.value, "The median, or what was read from a curve.", kNew);
  visit.Required("low", value.low,
                 "Lower end of the interval that covers the value at the document's confidence.",
                 kNew);
  visit.Required("high", value.high, "Upper end of the interval.", kNew);
}

// In which order the lines of a footprint are visited.
enum class ChaseOrder {
  kRandom,       // all lines in random order: every step needs another page
  kPageByPage,   // all lines of a page before the next page: translation is shared by many steps
  kLinePerPage,  // one line of each page: little data, many pages
};

constexpr auto NamesOf(ChaseOrder) { return Names("random", "page-by-page", "line-per-page"); }

enum class PageKind { kSmall, kHuge };

constexpr auto NamesOf(PageKind) { return Names("small", "huge"); }

struct MemoryPoint {
  std::int64_t bytes = 0;
  MemoryValue cycles;
  MemoryValue nanoseconds;
  double p10_ns = 0;
  double p90_ns = 0;
  int visits = 0;
  bool contended = false;
};

void Describe(auto& visit, Of<MemoryPoint> auto& point) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryPoint", "The latency of a load from a footprint of one size.");
  visit.Required("bytes", point.bytes, "The footprint: what the visited lines, or pages, span.",
                 kNew);
  visit.Required("cycles", point.cycles, "From one load to the next that needs its result.", kNew);
  visit.Required("ns", point.nanoseconds, "The same in nanoseconds.", kNew);
  visit.Always("p10_ns", point.p10_ns, "A tenth of the samples took less.", kNew);
  visit.Always("p90_ns", point.p90_ns, "A tenth of the samples took more.", kNew);
  visit.Always("visits", point.visits, "Apart in time and on different pages.", kNew);
  visit.Optional("contended", point.contended,
                 "Another thread shared the core while it was measured.", kNew);
}

struct MemoryCurve {
  ChaseOrder order = ChaseOrder::kRandom;
  PageKind pages = PageKind::kSmall;
  std::int64_t page_bytes = 0;
  double huge_share = 0;
  double contended_share = 0;
  std::vector<MemoryPoint> points;
};

void Describe(auto& visit, Of<MemoryCurve> auto& curve) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryCurve", "Latency over footprints of growing size.");
  visit.Required("order", curve.order, "In which lines were visited.", kNew);
  visit.Required("pages", curve.pages, "That were asked for.", kNew);
  visit.Always("page_bytes", curve.page_bytes, "Of such a page.", kNew);
  visit.Always("huge_share", curve.huge_share,
               "Of the memory, how much really lay in huge pages, by the system's own account.",
               kNew);
  visit.Optional("contended_share", curve.contended_share,
                 "Of all visits, the share in which another thread had a part of the core.", kNew);
  visit.Required("points", curve.points, "The smallest footprint first.", kNew);
}

struct MemoryLevel {
  std::string name;
  MemoryValue cycles;
  MemoryValue nanoseconds;
  std::optional<MemoryValue> capacity;
  bool contended = false;
  bool capacity_at_least = false;
  bool by_single_loads = false;
  std::optional<std::int64_t> claimed_bytes;
};

void Describe(auto& visit, Of<MemoryLevel> auto& level) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryLevel", "A cache or memory, as read from a curve.");
  visit.Required("name", level.name, "L1, L2, ..., memory.", kNew);
  visit.Required("cycles", level.cycles, "Of a load that it answers.", kNew);
  visit.Required("ns", level.nanoseconds, "The same in nanoseconds.", kNew);
  visit.Optional("capacity_bytes", level.capacity,
                 "The footprint that it and the levels before it hold. Absent for the last.", kNew);
  visit.Optional("contended", level.contended,
                 "It rests on footprints at which another thread shared the core, or which were "
                 "visited too seldom: a load may take less.",
                 kNew);
  visit.Optional("capacity_at_least", level.capacity_at_least,
                 "The footprints that decide where it ends were such: it holds this or more.",
                 kNew);
  visit.Optional("by_single_loads", level.by_single_loads,
                 "The curve does not show it, but the times of single loads do.", kNew);
  visit.Optional("claimed_bytes", level.claimed_bytes, "What the system says that it holds.", kNew);
}

struct TranslationLevel {
  PageKind pages = PageKind::kSmall;
  std::int64_t page_bytes = 0;
  MemoryValue reach;
  MemoryValue cycles;
  std::optional<std::int64_t> split_bytes;
};

void Describe(auto& visit, Of<TranslationLevel> auto& level) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("TranslationLevel",
               "A store of address translations (TLB), as read from a curve of one line per page.");
  visit.Required("pages", level.pages, "Whose addresses it holds.", kNew);
  visit.Always("page_bytes", level.page_bytes, "Of such a page.", kNew);
  visit.Required("entries", level.reach, "How many pages it holds.", kNew);
  visit.Required("cycles", level.cycles, "That a load takes longer beyond.", kNew);
  visit.Optional("split_bytes", level.split_bytes,
                 "A virtual machine's huge pages: it holds as many as pages of this size, in which "
                 "the host may map them.",
                 {.since = "0.3"});
}

enum class MemoryFindingKind {
  kSmallerCache,  // a level ends long before the system says
  kLargerCache,   // a level ends long after
  kNoSuchCache,   // the system claims a cache that was not seen
  kUnknownCache,  // a level was seen that the system does not list
  kEarlyMemory,   // footprints that the last cache should hold take as long as memory
};

constexpr auto NamesOf(MemoryFindingKind) {
  return Names("smaller-cache", "larger-cache", "no-such-cache", "unknown-cache", "early-memory");
}

struct MemoryFinding {
  MemoryFindingKind kind = MemoryFindingKind::kSmallerCache;
  std::string level;
  std::optional<double> found_bytes;
  std::optional<std::int64_t> claimed_bytes;
  std::optional<double> memory_ns;
  // Of a document that was read; `document` makes both from the figures.
  std::optional<Claim> claim;
  std::string text;
};

void Describe(auto& visit, Of<MemoryFinding> auto& finding) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryFinding", "Where the curve contradicts what the system says.");
  visit.Required("kind", finding.kind, "What contradicts.", kNew);
  visit.Required("level", finding.level, "Whom it is about.", kNew);
  visit.Optional(
      "found_bytes", finding.found_bytes,
      "Where it ends; of early-memory, the footprint from which on loads take as long as "
      "from memory.",
      kNew);
  visit.Optional("claimed_bytes", finding.claimed_bytes, "Where the system says that it ends.",
                 kNew);
  visit.Optional("memory_ns", finding.memory_ns, "Of early-memory: how long that is.", kNew);
  visit.Optional("claim", finding.claim, "The figures as a claim.", {.since = "0.3"});
  visit.Required("text", finding.text, "Its sentence.", kNew);
}

struct ParallelPoint {
  int chains = 0;
  MemoryValue nanoseconds;
  double in_flight = 0;
};

void Describe(auto& visit, Of<ParallelPoint> auto& point) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("ParallelPoint", "Several chains of loads at once.");
  visit.Required("chains", point.chains, "How many.", kNew);
  visit.Required("ns", point.nanoseconds, "Per load, all chains together.", kNew);
  visit.Required("in_flight", point.in_flight,
                 "Loads under way at a time: the latency of one over the time per load.", kNew);
}

struct MemoryParallelism {
  std::string level;
  std::int64_t bytes = 0;
  std::vector<ParallelPoint> points;
};

void Describe(auto& visit, Of<MemoryParallelism> auto& parallelism) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryParallelism", "How many loads one core keeps under way at a time.");
  visit.Required("level", parallelism.level, "That answers the loads.", kNew);
  visit.Required("bytes", parallelism.bytes, "The footprint.", kNew);
  visit.Required("points", parallelism.points, "One chain first.", kNew);
}

enum class BandwidthKind { kRead, kWrite, kCopy, kNonTemporal };

constexpr auto NamesOf(BandwidthKind) { return Names("read", "write", "copy", "non-temporal"); }

struct MemoryBandwidth {
  std::string level;
  std::int64_t bytes = 0;
  BandwidthKind kind = BandwidthKind::kRead;
  std::string instruction;
  int cpus = 1;
  MemoryValue gigabytes;
  bool contended = false;
};

void Describe(auto& visit, Of<MemoryBandwidth> auto& bandwidth) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryBandwidth", "How much goes to or from a level in a second.");
  visit.Required("level", bandwidth.level, "As in the levels.", kNew);
  visit.Required("bytes", bandwidth.bytes, "The footprint of each CPU.", kNew);
  visit.Required("kind", bandwidth.kind, "A copied byte counts twice.", kNew);
  visit.Always("instruction", bandwidth.instruction, "That moves the data.", kNew);
  visit.Required("cpus", bandwidth.cpus, "How many at once, each with memory of its own.", kNew);
  visit.Required("gb_per_s", bandwidth.gigabytes, "In 10^9 bytes, all of them together.", kNew);
  visit.Optional("contended", bandwidth.contended,
                 "Another thread shared the core: it is a lower bound.", kNew);
}

struct LoadedLatency {
  MemoryValue gigabytes;
  MemoryValue nanoseconds;
};

void Describe(auto& visit, Of<LoadedLatency> auto& loaded) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("LoadedLatency", "Memory's latency while other CPUs read from it.");
  visit.Required("gb_per_s", loaded.gigabytes, "What the others read.", kNew);
  visit.Required("ns", loaded.nanoseconds, "Of a load meanwhile.", kNew);
}

struct MemoryPlace {
  int cpu = 0;
  int node = 0;
  MemoryValue nanoseconds;
  MemoryValue gigabytes;
};

void Describe(auto& visit, Of<MemoryPlace> auto& place) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryPlace", "Memory of one NUMA node as one CPU sees it.");
  visit.Required("cpu", place.cpu, "As the system counts.", kNew);
  visit.Required("node", place.node, "As the system counts.", kNew);
  visit.Required("ns", place.nanoseconds, "Of a load.", kNew);
  visit.Required("gb_per_s", place.gigabytes, "That this CPU alone reads.", kNew);
}

// What is not plain about an access.
enum class AccessKind {
  kForwarding,  // a load of what was stored just before
  kLineSplit,   // it crosses the end of a cache line
  kPageSplit,   // it crosses the end of a page
};

constexpr auto NamesOf(AccessKind) { return Names("forwarding", "line-split", "page-split"); }

struct MemoryAccess {
  AccessKind kind = AccessKind::kForwarding;
  std::string text;
  int store_bytes = 0;
  int load_bytes = 0;
  bool vector = false;
  int distance = 0;
  Status status = Status::kMeasured;
  std::optional<Estimate> cycles;
};

void Describe(auto& visit, Of<MemoryAccess> auto& access) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryAccess",
               "A store, a load, or a load of what was stored just before, where it matters where "
               "they lie.");
  visit.Required("kind", access.kind, "What is not plain about it.", kNew);
  visit.Required("text", access.text, "The code that was measured, as `block` takes it.", kNew);
  visit.Optional("store_bytes", access.store_bytes, "Width of the store; 0: there is none.", kNew);
  visit.Optional("load_bytes", access.load_bytes, "Width of the load; 0: there is none.", kNew);
  visit.Optional("vector", access.vector, "The data is in a vector register.", kNew);
  visit.Optional("distance", access.distance,
                 "Forwarding: bytes from the store's first byte to the load's. Splits: bytes that "
                 "lie before the line's or page's end; 0: all of it lies behind, for comparison.",
                 kNew);
  visit.Required("status", access.status, "How the measuring ended.", kNew);
  visit.Beside("cycles", access.cycles,
               "From one result to the next where a load follows a store, per access otherwise; "
               "absent when not measured.");
}

struct MemoryGap {
  std::int64_t from_bytes = 0;
  MemoryValue cycles;
};

void Describe(auto& visit, Of<MemoryGap> auto& gap) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("MemoryGap", "Footprints at which loads show neither a cache nor memory.");
  visit.Required("from_bytes", gap.from_bytes, "The footprint that they begin at.", kNew);
  visit.Required("cycles", gap.cycles, "Of a load; its ends are too far apart for one level.",
                 kNew);
}

struct MemoryRow {
  int cpu = 0;
  std::optional<int> node;
  int line_bytes = 0;
  std::vector<MemoryCurve> curves;
  std::vector<MemoryLevel> levels;
  std::optional<MemoryGap> no_plateau;
  std::vector<TranslationLevel> translation;
  std::vector<MemoryFinding> findings;
  std::vector<MemoryParallelism> parallelism;
  std::vector<MemoryBandwidth> bandwidth;
  std::vector<LoadedLatency> loaded;
  std::vector<MemoryPlace> places;
  std::vector<MemoryAccess> accesses;
  std::vector<std::string> left_out;
  std::int64_t swapped_bytes = 0;
  bool partial = false;
  // Of a document that was read; `document` makes both from the rest.
  std::vector<Claim> claims;
  std::vector<std::string> notes;
};

void Describe(auto& visit, Of<MemoryRow> auto& row) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("MemoryRow", "Caches and memory as one CPU sees them.");
  visit.Required("cpu", row.cpu, "As the system counts.", kNew);
  visit.Optional("node", row.node, "The NUMA node whose memory it is, where one was asked for.",
                 kNew);
  visit.Always("line_bytes", row.line_bytes, "Of a cache line.", kNew);
  visit.Required("curves", row.curves, "Latency over footprints.", kNew);
  visit.Required("levels", row.levels, "What the curves tell, the nearest first.", kNew);
  visit.Optional("no_plateau", row.no_plateau, "Beyond these levels, where nothing is clear.",
                 {.since = "0.3"});
  visit.Optional("translation", row.translation, "Stores of address translations.", kNew);
  visit.Optional("findings", row.findings, "What contradicts the system.", kNew);
  visit.Optional("parallelism", row.parallelism, "One entry per level.", kNew);
  visit.Optional("bandwidth", row.bandwidth, "One entry per level, kind and number of CPUs.", kNew);
  visit.Optional("loaded", row.loaded, "The least load first.", kNew);
  visit.Optional("places", row.places,
                 "One entry per NUMA node that has memory and CPU that it was looked at from.",
                 kNew);
  visit.Optional("accesses", row.accesses, "What single accesses take that are not plain.", kNew);
  visit.Optional("left_out", row.left_out, "What there was no time for, or not enough.", kNew);
  visit.Optional("swapped_bytes", row.swapped_bytes,
                 "Of the memory that was visited, how much the system had swapped out: large "
                 "footprints then took longer than they should.",
                 kNew);
  visit.Optional("partial", row.partial, "Interrupted: what was measured until then.", kNew);
  visit.Optional("claims", row.claims,
                 "What a reader of the figures has to know: why some are not clear, ...",
                 {.since = "0.3"});
  visit.Optional("notes", row.notes, "The sentences of its claims.", {.since = "0.3"});
}

}  // namespace cyclescope
