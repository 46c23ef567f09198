// The ports of this core, measured: mixes are run as the inference asks for them.
//
//   PortFinder finder(planner, runner, goes_on);
//   finder.FindMap(forms_of_the_map);
//   const std::size_t form = finder.Add(instruction);
//   std::optional<FormPorts> ports = finder.Find({form}).front();
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/work.h"
#include "instructions/planner.h"
#include "measure/runner.h"
#include "ports/core_map.h"
#include "ports/mix_kernel.h"
#include "ports/usage_search.h"

namespace cyclescope::ports {

class PortFinder {
 public:
  // What is given must outlive the finder.
  PortFinder(instructions::Planner& planner, measure::Runner& runner, GoesOn goes_on = {});

  // The map of the core, from forms of one µop as far as is known. Instructions that this CPU does
  // not have are passed over. Where cycles cannot be trusted there is no map.
  void FindMap(const std::vector<std::string>& texts);
  // The same with a map that is known: its forms, which are all that were added so far, are only
  // tried for how they run best. The first does nothing but take a slot.
  void UseMap(CoreMap map);
  const CoreMap& map() const { return map_; }

  // The number of the form in mixes; the same for the same text.
  std::size_t Add(const assembler::Instruction& instruction);
  // What each of them uses; those of the map, too. All are measured together. Unset where it was
  // cut short before everything that a form needs was measured.
  std::vector<std::optional<FormPorts>> Find(const std::vector<std::size_t>& forms);

  const std::vector<MixForm>& forms() const { return forms_; }
  const MixResults& measured() const { return measured_; }
  bool was_cut_short() const { return !MayGoOn(goes_on_); }

  // The code of a mix; unset where there are not enough registers.
  std::optional<instructions::Sequence> CodeOf(const Mix& mix, MixOrder order);

  // Cycles of mixes of forms, on a quiet core.
  void Measure(const std::vector<Mix>& mixes);

 private:
  // How copies of these forms run best, each alone.
  void ChooseArrangements(const std::vector<std::size_t>& forms);
  // Keeps what is set so for those mixes of one form that take less than `share` of the time then.
  void TryArrangement(const std::vector<Mix>& alone, bool MixForm::* arrangement, double share);
  Result<measure::Experiment> ExperimentOf(const Mix& mix, MixOrder order);
  // Mixes that found no quiet moment are as if they were never tried. Returns whether there were
  // any.
  bool ForgetDisturbed();
  // Clears the map and says why, where cycles cannot be trusted. Returns whether it did.
  bool ClearMapIfUntrusted();
  MixResult ResultOf(std::vector<measure::Measurement> orders) const;

  instructions::Planner& planner_;
  measure::Runner& runner_;
  GoesOn goes_on_;
  std::vector<MixForm> forms_;
  std::vector<std::string> refusals_;  // of each form; empty where it can be mixed
  CoreMap map_;
  MixResults measured_;
};

}  // namespace cyclescope::ports
