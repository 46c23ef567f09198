#include "serve/compilers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cyclescope/measure.h"

namespace cyclescope::serve {
namespace {

using sandbox::ConfinedEnding;
using sandbox::ConfinedProgram;
using sandbox::ConfinedResult;
using ::testing::Contains;
using ::testing::HasSubstr;

// What a simulated program does; it keeps the words that it was started with.
const std::string kHere(ArchitectureName());

struct Simulated {
  ConfinedResult result;
  std::vector<std::string> words;

  RunProgram Run() {
    return [this](const ConfinedProgram& program, const std::function<bool()>&) {
      words = program.words;
      return Result<ConfinedResult>(result);
    };
  }
};

const Compiler kCompiler = {.id = "gcc", .name = "gcc", .path = "/usr/bin/gcc"};

TEST(Compilers, FlagsAreWordsAndOursComeLast) {
  Simulated simulated{.result = {.output = "assembly"}, .words = {}};
  const auto answer =
      Compile(kCompiler, {.flags = {"-O2", "-DX=a b; rm"}, .text = "int x;"}, simulated.Run(), {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->assembly, "assembly");
  EXPECT_EQ(simulated.words[0], "/usr/bin/gcc");
  EXPECT_EQ(simulated.words[2], "-DX=a b; rm");
  EXPECT_EQ(simulated.words.back(), "-");
  EXPECT_THAT(simulated.words, Contains("-S"));
}

TEST(Compilers, BadFlagsStartNothing) {
  Simulated simulated;
  EXPECT_FALSE(Compile(kCompiler, {.flags = {"-o", "/tmp/x"}}, simulated.Run(), {}));
  EXPECT_TRUE(simulated.words.empty());
}

TEST(Compilers, MessagesHaveTheirLine) {
  const auto messages = ReadMessages(
      "<stdin>: In function 'f':\n<stdin>:3:5: error: expected ';'\n    3 |  x\n"
      "<stdin>:4:1: warning: unused\n<stdin>:9:10: fatal error: no.h: No such file\n"
      "/usr/include/x.h:1:1: error: elsewhere\n<stdin>:7: note: no column\n");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0].line, 3);
  EXPECT_EQ(messages[0].column, 5);
  EXPECT_EQ(messages[0].severity, "error");
  EXPECT_EQ(messages[0].text, "expected ';'");
  EXPECT_EQ(messages[1].severity, "warning");
  EXPECT_EQ(messages[2].severity, "error");
  EXPECT_EQ(messages[3].line, 7);
  EXPECT_EQ(messages[3].column, 0);
}

TEST(Compilers, AnErrorInTheSourceIsAnAnswer) {
  Simulated simulated{.result = {.exit_status = 1, .errors = "<stdin>:1:1: error: bad\n"},
                      .words = {}};
  const auto answer = Compile(kCompiler, {}, simulated.Run(), {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->assembly.empty());
  EXPECT_EQ(answer->messages.size(), 1U);
}

TEST(Compilers, OneThatWasEndedSaysWhy) {
  for (const auto& [ending, words] : std::vector<std::pair<ConfinedEnding, std::string>>{
           {ConfinedEnding::kTimedOut, "longer than it may"},
           {ConfinedEnding::kTooMuchOutput, "8 MB"},
           {ConfinedEnding::kKilled, "memory"},
           {ConfinedEnding::kStopped, "cancelled"}}) {
    Simulated simulated{.result = {.ending = ending}, .words = {}};
    const auto answer = Compile(kCompiler, {}, simulated.Run(), {});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr(words));
  }
  Simulated simulated{.result = {.exit_status = 1, .errors = "gcc: error: unrecognized -fx\n"},
                      .words = {}};
  const auto answer = Compile(kCompiler, {}, simulated.Run(), {});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("unrecognized -fx"));
}

TEST(Compilers, AreFoundByNameOnce) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("cyclescope-compilers-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const char* name : {"gcc-12", "clang-19", "gcc-ar", "x86_64-linux-gnu-gcc", "notes"})
    std::ofstream(folder / name) << name;
  std::filesystem::create_symlink("gcc-12", folder / "gcc");
  Simulated simulated{.result = {.output = "gcc 12.2\nmore\n"}, .words = {}};
  const Compilers compilers =
      FindCompilers({folder.string(), "/nonexistent/folder"}, kHere, simulated.Run());
  ASSERT_EQ(compilers.found.size(), 2U);
  EXPECT_EQ(compilers.found[0].id, "gcc");
  EXPECT_EQ(compilers.found[0].name, "gcc 12.2");
  EXPECT_EQ(compilers.found[1].id, "clang-19");
  EXPECT_TRUE(compilers.why_none.empty());

  const Compilers refused = FindCompilers(
      {folder.string()}, kHere, [](const ConfinedProgram&, const std::function<bool()>&) {
        return Result<ConfinedResult>(Failed("gcc cannot get namespaces of its own"));
      });
  EXPECT_TRUE(refused.found.empty());
  EXPECT_THAT(refused.why_none, HasSubstr("namespaces"));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(FindCompilers({folder.string()}, kHere, simulated.Run()).why_none,
              HasSubstr("installed"));
}

TEST(Compilers, OfAnotherArchitectureAreThoseThatMakeItsCode) {
  const std::string other = kHere == "x86_64" ? "aarch64" : "x86_64";
  const auto folder =
      std::filesystem::temp_directory_path() / ("cyclescope-foreign-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string cross = other + "-linux-gnu-gcc";
  for (const std::string& name : {std::string("gcc"), cross, std::string("clang-19")})
    std::ofstream(folder / name) << name;
  bool clang_has_it = true;
  const RunProgram run = [&](const ConfinedProgram& program, const std::function<bool()>&) {
    const auto target = std::ranges::find(program.words, "--target=" + other + "-linux-gnu");
    ConfinedResult result = {.output = "some output"};
    if (target != program.words.end() && !clang_has_it)
      result = {.exit_status = 1, .errors = "error: unknown target triple\n"};
    return Result<ConfinedResult>(result);
  };
  const Compilers both = FindCompilers({folder.string()}, other, run);
  ASSERT_EQ(both.found.size(), 2U);
  EXPECT_EQ(both.found[0].id, "clang-19");
  EXPECT_THAT(both.found[0].words, Contains("--target=" + other + "-linux-gnu"));
  EXPECT_EQ(both.found[1].id, cross);
  EXPECT_EQ(both.found[1].architecture, other);
  clang_has_it = false;
  EXPECT_EQ(FindCompilers({folder.string()}, other, run).found.size(), 1U);
  std::filesystem::remove(folder / cross);
  EXPECT_THAT(FindCompilers({folder.string()}, other, run).why_none, HasSubstr("code of " + other));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cyclescope::serve
