// Banks of the first cache: loads of one bank wait for each other.
//
// A bank is four bytes wide, and there are as many as fill a line. A load keeps all of those busy
// that it reads from. On an Emerald Rapids two loads of four bytes beside each other take 0.67
// cycles, two of eight that share four bytes, or of two bytes within four, 1.01.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "predict/block_program.h"

namespace cyclescope::predict {

class LoadBanks {
 public:
  // Loads of one bank that start in a cycle; 0: as many as there are ports.
  LoadBanks(int loads_of_a_bank, const BlockProgram& program) : most_(loads_of_a_bank) {
    for (const Uop& uop : program.uops) {
      if (most_ == 0 || !uop.reads) continue;
      const auto common = std::gcd(std::abs(uop.reads->step) % kLineBytes, kLineBytes);
      period_ = std::max(period_, static_cast<std::uint64_t>(kLineBytes / common));
    }
  }

  bool is_limited() const { return most_ > 0; }
  // Iterations after which all loads are at the same places of their lines again.
  std::uint64_t period() const { return period_; }

  void BeginCycle() { started_.fill(0); }
  bool IsFree(const LoadPlace& place, std::uint64_t iteration) const {
    bool is_free = true;
    ForEach(place, iteration,
            [&](std::size_t bank) { is_free = is_free && started_[bank] < most_; });
    return is_free;
  }
  void Start(const LoadPlace& place, std::uint64_t iteration) {
    ForEach(place, iteration, [this](std::size_t bank) { ++started_[bank]; });
  }

 private:
  static constexpr std::int64_t kBankBytes = 4;
  static constexpr std::int64_t kBanks = kLineBytes / kBankBytes;

  static void ForEach(const LoadPlace& place, std::uint64_t iteration, auto&& visit) {
    const auto walked = static_cast<std::int64_t>(iteration % kLineBytes) * place.step;
    const std::int64_t begin = (place.offset + walked) & (kLineBytes - 1);
    const std::int64_t last =
        (begin + std::clamp<std::int64_t>(place.bytes, 1, kLineBytes) - 1) / kBankBytes;
    for (std::int64_t bank = begin / kBankBytes; bank <= last; ++bank)
      visit(static_cast<std::size_t>(bank % kBanks));
  }

  int most_;
  std::uint64_t period_ = 1;
  std::array<int, kBanks> started_{};  // loads, in this cycle
};

}  // namespace cyclescope::predict
