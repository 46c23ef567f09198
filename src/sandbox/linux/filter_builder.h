// Programs of the kernel's system-call filters (seccomp, man 2 seccomp), from what they allow.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace cyclescope::sandbox {

// What an argument of an allowed call has to be.
struct ArgumentRule {
  std::uint32_t index = 0;
  std::uint32_t at_least = 0;
  std::uint32_t at_most = 0;
};

// A filter sees 32 bits at a time. Both of our architectures are little-endian.
static_assert(std::endian::native == std::endian::little);
inline constexpr std::uint32_t kHighWord = sizeof(std::uint32_t);

class FilterBuilder {
 public:
  void Load(std::uint32_t offset) { Add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void KeepBits(std::uint32_t mask) { Add(BPF_ALU | BPF_AND | BPF_K, mask); }
  void Return(std::uint32_t action) { Add(BPF_RET | BPF_K, action); }
  // `test` is BPF_JEQ, BPF_JGE or BPF_JGT; a jump goes over that many instructions.
  void Jump(int test, std::uint32_t value, std::size_t if_true, std::size_t if_false) {
    program_.push_back({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K),
                        static_cast<std::uint8_t>(if_true), static_cast<std::uint8_t>(if_false),
                        value});
  }

  // Allows system call `number`, which has to be loaded, if its arguments follow the rules.
  void Allow(long number, std::initializer_list<ArgumentRule> rules = {}) {
    constexpr std::size_t kRuleLength = 6;
    Jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, rules.size() * kRuleLength + 1);
    for (const ArgumentRule& rule : rules) {
      Load(Argument(rule.index) + kHighWord);
      Jump(BPF_JEQ, 0, 0, 3);
      Load(Argument(rule.index));
      Jump(BPF_JGE, rule.at_least, 0, 1);
      Jump(BPF_JGT, rule.at_most, 0, 1);
      Return(SECCOMP_RET_TRAP);
    }
    Return(SECCOMP_RET_ALLOW);
  }

  // Allows it where none of these bits is set in its first argument.
  void AllowWithout(long number, std::uint32_t bits) {
    Jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 5);
    Load(Argument(0));
    KeepBits(bits);
    Jump(BPF_JEQ, 0, 1, 0);
    Return(SECCOMP_RET_ERRNO | kNotPermitted);
    Return(SECCOMP_RET_ALLOW);
  }

  std::vector<sock_filter> Take() { return std::move(program_); }

 private:
  static constexpr std::uint32_t kNotPermitted = 1;  // EPERM

  static std::uint32_t Argument(std::uint32_t index) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  }

  void Add(int code, std::uint32_t value) {
    program_.push_back({static_cast<std::uint16_t>(code), 0, 0, value});
  }

  std::vector<sock_filter> program_;
};

}  // namespace cyclescope::sandbox
