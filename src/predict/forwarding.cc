#include "predict/forwarding.h"

namespace cyclescope::predict {
namespace {

bool IsLater(const MemoryLink& link, const Forwarding& known) {
  return link.iterations != known.iterations ? link.iterations < known.iterations
                                             : link.store > known.store;
}

}  // namespace

std::vector<std::optional<Forwarding>> FindForwarding(
    const CoreModel& model, std::span<const ModelledInstruction> instructions,
    std::span<const MemoryLink> links) {
  std::vector<std::optional<Forwarding>> all(instructions.size());
  for (const MemoryLink& link : links) {
    const ModelledInstruction& store = instructions[link.store];
    const ModelledInstruction& load = instructions[link.load];
    if (!store.stores() || !load.loads() || load.is_zero()) continue;
    std::optional<Forwarding>& known = all[link.load];
    if (known && !IsLater(link, *known)) continue;
    const double usual = model.memory().forwarding_cycles(load.works_on_vectors());
    Forwarding found = {.store = link.store, .iterations = link.iterations};
    found.cycles = store.ForwardingCycles().value_or(usual);
    // A Golden Cove hands integers on in no time, unless an index is in the address, or none but
    // the instruction's own.
    const bool is_plain = !store.works_on_vectors() && !load.works_on_vectors() &&
                          !store.HasIndex() && !load.HasIndex() && !store.IsRelative() &&
                          !load.IsRelative() && load.MemoryBits() <= store.MemoryBits();
    if (model.memory().IsRenamed(found.cycles)) {
      found.renamed = is_plain;
      found.cycles = is_plain ? 0 : usual;
    }
    known = found;
  }
  return all;
}

}  // namespace cyclescope::predict
