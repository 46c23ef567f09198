// Everything one run measured: the value model that experiments fill and reports read.
// docs/schema.md describes its JSON form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/anatomy.h"
#include "cyclescope/result/check.h"
#include "cyclescope/result/claim.h"
#include "cyclescope/result/clock.h"
#include "cyclescope/result/contention.h"
#include "cyclescope/result/cores.h"
#include "cyclescope/result/engine.h"
#include "cyclescope/result/fleet.h"
#include "cyclescope/result/frequency.h"
#include "cyclescope/result/gpu.h"
#include "cyclescope/result/host.h"
#include "cyclescope/result/hosts.h"
#include "cyclescope/result/instruction.h"
#include "cyclescope/result/memory.h"
#include "cyclescope/result/merged.h"
#include "cyclescope/result/ports.h"
#include "cyclescope/result/published.h"
#include "cyclescope/result/sweep.h"

namespace cyclescope {

// The version of the JSON form that this program writes, and what all versions begin with.
inline constexpr std::string_view kSchema = "cyclescope/1";
inline constexpr std::string_view kSchemaFamily = "cyclescope/";

struct Tool {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string llvm;
};

void Describe(auto& visit, Of<Tool> auto& tool) {
  visit.Struct("Tool", "The program that measured.");
  visit.Required("version", tool.version, "Of cyclescope.");
  visit.Optional("commit", tool.commit, "It was built from.");
  visit.Optional("compiler", tool.compiler, "It was built with.");
  visit.Optional("llvm", tool.llvm, "The version of LLVM in it.");
}

// Something that makes the numbers less than they should be. Each names the next step.
struct Warning {
  std::string code;
  std::string message;
  std::string hint;
  std::optional<Claim> claim = {};
};

void Describe(auto& visit, Of<Warning> auto& warning) {
  visit.Struct("Warning", "Something that makes the numbers less than they should be.");
  visit.Required("code", warning.code, "Short and stable: untrusted-reference, no-counters, ...");
  visit.Required("message", warning.message, "What is wrong.");
  visit.Optional("hint", warning.hint, "The next step.");
  visit.Optional("claim", warning.claim,
                 "Of a warning that says something of the machine: `message` is its sentence.",
                 {.since = "0.3"});
}

struct GivenOption {
  std::string name;
  std::string value;

  bool operator==(const GivenOption&) const = default;
};

void Describe(auto& visit, Of<GivenOption> auto& option) {
  visit.Struct("GivenOption", "An option of the command line.");
  visit.Required("name", option.name, "The long one, without dashes.");
  visit.Required("value", option.value, "Empty for an option that takes none.");
}

struct Config {
  std::string command;
  std::string started;
  double confidence = 0.95;
  std::vector<GivenOption> options;
};

void Describe(auto& visit, Of<Config> auto& config) {
  visit.Struct("Config", "What was asked for.");
  visit.Required("command", config.command, "frequency, cores, ...");
  visit.Optional("started", config.started, "UTC, ISO 8601.");
  visit.Always("confidence", config.confidence, "Of every interval in the document.");
  visit.Optional("options", config.options,
                 "As given. A list, since an option may be given twice.");
}

struct Document {
  std::string schema{kSchema};  // another version's only in a document that was read from a file
  std::string source;           // that file; empty for what was just measured. Not part of the JSON
  Tool tool;
  Host host;
  Clock clock;
  Config config;
  std::vector<Warning> warnings;
  bool partial = false;
  std::string failure;
  std::optional<Engine> engine;
  std::optional<Merged> merged;
  std::optional<BesidePublished> published;
  std::vector<Contention> contention;
  // Of a document that was read; `document` makes both from the rest.
  std::vector<Claim> highlights;
  std::vector<Claim> claims;

  std::vector<Check> doctor;
  std::vector<FrequencyRow> frequency;
  std::vector<InstructionRow> instructions;
  std::optional<SweepSummary> sweep;
  std::optional<PortMap> port_map;
  std::optional<Anatomy> anatomy;
  std::vector<BlockRow> blocks;
  std::vector<CoreMatrix> cores;
  std::vector<MemoryRow> memory;
  std::vector<GpuRow> gpu;
  std::optional<Fleet> fleet;
  std::optional<HostMatrix> hosts;
};

// All but `schema`, which says whether the rest is understood.
void Describe(auto& visit, Of<Document> auto& document) {
  visit.Struct("ResultDocument",
               "Everything that one run measured. Fields not listed here may appear in later "
               "versions and are to be ignored.");
  visit.Required("tool", document.tool, "The program that measured.");
  visit.Required("host", document.host, "The machine.");
  visit.Required("clock", document.clock, "Where ticks and cycles come from.");
  visit.Required("config", document.config, "What was asked for.");
  visit.Required("warnings", document.warnings, "What makes the numbers less than they should be.");
  visit.Optional("partial", document.partial, "Interrupted: what was measured until then.");
  visit.Optional("failure", document.failure,
                 "Why there is nothing more: the run failed, or it began and was never heard of "
                 "again.",
                 {.since = "0.2"});
  visit.Optional("engine", document.engine, "What started the run as one of many: Slurm, MPI.",
                 {.since = "0.2"});
  visit.Optional("merged", document.merged, "Which runs it was made of, by `merge`.",
                 {.since = "0.3"});
  visit.Optional("published", document.published,
                 "The machine beside the published one of its kind, of a survey.",
                 {.since = "0.3"});
  visit.Optional("contention", document.contention,
                 "One entry per CPU whose core was looked at for other threads.", {.since = "0.2"});
  visit.Optional("doctor", document.doctor, "What on this machine disturbs measuring.");
  visit.Optional("frequency", document.frequency, "One entry per CPU.");
  visit.Optional("instructions", document.instructions, "One entry per form.");
  visit.Optional("sweep", document.sweep, "What became of the opcodes that LLVM lists.");
  visit.Optional("port_map", document.port_map, "The ports of the core.", {.since = "0.2"});
  visit.Optional("anatomy", document.anatomy, "How the core is built.", {.since = "0.3"});
  visit.Optional("blocks", document.blocks, "One entry per snippet.");
  visit.Optional("cores", document.cores, "One entry per test.");
  visit.Optional("memory", document.memory, "One entry per CPU that was measured from.",
                 {.since = "0.2"});
  visit.Optional("gpu", document.gpu, "One entry per GPU.", {.since = "0.2"});
  visit.Optional("fleet", document.fleet, "Which of many machines are not like the others.",
                 {.since = "0.2"});
  visit.Optional("hosts", document.hosts, "Between every pair of hosts.", {.since = "0.2"});
  visit.Optional("highlights", document.highlights, "What is most worth knowing, at most three.",
                 {.since = "0.3"});
  visit.Optional("claims", document.claims,
                 "What follows from all rows together: where LLVM's model differs, pairs of "
                 "snippets, clocks, hosts.",
                 {.since = "0.3"});
}

// What the machine of a document is called among others: as the engine knows it, since the same
// machine may run several nodes and a container has a name of its own; else by the host's name.
inline const std::string& NodeName(const Document& document) {
  return document.engine && !document.engine->node.empty() ? document.engine->node
                                                           : document.host.name;
}

}  // namespace cyclescope
