// Which extension an x86 instruction belongs to, by its encoding, its mnemonic and the width of its
// registers (Intel SDM vol. 2, the CPUID column of each instruction; AMD APM vol. 3 for AMD's own).
#include "assembler/x86/isa.h"

#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <array>
#include <span>

#include "assembler/llvm_target.h"
#include "assembler/roles.h"

namespace cyclescope::assembler::x86 {
namespace {

// A mnemonic, or with `*` at its end every one that begins so. The first match of a table counts.
struct Entry {
  std::string_view mnemonic;
  std::string_view word;
};

constexpr auto kLegacyWords = std::to_array<Entry>({
    {"addsub*", "sse3"},
    {"haddp*", "sse3"},
    {"hsubp*", "sse3"},
    {"lddqu", "sse3"},
    {"movddup", "sse3"},
    {"movshdup", "sse3"},
    {"movsldup", "sse3"},
    {"fisttp", "sse3"},
    {"pabs*", "ssse3"},
    {"palignr", "ssse3"},
    {"phadd*", "ssse3"},
    {"phsub*", "ssse3"},
    {"pmaddubsw", "ssse3"},
    {"pmulhrsw", "ssse3"},
    {"pshufb", "ssse3"},
    {"psign*", "ssse3"},
    {"blend*", "sse4_1"},
    {"dpp*", "sse4_1"},
    {"extractps", "sse4_1"},
    {"insertps", "sse4_1"},
    {"movntdqa", "sse4_1"},
    {"mpsadbw", "sse4_1"},
    {"packusdw", "sse4_1"},
    {"pblend*", "sse4_1"},
    {"pcmpeqq", "sse4_1"},
    {"pextrb", "sse4_1"},
    {"pextrd", "sse4_1"},
    {"pextrq", "sse4_1"},
    {"phminposuw", "sse4_1"},
    {"pinsrb", "sse4_1"},
    {"pinsrd", "sse4_1"},
    {"pinsrq", "sse4_1"},
    {"pmaxsb", "sse4_1"},
    {"pmaxsd", "sse4_1"},
    {"pmaxud", "sse4_1"},
    {"pmaxuw", "sse4_1"},
    {"pminsb", "sse4_1"},
    {"pminsd", "sse4_1"},
    {"pminud", "sse4_1"},
    {"pminuw", "sse4_1"},
    {"pmovsx*", "sse4_1"},
    {"pmovzx*", "sse4_1"},
    {"pmuldq", "sse4_1"},
    {"pmulld", "sse4_1"},
    {"ptest", "sse4_1"},
    {"round*", "sse4_1"},
    {"pcmpestr*", "sse4_2"},
    {"pcmpistr*", "sse4_2"},
    {"pcmpgtq", "sse4_2"},
    {"crc32*", "sse4_2"},
    {"extrq", "sse4a"},
    {"insertq", "sse4a"},
    {"movntss", "sse4a"},
    {"movntsd", "sse4a"},
    {"popcnt*", "popcnt"},
    {"lzcnt*", "lzcnt"},
    {"tzcnt*", "bmi1"},
    {"aeskl*", "kl"},
    {"aesdec*kl", "kl"},
    {"aes*", "aes"},
    {"pclmul*", "pclmulqdq"},
    {"gf2p8*", "gfni"},
    {"sha1*", "sha_ni"},
    {"sha256*", "sha_ni"},
    {"movbe*", "movbe"},
    {"rdrand*", "rdrand"},
    {"rdseed*", "rdseed"},
    {"adcx*", "adx"},
    {"adox*", "adx"},
    {"rdfsbase*", "fsgsbase"},
    {"rdgsbase*", "fsgsbase"},
    {"wrfsbase*", "fsgsbase"},
    {"wrgsbase*", "fsgsbase"},
    {"xsaveopt*", "xsaveopt"},
    {"xsavec*", "xsavec"},
    {"xsave*", "xsave"},
    {"xrstor*", "xsave"},
    {"xgetbv", "xsave"},
    {"clflushopt", "clflushopt"},
    {"clwb", "clwb"},
    {"rdpid", "rdpid"},
    {"cmpxchg16b", "cx16"},
    {"lahf", "lahf_lm"},
    {"sahf", "lahf_lm"},
    {"prefetchw", "3dnowprefetch"},
    {"prefetch", "3dnowprefetch"},
    {"prefetchit*", "prefetchi"},
    {"umonitor", "waitpkg"},
    {"umwait", "waitpkg"},
    {"tpause", "waitpkg"},
    {"movdiri", "movdiri"},
    {"movdir64b", "movdir64b"},
    {"enqcmd*", "enqcmd"},
    {"serialize", "serialize"},
    {"xbegin", "rtm"},
    {"xend", "rtm"},
    {"xabort", "rtm"},
    {"xtest", "rtm"},
    {"xsusldtrk", "tsxldtrk"},
    {"xresldtrk", "tsxldtrk"},
    {"rdpkru", "ospke"},
    {"wrpkru", "ospke"},
    {"clzero", "clzero"},
    {"monitorx", "mwaitx"},
    {"mwaitx", "mwaitx"},
    {"rdpru", "rdpru"},
    {"wbnoinvd", "wbnoinvd"},
    {"ptwrite*", "ptwrite"},
    {"cldemote", "cldemote"},
    {"hreset", "hreset"},
    {"incssp*", "user_shstk"},
    {"rdssp*", "user_shstk"},
    {"saveprevssp", "user_shstk"},
    {"rstorssp", "user_shstk"},
    {"wrss*", "user_shstk"},
    {"aadd*", "raoint"},
    {"aand*", "raoint"},
    {"aor*", "raoint"},
    {"axor*", "raoint"},
    {"senduipi", "uintr"},
    {"clui", "uintr"},
    {"stui", "uintr"},
    {"testui", "uintr"},
    {"uiret", "uintr"},
    {"urdmsr", "usermsr"},
    {"uwrmsr", "usermsr"},
    {"encls", "sgx"},
    {"enclu", "sgx"},
    {"enclv", "sgx"},
    {"encodekey*", "kl"},
    {"loadiwkey", "kl"},
});

// Three bytes of opcode map and prefixes, but no vectors: VEX-coded general instructions, masks,
// tiles; then vectors.
constexpr auto kVexWords = std::to_array<Entry>({
    {"andn*", "bmi1"},
    {"bextr*", "bmi1"},
    {"blsi*", "bmi1"},
    {"blsmsk*", "bmi1"},
    {"blsr*", "bmi1"},
    {"bzhi*", "bmi2"},
    {"mulx*", "bmi2"},
    {"pdep*", "bmi2"},
    {"pext*", "bmi2"},
    {"rorx*", "bmi2"},
    {"sarx*", "bmi2"},
    {"shlx*", "bmi2"},
    {"shrx*", "bmi2"},
    {"cmp*xadd", "cmpccxadd"},
    {"ldtilecfg", "amx_tile"},
    {"sttilecfg", "amx_tile"},
    {"tile*", "amx_tile"},
    {"tdpbf16ps", "amx_bf16"},
    {"tdpfp16ps", "amx_fp16"},
    {"tdpb*", "amx_int8"},
    {"tcmm*", "amx_complex"},
    {"kunpckbw", "avx512f"},
    {"kunpckwd", "avx512bw"},
    {"kunpckdq", "avx512bw"},
    {"kaddw", "avx512dq"},
    {"ktestw", "avx512dq"},
    {"urdmsr", "usermsr"},
    {"uwrmsr", "usermsr"},
    {"vf*132*", "fma"},
    {"vf*213*", "fma"},
    {"vf*231*", "fma"},
    {"vfm*", "fma4"},
    {"vfnm*", "fma4"},
    {"vpermil2*", "xop"},
    {"vcvtph2ps", "f16c"},
    {"vcvtps2ph", "f16c"},
    {"vpdpwss*", "avx_vnni"},
    {"vpdpbusd*", "avx_vnni"},
    {"vpdpb*", "avx_vnni_int8"},
    {"vpdpw*", "avx_vnni_int16"},
    {"vpmadd52*", "avx_ifma"},
    {"vbcstne*", "avx_ne_convert"},
    {"vcvtne*", "avx_ne_convert"},
    {"vsha512*", "sha512"},
    {"vsm3*", "sm3"},
    {"vsm4*", "sm4"},
    {"vgf2p8*", "gfni"},
    {"vbroadcasti128", "avx2"},
    {"vextracti128", "avx2"},
    {"vinserti128", "avx2"},
    {"vperm2i128", "avx2"},
    {"vpermd", "avx2"},
    {"vpermq", "avx2"},
    {"vpermps", "avx2"},
    {"vpermpd", "avx2"},
    {"vpgather*", "avx2"},
    {"vgather*", "avx2"},
    {"vpmaskmov*", "avx2"},
    {"vpsllv*", "avx2"},
    {"vpsrlv*", "avx2"},
    {"vpsrav*", "avx2"},
    {"vpblendd", "avx2"},
    {"vpbroadcast*", "avx2"},
    {"vptest", "avx"},
    {"vpermil*", "avx"},
    {"vperm2f128", "avx"},
});

constexpr auto kEvexWords = std::to_array<Entry>({
    {"vfpclass*", "avx512dq"},
    {"vrange*", "avx512dq"},
    {"vreduce*", "avx512dq"},
    {"vpmullq", "avx512dq"},
    {"vpmovd2m", "avx512dq"},
    {"vpmovq2m", "avx512dq"},
    {"vpmovm2d", "avx512dq"},
    {"vpmovm2q", "avx512dq"},
    {"vandp*", "avx512dq"},
    {"vandnp*", "avx512dq"},
    {"vorp*", "avx512dq"},
    {"vxorp*", "avx512dq"},
    {"vbroadcast*x2", "avx512dq"},
    {"vbroadcast*32x8", "avx512dq"},
    {"vextract*64x2", "avx512dq"},
    {"vextract*32x8", "avx512dq"},
    {"vinsert*64x2", "avx512dq"},
    {"vinsert*32x8", "avx512dq"},
    {"vpextrd", "avx512dq"},
    {"vpextrq", "avx512dq"},
    {"vpinsrd", "avx512dq"},
    {"vpinsrq", "avx512dq"},
    {"vcvt*qq", "avx512dq"},
    {"vcvtqq2p?", "avx512dq"},
    {"vcvtuqq2p?", "avx512dq"},
    {"vpconflict*", "avx512cd"},
    {"vplzcnt*", "avx512cd"},
    {"vpbroadcastm*", "avx512cd"},
    {"vpermb", "avx512vbmi"},
    {"vpermi2b", "avx512vbmi"},
    {"vpermt2b", "avx512vbmi"},
    {"vpmultishift*", "avx512vbmi"},
    {"vpcompressb", "avx512_vbmi2"},
    {"vpcompressw", "avx512_vbmi2"},
    {"vpexpandb", "avx512_vbmi2"},
    {"vpexpandw", "avx512_vbmi2"},
    {"vpshld*", "avx512_vbmi2"},
    {"vpshrd*", "avx512_vbmi2"},
    {"vpdp*", "avx512_vnni"},
    {"vpshufbitqmb", "avx512_bitalg"},
    {"vpopcntb", "avx512_bitalg"},
    {"vpopcntw", "avx512_bitalg"},
    {"vpopcnt*", "avx512_vpopcntdq"},
    {"vpmadd52*", "avx512ifma"},
    {"vcvtne2ps2bf16", "avx512_bf16"},
    {"vcvtneps2bf16", "avx512_bf16"},
    {"vdpbf16ps", "avx512_bf16"},
    {"vp2intersect*", "avx512_vp2intersect"},
    {"vgf2p8*", "gfni"},
    {"vaes*", "vaes"},
    {"vpclmulqdq", "vpclmulqdq"},
    {"vcvtph2ps", "avx512f"},
    {"vcvtps2ph", "avx512f"},
    {"vmovw", "avx512_fp16"},
    {"vcvt*ph*", "avx512_fp16"},
    {"vcvt*sh*", "avx512_fp16"},
    {"vcvt*2sh", "avx512_fp16"},
    {"vcmp*ph", "avx512_fp16"},
    {"vcmp*sh", "avx512_fp16"},
    {"v*ph", "avx512_fp16"},
    {"v*sh", "avx512_fp16"},
    {"vpabsb", "avx512bw"},
    {"vpabsw", "avx512bw"},
    {"vpack*", "avx512bw"},
    {"vpadd*b", "avx512bw"},
    {"vpadd*w", "avx512bw"},
    {"vpalignr", "avx512bw"},
    {"vpavg*", "avx512bw"},
    {"vpblendmb", "avx512bw"},
    {"vpblendmw", "avx512bw"},
    {"vpbroadcastb", "avx512bw"},
    {"vpbroadcastw", "avx512bw"},
    {"vpcmp*b", "avx512bw"},
    {"vpcmp*w", "avx512bw"},
    {"vperm*w", "avx512bw"},
    {"vpextr*", "avx512bw"},
    {"vpinsr*", "avx512bw"},
    {"vpmadd*", "avx512bw"},
    {"vpmax*b", "avx512bw"},
    {"vpmax*w", "avx512bw"},
    {"vpmin*b", "avx512bw"},
    {"vpmin*w", "avx512bw"},
    {"vpmovb2m", "avx512bw"},
    {"vpmovw2m", "avx512bw"},
    {"vpmovm2b", "avx512bw"},
    {"vpmovm2w", "avx512bw"},
    {"vpmovwb", "avx512bw"},
    {"vpmovswb", "avx512bw"},
    {"vpmovuswb", "avx512bw"},
    {"vpmovsxbw", "avx512bw"},
    {"vpmovzxbw", "avx512bw"},
    {"vpmulh*", "avx512bw"},
    {"vpmullw", "avx512bw"},
    {"vpsadbw", "avx512bw"},
    {"vpshufb", "avx512bw"},
    {"vpshufhw", "avx512bw"},
    {"vpshuflw", "avx512bw"},
    {"vpslldq", "avx512bw"},
    {"vpsrldq", "avx512bw"},
    {"vpsll*w", "avx512bw"},
    {"vpsrl*w", "avx512bw"},
    {"vpsra*w", "avx512bw"},
    {"vpsub*b", "avx512bw"},
    {"vpsub*w", "avx512bw"},
    {"vptest*mb", "avx512bw"},
    {"vptest*mw", "avx512bw"},
    {"vpunpck*bw", "avx512bw"},
    {"vpunpck*wd", "avx512bw"},
    {"vdbpsadbw", "avx512bw"},
    {"vmovdqu8", "avx512bw"},
    {"vmovdqu16", "avx512bw"},
});

// EVEX forms that work on one element, and so need no vector-length extension on xmm registers.
constexpr auto kScalar = std::to_array<std::string_view>(
    {"v*ss",     "v*sd",      "v*sh",       "vmovd",     "vmovq",    "vmovw",
     "vpextr*",  "vpinsr*",   "vextractps", "vinsertps", "vcvt*2si", "vcvt*2usi",
     "vmovlps",  "vmovhps",   "vmovlpd",    "vmovhpd",   "vmovlhps", "vmovhlps",
     "vcvtsi2*", "vcvtusi2*", "vcvtss2*",   "vcvtsd2*",  "vcvtsh2*"});

// `*` stands for any letters, `?` for one.
bool Matches(std::string_view pattern, std::string_view word) {
  if (pattern.empty()) return word.empty();
  if (pattern.front() == '*') {
    return Matches(pattern.substr(1), word) || (!word.empty() && Matches(pattern, word.substr(1)));
  }
  return !word.empty() && (pattern.front() == '?' || pattern.front() == word.front()) &&
         Matches(pattern.substr(1), word.substr(1));
}

std::string_view Find(std::span<const Entry> table, std::string_view mnemonic) {
  const auto found = std::ranges::find_if(
      table, [mnemonic](const Entry& entry) { return Matches(entry.mnemonic, mnemonic); });
  return found == table.end() ? std::string_view() : found->word;
}

enum class Encoding { kLegacy, kVex, kEvex, kXop };

struct Encoded {
  Encoding encoding = Encoding::kLegacy;
  bool apx = false;  // the opcode map that only APX has, or its second REX prefix
};

Encoded EncodingOf(const Llvm& llvm, const Instruction& instruction) {
  llvm::SmallVector<char, 16> chars;
  AppendBytes(llvm, ToMcInst(instruction), chars);
  const auto byte = [&chars](std::size_t i) {
    return i < chars.size() ? static_cast<unsigned char>(chars[i]) : 0;
  };
  constexpr std::array<unsigned char, 11> kPrefixes = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                                       0x66, 0x67, 0xf0, 0xf2, 0xf3};
  std::size_t first = 0;
  while (first < chars.size() && std::ranges::find(kPrefixes, byte(first)) != kPrefixes.end()) {
    ++first;
  }
  switch (byte(first)) {
    case 0x62:
      return {Encoding::kEvex, (byte(first + 1) & 7) == 4};
    case 0xc4:
    case 0xc5:
      return {Encoding::kVex};
    case 0xd5:
      return {Encoding::kLegacy, true};
    case 0x8f:  // `pop` has this byte too, but never this much in the next one
      return {(byte(first + 1) & 0x1f) >= 8 ? Encoding::kXop : Encoding::kLegacy};
    default:
      return {};
  }
}

int WidestVector(const Instruction& instruction) {
  int bits = 0;
  for (const Operand& operand : instruction.operands) {
    if (operand.reg.file == RegisterFile::kVector) bits = std::max<int>(bits, operand.reg.bits);
  }
  // Forms with a mask as their result and memory as a source still say how wide they are.
  for (const auto& [name, width] : {std::pair{"zmmword", 512}, {"ymmword", 256}}) {
    if (instruction.text.find(name) != std::string::npos) bits = std::max(bits, width);
  }
  return bits;
}

bool HasFile(const Instruction& instruction, RegisterFile file) {
  return std::ranges::any_of(instruction.operands,
                             [file](const Operand& operand) { return operand.reg.file == file; });
}

std::vector<std::string> OfEvex(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.mnemonic;
  const int bits = WidestVector(instruction);
  if (bits == 0 && !HasFile(instruction, RegisterFile::kMask)) return {"egpr"};
  std::vector<std::string> words;
  const std::string_view special = Find(kEvexWords, mnemonic);
  const bool needs_foundation = !special.starts_with("avx512");
  if (needs_foundation) words.emplace_back("avx512f");
  if (!special.empty()) words.emplace_back(special);
  const bool scalar = std::ranges::any_of(
      kScalar, [mnemonic](std::string_view pattern) { return Matches(pattern, mnemonic); });
  if (bits < 512 && !scalar) words.emplace_back("avx512vl");
  return words;
}

std::vector<std::string> OfVex(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.mnemonic;
  const bool wide = WidestVector(instruction) == 256;
  if (mnemonic.starts_with("vaes")) {
    return wide ? std::vector<std::string>{"vaes"} : std::vector<std::string>{"aes", "avx"};
  }
  if (mnemonic.starts_with("vpclmul")) {
    return wide ? std::vector<std::string>{"vpclmulqdq"}
                : std::vector<std::string>{"avx", "pclmulqdq"};
  }
  const std::string_view special = Find(kVexWords, mnemonic);
  if (special == "gfni") return {"avx", "gfni"};
  if (!special.empty()) return {std::string(special)};
  if (HasFile(instruction, RegisterFile::kMask)) {
    // kandb, kandw, kandd, kandq: the last letter is the width; kmovb and the shifts likewise.
    switch (mnemonic.back()) {
      case 'b':
        return {"avx512dq"};
      case 'w':
        return {"avx512f"};
      default:
        return {"avx512bw"};
    }
  }
  const bool register_broadcast =
      mnemonic.starts_with("vbroadcasts") && !instruction.flags.may_load;
  const bool integer =
      mnemonic.starts_with("vp") || mnemonic == "vmpsadbw" || mnemonic == "vmovntdqa";
  return {(wide && integer) || register_broadcast ? "avx2" : "avx"};
}

}  // namespace

std::vector<std::string> Isa(const Llvm& llvm, const Instruction& instruction) {
  if (instruction.RefersToLabel()) return {};
  const Encoded encoded = EncodingOf(llvm, instruction);
  if (encoded.apx) return {"egpr"};
  switch (encoded.encoding) {
    case Encoding::kEvex:
      return OfEvex(instruction);
    case Encoding::kVex:
      return OfVex(instruction);
    case Encoding::kXop:
      if (HasFile(instruction, RegisterFile::kVector)) return {"xop"};
      return {Matches("*lwp*", instruction.mnemonic) ? "lwp" : "tbm"};
    case Encoding::kLegacy:
      break;
  }
  const std::string_view word = Find(kLegacyWords, instruction.mnemonic);
  return word.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(word)};
}

}  // namespace cyclescope::assembler::x86
