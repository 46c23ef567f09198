// How the clocks of CPUs move over time, for `frequency --watch`: a line for each round, a strip
// that grows, and what there was in all.
//
//   FrequencyStrip strip;
//   strip.Add(seconds, document.frequency);  // after each round
//   text = strip.LatestLine();               // or strip.Drawn(style) on a terminal
//   text = strip.Summary(style);             // at the end
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cyclescope/result/frequency.h"
#include "report/text_style.h"

namespace cyclescope {

class FrequencyStrip {
 public:
  void Add(double at_s, const std::vector<FrequencyRow>& rows);

  // The round added last: "   1.2 s  CPU 0 3.401 GHz, CPU 1 3.400 GHz contended,
  // CPU 2 no value (contended)".
  std::string LatestLine() const;
  // A line for each CPU: its rounds as bars from the lowest to the highest frequency that any had,
  // the latest at the right end.
  std::string Drawn(const TextStyle& style) const;
  // A line for each CPU: the range and the median of the rounds, and between which steps its clock
  // moved within them.
  std::string Summary(const TextStyle& style) const;
  int rounds() const { return rounds_; }

 private:
  struct Point {
    double ghz = 0;  // 0 where there was no value
    bool contended = false;
  };
  struct History {
    std::vector<Point> points;
    // By the nearest step in MHz: how many rounds' worth the clock was there, and at which rate.
    struct Step {
      double rounds = 0;
      double ghz_rounds = 0;  // the sum of rates, each as often as it was there
    };
    std::map<int, Step> steps;
  };

  double latest_s_ = 0;
  int rounds_ = 0;
  std::map<int, History> cpus_;
};

}  // namespace cyclescope
