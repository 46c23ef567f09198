// Code that shows how a core fetches, decodes and predicts: straight code, jumps, calls, branches
// on bits that no predictor can know.
//
// Text is in the architecture's own syntax (Intel's on x86-64). It uses registers that
// kernel_parts.h does not reserve. Distances count from the end of the branch to its target.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::arch {

// Instructions that wait for nothing and are spread over several kinds of ports, so that none of
// these is short. What limits straight code of them is how it is fetched, decoded and dispatched.
struct StraightMix {
  std::string_view name;               // as reports have it
  std::vector<std::string_view> code;  // over and over; all are equally long
  int bytes = 0;                       // of one instruction
};
// The first is the one with the shortest instructions that are common.
std::span<const StraightMix> StraightMixes();
// What the mixes read, before the loop; the address register is set already.
std::string_view StraightSetUpText();

// ---- Elimination and fusion

// The kind of ports that an instruction has to share.
enum class PortKind { kInteger, kVector };
// Instructions that keep every port of a kind busy, over and over.
std::vector<std::string_view> PortFillers(PortKind kind);

// An instruction that a core may take out of the stream before it reaches a port.
struct EliminationCase {
  std::string_view name;  // as reports have it
  // Copies that wait for nothing, over and over.
  std::vector<std::string_view> code;
  PortKind ports = PortKind::kInteger;
};
std::span<const EliminationCase> EliminationCases();

// Two instructions that a core may take for one where they are neighbours.
struct FusionCase {
  std::string_view name;
  std::string_view first;
  std::string_view second;
};
std::span<const FusionCase> FusionCases();

// ---- Branches, each always as long as the others of its kind

std::vector<std::uint8_t> JumpCode(std::int64_t distance);
std::vector<std::uint8_t> CallCode(std::int64_t distance);
// Around what a function that calls others does.
std::string_view FunctionBeginText();
std::string_view FunctionEndText();
// Goes `distance` bytes further where the bit (0 to 63) of the random word is set.
std::vector<std::uint8_t> JumpIfBitCode(int bit, std::int64_t distance);
// Puts an address so far behind its own end where IndirectJumpText finds it.
std::vector<std::uint8_t> TargetCode(std::int64_t distance);
std::string_view IndirectJumpText();

// ---- Random words

// The words come from a linear congruential generator of 64 bits. Its state is kept in the eight
// bytes at the reserved address register, so that each call of a kernel goes on where the last one
// ended: a predictor learns a sequence that it sees again. Kernels with another seed have another
// sequence.
//
// A word is (random & `kept`) ^ `flipped`: with 0 for `kept` it is the same each time.
struct RandomWords {
  std::uint64_t seed = 0;
  std::uint64_t kept = 0;
  std::uint64_t flipped = 0;
};
std::string SetUpRandomText(const RandomWords& words);
std::string_view NextRandomText();
std::string_view KeepRandomText();

}  // namespace cyclescope::arch
