// Latencies between the CPUs of simulated machines.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "document/csv_matrix_reader.h"
#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_rows.h"
#include "document/testing/simulated_surveys.h"

namespace cyclescope::testing {
namespace {

Document CpusApart(double ns) {
  Document document = BareDocument();
  document.host.name = "near";
  document.host.hypervisor = "none";
  document.config.command = "cores";
  CoreMatrix& cores = document.cores.emplace_back();
  cores.test = "cas";
  cores.cpus = {0, 1};
  for (PairMatrix* matrix : {&cores.nanoseconds, &cores.low, &cores.high}) *matrix = PairMatrix(2);
  for (const auto& [row, column] : {std::pair(0, 1), std::pair(1, 0)}) {
    cores.nanoseconds.At(row, column) = ns;
    cores.low.At(row, column) = ns - 0.3;
    cores.high.At(row, column) = ns + 0.3;
  }
  return document;
}

Document TwoSockets(std::size_t cpus) {
  const std::size_t cores_in_all = cpus / 2;
  constexpr std::size_t kChiplet = 16;
  const std::size_t socket = cores_in_all / 2;
  Noise noise;
  Document document = RentedMachine(cpus);
  document.host.name = "two-sockets";
  document.host.cpu_model = "AMD EPYC 9965 192-Core Processor";
  document.host.microarchitecture = "Turin (Zen 5)";
  document.host.cpu_vendor = "AMD";
  document.memory.clear();
  document.host.hypervisor = "none";
  document.config.command = "cores";
  const auto core = [=](std::size_t cpu) { return cpu % cores_in_all; };
  for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
    document.host.topology.push_back({.cpu = static_cast<int>(cpu),
                                      .core = static_cast<int>(core(cpu)),
                                      .l3 = static_cast<int>(core(cpu) / kChiplet),
                                      .package = static_cast<int>(core(cpu) / socket),
                                      .numa = static_cast<int>(core(cpu) / socket),
                                      .kind = ""});
    document.frequency.push_back({.cpu = static_cast<int>(cpu),
                                  .reason = "",
                                  .base_ghz = 2.4,
                                  .boost = 1.5,
                                  .core_ghz = SimulatedEstimate(3.6 + noise(0.05), 0.002),
                                  .cycle_source = "counter",
                                  .self_check_passed = true});
  }
  document.cores.push_back(SimulatedMatrices(
      "cas", "lock cmpxchg", cpus,
      [&](std::size_t a, std::size_t b) {
        if (core(a) == core(b)) return 9.0;
        if (core(a) / kChiplet == core(b) / kChiplet) return 31.0;
        return core(a) / socket == core(b) / socket ? 115.0 : 240.0;
      },
      noise));
  CoreMatrix& cores = document.cores[0];
  for (std::size_t chiplet = 0; chiplet < cores_in_all / kChiplet; ++chiplet) {
    CoreGroup group;
    group.name = fmt::format("L3 {}", chiplet);
    group.level = 1;
    group.nanoseconds = 31;
    group.in_topology = true;
    for (std::size_t i = 0; i < kChiplet; ++i) {
      const int cpu = static_cast<int>(chiplet * kChiplet + i);
      group.cpus.push_back(cpu);
      group.cpus.push_back(cpu + static_cast<int>(cores_in_all));
    }
    cores.groups.push_back(group);
  }
  return document;
}

}  // namespace

Document NearCpusDocument() { return CpusApart(42); }
Document LaterNearCpusDocument() { return CpusApart(44); }

Document ManyCpusDocument() { return TwoSockets(768); }

Document ServerDocument() {
  Document document = TwoSockets(192);
  document.host.name = "server";
  return document;
}

Document BareMatrixDocument() {
  return ParseCsvMatrix(",,\n44.1,,\n45.0,43.9,\n", "published.csv").value();
}

}  // namespace cyclescope::testing
