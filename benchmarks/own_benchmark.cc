// What cyclescope itself costs, apart from what it measures: assembling, sampling, clustering,
// reading and writing results. Run by hand:
//   build/benchmark/benchmarks/own_benchmark [--benchmark_filter=Render]
#include <benchmark/benchmark.h>

#include <memory>
#include <span>
#include <string>

#include "arch/architecture.h"
#include "assembler/assembler.h"
#include "assembler/catalogue.h"
#include "cores/testing/simulated_machines.h"
#include "cyclescope/json.h"
#include "document/testing/simulated_surveys.h"
#include "measure/testing/simulated_core.h"
#include "os/host.h"
#include "report/cores_text.h"
#include "report/csv.h"
#include "report/html.h"
#include "statistics/groups.h"
#include "statistics/statistics.h"

namespace cyclescope {
namespace {

assembler::Assembler MakeAssembler() {
  const auto features = arch::Features(os::ReadCapabilityWords());
  return *assembler::Assembler::Create(
      assembler::HostTarget(*assembler::ParseArchitecture(arch::Name()), features));
}

std::string Snippet() {
  return arch::Name() == "aarch64" ? "again: mul x0, x0, x1; subs x2, x2, #1; b.ne again"
                                   : "again: imul rax, rcx; dec rdx; jne again";
}

// ---- Assemble

void AssembleSnippet(benchmark::State& state) {
  assembler::Assembler assembler = MakeAssembler();
  const std::string text = Snippet();
  for (auto _ : state) benchmark::DoNotOptimize(assembler.Assemble(text));
}
BENCHMARK(AssembleSnippet)->Unit(benchmark::kMicrosecond);

void AssembleRenamed(benchmark::State& state) {
  assembler::Assembler assembler = MakeAssembler();
  const auto parsed =
      assembler.Parse(arch::Name() == "aarch64" ? "add x0, x1, x2" : "add rax, rcx");
  for (auto _ : state) {
    const auto renamed = assembler.Rename(parsed->front(), {{{.operand = 0, .index = 3}}});
    benchmark::DoNotOptimize(assembler.Encode(renamed));
  }
}
BENCHMARK(AssembleRenamed)->Unit(benchmark::kMicrosecond);

void AssembleCatalogue(benchmark::State& state) {
  assembler::Assembler assembler = MakeAssembler();
  std::size_t entries = 0;
  for (auto _ : state) entries = assembler::Catalogue(assembler).size();
  state.counters["opcodes"] = static_cast<double>(entries);
}
BENCHMARK(AssembleCatalogue)->Unit(benchmark::kMillisecond)->Iterations(1);

// ---- Sample: all but the time that the measured code takes

void SampleExperiment(benchmark::State& state) {
  const auto made = measure::testing::RunnerOn(std::make_unique<measure::testing::SimulatedCore>());
  const measure::Experiment experiment = measure::testing::BytesExperiment(576, 192);
  for (auto _ : state) benchmark::DoNotOptimize(made.runner->Run({&experiment, 1}));
}
BENCHMARK(SampleExperiment)->Unit(benchmark::kMicrosecond);

void SampleSummary(benchmark::State& state) {
  std::vector<double> values;
  for (int i = 0; i < state.range(0); ++i) values.push_back(2.0 + 0.001 * (i * 7919 % 101));
  for (auto _ : state) benchmark::DoNotOptimize(statistics::Summarize(values, 0, 0.95));
}
BENCHMARK(SampleSummary)->Arg(9)->Arg(63)->Arg(2000)->Unit(benchmark::kMicrosecond);

// ---- Cluster

void ClusterCpus(benchmark::State& state) {
  const cores::testing::SimulatedMachine machine =
      state.range(0) == 768 ? cores::testing::LargestServer() : cores::testing::EightChiplets();
  CoreMatrix matrix;
  matrix.cpus = machine.Cpus();
  matrix.nanoseconds = PairMatrix(matrix.cpus.size());
  for (std::size_t row = 0; row < matrix.cpus.size(); ++row) {
    for (std::size_t column = 0; column < matrix.cpus.size(); ++column) {
      if (row == column) continue;
      matrix.nanoseconds.At(row, column) =
          machine.nanoseconds(matrix.cpus[row], matrix.cpus[column]);
    }
  }
  matrix.low = matrix.high = matrix.nanoseconds;
  for (auto _ : state) benchmark::DoNotOptimize(statistics::FindGroups(matrix, machine.topology));
}
BENCHMARK(ClusterCpus)->Arg(64)->Arg(768)->Unit(benchmark::kMillisecond);

// ---- Parse and render: a sweep of 20,000 forms, a matrix of 768 CPUs

using MakeDocument = Document (*)();

void ParseResult(benchmark::State& state, MakeDocument make) {
  const std::string text = ToJson(make());
  for (auto _ : state) benchmark::DoNotOptimize(ParseJson(text, "made"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(ParseResult, sweep, testing::SweepDocument)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ParseResult, cores, testing::ManyCpusDocument)->Unit(benchmark::kMillisecond);

void RenderJson(benchmark::State& state, MakeDocument make) {
  const Document document = make();
  std::size_t bytes = 0;
  for (auto _ : state) bytes = ToJson(document).size();
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}
BENCHMARK_CAPTURE(RenderJson, sweep, testing::SweepDocument)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RenderJson, cores, testing::ManyCpusDocument)->Unit(benchmark::kMillisecond);

void RenderHtml(benchmark::State& state, MakeDocument make) {
  const Document document = make();
  for (auto _ : state) benchmark::DoNotOptimize(ToHtml(std::span(&document, 1)));
}
BENCHMARK_CAPTURE(RenderHtml, sweep, testing::SweepDocument)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RenderHtml, cores, testing::ManyCpusDocument)->Unit(benchmark::kMillisecond);

void RenderCsv(benchmark::State& state) {
  const Document document = testing::SweepDocument();
  for (auto _ : state) benchmark::DoNotOptimize(InstructionsCsv(document.instructions));
}
BENCHMARK(RenderCsv)->Unit(benchmark::kMillisecond);

void RenderMatrixText(benchmark::State& state) {
  const Document document = testing::ManyCpusDocument();
  for (auto _ : state) benchmark::DoNotOptimize(CoresText(document, {.full = true}, {}));
}
BENCHMARK(RenderMatrixText)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cyclescope

BENCHMARK_MAIN();
