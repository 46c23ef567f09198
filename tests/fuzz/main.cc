// Drives the assembler, the planner and the bench with random input. Every case must end, within a
// time limit, in a row that either has values or says why it has none, and that can be printed. The
// worker may die as often as it likes; this program must not. When it does, the case is printed,
// and --seed repeats it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "arch/architecture.h"
#include "assembler/catalogue.h"
#include "blocks/block.h"
#include "blocks/measure_blocks.h"
#include "cases.h"
#include "document/json_writer.h"
#include "instructions/measure_forms.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "os/host.h"
#include "report/instruction_text.h"
#include "sandbox/worker.h"

namespace cyclescope::fuzz {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// A case makes many measurements, each of which may use up the worker's time.
constexpr milliseconds kWorkerLimit{100};
constexpr seconds kCaseLimit{60};

// For the handler below: the case under test, as text.
std::array<char, 4096> current_case;

void Remember(std::size_t number, const Case& next) {
  const std::string text =
      fmt::format("case {}, kind {}, loop {}: {}\n", number, static_cast<int>(next.kind),
                  static_cast<int>(next.loop), next.text);
  std::strncpy(current_case.data(), text.c_str(), current_case.size() - 1);
}

extern "C" void ReportCase(int number) {
  std::fputs("fuzz: crash or hang of the parent in ", stderr);
  std::fputs(current_case.data(), stderr);
  std::fflush(stderr);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void ReportCrashes() {
  for (const int number : {SIGSEGV, SIGILL, SIGFPE, SIGABRT}) std::signal(number, ReportCase);
#ifdef SIGBUS  // not on Windows
  std::signal(SIGBUS, ReportCase);
#endif
}

// Ends the program when a case takes too long. Not by alarm(), which Windows has not.
class Watchdog {
 public:
  void NextCase() {
    {
      const std::lock_guard lock(mutex_);
      ++cases_;
    }
    changed_.notify_one();
  }

 private:
  void Watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const auto seen = cases_;
      const bool goes_on =
          changed_.wait_for(lock, stop, kCaseLimit, [&] { return cases_ != seen; });
      if (!goes_on && !stop.stop_requested()) std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t cases_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) { Watch(stop); }};
};

bool IsSound(const Estimate& estimate) {
  return std::isfinite(estimate.value) && std::isfinite(estimate.low) &&
         std::isfinite(estimate.high) && estimate.low <= estimate.high;
}

std::string WrongWith(Status status, const std::string& reason, bool has_value) {
  if (status != Status::kMeasured && reason.empty()) return "no reason";
  if (status == Status::kMeasured && !has_value) return "measured, but no value";
  return "";
}

// What is wrong with a row; empty when nothing is.
std::string WrongWith(const InstructionRow& row) {
  if (row.throughput && !IsSound(row.throughput->cycles)) return "throughput is no number";
  for (const Latency& latency : row.latency) {
    if (!IsSound(latency.cycles)) return "latency is no number";
  }
  return WrongWith(row.status, row.reason, row.throughput.has_value());
}

std::string WrongWith(const BlockRow& row) {
  if (row.cycles && !IsSound(*row.cycles)) return "cycles are no number";
  return WrongWith(row.status, row.reason, row.cycles.has_value());
}

class Fuzzer {
 public:
  Fuzzer(instructions::Planner& planner, instructions::Bench& bench)
      : planner_(planner), bench_(bench) {}

  // What is wrong with how the case ended; empty when nothing is.
  std::string Run(const Case& next) {
    blocks::Block block;
    block.text = next.text;
    block.loop = next.loop;
    if (next.kind == CaseKind::kBytes) {
      block.raw = true;
      block.bytes = next.bytes;
      return MeasureBlock(block);
    }
    if (const auto parsed = planner_.assembler().Parse(next.text); parsed && parsed->size() == 1) {
      if (std::string wrong = MeasureForm(parsed->front()); !wrong.empty()) return wrong;
    }
    auto snippet = planner_.assembler().Assemble(next.text);
    if (!snippet) {
      ++ends_["refused text"];
      return snippet.error().message.empty() ? "no message" : "";
    }
    if (snippet->bytes.empty()) return "";
    block.bytes = std::move(snippet->bytes);
    block.instructions = std::move(snippet->instructions);
    return MeasureBlock(block);
  }

  const std::map<std::string, int>& ends() const { return ends_; }

 private:
  std::string MeasureForm(const assembler::Instruction& instruction) {
    auto rows = bench_.Measure(
        {instructions::PlanForm(planner_, instruction, {}, bench_.filters_system_calls())},
        planner_);
    if (rows.size() != 1 || !rows.front()) return "no row";
    Document document;
    document.instructions.push_back(std::move(*rows.front()));
    const InstructionRow& row = document.instructions.front();
    ++ends_[fmt::format("instruction {}", ToString(row.status))];
    ToJson(document);
    InstructionsText(document.instructions, {}, {.show_code = true});
    return WrongWith(row);
  }

  std::string MeasureBlock(const blocks::Block& block) {
    Document document;
    const blocks::BlockSubject subject =
        blocks::ReadBlock(planner_.assembler(), block, bench_.filters_system_calls());
    document.blocks.push_back(*blocks::MeasureBlocks(bench_, planner_, {&subject, 1}).front());
    const BlockRow& row = document.blocks.front();
    ++ends_[fmt::format("{} {}", block.raw ? "bytes" : "block", ToString(row.status))];
    ToJson(document);
    BlocksText(document.blocks, {}, {.show_code = true});
    return WrongWith(row);
  }

  instructions::Planner& planner_;
  instructions::Bench& bench_;
  std::map<std::string, int> ends_;  // how cases ended, and how often
};

Result<std::unique_ptr<instructions::Planner>> MakePlanner() {
  auto assembler = assembler::Assembler::Create(assembler::HostTarget(
      *assembler::ParseArchitecture(arch::Name()), arch::Features(os::ReadCapabilityWords())));
  if (!assembler) return std::unexpected(assembler.error());
  const auto address = sandbox::ScratchAddress();
  if (!address) return std::unexpected(address.error());
  return std::make_unique<instructions::Planner>(std::move(*assembler), *address);
}

// Many cases rather than good values: few visits, and no waiting for a quiet core.
Result<std::unique_ptr<instructions::Bench>> MakeBench(const measure::TickClock& clock) {
  const auto allowed = os::AllowedCpus();
  if (!allowed) return std::unexpected(allowed.error());
  measure::RunSettings settings;
  settings.cpus = {allowed->back()};
  settings.samples_per_visit = 1;
  settings.most_visits = statistics::kFewestVisits;
  settings.patience = {};
  const auto start_worker = [&](std::optional<os::CounterAccess> access)
      -> Result<std::unique_ptr<sandbox::CodeExecutor>> {
    auto started = sandbox::Worker::Start(
        {.cpu = allowed->back(), .counters = access, .surroundings = {.time_limit = kWorkerLimit}});
    if (!started) return std::unexpected(started.error());
    return std::unique_ptr<sandbox::CodeExecutor>(std::move(*started));
  };
  auto runner = measure::Runner::Create(CycleChoice::kReference, clock, start_worker, settings);
  if (!runner) return std::unexpected(runner.error());
  return std::make_unique<instructions::Bench>(std::move(*runner));
}

std::vector<assembler::Instruction> ValidForms(assembler::Assembler& assembler) {
  std::vector<assembler::Instruction> forms;
  for (const assembler::CatalogueEntry& entry : assembler::Catalogue(assembler)) {
    if (entry.status == assembler::CatalogueStatus::kForm) forms.push_back(*entry.instruction);
  }
  return forms;
}

int Main(int argument_count, char** arguments) {
  std::size_t most_cases = 0;
  int most_seconds = 0;
  std::uint64_t seed = 1;
  CLI::App app(
      "Random input for the assembler and the worker; without a limit it goes on until it is "
      "ended");
  app.add_option("--cases", most_cases, "End after this number of cases");
  app.add_option("--seconds", most_seconds, "End after this number of seconds");
  app.add_option("--seed", seed, "What the cases are made from; printed")->capture_default_str();
  CLI11_PARSE(app, argument_count, arguments);

  const measure::TickClock clock = measure::SystemTickClock();
  const auto planner = MakePlanner();
  const auto bench = MakeBench(clock);
  if (!planner || !bench) {
    fmt::print(stderr, "fuzz: {}\n", (planner ? bench.error() : planner.error()).ToString());
    return 1;
  }
  fmt::print("fuzz: seed {}\n", seed);
  std::fflush(stdout);
  ReportCrashes();
  assembler::Assembler& assembler = (*planner)->assembler();
  Cases cases(seed, ValidForms(assembler), assembler);
  Fuzzer fuzzer(**planner, **bench);
  const auto begin = steady_clock::now();
  std::size_t done = 0;
  Watchdog watchdog;
  while ((most_cases == 0 || done < most_cases) &&
         (most_seconds == 0 || steady_clock::now() - begin < seconds(most_seconds))) {
    const Case next = cases.Next();
    Remember(done, next);
    watchdog.NextCase();
    const std::string wrong = fuzzer.Run(next);
    if (!wrong.empty()) {
      fmt::print(stderr, "fuzz: {}: {}", wrong, current_case.data());
      return 1;
    }
    ++done;
  }
  for (const auto& [end, count] : fuzzer.ends()) fmt::print("fuzz: {:>7}  {}\n", count, end);
  fmt::print("fuzz: {} cases in {:.0f} s, no crash, no hang\n", done,
             std::chrono::duration<double>(steady_clock::now() - begin).count());
  return 0;
}

}  // namespace
}  // namespace cyclescope::fuzz

int main(int argc, char** argv) { return cyclescope::fuzz::Main(argc, argv); }
