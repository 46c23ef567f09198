#include "sandbox/control_block.h"

namespace cyclescope::sandbox {

RecordData ToData(const CallRecord& record) {
  return {.ticks = record.ticks,
          .cycles = record.cycles,
          .instructions = record.instructions,
          .reference_cycles = record.reference_cycles,
          .context_switches = record.context_switches,
          .looks = record.looks,
          .flags = static_cast<std::uint16_t>((record.counters_valid ? kCountersValid : 0) |
                                              (record.migrated ? kMigrated : 0))};
}

CallRecord FromData(const RecordData& data) {
  return {.ticks = data.ticks,
          .cycles = data.cycles,
          .instructions = data.instructions,
          .reference_cycles = data.reference_cycles,
          .context_switches = data.context_switches,
          .looks = data.looks,
          .counters_valid = (data.flags & kCountersValid) != 0,
          .migrated = (data.flags & kMigrated) != 0};
}

}  // namespace cyclescope::sandbox
