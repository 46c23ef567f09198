#include "sandbox/confined_program.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

namespace cyclescope::sandbox {
namespace {

// A shell, in place of a compiler that someone found a hole in.
Result<ConfinedResult> RunShell(const std::string& script, ConfinedProgram program = {}) {
  program.words = {"/usr/bin/sh", "-c", script};
  return RunConfined(program);
}

class ConfinedProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto works = RunShell("exit 0");
    if (!works) GTEST_SKIP() << works.error().ToString();
  }
};

TEST_F(ConfinedProgramTest, GetsInputAndGivesBothOutputs) {
  const auto ended = RunShell("cat; echo trouble >&2; exit 3", {.input = "given"});
  ASSERT_TRUE(ended) << ended.error().ToString();
  EXPECT_EQ(ended->ending, ConfinedEnding::kExited);
  EXPECT_EQ(ended->exit_status, 3);
  EXPECT_EQ(ended->output, "given");
  EXPECT_EQ(ended->errors, "trouble\n");
}

TEST_F(ConfinedProgramTest, SeesNothingOfTheSystemButItsPrograms) {
  const auto ended = RunShell("ls -A / /etc /tmp /dev; cat /etc/passwd");
  ASSERT_TRUE(ended) << ended.error().ToString();
  EXPECT_EQ(ended->output.find("home"), std::string::npos) << ended->output;
  EXPECT_EQ(ended->output.find("root"), std::string::npos) << ended->output;
  EXPECT_EQ(ended->output.find("proc"), std::string::npos) << ended->output;
  EXPECT_NE(ended->errors.find("/etc/passwd"), std::string::npos) << ended->errors;
}

TEST_F(ConfinedProgramTest, WritesOnlyToAFolderThatIsRemoved) {
  const std::string name = "cyclescope-confined-" + std::to_string(getpid());
  const auto ended =
      RunShell("echo x > /tmp/" + name + " && cat /tmp/" + name + "; echo x > /usr/" + name);
  ASSERT_TRUE(ended) << ended.error().ToString();
  EXPECT_EQ(ended->output, "x\n");
  EXPECT_NE(ended->exit_status, 0);
  EXPECT_FALSE(std::filesystem::exists("/tmp/" + name));
  EXPECT_FALSE(std::filesystem::exists("/usr/" + name));
}

TEST_F(ConfinedProgramTest, HasNoCapabilitiesAndMakesNoNamespaces) {
  for (const char* script : {"mount -t tmpfs none /tmp", "unshare -U true", "chroot /usr"}) {
    const auto ended = RunShell(script);
    ASSERT_TRUE(ended) << ended.error().ToString();
    EXPECT_NE(ended->exit_status, 0) << script;
  }
}

TEST_F(ConfinedProgramTest, ItsProcessesEndWithIt) {
  // The first process of a namespace takes all others with it: the one that is left holds the
  // output open, and would make this last.
  const auto begin = std::chrono::steady_clock::now();
  const auto ended = RunShell("sleep 60 & echo done", {.wall_limit = std::chrono::seconds(30)});
  ASSERT_TRUE(ended) << ended.error().ToString();
  EXPECT_EQ(ended->output, "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25));
}

TEST_F(ConfinedProgramTest, EndsAtItsLimits) {
  const auto slow = RunShell("sleep 60", {.wall_limit = std::chrono::milliseconds(200)});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->ending, ConfinedEnding::kTimedOut);
  const auto loud = RunShell("yes", {.most_output = 1000});
  ASSERT_TRUE(loud);
  EXPECT_EQ(loud->ending, ConfinedEnding::kTooMuchOutput);
  EXPECT_EQ(loud->output.size(), 1000U);
  ConfinedProgram program;
  program.words = {"/usr/bin/sleep", "60"};
  const auto stopped = RunConfined(program, [] { return false; });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->ending, ConfinedEnding::kStopped);
}

TEST_F(ConfinedProgramTest, OneThatDoesNotExistIsAnError) {
  ConfinedProgram program;
  program.words = {"/usr/bin/no-such-program"};
  const auto ended = RunConfined(program);
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("cannot be started"), std::string::npos)
      << ended.error().message;
}

}  // namespace
}  // namespace cyclescope::sandbox
