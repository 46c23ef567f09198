#include "sandbox/control_block.h"

namespace cyclescope::sandbox {

RecordData ToData(const CallRecord& record) {
  return {.ticks = record.ticks,
          .cycles = record.cycles,
          .instructions = record.instructions,
          .reference_cycles = record.reference_cycles,
          .context_switches = record.context_switches,
          .flags = (record.counters_valid ? std::uint32_t{kCountersValid} : 0) |
                   (record.migrated ? std::uint32_t{kMigrated} : 0)};
}

CallRecord FromData(const RecordData& data) {
  return {.ticks = data.ticks,
          .cycles = data.cycles,
          .instructions = data.instructions,
          .reference_cycles = data.reference_cycles,
          .context_switches = data.context_switches,
          .counters_valid = (data.flags & kCountersValid) != 0,
          .migrated = (data.flags & kMigrated) != 0};
}

}  // namespace cyclescope::sandbox
