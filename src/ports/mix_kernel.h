// The code of a mix: independent copies of several forms, interleaved.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "instructions/form.h"
#include "instructions/kernel.h"
#include "instructions/planner.h"
#include "ports/port_model.h"

namespace cyclescope::ports {

struct MixForm {
  instructions::Form form;
  // All sources that nothing writes are one register. A core has more pipes than its register files
  // have read ports, so that some forms run at full speed only like this; others are taken for an
  // idiom then (`vpxor x, y, y`).
  bool equal_sources = false;
  // Vector sources are the copy's own destination, which was written some copies before. A Neoverse
  // V1 reads vector registers that were not written lately at half speed, and an instruction with
  // three sources lets others grow cold, too.
  bool own_sources = false;
  // All copies access the same place. A core may read one place only twice in a cycle, and merge
  // stores to one place only.
  bool one_place = false;
};

// Why copies of it cannot stand in a mix; empty when they can.
std::string WhyNotInMix(const instructions::Form& form);

// True if copies of it can have their own destination as vector sources.
bool CanHaveOwnSources(const instructions::Form& form);

// How the parts of a mix stand: which µop is bound to which port depends on which comes first.
enum class MixOrder {
  kSpread,     // evenly
  kReversed,   // the same the other way round
  kTwoPasses,  // of two passes all of a part together
};

// The orders in which the mix is run; the shortest time counts.
std::vector<MixOrder> OrdersOf(const Mix& mix);

// Some passes of the mix; each instruction is a unit. Unset where there are not enough registers.
std::optional<instructions::Sequence> ArrangeMix(instructions::Planner& planner,
                                                 std::span<const MixForm> forms, const Mix& mix,
                                                 MixOrder order);

}  // namespace cyclescope::ports
