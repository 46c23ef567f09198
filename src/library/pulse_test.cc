#include "library/pulse.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace cyclescope::library {
namespace {

TEST(Pulse, TellsOfEveryStep) {
  std::vector<std::size_t> steps;
  Pulse pulse([&steps](const Progress& at) {
    steps.push_back(at.done);
    return true;
  });
  for (const std::size_t done : {0, 1, 2}) {
    EXPECT_TRUE(pulse.Report({.done = done, .total = 2, .part = "sweep"}));
  }
  EXPECT_EQ(steps, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Pulse, AsksAgainWithinAStep) {
  int calls = 0;
  Pulse pulse([&calls](const Progress& at) {
    EXPECT_EQ(at.done, 7u);
    EXPECT_EQ(at.row == nullptr, calls > 0) << "a row is shown once";
    return ++calls < 3;
  });
  const InstructionRow row;
  pulse.Report({.done = 7, .total = 9, .part = "sweep", .row = &row});
  // However often the question is asked, the caller hears of it now and then.
  int questions = 0;
  while (pulse.GoesOn()) ++questions;
  EXPECT_EQ(calls, 3);
  EXPECT_GT(questions, calls);
}

TEST(Pulse, HasEndedForEver) {
  bool answer = false;
  Pulse pulse([&answer](const Progress&) { return answer; });
  EXPECT_FALSE(pulse.Report({}));
  answer = true;
  EXPECT_FALSE(pulse.GoesOn());
  EXPECT_FALSE(pulse.Report({}));
  EXPECT_TRUE(pulse.has_ended());
}

TEST(Pulse, EndsWithItsBudget) {
  const auto begin = std::chrono::steady_clock::now();
  Pulse pulse({}, 0.02);
  while (pulse.GoesOn()) {
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));
  EXPECT_FALSE(pulse.Report({}));
}

TEST(Pulse, ItsCallerMayGoOnWhenTheBudgetIsSpent) {
  bool answer = true;
  Pulse pulse([&answer](const Progress&) { return answer; }, 1e-9);
  while (pulse.GoesOn()) {
  }
  EXPECT_TRUE(pulse.CallerGoesOn());
  answer = false;
  while (pulse.CallerGoesOn()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(pulse.GoesOn());
}

TEST(Pulse, WithoutACallerGoesOn) {
  Pulse pulse({});
  EXPECT_TRUE(pulse.Report({}));
  EXPECT_TRUE(pulse.GoesOn());
}

}  // namespace
}  // namespace cyclescope::library
