// The inner loops of `cyclescope cores`: a cache line goes back and forth between two CPUs, each of
// which takes turns on it. They are a few instructions of assembly, so that no compiler decides
// what is measured.
//
//   Side first = {.own = &line, .other = &line, .seen = 2, .put = 1};   // the line holds 2
//   Side second = {.own = &line, .other = &line, .seen = 1, .put = 2};
//   ping_pong.take_turns(first, 100, 1 << 16);   // on one CPU, while on the other:
//   ping_pong.take_turns(second, 100, 1 << 16);
//
// A turn is: wait for the partner's move, then make one's own. So the time that one side needs for
// n turns is n round trips.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cyclescope::arch {

// What one of the two CPUs knows of the game. It must not share a cache line with the other's.
struct alignas(128) Side {
  std::uint64_t* own = nullptr;     // the line this side writes
  std::uint64_t* other = nullptr;   // the line it waits on; the same one where there is but one
  std::uint64_t seen = 0;           // by which it tells whose turn it is (see Protocol)
  std::uint64_t put = 0;            // what its next move writes or adds
  std::uint64_t arrival_ticks = 0;  // Protocol::kMessage: sum of the delays of what arrived here
};

// How the sides see whose turn it is.
enum class Protocol {
  kToken,     // one line; a side waits until it holds `seen`, and puts its own token there
  kCount,     // one line; every try adds `put`, and it was the partner's turn before when the sum
              // is not the one this side left behind (`seen`)
  kTwoLines,  // a side waits until `other` differs from `seen`, and writes a new number to `own`
  kMessage,   // like kTwoLines, but what is written is the sender's time stamp: ticks << 1, plus a
              // bit that changes each time, so that a coarse counter cannot write one value twice
};

struct PingPong {
  std::string_view test;         // "cas", "exchange", ...
  std::string_view instruction;  // what moves the line, as named in the result
  std::string_view feature;      // the CPU feature it needs (see Features); empty for none
  Protocol protocol = Protocol::kToken;

  // Takes up to `turns` turns and returns how many are left: none, or some when `tries` looks at
  // the line in all did not find it this side's turn. Calling it again goes on from there, so that
  // the caller can look for a partner that no longer answers without disturbing one that does.
  std::uint64_t (*take_turns)(Side& side, std::uint64_t turns, std::uint64_t tries) = nullptr;
};

// All this architecture has; the first of a test whose feature is there is that test's default.
std::span<const PingPong> PingPongs();

}  // namespace cyclescope::arch
