#include "os/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace cyclescope::os {
namespace {

void (*HandlerOf(int signal))(int) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

void OnOwn(int /*signal*/) {}

TEST(InterruptGuard, SetsAFlagAndLeavesWhatWasThere) {
  const auto before = std::signal(SIGINT, OnOwn);
  {
    const InterruptGuard guard;
    EXPECT_FALSE(Interrupted());
    std::raise(SIGINT);
    EXPECT_TRUE(Interrupted());
  }
  EXPECT_EQ(HandlerOf(SIGINT), OnOwn);
  std::signal(SIGINT, before);
}

// As `timeout` sends it. Both wait, so that nothing comes between them.
TEST(InterruptGuard, TwoAtOnceAreOneWish) {
  const InterruptGuard guard;
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigset_t before;
  sigprocmask(SIG_BLOCK, &both, &before);
  std::raise(SIGINT);
  std::raise(SIGTERM);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_TRUE(Interrupted());
}

// As `nohup` and `&` in a script leave it.
TEST(InterruptGuard, WhatIsIgnoredStaysIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
    EXPECT_FALSE(Interrupted());
    EXPECT_NE(HandlerOf(SIGTERM), SIG_IGN);
  }
  EXPECT_EQ(HandlerOf(SIGINT), SIG_IGN);
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace cyclescope::os
