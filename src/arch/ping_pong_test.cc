#include "arch/ping_pong.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <algorithm>
#include <thread>

#include "arch/architecture.h"

namespace cyclescope::arch {
namespace {

struct alignas(128) Line {
  std::uint64_t value = 0;
};

// Both sides of a game that has not begun.
struct Game {
  Line line;
  Line second_line;
  Side first;
  Side second;

  explicit Game(Protocol protocol) {
    switch (protocol) {
      case Protocol::kToken:
        line.value = 2;
        first = {.own = &line.value, .other = &line.value, .seen = 2, .put = 1};
        second = {.own = &line.value, .other = &line.value, .seen = 1, .put = 2};
        break;
      case Protocol::kCount:
        first = {.own = &line.value, .other = &line.value, .seen = ~std::uint64_t{0}, .put = 1};
        second = {.own = &line.value, .other = &line.value, .seen = 0, .put = 1};
        break;
      case Protocol::kTwoLines:
      case Protocol::kMessage:
        first = {
            .own = &line.value, .other = &second_line.value, .seen = ~std::uint64_t{0}, .put = 1};
        second = {.own = &second_line.value, .other = &line.value, .seen = 0, .put = 1};
        break;
    }
  }
};

class PingPongTest : public testing::TestWithParam<PingPong> {
 protected:
  void SetUp() override {
    const std::string feature(GetParam().feature);
    const auto features = Features({getauxval(AT_HWCAP), getauxval(AT_HWCAP2)});
    if (!feature.empty() && std::ranges::find(features, feature) == features.end()) {
      GTEST_SKIP() << "this CPU has no " << feature;
    }
  }
};

constexpr std::uint64_t kTries = 1 << 12;

TEST_P(PingPongTest, TheFirstSideMovesOnceAndThenWaits) {
  Game game(GetParam().protocol);
  EXPECT_EQ(GetParam().take_turns(game.first, 5, kTries), 4u);
  EXPECT_EQ(GetParam().take_turns(game.first, 4, kTries), 4u);
}

TEST_P(PingPongTest, TheSecondSideWaitsForTheFirst) {
  Game game(GetParam().protocol);
  EXPECT_EQ(GetParam().take_turns(game.second, 5, kTries), 5u);
}

TEST_P(PingPongTest, TurnsAlternateAndCanBeResumed) {
  Game game(GetParam().protocol);
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(GetParam().take_turns(game.first, 1, kTries), 0u);
    EXPECT_EQ(GetParam().take_turns(game.first, 1, kTries), 1u);
    EXPECT_EQ(GetParam().take_turns(game.second, 1, kTries), 0u);
    EXPECT_EQ(GetParam().take_turns(game.second, 1, kTries), 1u);
  }
}

TEST_P(PingPongTest, TwoThreadsFinishTheSameNumberOfTurns) {
  Game game(GetParam().protocol);
  const auto play = [](Side& side) {
    std::uint64_t left = 500;
    while (left > 0) {
      left = GetParam().take_turns(side, left, kTries);
      std::this_thread::yield();  // the partner may stand in line for this very CPU
    }
  };
  std::thread second(play, std::ref(game.second));
  play(game.first);
  second.join();
  EXPECT_EQ(GetParam().take_turns(game.second, 1, kTries), 1u) << "an extra turn was left over";
}

std::string TestName(const testing::TestParamInfo<PingPong>& info) {
  std::string name = std::string(info.param.test) + "_" + std::string(info.param.instruction);
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PingPongTest, testing::ValuesIn(PingPongs()), TestName);

TEST(PingPongs, EveryTestRunsOnEveryCpu) {
  for (const char* test : {"cas", "exchange", "add", "store", "two-lines", "message"}) {
    EXPECT_TRUE(std::ranges::any_of(PingPongs(), [test](const PingPong& ping_pong) {
      return ping_pong.test == test && ping_pong.feature.empty();
    })) << test;
  }
}

TEST(PingPongs, AMessageCarriesTheTimeItWasSent) {
  const auto message = std::ranges::find(PingPongs(), std::string_view("message"), &PingPong::test);
  ASSERT_NE(message, PingPongs().end());
  Game game(Protocol::kMessage);
  const std::uint64_t before = ReadTicks();
  ASSERT_EQ(message->take_turns(game.first, 1, kTries), 0u);
  const std::uint64_t after = ReadTicks();
  const std::uint64_t sent = game.line.value >> 1;
  EXPECT_GE(sent, before);
  EXPECT_LE(sent, after);

  ASSERT_EQ(message->take_turns(game.second, 1, kTries), 0u);
  EXPECT_LE(game.second.arrival_ticks, ReadTicks() - sent);
}

}  // namespace
}  // namespace cyclescope::arch
