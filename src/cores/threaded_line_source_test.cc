#include "cores/threaded_line_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "arch/architecture.h"
#include "os/clock.h"
#include "os/host.h"

namespace cyclescope::cores {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::Ge;

// More than a partner ever waits for its CPU.
constexpr std::chrono::nanoseconds kPatience = seconds(60);

// Every test here needs two CPUs that answer each other.
class ThreadedLineSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cpus_ = *os::AllowedCpus();
    if (cpus_.size() < 2) GTEST_SKIP() << "there is one CPU only";
    cpus_.resize(2);
    auto workers = os::PinnedThreads::Start(cpus_);
    ASSERT_TRUE(workers.has_value()) << workers.error().ToString();
    workers_ = std::move(*workers);
    features_ = arch::Features(os::ReadCapabilityWords());
  }

  pairs::CpuPair Pair() const { return {cpus_[0], cpus_[1]}; }

  bool Usable(const arch::PingPong& ping_pong) const {
    return ping_pong.feature.empty() ||
           std::ranges::find(features_, ping_pong.feature) != features_.end();
  }

  // An answer may take long on a busy machine; a test in which none comes sets a shorter limit.
  ThreadedLineSource Source(std::string_view test, Home home = {},
                            std::chrono::nanoseconds answer_timeout = kPatience) {
    const auto found = std::ranges::find_if(arch::PingPongs(), [&](const arch::PingPong& each) {
      return each.test == test && Usable(each);
    });
    return {
        *workers_, clock_, {.ping_pong = *found, .home = home, .answer_timeout = answer_timeout}};
  }

  os::CpuList cpus_;
  std::vector<std::string> features_;
  measure::TickClock clock_ = measure::SystemTickClock();
  std::unique_ptr<os::PinnedThreads> workers_;
};

constexpr pairs::LinePlan kSmall = {.lines = 20, .batches = 2, .round_trips = 10};

TEST_F(ThreadedLineSourceTest, EveryTestGivesTimes) {
  for (const arch::PingPong& ping_pong : arch::PingPongs()) {
    if (!Usable(ping_pong)) continue;
    ThreadedLineSource source(*workers_, clock_,
                              {.ping_pong = ping_pong, .answer_timeout = kPatience});
    const pairs::CpuPair pair = Pair();
    const auto draws = source.Draw(std::span(&pair, 1), kSmall);
    ASSERT_TRUE(draws.has_value());
    const pairs::LineDraw& draw = draws->front();
    EXPECT_FALSE(draw.timed_out) << ping_pong.test;
    EXPECT_EQ(draw.lines(), 20u);
    EXPECT_EQ(draw.batch_ns.size(), 40u);
    EXPECT_EQ(draw.offset_ns.size(), ping_pong.test == "message" ? 40u : 0u);
    // An emulator's clock may stand still for a batch.
    EXPECT_THAT(draw.batch_ns, Each(Ge(0))) << ping_pong.test << " " << ping_pong.instruction;
  }
}

TEST_F(ThreadedLineSourceTest, TheHomeMayBeEitherSide) {
  for (const Home home :
       {Home{Home::Kind::kFirst}, Home{Home::Kind::kSecond}, Home{Home::Kind::kCpu, cpus_[1]}}) {
    ThreadedLineSource source = Source("cas", home);
    const pairs::CpuPair pair = Pair();
    const auto draws = source.Draw(std::span(&pair, 1), kSmall);
    ASSERT_TRUE(draws.has_value());
    EXPECT_EQ(draws->front().lines(), 20u);
  }
}

TEST(Home, IsOneOfThePairOrFixed) {
  EXPECT_EQ((Home{Home::Kind::kFirst}).Of({4, 9}), 4);
  EXPECT_EQ((Home{Home::Kind::kSecond}).Of({4, 9}), 9);
  EXPECT_EQ((Home{Home::Kind::kCpu, 2}).Of({4, 9}), 2);
}

TEST_F(ThreadedLineSourceTest, TheBudgetEndsADraw) {
  ThreadedLineSource source = Source("cas");
  const pairs::CpuPair pair = Pair();
  pairs::LinePlan plan = kSmall;
  plan.lines = 100'000;
  plan.budget_ns = 5'000'000;
  const auto draws = source.Draw(std::span(&pair, 1), plan);
  ASSERT_TRUE(draws.has_value());
  EXPECT_LT(draws->front().lines(), 100'000u);
  EXPECT_FALSE(draws->front().timed_out);
}

// The second CPU's thread is kept busy, as by a process that does not let go of the CPU.
TEST_F(ThreadedLineSourceTest, AStarvedPartnerTimesOutAndTheNextDrawWorksAgain) {
  ThreadedLineSource source = Source("cas", {}, milliseconds(200));
  const pairs::CpuPair pair = Pair();
  auto release = std::make_shared<std::atomic<bool>>(false);
  workers_->Post(pair.second, [release] {
    while (!*release) std::this_thread::sleep_for(milliseconds(1));
  });
  const auto draws = source.Draw(std::span(&pair, 1), kSmall);
  ASSERT_TRUE(draws.has_value());
  EXPECT_TRUE(draws->front().timed_out);
  EXPECT_EQ(draws->front().lines(), 0u);

  *release = true;
  ASSERT_TRUE(workers_->Wait(pair.second, kPatience));
  const auto again = Source("cas").Draw(std::span(&pair, 1), kSmall);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->front().lines(), 20u);
}

// The partner begins and then stops answering: the line is broken under its feet.
TEST_F(ThreadedLineSourceTest, APartnerThatStopsAnsweringTimesOut) {
  arch::PingPong broken =
      *std::ranges::find(arch::PingPongs(), std::string_view("store"), &arch::PingPong::test);
  broken.take_turns = [](arch::Side&, std::uint64_t turns, std::uint64_t) { return turns; };
  ThreadedLineSource source(*workers_, clock_,
                            {.ping_pong = broken, .answer_timeout = milliseconds(50)});
  const pairs::CpuPair pair = Pair();
  const std::int64_t begin = os::MonotonicNanoseconds();
  const auto draws = source.Draw(std::span(&pair, 1), kSmall);
  ASSERT_TRUE(draws.has_value());
  EXPECT_TRUE(draws->front().timed_out);
  EXPECT_LT(os::MonotonicNanoseconds() - begin, kPatience.count());
}

TEST_F(ThreadedLineSourceTest, SlowdownIsMeasured) {
  ThreadedLineSource source = Source("cas");
  // Each of the two times may be disturbed on a busy machine: a value, not which one.
  const double slowdown = source.Slowdown(Pair());
  EXPECT_GT(slowdown, 0);
  EXPECT_LT(slowdown, 1000);
}

}  // namespace
}  // namespace cyclescope::cores
