#include "predict/pipeline_program.h"

#include <algorithm>

namespace cyclescope::predict {

PipelineProgram::PipelineProgram(const PipelineCore& core, const BlockProgram& program) {
  constexpr auto kScheduler = static_cast<std::size_t>(Window::kScheduler);
  std::vector<std::vector<Consumer>> waiting(program.uops.size());
  for (std::size_t uop = 0; uop < program.uops.size(); ++uop) {
    const Uop& each = program.uops[uop];
    FixedUop& fixed = uops.emplace_back();
    fixed.ports = each.ports;
    fixed.unit = each.unit;
    fixed.unit_milli = Milli(each.unit_cycles);
    fixed.done_cycles = std::max<Time>(1, std::llround(each.done_cycles));
    fixed.instruction = static_cast<int>(each.instruction);
    fixed.moves = each.moves;
    fixed.in_bank = core.loads_of_a_bank > 0 && each.reads;
    fixed.input_begin = static_cast<std::uint32_t>(inputs.size());
    for (const UopInput& input : each.inputs) {
      waiting[input.uop].push_back({uop, input.iterations, inputs.size(), input.behind_retirement});
      inputs.push_back(
          {WholeCycles(input.cycles), input.uop, input.iterations, input.behind_retirement});
      waits_to_retire |= input.behind_retirement;
      most_iterations = std::max(most_iterations, input.iterations);
    }
    fixed.input_end = static_cast<std::uint32_t>(inputs.size());
  }
  for (std::size_t uop = 0; uop < uops.size(); ++uop) {
    uops[uop].consumer_begin = static_cast<std::uint32_t>(consumers.size());
    consumers.insert(consumers.end(), waiting[uop].begin(), waiting[uop].end());
    uops[uop].consumer_end = static_cast<std::uint32_t>(consumers.size());
  }
  for (const ProgramInstruction& each : program.instructions) {
    FixedInstruction& fixed = instructions.emplace_back();
    fixed.slots_milli = Milli(each.slots);
    fixed.jumps = each.jumps;
    fixed.writes = each.writes;
    fixed.first_uop = static_cast<std::uint32_t>(each.first_uop);
    fixed.end_uop = static_cast<std::uint32_t>(each.first_uop + each.uops);
    for (std::size_t window = 0; window < kWindows; ++window)
      fixed.needs[window] = each.holds[window];
    fixed.needs[kScheduler] = 0;
    for (std::size_t uop = fixed.first_uop; uop < fixed.end_uop; ++uop)
      fixed.needs[kScheduler] += uops[uop].ports != 0 ? 1 : 0;
  }
}

}  // namespace cyclescope::predict
