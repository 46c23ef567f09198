// Code that uses what else is in its process: libraries, descriptors, mappings.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "sandbox/testing/worker_fixture.h"
#include "sandbox/worker.h"

namespace cyclescope::sandbox {
namespace {

using testing::kFirstKernel;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

class HostileProcessTest : public WorkerTest {
 protected:
  template <typename Function>
  Outcome RunCall(Function* function, std::array<std::uint64_t, 3> arguments) {
    return RunOnce(testing::CallFunction(reinterpret_cast<std::uintptr_t>(function), arguments));
  }
};

TEST_F(HostileProcessTest, LibrariesMakeNoSystemCallsForIt) {
  if (emulated()) GTEST_SKIP() << "there is no filter under an emulator";
  const Outcome outcome = RunCall(&getppid, {});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kForbiddenSystemCall);
  EXPECT_EQ(std::get<Death>(outcome).code_place, std::nullopt);
}

TEST_F(HostileProcessTest, LeavingIsADeath) {
  const Outcome outcome = RunCall(&_exit, {0});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kExited);
}

TEST_F(HostileProcessTest, ForgedAnswersAreSeen) {
  // The scratch memory's first four bytes are 0, which is the number of no run.
  const Outcome outcome = RunCall(&write, {0, *ScratchAddress(), sizeof(RunNumber)});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kProtocolError);
  ExpectGoodMeasurement();
}

TEST_F(HostileProcessTest, AnEmptyAnswerIsNoAnswer) {
  const Outcome outcome = RunCall(&write, {0, *ScratchAddress(), 0});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kProtocolError);
  ExpectGoodMeasurement();
}

TEST_F(HostileProcessTest, LibraryDataIsTheWorkersOwn) {
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

TEST_F(HostileProcessTest, ScribblingOnTheResponseHarmsNothing) {
  if (emulated()) GTEST_SKIP() << "the emulator's own mappings hide the worker's";
  const auto responses = FindMappings(worker_->process(), "cyclescope-from-worker", "rw-s");
  if (responses.empty()) GTEST_SKIP() << "only root may look at the worker's mappings";
  for (std::size_t offset = 0; offset < sizeof(Response); offset += 256) {
    const Outcome outcome = RunOnce(testing::StoreTo(responses.front() + offset));
    ASSERT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
  }
  ExpectGoodMeasurement();
}

TEST_F(HostileProcessTest, NothingIsWritableAndExecutable) {
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

TEST_F(HostileProcessTest, AWorkerHasNothingOfItsSibling) {
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

}  // namespace
}  // namespace cyclescope::sandbox
