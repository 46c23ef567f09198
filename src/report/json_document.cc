#include "report/json_document.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "result/names.h"

namespace cyclescope::json {

// An enumerator by its name; the complaint shows the wrong one.
template <typename Enum>
  requires std::is_enum_v<Enum>
static void Read(const Cursor& at, Enum& value) {
  std::string name;
  Read(at, name);
  if (const std::optional<Enum> parsed = ParseName<Enum>(name)) {
    value = *parsed;
  } else {
    at.Complain(fmt::format("is {}, which this version does not know", Shown(at.tree())));
  }
}

static void Read(const Cursor& at, Tool& tool) {
  at.Required("version", tool.version);
  at.Optional("commit", tool.commit);
  at.Optional("compiler", tool.compiler);
  at.Optional("llvm", tool.llvm);
}

static void Read(const Cursor& at, CpuPlace& place) {
  at.Required("cpu", place.cpu);
  at.Optional("core", place.core);
  at.Optional("l2", place.l2);
  at.Optional("cluster", place.cluster);
  at.Optional("l3", place.l3);
  at.Optional("die", place.die);
  at.Optional("package", place.package);
  at.Optional("numa", place.numa);
  at.Optional("kind", place.kind);
}

static void Read(const Cursor& at, Host& host) {
  at.Optional("name", host.name);
  at.Required("architecture", host.architecture);
  at.Required("cpu_model", host.cpu_model);
  at.Optional("cpu_vendor", host.cpu_vendor);
  at.Optional("microcode", host.microcode);
  at.Optional("kernel", host.kernel);
  at.Optional("system", host.system);
  at.Optional("hypervisor", host.hypervisor);
  at.Optional("cpus_online", host.cpus_online);
  at.Optional("cpus_allowed", host.cpus_allowed);
  at.Optional("cpus_isolated", host.cpus_isolated);
  at.Optional("governor", host.governor);
  at.Optional("turbo", host.turbo);
  at.Optional("smt", host.smt);
  at.Optional("huge_pages", host.huge_pages);
  at.Optional("load_1min", host.load_1min);
  at.Optional("features", host.features);
  at.Optional("topology", host.topology);
  at.Optional("topology_source", host.topology_source);
}

static void Read(const Cursor& at, JuryChain& chain) {
  at.Required("instruction", chain.instruction);
  at.Required("ratio", chain.ratio);
}

static void Read(const Cursor& at, Jury& jury) {
  at.Required("trusted", jury.trusted);
  at.Optional("verdict", jury.verdict);
  at.Optional("chains", jury.chains);
}

static void Read(const Cursor& at, Clock& clock) {
  at.Required("tick_hz", clock.tick_hz);
  at.Optional("tick_source", clock.tick_source);
  at.Optional("calibrated_tick_hz", clock.calibrated_tick_hz);
  at.Optional("invariant", clock.invariant);
  at.Optional("resolution_ns", clock.resolution_ns);
  at.Required("cycle_source", clock.cycle_source);
  at.Optional("cycle_source_reason", clock.cycle_source_reason);
  at.Optional("jury", clock.jury);
}

static void Read(const Cursor& at, std::pair<std::string, std::string>& option) {
  at.Required("name", option.first);
  at.Required("value", option.second);
}

static void Read(const Cursor& at, Config& config) {
  at.Required("command", config.command);
  at.Optional("started", config.started);
  at.Optional("confidence", config.confidence);
  at.Optional("options", config.options);
}

static void Read(const Cursor& at, Warning& warning) {
  at.Required("code", warning.code);
  at.Required("message", warning.message);
  at.Optional("hint", warning.hint);
}

static void Read(const Cursor& at, Check& check) {
  at.Required("name", check.name);
  at.Required("status", check.status);
  at.Required("finding", check.finding);
  at.Optional("effect", check.effect);
  at.Optional("remedy", check.remedy);
}

// The counterpart of the writer's AddEstimate: the fields stand in the object that `at` is.
static void ReadEstimate(const Cursor& at, std::string_view name, Estimate& estimate) {
  at.Required(name, estimate.value);
  at.Required("low", estimate.low);
  at.Required("high", estimate.high);
  at.Optional("kept", estimate.kept);
  at.Optional("rejected", estimate.rejected);
  at.Optional("two_modes", estimate.two_modes);
  at.Optional("disturbed", estimate.disturbed);
  at.Optional("end", estimate.end);
  at.Optional("samples", estimate.samples);
  if (estimate.low > estimate.high) {
    at.Complain(fmt::format("has low {} above high {}", estimate.low, estimate.high));
  }
}

static void Read(const Cursor& at, FrequencyRow& row) {
  at.Required("cpu", row.cpu);
  at.Optional("status", row.status);
  at.Optional("reason", row.reason);
  at.Required("base_ghz", row.base_ghz);
  at.Required("boost", row.boost);
  ReadEstimate(at, "core_ghz", row.core_ghz);
  at.Optional("cycle_source", row.cycle_source);
  at.Optional("jury_trusted", row.jury_trusted);
}

static void Read(const Cursor& at, Throughput& throughput) {
  ReadEstimate(at, "cycles", throughput.cycles);
  at.Optional("values", throughput.values);
  at.Optional("code", throughput.code);
}

static void Read(const Cursor& at, Latency& latency) {
  at.Required("from", latency.from);
  at.Required("to", latency.to);
  ReadEstimate(at, "cycles", latency.cycles);
  at.Required("kind", latency.kind);
  at.Optional("connector", latency.connector);
  at.Optional("values", latency.values);
  at.Optional("code", latency.code);
}

static void Read(const Cursor& at, ClassicRow& row) {
  at.Required("test", row.test);
  at.Required("cycles_per_instruction", row.cycles_per_instruction);
  at.Required("instructions_per_cycle", row.instructions_per_cycle);
  at.Required("instructions", row.instructions);
  at.Required("core_cycles", row.core_cycles);
  at.Required("ticks", row.ticks);
  at.Required("seconds", row.seconds);
  at.Required("boost", row.boost);
  at.Required("base_ghz", row.base_ghz);
  at.Required("core_ghz", row.core_ghz);
  at.Optional("reference_cycles", row.reference_cycles);
}

static void Read(const Cursor& at, ModelTiming& model) {
  at.Required("cpu", model.cpu);
  at.Optional("latency", model.latency);
  at.Optional("throughput", model.throughput);
}

void Read(const Cursor& at, InstructionRow& row) {
  at.Required("text", row.text);
  at.Required("opcode", row.opcode);
  at.Optional("mnemonic", row.mnemonic);
  at.Optional("isa", row.isa);
  at.Optional("heading", row.heading);
  at.Required("status", row.status);
  at.Optional("reason", row.reason);
  at.Optional("throughput", row.throughput);
  at.Optional("throughput_by_values", row.throughput_by_values);
  at.Optional("latency", row.latency);
  at.Optional("classic", row.classic);
  at.Optional("model", row.model);
  at.Optional("notes", row.notes);
}

static void Read(const Cursor& at, BlockRow& row) {
  at.Required("text", row.text);
  at.Optional("init", row.init);
  at.Required("status", row.status);
  at.Optional("reason", row.reason);
  // Its fields stand in the row itself: `cycles` tells whether there is an estimate.
  if (at.tree().is_object() && at.tree().contains("cycles")) {
    ReadEstimate(at, "cycles", row.cycles.emplace());
  }
  at.Optional("instructions", row.instructions);
  at.Optional("unroll", row.unroll);
  at.Optional("loop", row.loop);
  at.Optional("classic", row.classic);
  at.Optional("code", row.code);
}

static void Read(const Cursor& at, SweepSummary& sweep) {
  at.Required("opcodes", sweep.opcodes);
  at.Required("pseudos", sweep.pseudos);
  at.Required("duplicates", sweep.duplicates);
  at.Required("left_out", sweep.left_out);
  at.Required("not_reached", sweep.not_reached);
}

static void Read(const Cursor& at, CoreGroup& group) {
  at.Required("name", group.name);
  at.Required("level", group.level);
  at.Required("cpus", group.cpus);
  at.Optional("nanoseconds", group.nanoseconds);
  at.Optional("in_topology", group.in_topology);
}

static void Read(const Cursor& at, CoreFinding& finding) {
  at.Required("kind", finding.kind);
  at.Optional("cpus", finding.cpus);
  at.Optional("ns", finding.nanoseconds);
  at.Optional("compared_ns", finding.compared_ns);
  at.Optional("least_ns", finding.least_ns);
  at.Optional("most_ns", finding.most_ns);
  at.Optional("speed", finding.speed);
  at.Optional("ratio", finding.ratio);
  at.Optional("share", finding.share);
  at.Optional("pairs", finding.pairs);
  at.Optional("more", finding.more);
  at.Required("text", finding.text);
}

static void Read(const Cursor& at, CoreLevel& level) {
  at.Required("name", level.name);
  at.Required("ns", level.nanoseconds);
  at.Optional("low", level.low);
  at.Optional("high", level.high);
  at.Required("share", level.share);
}

static void Read(const Cursor& at, CoreSpectrum& spectrum) {
  at.Required("first_ns", spectrum.first_ns);
  at.Required("step", spectrum.step);
  at.Required("counts", spectrum.counts);
  at.Required("levels", spectrum.levels);
  if (at.fine() && (!(spectrum.first_ns > 0) || !(spectrum.step > 1))) {
    at.Complain("has bars of no width");
  }
}

static void Read(const Cursor& at, FloatingLevel& level) {
  at.Required("ns", level.nanoseconds);
  at.Required("share", level.share);
  at.Optional("residence_ms", level.residence_ms);
}

static void Read(const Cursor& at, CoreCanary& canary) {
  at.Required("first", canary.first);
  at.Required("second", canary.second);
  at.Required("checks", canary.checks);
  at.Required("least_ns", canary.least_ns);
  at.Required("most_ns", canary.most_ns);
  at.Optional("expected_ns", canary.expected_ns);
}

static void Read(const Cursor& at, ParallelCheck& check) {
  at.Required("pairs", check.pairs);
  at.Required("ratio", check.ratio);
}

static void Read(const Cursor& at, std::pair<int, int>& pair) {
  std::vector<int> cpus;
  Read(at, cpus);
  if (cpus.size() != 2) {
    return at.Complain(fmt::format("has {} values, 2 are needed", cpus.size()));
  }
  pair = {cpus[0], cpus[1]};
}

// One row per CPU, and as many values in each.
static void Read(const Cursor& at, PairMatrix& matrix) {
  const std::size_t size = at.tree().is_array() ? at.tree().size() : 0;
  // Every row is looked at before the matrix is made: a few bytes of text (a long list of empty
  // lists) must not ask for the square of their number.
  at.ForEach([size](const Cursor& row) {
    if (!row.tree().is_array()) return row.ComplainOfType("a list");
    if (row.tree().size() != size) {
      row.Complain(fmt::format("has {} values, {} are needed", row.tree().size(), size));
    }
  });
  if (!at.fine()) return;
  matrix = PairMatrix(size);
  std::size_t row_index = 0;
  at.ForEach([&](const Cursor& row) {
    std::size_t column_index = 0;
    row.ForEach([&](const Cursor& cell) { Read(cell, matrix.At(row_index, column_index++)); });
    ++row_index;
  });
}

static void Read(const Cursor& at, CoreFloating& floating) {
  at.Optional("residence_ms", floating.residence_ms);
  at.Optional("followed_ms", floating.followed_ms);
  at.Required("levels", floating.levels);
  at.Optional("visits", floating.visits);
}

// An optional matrix that is there has the size of the list of CPUs.
static void CheckSize(const Cursor& at, std::string_view name, const PairMatrix& matrix,
                      std::size_t cpus) {
  if (matrix.size() != 0 && matrix.size() != cpus) {
    at.Complain(fmt::format("lists {} CPUs, but {} has {} rows", cpus, name, matrix.size()));
  }
}

static void Read(const Cursor& at, CoreMatrix& cores) {
  at.Required("test", cores.test);
  at.Optional("instruction", cores.instruction);
  at.Required("cpus", cores.cpus);
  at.Optional("rounds", cores.rounds);
  at.Optional("stability", cores.stability);
  at.Optional("spectrum", cores.spectrum);
  at.Optional("floating", cores.floating);
  at.Optional("partial", cores.partial);
  at.Optional("disturbed", cores.disturbed);
  at.Optional("timed_out", cores.timed_out);
  at.Optional("batches_kept", cores.batches_kept);
  at.Optional("batches_rejected", cores.batches_rejected);
  at.Optional("seed", cores.seed);
  at.Optional("canary", cores.canary);
  at.Optional("parallel", cores.parallel);
  at.Optional("groups", cores.groups);
  at.Optional("findings", cores.findings);
  at.Required("nanoseconds", cores.nanoseconds);
  at.Optional("low", cores.low);
  at.Optional("high", cores.high);
  at.Optional("spread_within", cores.spread_within);
  at.Optional("spread_between", cores.spread_between);
  at.Optional("clock_offset", cores.clock_offset);
  if (!at.fine()) return;

  const std::size_t size = cores.cpus.size();
  if (std::set<int>(cores.cpus.begin(), cores.cpus.end()).size() != size) {
    at.Complain("lists a CPU twice");
  }
  if (cores.nanoseconds.size() != size) {
    at.Complain(
        fmt::format("lists {} CPUs, but nanoseconds has {} rows", size, cores.nanoseconds.size()));
  }
  CheckSize(at, "low", cores.low, size);
  CheckSize(at, "high", cores.high, size);
  CheckSize(at, "spread_within", cores.spread_within, size);
  CheckSize(at, "spread_between", cores.spread_between, size);
  CheckSize(at, "clock_offset", cores.clock_offset, size);
  if (cores.floating) {
    for (const PairMatrix& round : cores.floating->visits) CheckSize(at, "visits", round, size);
  }
  for (std::size_t row = 0; at.fine() && row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      if (cores.nanoseconds.At(row, column) < 0) {
        at.Complain(fmt::format("has nanoseconds[{}][{}] below zero", row, column));
      }
    }
  }
}

void Read(const Cursor& at, Document& document) {
  at.Required("tool", document.tool);
  at.Required("host", document.host);
  at.Required("clock", document.clock);
  at.Required("config", document.config);
  at.Required("warnings", document.warnings);
  at.Optional("partial", document.partial);
  at.Optional("doctor", document.doctor);
  at.Optional("frequency", document.frequency);
  at.Optional("instructions", document.instructions);
  at.Optional("sweep", document.sweep);
  at.Optional("blocks", document.blocks);
  at.Optional("cores", document.cores);
}

}  // namespace cyclescope::json
