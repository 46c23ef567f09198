// Sweeps over thousands of forms of simulated machines.
#include <fmt/format.h>

#include <utility>

#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_rows.h"
#include "document/testing/simulated_surveys.h"

namespace cyclescope::testing {

Document SweepDocument() {
  constexpr std::size_t kRows = 20'000;
  Noise noise;
  Document document = RentedMachine(2);
  document.config.command = "sweep";
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i % 23 == 22) {
      document.instructions.push_back(NotMeasured(fmt::format("msr s3_{}_c{}, x0", i % 7, i % 15),
                                                  fmt::format("MSR{}", i), Status::kPrivileged,
                                                  "only the kernel may execute it"));
      continue;
    }
    const SimulatedForm& form = SimulatedForms()[i % SimulatedForms().size()];
    InstructionRow row = SimulatedRow(form, noise);
    row.opcode = fmt::format("{}_{}", form.opcode, i / SimulatedForms().size());
    row.classic.clear();
    row.known_as.clear();
    document.instructions.push_back(std::move(row));
  }
  document.sweep = {.opcodes = static_cast<int>(kRows) + 1389, .pseudos = 1389};
  return document;
}

Document SiteMachine(int number, std::size_t forms) {
  Noise noise;
  Document document = TwoCpusDocument();
  document.host.name = fmt::format("node-{}", number + 1);
  document.source = document.host.name + ".json";
  document.instructions.clear();
  document.gpu.clear();
  document.config.command = "sweep";
  // Half of them say how their core is built.
  if (number % 2 == 0) document.anatomy = AnatomyDocument().anatomy;
  if (number % 2 == 0) document.blocks.front().predicted = BlockPrediction{.cycles = 1.75};
  for (std::size_t i = 0; i < forms; ++i) {
    const SimulatedForm& form = SimulatedForms()[i % SimulatedForms().size()];
    const auto place = static_cast<std::size_t>(number);
    if ((i + place) % 41 == 0) continue;  // it lacks some
    SimulatedForm own = form;
    if ((i + 7 * place) % 13 == 0) own.latency += 1;
    InstructionRow row = SimulatedRow(own, noise);
    const std::size_t variant = i / SimulatedForms().size();
    row.text = fmt::format("{}{} x{}, x{}, #{}", row.mnemonic, i % SimulatedForms().size(),
                           variant % 30, variant / 30 % 30, variant);
    row.throughput->cycles.samples.clear();
    for (Latency& pair : row.latency) pair.cycles.samples.clear();
    row.classic.clear();
    row.known_as.clear();
    document.instructions.push_back(std::move(row));
  }
  return document;
}

}  // namespace cyclescope::testing
