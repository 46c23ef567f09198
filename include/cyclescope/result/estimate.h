// One measured value with the uncertainty it really has.
#pragma once

#include <vector>

namespace cyclescope {

// Why sampling ended.
enum class SamplingEnd {
  kPrecise,  // the interval became as narrow as asked for
  kBudget,   // time or samples ran out first
};

struct Estimate {
  double value =
      0;  // the robust centre; its unit is in the name of the field that holds the Estimate
  double low = 0;  // the interval that covers the centre with the confidence named in Config
  double high = 0;
  int kept = 0;      // samples behind the value
  int rejected = 0;  // samples dropped as disturbed
  bool two_modes =
      false;  // the samples fall into two groups; the value is the larger group's centre
  bool disturbed = false;  // too few samples survived: the value is a best estimate only
  int visits = 0;          // looks, apart in time, that the samples come from
  bool contended = false;  // another thread shared the core meanwhile
  SamplingEnd end = SamplingEnd::kPrecise;
  std::vector<double> samples;  // the kept samples, in the order taken
};

}  // namespace cyclescope
