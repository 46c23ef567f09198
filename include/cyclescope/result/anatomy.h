// `cyclescope anatomy`: how a core is built, from time alone. Every quantity is a row of one shape,
// whatever part of the core it is about, and carries the curve that it was read from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"
#include "cyclescope/result/estimate.h"
#include "cyclescope/result/names.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

// What a row is about. `cyclescope anatomy --parts` takes these names.
enum class AnatomyPart {
  kWindows,         // buffers and register files between dispatch and retirement
  kFrontEnd,        // fetch, decode, dispatch, branch prediction
  kElimination,     // moves and idioms that cost no port or no slot
  kFusion,          // pairs that go through the core as one
  kMemoryPipeline,  // what loads and stores do to each other
};

constexpr auto NamesOf(AnatomyPart) {
  return Names("windows", "front-end", "elimination", "fusion", "memory-pipeline");
}

struct AnatomyValue {
  double value = 0;
  double low = 0;
  double high = 0;

  bool operator==(const AnatomyValue&) const = default;
};

void Describe(auto& visit, Of<AnatomyValue> auto& value) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("AnatomyValue", "A measured quantity in the unit that its row names.");
  visit.Required("value", value.value, "The quantity.", kNew);
  visit.Required("low", value.low, "Lower end of its interval.", kNew);
  visit.Required("high", value.high, "Upper end of its interval.", kNew);
}

struct AnatomyPoint {
  double at = 0;
  double value = 0;
  bool shared = false;

  bool operator==(const AnatomyPoint&) const = default;
};

void Describe(auto& visit, Of<AnatomyPoint> auto& point) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("AnatomyPoint", "A point of the curve that a quantity was read from.");
  visit.Required("at", point.at, "What was varied, in the unit of the curve's `at_unit`.", kNew);
  visit.Required("value", point.value, "What was measured there, in its `value_unit`.", kNew);
  visit.Optional("shared", point.shared, "Another thread shared the core meanwhile.", kNew);
}

struct AnatomyCurve {
  std::string at_unit;
  std::string value_unit;
  std::vector<AnatomyPoint> points;
};

void Describe(auto& visit, Of<AnatomyCurve> auto& curve) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("AnatomyCurve", "What a quantity was read from.");
  visit.Required("at_unit", curve.at_unit, "Of what was varied: fillers, bytes, branches, ...",
                 kNew);
  visit.Required("value_unit", curve.value_unit, "Of what was measured: overlap, cycles, ...",
                 kNew);
  visit.Required("points", curve.points, "In the order of `at`.", kNew);
}

struct AnatomyRow {
  AnatomyPart part = AnatomyPart::kWindows;
  std::string name;
  std::string filler;
  std::string unit;
  Status status = Status::kMeasured;
  std::string reason;
  std::optional<AnatomyValue> value;
  bool at_least = false;
  std::optional<AnatomyValue> shared;
  std::vector<ValueState> states;
  bool contended = false;
  std::optional<Claim> claim;
  std::string note;
  std::vector<std::string> code;
  std::optional<AnatomyCurve> curve;
};

void Describe(auto& visit, Of<AnatomyRow> auto& row) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("AnatomyRow",
               "A quantity of a core. Part, name and filler together are its key: what fills a "
               "buffer decides what is seen of it.");
  visit.Required("part", row.part, "Of the core.", kNew);
  visit.Required("name", row.name, "Of the quantity: reorder buffer, loads, mispredict, ...", kNew);
  visit.Optional("filler", row.filler,
                 "The instructions, or the pattern, that it was measured with.", kNew);
  visit.Required("unit", row.unit, "Of its value: entries, cycles, per cycle, bytes, ...", kNew);
  visit.Required("status", row.status, "How measuring it ended.", kNew);
  visit.Optional("reason", row.reason, "Why there is no value.", kNew);
  visit.Optional("value", row.value, "Absent where nothing clear was seen.", kNew);
  visit.Optional("at_least", row.at_least,
                 "Something else ended first: it is this or more, not this.", kNew);
  visit.Optional("shared", row.shared,
                 "The same quantity while another thread shared the core, where it differs.", kNew);
  visit.Optional("states", row.states, "Where it has several steady values: each with its share.",
                 kNew);
  visit.Optional("contended", row.contended,
                 "It was never seen while no other thread used the core: it may be larger then.",
                 kNew);
  visit.Optional("claim", row.claim,
                 "What else is to be known of it, or why nothing clear was seen.", kNew);
  visit.Optional("note", row.note, "The sentence of that claim, beside a value.", kNew);
  visit.Optional("code", row.code, "What was run, where it was asked for.", kNew);
  visit.Optional("curve", row.curve, "What it was read from.", kNew);
}

struct AnatomyWidth {
  std::string name;
  std::string pattern;
  AnatomyValue per_cycle;
  bool at_least = false;
  bool contended = false;
};

void Describe(auto& visit, Of<AnatomyWidth> auto& width) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("AnatomyWidth", "How many a part of the core takes in a cycle.");
  visit.Required("name", width.name, "fetch, decode, dispatch, taken branches, ...", kNew);
  visit.Required("pattern", width.pattern, "What it was measured with.", kNew);
  visit.Required("per_cycle", width.per_cycle, "How many.", kNew);
  visit.Optional("at_least", width.at_least, "Something else limited it first.", kNew);
  visit.Optional("contended", width.contended,
                 "Another thread shared the core while it was measured.", kNew);
}

struct Anatomy {
  int cpu = 0;
  std::vector<AnatomyRow> rows;
  std::vector<AnatomyWidth> widths;
  double seconds = 0;
};

void Describe(auto& visit, Of<Anatomy> auto& anatomy) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("Anatomy", "How the core of one CPU is built.");
  visit.Required("cpu", anatomy.cpu, "As the system counts.", kNew);
  visit.Required("rows", anatomy.rows, "One entry per quantity and filler.", kNew);
  visit.Optional("widths", anatomy.widths,
                 "How many a cycle: what ports and blocks take the dispatch width from.", kNew);
  visit.Always("seconds", anatomy.seconds, "Time that it took.", kNew);
}

}  // namespace cyclescope
