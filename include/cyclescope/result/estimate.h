// One measured value with the uncertainty it really has.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/describe.h"
#include "cyclescope/result/names.h"

namespace cyclescope {

// Why sampling ended.
enum class SamplingEnd {
  kPrecise,  // the interval became as narrow as asked for
  kBudget,   // time or samples ran out first
};

constexpr auto NamesOf(SamplingEnd) { return Names("precise", "budget"); }

// One of several steady values that the same code has, by where it lies and what ran before.
struct ValueState {
  double value = 0;
  double share = 0;

  bool operator==(const ValueState&) const = default;
};

void Describe(auto& visit, Of<ValueState> auto& state) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("ValueState", "One of several steady values that the same code has.");
  visit.Required("value", state.value, "In the unit of the value that it is a state of.", kNew);
  visit.Required("share", state.share, "Of the samples: 0 to 1.", kNew);
}

struct Estimate {
  double value = 0;  // the robust centre; the field that holds the Estimate names its unit
  double low = 0;
  double high = 0;
  int kept = 0;
  int rejected = 0;
  int visits = 1;
  bool two_modes = false;
  std::vector<ValueState> states;  // two or more, from the fastest on; else none
  bool disturbed = false;
  bool contended = false;
  SamplingEnd end = SamplingEnd::kPrecise;
  std::string like;
  std::vector<double> samples;
};

// What stands beside the value: all but the value itself.
void DescribeUncertainty(auto& visit, Of<Estimate> auto& estimate) {
  visit.Struct("Uncertainty",
               "How far a measured value can be trusted. Its fields stand beside it.");
  visit.Required("low", estimate.low,
                 "Lower end of the interval that covers the value at the document's confidence.");
  visit.Required("high", estimate.high, "Upper end of the interval.");
  visit.Always("kept", estimate.kept, "Samples behind the value.");
  visit.Always("rejected", estimate.rejected, "Samples dropped as disturbed.");
  visit.Always("visits", estimate.visits, "How many visits, apart in time, the value is made of.",
               {.since = "0.2"});
  visit.Always("contended", estimate.contended,
               "Another thread shared the core while it was measured: a latency has a wider "
               "interval, a throughput is an upper bound.",
               {.since = "0.2"});
  visit.Optional("two_modes", estimate.two_modes,
                 "The samples fall into several groups; the value is the largest group's centre.");
  visit.Optional("states", estimate.states,
                 "The centre and share of each group, where there are several.", {.since = "0.3"});
  visit.Optional("disturbed", estimate.disturbed,
                 "Too few samples survived: the value is a best estimate only.");
  visit.Optional("end", estimate.end,
                 "Why sampling ended: the interval became narrow enough, or time ran out. "
                 "Absent: precise.");
  visit.Optional("like", estimate.like,
                 "The form that it agreed with at its one visit, and whose interval it has.",
                 {.since = "0.2"});
  visit.Optional("samples", estimate.samples, "The kept samples, in the order taken.");
}

void Describe(auto& visit, Of<Estimate> auto& estimate) {
  visit.Struct("Estimate", "A measured value that has an object of its own.");
  visit.Beside("value", estimate, "The robust centre, in the unit that the object's name has.");
}

}  // namespace cyclescope
