#include "predict/forwarding.h"

#include "predict/memory_times.h"

namespace cyclescope::predict {
namespace {

bool IsLater(const MemoryLink& link, const Forwarding& known) {
  return link.iterations != known.iterations ? link.iterations < known.iterations
                                             : link.store > known.store;
}

// Unset where nothing is known of such a load: it begins elsewhere than the store.
std::optional<Forwarding> ForwardingOf(const MemoryTimes& times, const ModelledInstruction& store,
                                       const ModelledInstruction& load, const MemoryLink& link) {
  Forwarding found = {.store = link.store, .iterations = link.iterations};
  const bool of_vector = load.works_on_vectors();
  const Overlap overlap = {store.MemoryBits() / 8, load.MemoryBits() / 8, link.offset, of_vector};
  const bool knows_widths = overlap.store_bytes > 0 && overlap.load_bytes > 0;
  std::optional<double> measured;
  if (knows_widths) measured = times.ForwardingCycles(overlap);
  const bool is_changed = store.loads() && !of_vector;
  const double usual =
      is_changed ? times.changed_forwarding_cycles() : times.forwarding_cycles(of_vector);
  const bool is_at_begin = overlap.is_at_begin() || (link.offset == 0 && !knows_widths);
  if (!is_at_begin) {
    if (!measured && link.offset != 0) return std::nullopt;
    found.cycles = measured.value_or(usual);
    found.from_cache = !overlap.is_within();
    return found;
  }
  found.cycles = store.ForwardingCycles().value_or(usual);
  // A Golden Cove hands integers on in no time, unless an index is in the address, or none but
  // the instruction's own; and of eight bytes not the lower two.
  const bool is_plain = !store.works_on_vectors() && !of_vector && !store.HasIndex() &&
                        !load.HasIndex() && !store.IsRelative() && !load.IsRelative() &&
                        (!measured || times.IsRenamed(*measured));
  if (times.IsRenamed(found.cycles)) {
    found.renamed = is_plain;
    found.cycles = is_plain ? 0 : usual;
  }
  return found;
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
    const auto found = ForwardingOf(model.memory(), store, load, link);
    if (found) known = found;
  }
  return all;
}

}  // namespace cyclescope::predict
