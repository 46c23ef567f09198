#include "os/helper_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

namespace cyclescope::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool GoOn() { return true; }

HelperProcess Started(HelperProcess::Serve serve) {
  auto helper = HelperProcess::Start([serve] { return serve; });
  EXPECT_TRUE(helper.has_value());
  return std::move(*helper);
}

TEST(HelperProcess, Answers) {
  HelperProcess helper = Started([](std::string_view asked) { return std::string(asked) + "!"; });
  for (const std::string& text : {std::string("one"), std::string(), std::string(3'000'000, 'x')}) {
    const HelperAnswer answer = helper.Ask(text, seconds(60), GoOn);
    ASSERT_EQ(answer.ending, HelperEnding::kAnswered);
    EXPECT_EQ(answer.text, text + "!");
  }
}

TEST(HelperProcess, IsAProcessOfItsOwn) {
  HelperProcess helper = Started([](std::string_view) { return std::to_string(getpid()); });
  EXPECT_NE(helper.Ask("", seconds(60), GoOn).text, std::to_string(getpid()));
}

TEST(HelperProcess, TakesTooLong) {
  HelperProcess helper = Started([](std::string_view) -> std::string {
    while (true) pause();
  });
  EXPECT_EQ(helper.Ask("", milliseconds(50), GoOn).ending, HelperEnding::kTimedOut);
  EXPECT_FALSE(helper.is_alive());
  EXPECT_EQ(helper.Ask("", milliseconds(50), GoOn).ending, HelperEnding::kDied);
}

TEST(HelperProcess, Dies) {
  HelperProcess helper = Started([](std::string_view) -> std::string {
    raise(SIGKILL);
    return "";
  });
  const HelperAnswer answer = helper.Ask("", seconds(60), GoOn);
  EXPECT_EQ(answer.ending, HelperEnding::kDied);
  EXPECT_EQ(answer.how_ended, "signal 9");
}

TEST(HelperProcess, IsStoppedByItsOwner) {
  HelperProcess helper = Started([](std::string_view) -> std::string {
    while (true) pause();
  });
  EXPECT_EQ(helper.Ask("", seconds(60), [] { return false; }).ending, HelperEnding::kStopped);
}

}  // namespace
}  // namespace cyclescope::os
