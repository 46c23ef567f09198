#include "arch/kernel_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace cyclescope::arch {
namespace {

constexpr std::array<std::string_view, 16> kNames = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                                     "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                                     "r12", "r13", "r14", "r15"};

constexpr KernelRegisters kRegisters = {
    .loops_argument = 7, .counter = 15, .address = 14, .zero = 13, .temporary = 12, .stack = 11};

std::string_view Name(int index) { return kNames[static_cast<std::size_t>(index)]; }

// Moves between registers may be eliminated and zero idioms break chains: none of these is either.
// Legacy vector code among VEX code waits for the upper halves of registers, so there are both.
constexpr auto kConnectors = std::to_array<Connector>({
    {RegisterFile::kGeneral, RegisterFile::kGeneral, "movsxd rax, ecx"},
    {RegisterFile::kVector, RegisterFile::kVector, "pshufd xmm0, xmm1, 0xe4", false},
    {RegisterFile::kVector, RegisterFile::kVector, "vshufps xmm0, xmm1, xmm1, 0xe4", true},
    {RegisterFile::kGeneral, RegisterFile::kVector, "movq xmm0, rcx", false},
    {RegisterFile::kGeneral, RegisterFile::kVector, "vmovq xmm0, rcx", true},
    {RegisterFile::kVector, RegisterFile::kGeneral, "movq rax, xmm1", false},
    {RegisterFile::kVector, RegisterFile::kGeneral, "vmovq rax, xmm1", true},
    {RegisterFile::kGeneral, RegisterFile::kFlags, "cmp rcx, rdx"},
    {RegisterFile::kFlags, RegisterFile::kGeneral, "setb al"},
    {RegisterFile::kFlags, RegisterFile::kGeneral, "sete al"},
    {RegisterFile::kVector, RegisterFile::kFlags, "ucomisd xmm1, xmm2", false},
    {RegisterFile::kVector, RegisterFile::kFlags, "vucomisd xmm1, xmm2", true},
    {RegisterFile::kMask, RegisterFile::kMask, "korq k0, k1, k1"},
    {RegisterFile::kMask, RegisterFile::kGeneral, "kmovq rax, k1"},
    {RegisterFile::kGeneral, RegisterFile::kMask, "kmovq k0, rcx"},
    {RegisterFile::kVector, RegisterFile::kMask, "vpmovq2m k0, xmm1"},
    {RegisterFile::kMask, RegisterFile::kVector, "vpmovm2q xmm0, k1"},
    {RegisterFile::kMmx, RegisterFile::kMmx, "pshufw mm0, mm1, 0xe4"},
    {RegisterFile::kMmx, RegisterFile::kGeneral, "movq rax, mm1"},
    {RegisterFile::kGeneral, RegisterFile::kMmx, "movq mm0, rcx"},
    {RegisterFile::kMmx, RegisterFile::kVector, "movq2dq xmm0, mm1"},
    {RegisterFile::kVector, RegisterFile::kMmx, "movdq2q mm0, xmm1"},
});

constexpr auto kPins = std::to_array<Pin>({
    {RegisterFile::kGeneral, 64, "and rax, rcx", "or rax, rdx"},
    {RegisterFile::kVector, 128, "andps xmm0, xmm1", "orps xmm0, xmm2"},
    {RegisterFile::kVector, 256, "vandps ymm0, ymm0, ymm1", "vorps ymm0, ymm0, ymm2"},
    {RegisterFile::kVector, 512, "vpandq zmm0, zmm0, zmm1", "vporq zmm0, zmm0, zmm2"},
});

void Append32(std::uint64_t value, std::vector<std::uint8_t>& bytes) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

// A 32-bit displacement that leads from its own end back over `distance` bytes and what `bytes`
// hold already.
void AppendBackwards(std::size_t distance, std::vector<std::uint8_t>& bytes) {
  Append32(-(distance + bytes.size() + 4), bytes);
}

}  // namespace

const KernelRegisters& ReservedRegisters() { return kRegisters; }

std::string SetGeneralText(int index, std::uint64_t value) {
  return fmt::format("movabs {}, {}\n", Name(index), static_cast<std::int64_t>(value));
}

std::string CopyGeneralText(int to, int from) {
  return fmt::format("mov {}, {}\n", Name(to), Name(from));
}

std::string CopyVectorText(int to, int from, int bits, bool vex) {
  const std::string_view width = bits <= 128 ? "xmm" : bits == 256 ? "ymm" : "zmm";
  return fmt::format("{0} {1}{2}, {1}{3}\n", vex ? "vmovaps" : "movaps", width, to, from);
}

std::string SetVectorText(int index, int bits, int general) {
  // Legacy encodings where they do, so that the upper halves of the registers stay clean for code
  // that uses them.
  if (bits <= 128 && index < 16) {
    return fmt::format("movq xmm{0}, {1}\npunpcklqdq xmm{0}, xmm{0}\n", index, Name(general));
  }
  if (bits == 256 && index < 16) {
    return fmt::format("vmovq xmm{0}, {1}\nvpbroadcastq ymm{0}, xmm{0}\n", index, Name(general));
  }
  return fmt::format("vpbroadcastq zmm{}, {}\n", index, Name(general));
}

std::string SetMaskText(int index) { return fmt::format("kxnorw k{0}, k{0}, k{0}\n", index); }

std::string SetAllBitsText(int index, int bits) {
  // Only gathers need it, which are VEX code: a legacy instruction among them costs hundreds of
  // cycles, as the upper halves are in use.
  if (bits <= 128 && index < 16) return fmt::format("vpcmpeqd xmm{0}, xmm{0}, xmm{0}\n", index);
  if (bits == 256 && index < 16) return fmt::format("vpcmpeqd ymm{0}, ymm{0}, ymm{0}\n", index);
  return fmt::format("vpternlogd zmm{0}, zmm{0}, zmm{0}, 255\n", index);
}

std::string SetX87Text(int places) {
  std::string text = "fninit\n";
  for (int i = 0; i < places; ++i) text += "fld1\n";
  return text;
}

std::string SetTilesText() {
  // The 64 bytes that `ldtilecfg` reads (Intel SDM vol. 1, 18.3): palette 1; bytes per row for each
  // tile, 16 bits each; rows for each tile, 8 bits each. They lie below the stack pointer.
  constexpr std::array<std::uint64_t, 8> kConfiguration = {
      1, 0, 0x0040'0040'0040'0040, 0x0040'0040'0040'0040, 0, 0, 0x1010'1010'1010'1010, 0};
  constexpr int kBytes = 64;
  std::string text;
  for (std::size_t i = 0; i < kConfiguration.size(); ++i) {
    text += SetGeneralText(kRegisters.temporary, kConfiguration[i]);
    text += fmt::format("mov [rsp - {}], {}\n", kBytes - 8 * static_cast<int>(i),
                        Name(kRegisters.temporary));
  }
  return text + fmt::format("ldtilecfg [rsp - {}]\n", kBytes);
}

std::string ReleaseTilesText() { return "tilerelease\n"; }

std::string SetMmxText(int index, int general) {
  return fmt::format("movq mm{}, {}\n", index, Name(general));
}

std::string SetFlagsText() {
  return fmt::format("cmp {}, {}\n", Name(kRegisters.address), Name(kRegisters.zero));
}

// `dec` leaves the carry as it is.
std::string SetMixedFlagsText() {
  return SetFlagsText() + fmt::format("dec {}\n", Name(kRegisters.temporary));
}

std::string SaveStackText() { return fmt::format("mov {}, rsp\n", Name(kRegisters.stack)); }
std::string RestoreStackText() { return fmt::format("mov rsp, {}\n", Name(kRegisters.stack)); }

std::string RestoreAddressText(int general, int offset) {
  return fmt::format("and {0}, {1}\nlea {0}, [{0} + {2} + {3}]\n", Name(general),
                     Name(kRegisters.zero), Name(kRegisters.address), offset);
}

std::string SetStackText(int /*temporary*/, std::uint64_t value) {
  return fmt::format("movabs rsp, {}\n", static_cast<std::int64_t>(value));
}

std::string TrapText() { return "ud2\n"; }
std::string JumpOverTrapText() { return "jmp 1f\nud2\n1:\n"; }
std::string JumpOverFillersText(std::size_t fillers) {
  std::string text = "jmp 1f\n";
  for (std::size_t i = 0; i < fillers; ++i) text += kFillerText;
  return text + "1:\n";
}
std::string BarrierText() { return "lfence\n"; }

std::string FlushDenormalsText(int /*temporary*/) {
  // MXCSR with all exceptions masked, denormals-are-zero (bit 6) and flush-to-zero (bit 15). Intel
  // SDM vol. 1, 10.2.3.
  return "mov dword ptr [rsp - 8], 0x9fc0\nldmxcsr dword ptr [rsp - 8]\n";
}

std::string StoreCountText(int count, int temporary, std::uint64_t address) {
  return SetGeneralText(temporary, address) +
         fmt::format("mov [{}], {}\n", Name(temporary), Name(count));
}

std::string TakeCountText(int count, int temporary, std::uint64_t address) {
  return SetGeneralText(temporary, address) +
         fmt::format("mov {1}, [{0}]\nsub qword ptr [{0}], 1\n", Name(temporary), Name(count));
}

std::string LoadGeneralText(int index, std::uint64_t address) {
  return SetGeneralText(index, address) + fmt::format("mov {0}, [{0}]\n", Name(index));
}

std::vector<std::uint8_t> Jump(std::int64_t distance) {
  constexpr std::uint8_t kJump = 0xe9;  // and 32 bits (Intel SDM vol. 2, JMP)
  std::vector<std::uint8_t> bytes = {kJump, 0, 0, 0, 0};
  SetBranchDistance(bytes, distance);
  return bytes;
}

std::vector<std::uint8_t> LoopEnd(int counter, std::size_t distance, bool keep_flags) {
  // REX.W, and REX.B for the upper eight registers; the low three bits go into ModRM.
  const auto rex = static_cast<std::uint8_t>(counter >= 8 ? 0x49 : 0x48);
  const auto low = static_cast<std::uint8_t>(counter % 8);
  if (!keep_flags || counter == 1) {
    // A subtraction, as `dec` leaves the carry as it was: an instruction that
    // reads the flags behind it would have to put them together from two writers. Golden Cove's
    // `cmovb` takes 2 cycles then, not 1.
    std::vector<std::uint8_t> bytes = {rex,  0x83, static_cast<std::uint8_t>(0xe8 | low),
                                       0x01,         // sub counter, 1
                                       0x0f, 0x85};  // jnz
    AppendBackwards(distance, bytes);
    return bytes;
  }
  // Only rcx can be tested without flags (jrcxz); the counter takes its place for the test.
  const std::array<std::uint8_t, 3> swap = {
      rex, 0x87, static_cast<std::uint8_t>(0xc8 | low)};  // xchg counter, rcx
  std::vector<std::uint8_t> bytes(swap.begin(), swap.end());
  bytes.insert(bytes.end(), {0x48, 0x8d, 0x49, 0xff,  // lea rcx, [rcx - 1]
                             0xe3, 0x08});            // jrcxz over the jump
  bytes.insert(bytes.end(), swap.begin(), swap.end());
  bytes.push_back(0xe9);  // jmp
  AppendBackwards(distance, bytes);
  bytes.insert(bytes.end(), swap.begin(), swap.end());
  return bytes;
}

// Golden Cove fetches loops of 1 KiB at several speeds, one in each visit, which differ by up to a
// half; loops of 512 bytes seldom.
std::size_t SteadyLoopBytes() { return 256; }

std::int64_t BranchOver(std::size_t bytes) { return static_cast<std::int64_t>(bytes); }
std::int64_t DisplacementStep(int bytes) { return std::max(bytes, 8); }
bool SetBranchDistance(std::span<std::uint8_t> branch, std::int64_t distance) {
  // A distance of 32 bits stands behind 0f 8x, e8 and e9; jcc, jmp, jrcxz and loop have one byte.
  // Either is at the end (Intel SDM vol. 2, Jcc, CALL and JMP).
  constexpr std::size_t kLongDistanceBytes = 4;
  const std::size_t size = branch.size();
  const bool is_long =
      size > kLongDistanceBytes &&
      ((branch[size - kLongDistanceBytes - 1] & 0xfe) == 0xe8 ||
       (size > kLongDistanceBytes + 1 && branch[size - kLongDistanceBytes - 2] == 0x0f &&
        (branch[size - kLongDistanceBytes - 1] & 0xf0) == 0x80));
  if (!is_long && (distance < -128 || distance > 127)) return false;
  const std::size_t bytes = is_long ? kLongDistanceBytes : 1;
  for (std::size_t i = 0; i < bytes; ++i)
    branch[size - bytes + i] = static_cast<std::uint8_t>(distance >> (8 * i));
  return true;
}

std::int64_t DataDistance(std::span<const std::uint8_t> from_distance) {
  std::int32_t distance = 0;
  std::memcpy(&distance, from_distance.data(), sizeof(distance));
  return distance;
}

void SetDataDistance(std::span<std::uint8_t> from_distance, std::uint64_t instruction_end,
                     std::uint64_t target) {
  const auto distance = static_cast<std::uint32_t>(target - instruction_end);
  std::memcpy(from_distance.data(), &distance, sizeof(distance));
}

// The return address is there, and eight bytes to the next multiple.
std::uint64_t StackOffsetOfFunctions() { return 8; }

std::string_view PaddingText() { return "nop word ptr cs:[rax + rax + 512]\n"; }  // ten bytes

bool SourcesGrowCold() { return false; }
bool LoopsHaveSeveralSpeeds() { return true; }
int UopsInSlot() { return 1; }
int BitsThatClosePorts() { return 512; }

std::uint32_t GeneralRegisters() { return 0xffef; }
int GeneralRegisterCount() { return 16; }
int VectorRegisters() { return 16; }

std::span<const Connector> Connectors() { return kConnectors; }

// As a base, rbp and r13 are encoded with a displacement (Intel SDM vol. 2, table 2-5), and a `lea`
// of three parts takes 3 cycles on a Skylake. The loaded value may be in rbp, but then the address
// is in another register.
std::string_view AddressConnector(int address) {
  constexpr int kRbp = 5;
  constexpr int kR13 = 13;
  const bool slow_base = address == kRbp || address == kR13;
  return slow_base ? "lea rax, [rcx + rdx]" : "lea rax, [rdx + rcx]";
}

std::span<const Pin> Pins() { return kPins; }

}  // namespace cyclescope::arch
