// The ports of a core, from the times of mixes alone. Pure: it is given what was measured so far,
// and answers with the map, or with the mixes that it needs next.
//
//   MixResults measured;
//   MapStep step = InferMap(forms, measured);
//   while (!step.wanted.empty()) {
//     for (const Mix& mix : step.wanted) measured[mix] = ...;  // with a reason if it has no value
//     step = InferMap(forms, measured);
//   }
//   step.map
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "ports/port_model.h"
#include "ports/set_search.h"

namespace cyclescope::ports {

// What a mix took, or why it is not known.
struct MixResult {
  std::optional<double> cycles;
  std::string why_not;            // for people: "it found no quiet moment"
  bool is_of_the_moment = false;  // there is none because of the moment: later there may be one
};
using MixResults = std::map<Mix, MixResult>;

// A core may close ports to vectors while it works on wider ones: beside 512 bits, Intel's have no
// vector unit on port 1.
enum class VectorKind { kNone, kNarrow, kWide };

struct MapClass {
  PortClass ports;
  std::vector<std::size_t> forms;  // the first stands for all
  VectorKind vectors = VectorKind::kNone;
  bool ambiguous = false;  // in other maps that fit as well it has other ports
};

struct CoreMap {
  double dispatch = 0;  // slots in a cycle
  std::vector<MapClass> classes;
  int other_solutions = 0;  // that fit about as well, and that no mix of these forms tells apart
  double misfit = 0;        // per mix; 1 is 3 % too long
  std::map<std::size_t, Claim> left_out;  // forms that are in no class, and why
  std::string why_none;                   // the reason where nothing was found

  bool is_found() const { return dispatch > 0 && !classes.empty(); }
  // True if these ports are known only by classes that are ambiguous.
  bool IsAmbiguous(PortSet ports) const;
};

// True if a mix of the two tells their ports. One that has a single port keeps it or waits.
bool CanBeMixed(VectorKind first, int first_width, VectorKind second, int second_width);

struct MapStep {
  std::vector<Mix> wanted;
  CoreMap map;  // complete when nothing is wanted
};

// Forms are numbered from 0; of each it is given which vectors it works on. Form 0 does nothing but
// take a slot.
MapStep InferMap(std::span<const VectorKind> forms, const MixResults& measured);

// Slots that a form takes, from a mix with form 0; the mix that tells it comes first.
Mix SlotsMix(std::size_t form, double cycles, double dispatch);
double SlotsFrom(const Mix& mix, double cycles, double dispatch);

}  // namespace cyclescope::ports
