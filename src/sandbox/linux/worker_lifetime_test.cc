// The worker as a process: what it leaves behind, and what ends it.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "sandbox/linux/fork_server.h"
#include "sandbox/testing/worker_fixture.h"
#include "sandbox/worker.h"

namespace cyclescope::sandbox {
namespace {

using testing::CodeThatDiesOf;
using testing::kShortRun;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

std::ptrdiff_t CountOpenFiles() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// True if there is no such process, or only its status, which waits to be asked for.
bool HasEnded(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string words;
  if (!std::getline(file, words)) return true;
  // "1234 (name) Z ...", and a name may hold anything.
  if (words.substr(words.rfind(')') + 2, 1) != "Z") return false;
  // Files are closed when the last thread ends: an emulator has one of its own.
  std::error_code gone;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(process) + "/task",
                                                    gone);
  return gone || std::distance(threads, {}) <= 1;
}

void AwaitEnd(pid_t process) {
  while (!HasEnded(process)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The number behind `key` in /proc/PID/status.
long StatusOf(pid_t process, std::string_view key) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::stol(line.substr(key.size()));
  }
  return 0;
}

pid_t ParentOf(pid_t process) { return static_cast<pid_t>(StatusOf(process, "PPid:")); }

std::size_t ResidentBytes(pid_t process) {
  return static_cast<std::size_t>(StatusOf(process, "VmRSS:")) * 1024;
}

TEST_F(WorkerTest, LeavesNothingBehindAfterManyDeaths) {
  ASSERT_TRUE(
      worker_->Load(std::vector<KernelView>{CodeThatDiesOf(DeathKind::kIllegalInstruction)}));
  const auto die = [this] {
    const Outcome outcome = worker_->Run(std::vector<Call>{{testing::kFirstKernel, 1}});
    ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  };
  die();
  const auto files = CountOpenFiles();
  const int deaths = emulated() ? 50 : 1000;
  for (int i = 0; i < deaths; ++i) die();
  EXPECT_EQ(CountOpenFiles(), files);
  worker_.reset();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD) << "there is a process left";
}

TEST(WorkerLifetime, ClosesWhatItOpened) {
  const auto files = CountOpenFiles();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Worker::Start({.cpu = testing::SomeCpu()}));
    ASSERT_FALSE(Worker::Start({.cpu = 1 << 20}));
  }
  EXPECT_EQ(CountOpenFiles(), files);
}

TEST_F(WorkerTest, SaysWhenThereIsNoFilter) {
  EXPECT_EQ(worker_->Warnings().empty(), worker_->has_system_call_filter());
}

TEST_F(WorkerTest, DeathBetweenRunsIsNotTheNextRunsFault) {
  const pid_t before = worker_->process();
  kill(before, SIGKILL);
  AwaitEnd(before);
  const Outcome outcome = worker_->Run(kShortRun);
  EXPECT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
  EXPECT_NE(worker_->process(), before);
}

// The system may end any process when memory is short.
TEST_F(WorkerTest, SurvivesTheEndOfWhatItCameFrom) {
  const pid_t before = worker_->process();
  const pid_t server = ParentOf(before);
  ASSERT_NE(server, getpid());
  kill(server, SIGKILL);
  AwaitEnd(before);  // a worker ends with it
  EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(kShortRun)));
  EXPECT_NE(ParentOf(worker_->process()), server);
}

TEST_F(WorkerTest, WorkersAreSmallHoweverLargeTheToolIs) {
  constexpr std::size_t kLarge = 64 << 20;
  const std::vector<char> ballast(kLarge, 1);
  auto another = Worker::Start(Options());
  ASSERT_TRUE(another);
  EXPECT_EQ(ParentOf((*another)->process()), ParentOf(worker_->process()));
  EXPECT_LT(ResidentBytes((*another)->process()) + kLarge / 2, ResidentBytes(getpid()));
}

TEST_F(WorkerTest, IsDeafToWhatIsMeantForTheTool) {
  const pid_t process = worker_->process();
  EXPECT_NE(getpgid(process), getpgrp()) << "Ctrl-C would reach it";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGALRM}) {
    kill(process, signal);
    EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(kShortRun))) << signal;
  }
  EXPECT_EQ(worker_->process(), process);
}

TEST_F(WorkerTest, ToolsSignalsDoNotEndTheWaiting) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  struct sigaction before{};
  sigaction(SIGUSR1, &action, &before);
  const pthread_t self = pthread_self();
  std::jthread interrupter([self](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pthread_kill(self, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(std::holds_alternative<Records>(worker_->Run(kShortRun)));
  }
  interrupter = {};
  sigaction(SIGUSR1, &before, nullptr);
}

// As on a machine where others keep the CPU from it.
TEST_F(WorkerTest, TimeThatAWorkerDoesNotRunIsNotCounted) {
  constexpr std::chrono::milliseconds kShortLimit(500);
  WorkerOptions options = Options();
  options.surroundings.time_limit = kShortLimit;
  auto worker = Worker::Start(options);
  ASSERT_TRUE(worker);
  ASSERT_TRUE(std::holds_alternative<Records>((*worker)->Run(kShortRun)));
  const pid_t process = (*worker)->process();
  kill(process, SIGSTOP);
  const std::jthread later([process, kShortLimit] {
    std::this_thread::sleep_for(2 * kShortLimit);
    kill(process, SIGCONT);
  });
  EXPECT_TRUE(std::holds_alternative<Records>((*worker)->Run(kShortRun)));
  EXPECT_EQ((*worker)->process(), process);
}

// A tool whose worker is in an endless loop, which no end of a socket can stop.
[[noreturn]] void RunForever(int report) {
  auto worker = Worker::Start(
      {.cpu = testing::SomeCpu(), .surroundings = {.time_limit = std::chrono::minutes(5)}});
  if (!worker || !(*worker)->Load(std::vector<KernelView>{CodeThatDiesOf(DeathKind::kTimeout)})) {
    _exit(1);
  }
  (*worker)->Run(kShortRun);  // where a load retires the process, this starts the next
  const pid_t process = (*worker)->process();
  if (write(report, &process, sizeof(process)) != ssize_t{sizeof(process)}) _exit(1);
  (*worker)->Run(std::vector<Call>{{testing::kFirstKernel, 1}});
  _exit(1);
}

TEST(WorkerLifetime, WhatWorkersComeFromStaysWhereItIsKept) {
  const auto kept = KeepWorkersQuick();
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(ForkServer::Get().value(), kept);
  EXPECT_EQ(ForkServer::Get().value(), kept);
}

// Where standard input is closed, a socket gets its number.
TEST(WorkerLifetime, WhatWorkersComeFromEndsWithAToolWithoutInput) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) GTEST_SKIP() << "cannot adopt orphans here";
  const pid_t tool = fork();
  if (tool == 0) {
    close(STDIN_FILENO);
    const auto server = ForkServer::Get();
    _exit(server ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(tool, &status, 0), tool);
  EXPECT_EQ(status, 0);
  pid_t ended = 0;
  for (int i = 0; i < 6000 && ended == 0; ++i) {
    ended = waitpid(-1, nullptr, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(ended, 0) << "it lives on";
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

TEST(WorkerLifetime, EndsWithAToolThatIsKilled) {
  // Orphans come to us instead of to init, so that their end can be seen.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) GTEST_SKIP() << "cannot adopt orphans here";
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t tool = fork();
  if (tool == 0) RunForever(pipe_ends[1]);
  close(pipe_ends[1]);
  pid_t worker = 0;
  ASSERT_EQ(read(pipe_ends[0], &worker, sizeof(worker)), ssize_t{sizeof(worker)});
  close(pipe_ends[0]);
  // Time for the endless loop to begin; if it is not enough, the test is easier than it could be.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_EQ(kill(worker, 0), 0);

  kill(tool, SIGKILL);
  ASSERT_EQ(waitpid(tool, nullptr, 0), tool);
  pid_t ended = 0;
  for (int i = 0; i < 6000 && ended <= 0; ++i) {
    ended = waitpid(worker, nullptr, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(ended, worker);
  if (ended != worker) kill(worker, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) continue;  // and what it came from
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

TEST(WorkerLifetime, EndsThoughAnotherProcessHasItsSocket) {
  auto worker = Worker::Start({.cpu = testing::SomeCpu()});
  ASSERT_TRUE(worker) << worker.error().ToString();
  const pid_t server = ParentOf((*worker)->process());
  const pid_t other = fork();
  if (other == 0) {
    sleep(60);
    _exit(0);
  }
  worker->reset();
  EXPECT_TRUE(HasEnded(server));
  EXPECT_EQ(waitpid(other, nullptr, WNOHANG), 0) << "it waited for the other process";
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

TEST_F(WorkerTest, TheSystemEndsRunsThatTakeTooLong) {
  StartWith({.time_limit = std::chrono::seconds(40)});
  rlimit limit{};
  ASSERT_EQ(prlimit(worker_->process(), RLIMIT_RTTIME, nullptr, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, 50'000'000U);
}

}  // namespace
}  // namespace cyclescope::sandbox
