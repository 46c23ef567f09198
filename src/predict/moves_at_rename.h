// Which moves of registers are done at rename, where a core can give few values several names at
// once. So do Intel's cores until Cascade Lake (A. Abel and J. Reineke, "uiCA", ICS 2022).
//
//   MovesAtRename moves;
//   if (moves.Rename(now, file, from, to)) …  // else it needs a port
//   moves.Write(file, 1U << to);              // anything else gives the register a value
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cyclescope::predict {

// Integers and vectors are counted apart.
inline constexpr std::size_t kFilesOfMoves = 2;
using RegisterMask = std::uint32_t;

class MovesAtRename {
 public:
  // A move between two registers; true if it is done at rename.
  bool Rename(std::int64_t now, std::size_t file, int from, int to) {
    Begin(now);
    File& own = files_[file];
    // Values with several names, those of this cycle, and of the one before. A chain of moves takes
    // 0.5 cycles each then, as it was measured.
    constexpr int kValues = 4;
    if (own.held + own.renamed + own.renamed_before >= kValues) return false;
    ++own.renamed;
    Write(file, RegisterMask{1} << to);
    const RegisterMask source = RegisterMask{1} << from;
    auto names = std::ranges::find_if(own.names,
                                      [source](RegisterMask each) { return (each & source) != 0; });
    if (names == own.names.end()) names = own.names.insert(own.names.end(), source);
    *names |= RegisterMask{1} << to;
    return true;
  }

  // A value is given up when none of its names is left.
  void Write(std::size_t file, RegisterMask registers) {
    auto& names = files_[file].names;
    for (RegisterMask& each : names) each &= ~registers;
    std::erase(names, RegisterMask{0});
  }

  // All that decides about what comes, from this cycle on.
  template <typename Visit>
  void VisitState(std::int64_t now, Visit visit) {
    Begin(now);
    for (const File& file : files_) {
      visit(static_cast<std::uint64_t>(file.renamed_before));
      for (const RegisterMask names : file.names) visit(names);
    }
  }

 private:
  struct File {
    std::vector<RegisterMask> names;  // of each value that has had several
    int held = 0;                     // of them when the cycle began
    int renamed = 0;                  // in this cycle
    int renamed_before = 0;           // in the one before
  };

  void Begin(std::int64_t now) {
    if (now == now_) return;
    for (File& file : files_) {
      file.renamed_before = now == now_ + 1 ? file.renamed : 0;
      file.renamed = 0;
      file.held = static_cast<int>(file.names.size());
    }
    now_ = now;
  }

  std::array<File, kFilesOfMoves> files_;
  std::int64_t now_ = -1;
};

}  // namespace cyclescope::predict
