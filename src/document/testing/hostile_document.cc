#include <string>

#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_fleets.h"
#include "document/testing/simulated_surveys.h"

namespace cyclescope::testing {

Document HostileDocument() {
  const std::string evil =
      "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=2\">"
      "'\"`${window.hacked=3}&lt;b&gt;\u202e\x1b[2J__proto__";
  Document document = SurveyDocument();
  document.source = evil + ".json";
  document.tool = {.version = evil, .commit = evil, .compiler = evil, .llvm = evil};
  document.host.name = document.host.cpu_model = document.host.architecture = evil;
  document.host.microarchitecture = document.host.llvm_cpu = evil;
  document.host.hypervisor = document.host.governor = document.host.kernel = evil;
  document.host.features = {evil};
  document.host.topology[0].kind = evil;
  document.clock.cycle_source = "__proto__";
  document.clock.tick_source = document.clock.cycle_source_reason = evil;
  document.clock.self_check = SelfCheck{.trusted = false, .verdict = evil, .chains = {{evil, 1}}};
  document.config.command = document.config.started = evil;
  document.config.options = {{evil, evil}};
  document.warnings = {{.code = evil, .message = evil, .hint = evil}};
  for (Check& check : document.doctor) check.name = check.finding = check.remedy = evil;
  for (FrequencyRow& row : document.frequency) row.reason = evil;
  for (CoreMatrix& cores : document.cores) {
    cores.test = cores.instruction = evil;
    for (CoreGroup& group : cores.groups) group.name = evil;
    for (CoreFinding& finding : cores.findings) finding.text = evil;
  }
  for (MemoryRow& row : document.memory) {
    for (MemoryLevel& level : row.levels) level.name = evil;
    for (MemoryFinding& finding : row.findings) finding.level = evil;
    for (MemoryBandwidth& each : row.bandwidth) each.level = each.instruction = evil;
    for (MemoryParallelism& each : row.parallelism) each.level = evil;
  }
  for (InstructionRow& row : document.instructions) {
    row.text = row.opcode = row.mnemonic = row.isa = evil;
    row.reason = evil;
    if (!row.known_as.empty()) row.known_as = evil;
    row.notes = {evil};
    if (row.model) row.model->cpu = evil;
    if (row.throughput) row.throughput->code = evil;
    for (Latency& latency : row.latency) {
      latency.from = latency.to = latency.connector = latency.code = evil;
    }
  }
  for (BlockRow& block : document.blocks) block.text = block.init = block.code = evil;
  document.anatomy = AnatomyDocument().anatomy;
  for (AnatomyRow& row : document.anatomy->rows) {
    row.filler = row.unit = row.reason = row.note = evil;
    row.code = {evil};
    if (row.curve) row.curve->at_unit = row.curve->value_unit = evil;
    if (row.part != AnatomyPart::kWindows) row.name = evil;
  }
  for (AnatomyWidth& width : document.anatomy->widths) width.name = width.pattern = evil;
  document.port_map = AnatomyDocument().port_map;
  for (std::string& port : document.port_map->ports) port = evil;
  for (PortClassRow& row : document.port_map->classes) row.ports = row.forms = {evil};
  document.fleet = SmallFleet();
  for (FleetGroup& group : document.fleet->groups) {
    group.cpu_model = group.kernel = group.topology = evil;
    for (FleetMetric& metric : group.metrics) metric.name = metric.unit = evil;
  }
  for (FleetNode& node : document.fleet->nodes) {
    node.name = node.cause = evil;
    node.page = "javascript:window.hacked=4//.html";
    node.notes = node.sources = {evil};
    for (FleetDeviation& deviation : node.deviations) deviation.metric = deviation.unit = evil;
  }
  document.fleet->jobs[0].missing = document.hosts.emplace(SimulatedHosts(2)).hosts = {evil, evil};
  document.fleet->unread[0].reason = evil;
  document.failure = evil;
  return document;
}

}  // namespace cyclescope::testing
