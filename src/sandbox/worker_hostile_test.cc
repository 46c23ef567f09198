// The worker with code that does its worst.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>

#include "arch/kernel_entry.h"
#include "sandbox/testing/worker_fixture.h"
#include "sandbox/worker.h"

namespace cyclescope::sandbox {
namespace {

using testing::CallFunction;
using ::testing::HasSubstr;
using testing::kFirstKernel;
using testing::kSecondKernel;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

class HostileTest : public WorkerTest {
 protected:
  template <typename Function>
  Outcome RunCall(Function* function, std::array<std::uint64_t, 3> arguments) {
    return RunOnce(CallFunction(reinterpret_cast<std::uintptr_t>(function), arguments));
  }
};

TEST_F(HostileTest, DeadlyCodesEndAsReportedDeaths) {
  StartWith({.time_limit = std::chrono::milliseconds(500)});
  for (const testing::DeadlyCode& deadly : testing::DeadlyCodes()) {
    SCOPED_TRACE(deadly.name);
    if (emulated() && (deadly.only_on_hardware || testing::ContainsSystemCall(deadly.code))) {
      continue;
    }
    const Outcome outcome = RunOnce(deadly.code);
    ASSERT_TRUE(std::holds_alternative<Death>(outcome));
    const Death& death = std::get<Death>(outcome);
    EXPECT_EQ(death.kind, deadly.kind) << death.reason;
    EXPECT_FALSE(death.reason.empty());
    EXPECT_EQ(worker_->process(), 0) << "the process was not reaped";
  }
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, WorkersSurviveOverwrittenState) {
  for (const testing::HarmlessCode& harmless : testing::HarmlessCodes()) {
    SCOPED_TRACE(harmless.name);
    ASSERT_TRUE(worker_->Load(std::vector<KernelView>{harmless.code, testing::ControlStateProbe()}));
    const Outcome outcome =
        worker_->Run(std::vector<Call>{{kFirstKernel, 1}, {kSecondKernel, 1}, {kFirstKernel, 1}});
    EXPECT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
  }
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, SaysWhereTheCodeStood) {
  // An undefined instruction behind one that is good.
  Kernel kernel = testing::StoreLoopCount();
  const std::size_t offset = kernel.size();
  const auto codes = testing::DeadlyCodes();
  const auto undefined =
      std::ranges::find(codes, DeathKind::kIllegalInstruction, &testing::DeadlyCode::kind);
  kernel.insert(kernel.end(), undefined->code.begin(), undefined->code.end());
  ASSERT_TRUE(worker_->Load(std::vector<KernelView>{testing::StoreLoopCount(), kernel}));
  const Outcome outcome = worker_->Run(std::vector<Call>{{kFirstKernel, 1}, {kSecondKernel, 1}});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).code_place, (CodePlace{1, offset}));
}

// ---- Generated code that uses what else is in its process

TEST_F(HostileTest, LibrariesMakeNoSystemCallsForIt) {
  if (emulated()) GTEST_SKIP() << "there is no filter under an emulator";
  const Outcome outcome = RunCall(&getppid, {});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kForbiddenSystemCall);
  EXPECT_EQ(std::get<Death>(outcome).code_place, std::nullopt);
}

TEST_F(HostileTest, LeavingIsADeath) {
  const Outcome outcome = RunCall(&_exit, {0});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kExited);
}

TEST_F(HostileTest, ForgedAnswersAreSeen) {
  // The scratch memory's first four bytes are 0, which is the number of no run.
  const Outcome outcome = RunCall(&write, {0, *ScratchAddress(), sizeof(RunNumber)});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kProtocolError);
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, AnEmptyAnswerIsNoAnswer) {
  const Outcome outcome = RunCall(&write, {0, *ScratchAddress(), 0});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kProtocolError);
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, TheToolsTextCannotBeWritten) {
  const auto text = reinterpret_cast<std::uintptr_t>(&arch::EnterKernel);
  const Outcome outcome = RunOnce(testing::StoreTo(text));
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).fault_address, text);
}

TEST_F(HostileTest, LibraryDataIsTheWorkersOwn) {
  const char* const before = reinterpret_cast<const char*>(environ);
  RunOnce(testing::StoreTo(reinterpret_cast<std::uintptr_t>(&environ)));
  EXPECT_EQ(reinterpret_cast<const char*>(environ), before);
  RunOnce(testing::StoreTo(reinterpret_cast<std::uintptr_t>(stdout)));
  ExpectGoodMeasurement();
}

// The addresses of a process's mappings of the file with this name that have these permissions.
std::vector<std::uintptr_t> FindMappings(pid_t process, const std::string& file,
                                         const std::string& permissions) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  std::vector<std::uintptr_t> found;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(file) == std::string::npos) continue;
    if (line.find(' ' + permissions + ' ') == std::string::npos) continue;
    found.push_back(std::stoull(line, nullptr, 16));
  }
  return found;
}

TEST_F(HostileTest, ScribblingOnTheResponseHarmsNothing) {
  if (emulated()) GTEST_SKIP() << "the emulator's own mappings hide the worker's";
  const auto responses = FindMappings(worker_->process(), "cyclescope-from-worker", "rw-s");
  if (responses.empty()) GTEST_SKIP() << "only root may look at the worker's mappings";
  for (std::size_t offset = 0; offset < sizeof(Response); offset += 256) {
    const Outcome outcome = RunOnce(testing::StoreTo(responses.front() + offset));
    ASSERT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
  }
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, NothingIsWritableAndExecutable) {
  if (emulated()) GTEST_SKIP() << "the emulator's own mappings hide the worker's";
  const pid_t tool = getpid();
  const pid_t worker = worker_->process();
  const std::string code = "cyclescope-to-worker";
  if (FindMappings(worker, "", "r-xp").empty()) {
    GTEST_SKIP() << "only root may look at the worker's mappings";
  }
  for (const pid_t process : {tool, worker}) {
    for (const char* both : {"rwxp", "rwxs", "-wxp", "-wxs"}) {
      EXPECT_TRUE(FindMappings(process, "", both).empty()) << both;
    }
  }
  EXPECT_EQ(FindMappings(tool, code, "rw-s").size(), 1u);
  EXPECT_TRUE(FindMappings(tool, code, "r-xs").empty());
  EXPECT_TRUE(FindMappings(worker, code, "rw-s").empty());
  EXPECT_EQ(FindMappings(worker, code, "r-xs").size(), 1u);
}

TEST_F(HostileTest, AWorkerHasNothingOfItsSibling) {
  if (emulated()) GTEST_SKIP() << "the emulator's own mappings hide the worker's";
  auto younger = Worker::Start(Options());
  ASSERT_TRUE(younger);
  // The tool's views of both workers' code and requests, which the younger one was forked beside.
  const auto views = FindMappings(getpid(), "cyclescope-to-worker", "rw-s");
  ASSERT_EQ(views.size(), 2u);
  for (const std::uintptr_t view : views) {
    ASSERT_TRUE((*younger)->Load(std::vector<KernelView>{testing::StoreTo(view)}));
    const Outcome outcome = (*younger)->Run(std::vector<Call>{{kFirstKernel, 1}});
    ASSERT_TRUE(std::holds_alternative<Death>(outcome));
    EXPECT_EQ(std::get<Death>(outcome).fault_address, view);
  }
  ExpectGoodMeasurement();
}

// ---- Anything at all

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRandomKernels = 300;  // a worker takes long to begin there
#else
constexpr int kRandomKernels = 3000;
#endif

TEST_F(HostileTest, SurvivesRandomBytes) {
  StartWith({.time_limit = std::chrono::milliseconds(50)});
  const int cases = emulated() ? 100 : kRandomKernels;
  std::mt19937_64 random(20261115);
  int deaths = 0;
  for (int i = 0; i < cases; ++i) {
    Kernel kernel(4 * (1 + random() % 16));
    std::ranges::generate(kernel, [&random] { return static_cast<std::uint8_t>(random()); });
    if (emulated() && testing::ContainsSystemCall(kernel)) continue;
    const Outcome outcome = RunOnce(kernel, random() % 8);
    if (const auto* death = std::get_if<Death>(&outcome)) {
      ++deaths;
      EXPECT_NE(death->kind, DeathKind::kNotStarted) << death->reason;
    }
  }
  EXPECT_GT(deaths, cases / 4) << "the bytes were not hostile";
  // Code that came back may have damaged the process without killing it.
  worker_->Retire();
  ExpectGoodMeasurement();
}

}  // namespace
}  // namespace cyclescope::sandbox
