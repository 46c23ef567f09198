#include "ports/what_binds.h"

#include <gtest/gtest.h>

namespace cyclescope::ports {
namespace {

Estimate Took(double cycles) {
  return {.value = cycles, .low = 0.99 * cycles, .high = 1.01 * cycles};
}

TEST(WhatBinds, IsWhatTheFormTakes) {
  EXPECT_EQ(WhatBinds({.ports = 0.5, .dispatch = 0.17, .throughput = Took(0.5)}), "ports");
  EXPECT_EQ(WhatBinds({.ports = 0.2, .dispatch = 0.34, .throughput = Took(0.35)}), "dispatch");
  EXPECT_EQ(WhatBinds({.ports = 1, .dispatch = 0.17, .own = 4, .throughput = Took(4)}), "other");
  EXPECT_EQ(WhatBinds({.ports = 0.5,
                       .dispatch = 0.17,
                       .waits_for_itself = true,
                       .own_chain = 3,
                       .throughput = Took(3)}),
            "chain");
}

// A pop takes a cycle, half of which its ports need; an add to memory one, and 0.6 in mixes.
TEST(WhatBinds, NothingWhereItTakesLonger) {
  EXPECT_EQ(WhatBinds({.ports = 0.5, .dispatch = 0.34, .throughput = Took(1)}), "");
  EXPECT_EQ(WhatBinds({.ports = 0.5, .dispatch = 0.34, .own = 0.62, .throughput = Took(1)}), "");
  EXPECT_EQ(WhatBinds({.ports = 0.5, .dispatch = 0.34, .throughput = Took(0.53)}), "ports");
}

// `cmc` in mixes waits for its own flags; copies with fresh flags between take a quarter of a
// cycle.
TEST(WhatBinds, NoChainThatCopiesDidNotWaitFor) {
  FormTimes times = {.ports = 0.2,
                     .dispatch = 0.17,
                     .waits_for_itself = true,
                     .own_chain = 1,
                     .throughput = Took(0.242)};
  EXPECT_EQ(WhatBinds(times), "");
  times.throughput = Took(0.95);
  EXPECT_EQ(WhatBinds(times), "chain");
}

TEST(WhatBinds, WithoutAThroughputItIsWhatTheMixesSay) {
  EXPECT_EQ(WhatBinds({.ports = 0.5, .dispatch = 0.17}), "ports");
  EXPECT_EQ(WhatBinds({.ports = 0.5, .dispatch = 0.17, .waits_for_itself = true}), "chain");
}

// A one-operand `imul` waits for rax in mixes, which look as if it had two µops on one port.
TEST(AreContradicted, WhereCopiesTakeLessThanTheirPortsNeed) {
  FormTimes times = {.ports = 2, .dispatch = 0.5, .throughput = Took(1)};
  EXPECT_TRUE(AreContradicted(times));
  times.throughput = Took(1.8);
  EXPECT_FALSE(AreContradicted(times)) << "mixes are known to some per cent";
  times.throughput.reset();
  EXPECT_FALSE(AreContradicted(times));
}

}  // namespace
}  // namespace cyclescope::ports
