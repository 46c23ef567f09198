#include "report/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core_words.h"
#include "report/json_text.h"
#include "result/names.h"

namespace cyclescope {
namespace {

using Json = OrderedJson;

void AddText(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

void AddFlag(Json& json, const char* key, bool flag) {
  if (flag) json[key] = true;
}

template <typename T>
void AddList(Json& json, const char* key, const std::vector<T>& values) {
  if (!values.empty()) json[key] = values;
}

// An index that the system does not tell is -1 in the model and absent in the document.
void AddIndex(Json& json, const char* key, int index) {
  if (index >= 0) json[key] = index;
}

template <typename Rows, typename Convert>
void AddRows(Json& json, const char* key, const Rows& rows, Convert convert) {
  if (rows.empty()) return;
  Json& array = json[key] = Json::array();
  for (const auto& row : rows) array.push_back(convert(row));
}

// An estimate has no object of its own: its centre takes the name of what it is (`name`), and the
// rest stands beside it.
void AddEstimate(Json& json, const char* name, const Estimate& estimate) {
  json[name] = Rounded(estimate.value);
  json["low"] = Rounded(estimate.low);
  json["high"] = Rounded(estimate.high);
  json["kept"] = estimate.kept;
  json["rejected"] = estimate.rejected;
  AddFlag(json, "two_modes", estimate.two_modes);
  AddFlag(json, "disturbed", estimate.disturbed);
  if (estimate.end != SamplingEnd::kPrecise) json["end"] = ToString(estimate.end);
  AddRows(json, "samples", estimate.samples, Rounded);
}

Json ToolJson(const Tool& tool) {
  Json json = {{"version", tool.version}};
  AddText(json, "commit", tool.commit);
  AddText(json, "compiler", tool.compiler);
  AddText(json, "llvm", tool.llvm);
  return json;
}

Json PlaceJson(const CpuPlace& place) {
  Json json = {{"cpu", place.cpu}};
  AddIndex(json, "core", place.core);
  AddIndex(json, "l2", place.l2);
  AddIndex(json, "cluster", place.cluster);
  AddIndex(json, "l3", place.l3);
  AddIndex(json, "die", place.die);
  AddIndex(json, "package", place.package);
  AddIndex(json, "numa", place.numa);
  AddText(json, "kind", place.kind);
  return json;
}

Json HostJson(const Host& host) {
  Json json = {
      {"name", host.name}, {"architecture", host.architecture}, {"cpu_model", host.cpu_model}};
  AddText(json, "cpu_vendor", host.cpu_vendor);
  AddText(json, "microcode", host.microcode);
  AddText(json, "kernel", host.kernel);
  AddText(json, "system", host.system);
  AddText(json, "hypervisor", host.hypervisor);
  json["cpus_online"] = host.cpus_online;
  AddList(json, "cpus_allowed", host.cpus_allowed);
  AddList(json, "cpus_isolated", host.cpus_isolated);
  AddText(json, "governor", host.governor);
  if (host.turbo) json["turbo"] = *host.turbo;
  if (host.smt) json["smt"] = *host.smt;
  AddText(json, "huge_pages", host.huge_pages);
  json["load_1min"] = Rounded(host.load_1min);
  AddList(json, "features", host.features);
  AddRows(json, "topology", host.topology, PlaceJson);
  AddText(json, "topology_source", host.topology_source);
  return json;
}

Json JuryJson(const Jury& jury) {
  Json json = {{"trusted", jury.trusted}};
  AddText(json, "verdict", jury.verdict);
  AddRows(json, "chains", jury.chains, [](const JuryChain& chain) {
    return Json{{"instruction", chain.instruction}, {"ratio", Rounded(chain.ratio)}};
  });
  return json;
}

Json ClockJson(const Clock& clock) {
  Json json = {{"tick_hz", Exact(clock.tick_hz)}};
  AddText(json, "tick_source", clock.tick_source);
  json["calibrated_tick_hz"] = Exact(clock.calibrated_tick_hz);
  json["invariant"] = clock.invariant;
  json["resolution_ns"] = Rounded(clock.resolution_ns);
  json["cycle_source"] = clock.cycle_source;
  AddText(json, "cycle_source_reason", clock.cycle_source_reason);
  if (!clock.jury.chains.empty()) json["jury"] = JuryJson(clock.jury);
  return json;
}

Json ConfigJson(const Config& config) {
  Json json = {{"command", config.command}};
  AddText(json, "started", config.started);
  json["confidence"] = Rounded(config.confidence);
  // A list and not an object, since an option may be given twice.
  AddRows(json, "options", config.options, [](const std::pair<std::string, std::string>& option) {
    return Json{{"name", option.first}, {"value", option.second}};
  });
  return json;
}

Json WarningJson(const Warning& warning) {
  Json json = {{"code", warning.code}, {"message", warning.message}};
  AddText(json, "hint", warning.hint);
  return json;
}

Json CheckJson(const Check& check) {
  Json json = {
      {"name", check.name}, {"status", ToString(check.status)}, {"finding", check.finding}};
  AddText(json, "effect", check.effect);
  AddText(json, "remedy", check.remedy);
  return json;
}

Json FrequencyJson(const FrequencyRow& row) {
  Json json = {{"cpu", row.cpu}, {"status", ToString(row.status)}};
  AddText(json, "reason", row.reason);
  json["base_ghz"] = Rounded(row.base_ghz);
  json["boost"] = Rounded(row.boost);
  AddEstimate(json, "core_ghz", row.core_ghz);
  AddText(json, "cycle_source", row.cycle_source);
  json["jury_trusted"] = row.jury_trusted;
  return json;
}

Json ThroughputJson(const Throughput& throughput) {
  Json json;
  AddEstimate(json, "cycles", throughput.cycles);
  AddText(json, "values", throughput.values);
  AddText(json, "code", throughput.code);
  return json;
}

Json LatencyJson(const Latency& latency) {
  Json json = {{"from", latency.from}, {"to", latency.to}};
  AddEstimate(json, "cycles", latency.cycles);
  json["kind"] = ToString(latency.kind);
  AddText(json, "connector", latency.connector);
  AddText(json, "values", latency.values);
  AddText(json, "code", latency.code);
  return json;
}

Json ClassicJson(const ClassicRow& row) {
  Json json = {{"test", row.test},
               {"cycles_per_instruction", Rounded(row.cycles_per_instruction)},
               {"instructions_per_cycle", Rounded(row.instructions_per_cycle)},
               {"instructions", Exact(row.instructions)},
               {"core_cycles", Exact(row.core_cycles)},
               {"ticks", Exact(row.ticks)},
               {"seconds", Rounded(row.seconds)},
               {"boost", Rounded(row.boost)},
               {"base_ghz", Rounded(row.base_ghz)},
               {"core_ghz", Rounded(row.core_ghz)}};
  if (row.reference_cycles) json["reference_cycles"] = Exact(*row.reference_cycles);
  return json;
}

Json ModelJson(const ModelTiming& model) {
  Json json = {{"cpu", model.cpu}};
  if (model.latency) json["latency"] = Rounded(*model.latency);
  if (model.throughput) json["throughput"] = Rounded(*model.throughput);
  return json;
}

Json InstructionJson(const InstructionRow& row) {
  Json json = {{"text", row.text}, {"opcode", row.opcode}};
  AddText(json, "mnemonic", row.mnemonic);
  AddText(json, "isa", row.isa);
  AddText(json, "heading", row.heading);
  json["status"] = ToString(row.status);
  AddText(json, "reason", row.reason);
  if (row.throughput) json["throughput"] = ThroughputJson(*row.throughput);
  AddRows(json, "throughput_by_values", row.throughput_by_values, ThroughputJson);
  AddRows(json, "latency", row.latency, LatencyJson);
  AddRows(json, "classic", row.classic, ClassicJson);
  if (row.model) json["model"] = ModelJson(*row.model);
  AddList(json, "notes", row.notes);
  return json;
}

Json SweepJson(const SweepSummary& sweep) {
  return {{"opcodes", sweep.opcodes},
          {"pseudos", sweep.pseudos},
          {"duplicates", sweep.duplicates},
          {"left_out", sweep.left_out},
          {"not_reached", sweep.not_reached}};
}

Json BlockJson(const BlockRow& row) {
  Json json = {{"text", row.text}};
  AddText(json, "init", row.init);
  json["status"] = ToString(row.status);
  AddText(json, "reason", row.reason);
  if (row.cycles) AddEstimate(json, "cycles", *row.cycles);
  json["instructions"] = row.instructions;
  json["unroll"] = row.unroll;
  json["loop"] = row.loop;
  AddRows(json, "classic", row.classic, ClassicJson);
  AddText(json, "code", row.code);
  return json;
}

Json GroupJson(const CoreGroup& group) {
  return {{"name", group.name},
          {"level", group.level},
          {"cpus", group.cpus},
          {"nanoseconds", Rounded(group.nanoseconds)},
          {"in_topology", group.in_topology}};
}

Json FindingJson(const CoreMatrix& matrix, const CoreFinding& finding) {
  Json json = {{"kind", ToString(finding.kind)}, {"cpus", finding.cpus}};
  const auto add = [&json](const char* key, const std::optional<double>& figure) {
    if (figure) json[key] = Rounded(*figure);
  };
  add("ns", finding.nanoseconds);
  add("compared_ns", finding.compared_ns);
  add("least_ns", finding.least_ns);
  add("most_ns", finding.most_ns);
  add("speed", finding.speed);
  add("ratio", finding.ratio);
  add("share", finding.share);
  if (finding.pairs != 0) json["pairs"] = finding.pairs;
  if (finding.more != 0) json["more"] = finding.more;
  json["text"] = FindingText(matrix, finding);
  return json;
}

Json SpectrumJson(const CoreSpectrum& spectrum) {
  Json json = {{"first_ns", Rounded(spectrum.first_ns)},
               {"step", Rounded(spectrum.step)},
               {"counts", spectrum.counts}};
  Json& levels = json["levels"] = Json::array();
  for (const CoreLevel& level : spectrum.levels) {
    levels.push_back({{"name", level.name},
                      {"ns", Rounded(level.nanoseconds)},
                      {"low", Rounded(level.low)},
                      {"high", Rounded(level.high)},
                      {"share", Rounded(level.share)}});
  }
  return json;
}

Json CanaryJson(const CoreCanary& canary) {
  return {{"first", canary.first},
          {"second", canary.second},
          {"checks", canary.checks},
          {"least_ns", Rounded(canary.least_ns)},
          {"most_ns", Rounded(canary.most_ns)},
          {"expected_ns", Rounded(canary.expected_ns)}};
}

// A matrix goes straight to text, a CPU's row a line: as a JSON tree, six of them for 768 CPUs
// would take 16 bytes for each of 3.5 million values, only to be thrown away.
void AppendRows(std::string& text, const PairMatrix& matrix) {
  text += '[';
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    text += row == 0 ? "\n      [" : ",\n      [";
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      if (column != 0) text += ',';
      const double value = matrix.At(row, column);
      // Five digits: a picosecond in a hundred nanoseconds.
      if (std::isfinite(value)) {
        fmt::format_to(std::back_inserter(text), "{:.5g}", value);
      } else {
        text += "null";
      }
    }
    text += ']';
  }
  text += ']';
}

void AppendMatrix(std::string& text, std::string_view key, const PairMatrix& matrix) {
  if (matrix.size() == 0) return;
  fmt::format_to(std::back_inserter(text), ",\n     \"{}\":", key);
  AppendRows(text, matrix);
}

void AppendFloating(std::string& text, const CoreFloating& floating) {
  Json json = Json::object();
  if (floating.residence_ms) json["residence_ms"] = Rounded(*floating.residence_ms);
  json["followed_ms"] = Rounded(floating.followed_ms);
  Json& levels = json["levels"] = Json::array();
  for (const FloatingLevel& level : floating.levels) {
    Json& entry = levels.emplace_back(
        Json{{"ns", Rounded(level.nanoseconds)}, {"share", Rounded(level.share)}});
    if (level.residence_ms) entry["residence_ms"] = Rounded(*level.residence_ms);
  }
  text += ",\n     \"floating\":" + Dump(json);
  text.pop_back();  // the closing brace, which comes after the visits
  text += ",\"visits\":[";
  for (std::size_t round = 0; round < floating.visits.size(); ++round) {
    if (round != 0) text += ',';
    AppendRows(text, floating.visits[round]);
  }
  text += "]}";
}

std::string CoreMatrixText(const CoreMatrix& matrix) {
  Json json = {{"test", matrix.test}, {"instruction", matrix.instruction}, {"cpus", matrix.cpus}};
  if (matrix.rounds > 0) json["rounds"] = matrix.rounds;
  if (matrix.stability) json["stability"] = ToString(*matrix.stability);
  AddText(json, "structure", StructureText(matrix));
  AddFlag(json, "partial", matrix.partial);
  AddList(json, "disturbed", matrix.disturbed);
  AddList(json, "timed_out", matrix.timed_out);
  json["batches_kept"] = matrix.batches_kept;
  json["batches_rejected"] = matrix.batches_rejected;
  json["seed"] = matrix.seed;
  if (matrix.canary.checks > 0) json["canary"] = CanaryJson(matrix.canary);
  if (matrix.parallel.pairs > 0) {
    json["parallel"] = {{"pairs", matrix.parallel.pairs},
                        {"ratio", Rounded(matrix.parallel.ratio)}};
  }
  Json& groups = json["groups"] = Json::array();
  for (const CoreGroup& group : matrix.groups) groups.push_back(GroupJson(group));
  Json& findings = json["findings"] = Json::array();
  for (const CoreFinding& finding : matrix.findings) {
    findings.push_back(FindingJson(matrix, finding));
  }
  if (!matrix.spectrum.counts.empty()) json["spectrum"] = SpectrumJson(matrix.spectrum);

  std::string text = Dump(json);
  text.pop_back();  // the closing brace, which comes after the matrices
  AppendMatrix(text, "nanoseconds", matrix.nanoseconds);
  AppendMatrix(text, "low", matrix.low);
  AppendMatrix(text, "high", matrix.high);
  AppendMatrix(text, "spread_within", matrix.spread_within);
  AppendMatrix(text, "spread_between", matrix.spread_between);
  AppendMatrix(text, "clock_offset", matrix.clock_offset);
  if (matrix.floating) AppendFloating(text, *matrix.floating);
  text += '}';
  return text;
}

void AppendField(std::string& text, std::string_view key, const Json& value) {
  fmt::format_to(std::back_inserter(text), ",\n \"{}\":{}", key, Dump(value));
}

template <typename Rows, typename ToText>
void AppendSection(std::string& text, std::string_view key, const Rows& rows, ToText to_text) {
  if (rows.empty()) return;
  fmt::format_to(std::back_inserter(text), ",\n \"{}\":[", key);
  const char* separator = "\n  ";
  for (const auto& row : rows) {
    text += separator;
    text += to_text(row);
    separator = ",\n  ";
  }
  text += ']';
}

}  // namespace

std::string ToJson(const Document& document) {
  std::string text = fmt::format("{{\"schema\":{}", Dump(kSchema));
  AppendField(text, "tool", ToolJson(document.tool));
  AppendField(text, "host", HostJson(document.host));
  AppendField(text, "clock", ClockJson(document.clock));
  AppendField(text, "config", ConfigJson(document.config));
  Json warnings = Json::array();
  for (const Warning& warning : document.warnings) warnings.push_back(WarningJson(warning));
  AppendField(text, "warnings", warnings);
  if (document.partial) AppendField(text, "partial", true);

  const auto dumped = [](auto to_json) {
    return [to_json](const auto& row) { return Dump(to_json(row)); };
  };
  AppendSection(text, "doctor", document.doctor, dumped(CheckJson));
  AppendSection(text, "frequency", document.frequency, dumped(FrequencyJson));
  AppendSection(text, "instructions", document.instructions, dumped(InstructionJson));
  if (document.sweep) AppendField(text, "sweep", SweepJson(*document.sweep));
  AppendSection(text, "blocks", document.blocks, dumped(BlockJson));
  AppendSection(text, "cores", document.cores, CoreMatrixText);
  text += "}\n";
  return text;
}

std::string ToJsonLine(const InstructionRow& row) { return Dump(InstructionJson(row)); }

std::string ToJsonLine(const Document& document) {
  std::string text = ToJson(document);
  std::erase(text, '\n');  // those inside of texts are escaped
  return text;
}

}  // namespace cyclescope
