#include "serve/job_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace cyclescope::serve {
namespace {

// A job that says when it begins, and ends when it is stopped.
Job UntilStopped(std::string tab, std::latch& began, std::latch& stopped) {
  return {.tab = std::move(tab),
          .run =
              [&](const std::stop_token& stop) {
                began.count_down();
                while (!stop.stop_requested()) std::this_thread::yield();
                stopped.count_down();
              },
          .drop = [] { ADD_FAILURE() << "it was running"; }};
}

void DoNothing() {}

TEST(JobQueue, RunsOneAfterTheOther) {
  std::vector<int> order;
  std::latch done(3);
  JobQueue queue;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.Add({.tab = std::to_string(i),
                           .run =
                               [&order, &done, i](const std::stop_token&) {
                                 order.push_back(i);
                                 done.count_down();
                               },
                           .drop = DoNothing}));
  }
  done.wait();
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(JobQueue, ANewerOneOfTheSameTabTakesThePlace) {
  std::latch began(1);
  std::latch stopped(1);
  std::latch done(1);
  std::atomic<int> dropped = 0;
  JobQueue queue;
  ASSERT_TRUE(queue.Add(UntilStopped("left", began, stopped)));
  began.wait();
  const auto drop = [&dropped] { ++dropped; };
  const auto never = [](const std::stop_token&) { ADD_FAILURE() << "it was replaced"; };
  // The first of these stops what runs, and is replaced before it may run: another tab's is first.
  std::latch blocker_began(1);
  std::latch blocker_stopped(1);
  ASSERT_TRUE(queue.Add(UntilStopped("right", blocker_began, blocker_stopped)));
  ASSERT_TRUE(queue.Add({.tab = "left", .run = never, .drop = drop}));
  stopped.wait();
  blocker_began.wait();
  ASSERT_TRUE(queue.Add({.tab = "left",
                         .run = [&done](const std::stop_token&) { done.count_down(); },
                         .drop = drop}));
  EXPECT_EQ(dropped, 1);
  queue.Cancel("right");
  done.wait();
  EXPECT_EQ(dropped, 1);
}

TEST(JobQueue, TakesNoMoreThanItCanHold) {
  std::latch began(1);
  std::latch stopped(1);
  std::atomic<int> dropped = 0;
  {
    JobQueue queue;
    ASSERT_TRUE(queue.Add(UntilStopped("first", began, stopped)));
    began.wait();
    EXPECT_FALSE(queue.HasWaiting());
    const auto never = [](const std::stop_token&) { ADD_FAILURE() << "the queue ends before"; };
    for (std::size_t i = 0; i < JobQueue::kMostWaiting; ++i) {
      ASSERT_TRUE(
          queue.Add({.tab = std::to_string(i), .run = never, .drop = [&dropped] { ++dropped; }}));
    }
    EXPECT_TRUE(queue.HasWaiting());
    EXPECT_FALSE(queue.Add({.tab = "more", .run = never, .drop = DoNothing}));
    // One of a tab that waits already takes its place.
    EXPECT_TRUE(queue.Add({.tab = "3", .run = never, .drop = [&dropped] { ++dropped; }}));
    EXPECT_EQ(dropped, 1);
  }
  stopped.wait();
  EXPECT_EQ(dropped, static_cast<int>(JobQueue::kMostWaiting) + 1);
}

}  // namespace
}  // namespace cyclescope::serve
