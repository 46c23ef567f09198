// The ports that any instruction uses, on a core whose map is known: mixes of one of it and many of
// a class show how many of its µops can go nowhere but to the ports of that class.
#pragma once

#include <optional>
#include <vector>

#include "cyclescope/result/claim.h"
#include "ports/core_map.h"
#include "ports/port_model.h"

namespace cyclescope::ports {

struct FormPorts {
  std::optional<double> cycles;  // of the form alone
  std::optional<double> slots;
  std::optional<Usage> usage;  // unset where nothing fits, or two things do
  // Alone it takes longer than its ports need, and waits for its own result: that is no divider.
  bool waits_for_itself = false;
  std::optional<Claim> not_explained;  // why
  double misfit = 0;                   // per mix
};

// What its text tells of a form.
struct FormTraits {
  // How many µops it may have beyond its slots: those that access memory can share a slot with
  // others.
  int most_fused = 0;
  // How many µops a slot may hold in any case: some cores divide instructions behind dispatch.
  int uops_in_slot = 1;
  // Copies of it depend on each other, whatever their registers: `mul` writes and reads rax.
  bool depends_on_itself = false;
  // What it stores may go by some of the ports that other instructions use, and these by more.
  bool only_stores = false;
  VectorKind vectors = VectorKind::kNone;
};

struct UsageStep {
  std::vector<Mix> wanted;
  FormPorts ports;  // complete when nothing is wanted
};

// `form` is its number in the mixes; numbers of the map's forms are those that the map was made of.
// A form of the map uses what its class says. Nothing is explained without a map, or while a mix
// that it needs has no value.
UsageStep InferUsage(const CoreMap& map, std::size_t form, const FormTraits& traits,
                     const MixResults& measured);

}  // namespace cyclescope::ports
