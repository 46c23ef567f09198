// The cache lines that one pair of CPUs is measured on. Each lies on a page of its own, at a place
// drawn by chance: a line's address decides which slice of the last-level cache it lives in, so
// every set is a fresh sample of the slices.
//
//   Result<LineSet> lines = LineSet::Draw(64, random);
//   lines->FirstTouch(protocol);               // on the home CPU
//   arch::Side side = lines->First(0, protocol);
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "arch/ping_pong.h"
#include "cyclescope/base/error.h"
#include "os/pages.h"

namespace cyclescope::cores {

class LineSet {
 public:
  static Result<LineSet> Draw(std::size_t count, std::mt19937_64& random);

  std::size_t size() const { return offsets_.size(); }

  // Writes what the lines hold before a game begins. The calling CPU's NUMA node becomes their
  // home.
  void FirstTouch(arch::Protocol protocol);

  // The two sides of a game that has not begun. The first makes the first move.
  arch::Side First(std::size_t line, arch::Protocol protocol) const;
  arch::Side Second(std::size_t line, arch::Protocol protocol) const;

 private:
  LineSet(os::Pages pages, std::vector<std::size_t> offsets);

  std::uint64_t* Line(std::size_t line) const;
  std::uint64_t* Companion(std::size_t line) const;

  os::Pages pages_;
  std::vector<std::size_t> offsets_;  // of the line within its page, in bytes
};

}  // namespace cyclescope::cores
