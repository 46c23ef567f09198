#include "library/document_start.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "analysis/host_words.h"
#include "arch/architecture.h"
#include "assembler/target.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/version.h"
#include "os/cpus.h"
#include "os/engine.h"
#include "os/host.h"
#include "os/topology.h"

namespace cyclescope {
namespace {

Tool DescribeTool() {
  return {library::kVersion, library::kCommit, library::kCompiler, assembler::LlvmVersion()};
}

}  // namespace

std::string VersionText() {
  const Tool tool = DescribeTool();
  return fmt::format("cyclescope {} (commit {}, {}, {}, LLVM {})", tool.version, tool.commit,
                     arch::Name(), tool.compiler, tool.llvm);
}

std::string_view ArchitectureName() { return arch::Name(); }

Result<Document> DescribeRun(std::string_view command) { return library::StartDocument(command); }

namespace library {

namespace {

// LLVM's name, and the microarchitecture where the system's tables have none or the wrong one.
void NameCpu(Host& host) {
  const assembler::HostCpu cpu =
      assembler::FindHostCpu(*assembler::ParseArchitecture(host.architecture), host.features);
  host.llvm_cpu = cpu.name;
  std::string& shown = host.microarchitecture;
  if (!cpu.by_features.empty()) shown = MicroarchitectureByFeatures(cpu.by_features, shown);
  // LLVM's table may be newer than ours.
  if (shown.empty() && cpu.name != "generic") shown = cpu.name;
}

}  // namespace

std::vector<std::string> HostFeatures() { return arch::Features(os::ReadCapabilityWords()); }

Result<Document> StartDocument(std::string_view command, const std::string& topology) {
  Document document;
  document.tool = DescribeTool();
  document.host = os::DescribeHost();
  document.host.architecture = std::string(arch::Name());
  document.host.features = HostFeatures();
  NameCpu(document.host);
  document.engine = os::FindEngine();
  if (document.engine && document.engine->node.empty()) document.engine->node = document.host.name;
  document.host.cpus_allowed = TRY(os::AllowedCpus());

  std::optional<std::filesystem::path> recorded;
  if (!topology.empty()) recorded = topology;
  document.host.topology = TRY(os::ReadTopology(recorded));
  document.host.topology_source = recorded ? topology : "system";

  document.config.command = command;
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  document.config.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  return document;
}

}  // namespace library
}  // namespace cyclescope
