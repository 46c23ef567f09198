// The kernel's words for x86 extensions, by mnemonic; one table for each encoding, as the same
// mnemonic needs other extensions in VEX than in EVEX.
#pragma once

#include <array>
#include <string_view>

namespace cyclescope::assembler::x86 {

// An extension's word, and patterns of mnemonics with blanks between them, in which `*` stands for
// any letters and `?` for one. The first match of a table counts.
struct IsaWord {
  std::string_view word;
  std::string_view mnemonics;
};

// What every x86-64 CPU has. Names that are in no table belong to no extension, or to the one that
// their registers tell.
inline constexpr auto kBaselineWords = std::to_array<IsaWord>({
    {"cmov", "cmov* fcmov*"},
    {"cx8", "cmpxchg8b"},
    {"fxsr", "fxsave* fxrstor*"},
    {"syscall", "syscall sysret*"},
    {"sep", "sysenter sysexit*"},
    {"tsc", "rdtsc"},
    {"rdtscp", "rdtscp"},
    {"msr", "rdmsr wrmsr"},
    {"clflush", "clflush"},
    {"sse2", "movnti lfence mfence"},
    {"sse", "sfence prefetch* ldmxcsr stmxcsr cvt*ss2si"},
    {"sse2", "cvt*sd2si"},
    {"3dnow", "femms"},
    {"x87", "f* wait"},
});
// Those with MMX registers that are not MMX's own.
inline constexpr auto kMmxWords = std::to_array<IsaWord>({
    {"3dnow", "pavgusb"},
    {"3dnowext", "pf2iw pi2fw pfnacc pfpnacc pswapd"},
    {"3dnow", "pf* pi2f* pmulhrw"},
    {"sse2", "paddq psubq pmuludq movdq2q movq2dq cvt*pd*"},
    {"sse",
     "cvt* pavg* pextrw pinsrw pmaxsw pmaxub pminsw pminub pmovmskb pmulhuw psadbw "
     "pshufw maskmovq movntq"},
    {"mmx", "*"},
});
// Those with vector registers in legacy encodings: all that is not about single precision alone
// came with SSE2.
inline constexpr auto kVectorWords = std::to_array<IsaWord>({
    {"sse2", "cvt*pd* cvt*sd* cvt*dq*"},
    {"sse", "*ps *ss cvt*ss2si"},
    {"sse2", "*"},
});

inline constexpr auto kLegacyWords = std::to_array<IsaWord>({
    {"sse3", "addsub* haddp* hsubp* lddqu movddup movshdup movsldup fisttp"},
    {"ssse3", "pabs* palignr phadd* phsub* pmaddubsw pmulhrsw pshufb psign*"},
    {"sse4_1",
     "blend* dpp* extractps insertps movntdqa mpsadbw packusdw pblend* pcmpeqq pextrb "
     "pextrd pextrq phminposuw pinsrb pinsrd pinsrq pmaxsb pmaxsd pmaxud pmaxuw "
     "pminsb pminsd pminud pminuw pmovsx* pmovzx* pmuldq pmulld ptest round*"},
    {"sse4_2", "pcmpestr* pcmpistr* pcmpgtq crc32*"},
    {"sse4a", "extrq insertq movntss movntsd"},
    {"popcnt", "popcnt*"},
    {"lzcnt", "lzcnt*"},
    {"bmi1", "tzcnt*"},
    {"kl", "aeskl* aesdec*kl"},
    {"aes", "aes*"},
    {"pclmulqdq", "pclmul*"},
    {"gfni", "gf2p8*"},
    {"sha_ni", "sha1* sha256*"},
    {"movbe", "movbe*"},
    {"rdrand", "rdrand*"},
    {"rdseed", "rdseed*"},
    {"adx", "adcx* adox*"},
    {"fsgsbase", "rdfsbase* rdgsbase* wrfsbase* wrgsbase*"},
    {"xsaveopt", "xsaveopt*"},
    {"xsavec", "xsavec*"},
    {"xsave", "xsave* xrstor* xgetbv"},
    {"clflushopt", "clflushopt"},
    {"clwb", "clwb"},
    {"rdpid", "rdpid"},
    {"cx16", "cmpxchg16b"},
    {"lahf_lm", "lahf sahf"},
    {"3dnowprefetch", "prefetchw prefetch"},
    {"prefetchi", "prefetchit*"},
    {"waitpkg", "umonitor umwait tpause"},
    {"movdiri", "movdiri"},
    {"movdir64b", "movdir64b"},
    {"enqcmd", "enqcmd*"},
    {"serialize", "serialize"},
    {"rtm", "xbegin xend xabort xtest"},
    {"tsxldtrk", "xsusldtrk xresldtrk"},
    {"ospke", "rdpkru wrpkru"},
    {"clzero", "clzero"},
    {"mwaitx", "monitorx mwaitx"},
    {"rdpru", "rdpru"},
    {"wbnoinvd", "wbnoinvd"},
    {"ptwrite", "ptwrite*"},
    {"cldemote", "cldemote"},
    {"hreset", "hreset"},
    {"user_shstk", "incssp* rdssp* saveprevssp rstorssp wrss*"},
    {"raoint", "aadd* aand* aor* axor*"},
    {"uintr", "senduipi clui stui testui uiret"},
    {"usermsr", "urdmsr uwrmsr"},
    {"sgx", "encls enclu enclv"},
    {"kl", "encodekey* loadiwkey"},
});

// Three bytes of opcode map and prefixes, but no vectors: VEX-coded general instructions, masks,
// tiles; then vectors.
inline constexpr auto kVexWords = std::to_array<IsaWord>({
    {"bmi1", "andn* bextr* blsi* blsmsk* blsr*"},
    {"bmi2", "bzhi* mulx* pdep* pext* rorx* sarx* shlx* shrx*"},
    {"cmpccxadd", "cmp"},
    {"amx_tile", "ldtilecfg sttilecfg tile*"},
    {"amx_bf16", "tdpbf16ps"},
    {"amx_fp16", "tdpfp16ps"},
    {"amx_int8", "tdpb*"},
    {"amx_complex", "tcmm*"},
    {"avx512f", "kunpckbw"},
    {"avx512bw", "kunpckwd kunpckdq"},
    {"avx512dq", "kaddw ktestw"},
    {"usermsr", "urdmsr uwrmsr"},
    {"fma", "vf*132* vf*213* vf*231*"},
    {"fma4", "vfm* vfnm*"},
    {"xop", "vpermil2*"},
    {"f16c", "vcvtph2ps vcvtps2ph"},
    {"avx_vnni", "vpdpwss* vpdpbusd*"},
    {"avx_vnni_int8", "vpdpb*"},
    {"avx_vnni_int16", "vpdpw*"},
    {"avx_ifma", "vpmadd52*"},
    {"avx_ne_convert", "vbcstne* vcvtne*"},
    {"sha512", "vsha512*"},
    {"sm3", "vsm3*"},
    {"sm4", "vsm4*"},
    {"gfni", "vgf2p8*"},
    {"avx2",
     "vbroadcasti128 vextracti128 vinserti128 vperm2i128 vpermd vpermq vpermps vpermpd "
     "vpgather* vgather* vpmaskmov* vpsllv* vpsrlv* vpsrav* vpblendd vpbroadcast*"},
    {"avx", "vptest vpermil* vperm2f128"},
});

inline constexpr auto kEvexWords = std::to_array<IsaWord>({
    {"avx512dq",
     "vfpclass* vrange* vreduce* vpmullq vpmovd2m vpmovq2m vpmovm2d vpmovm2q vandp* "
     "vandnp* vorp* vxorp* vbroadcast*x2 vbroadcast*32x8 vextract*64x2 "
     "vextract*32x8 vinsert*64x2 vinsert*32x8 vpextrd vpextrq vpinsrd vpinsrq "
     "vcvt*qq vcvtqq2p? vcvtuqq2p?"},
    {"avx512cd", "vpconflict* vplzcnt* vpbroadcastm*"},
    {"avx512vbmi", "vpermb vpermi2b vpermt2b vpmultishift*"},
    {"avx512_vbmi2", "vpcompressb vpcompressw vpexpandb vpexpandw vpshld* vpshrd*"},
    {"avx512_vnni", "vpdp*"},
    {"avx512_bitalg", "vpshufbitqmb vpopcntb vpopcntw"},
    {"avx512_vpopcntdq", "vpopcnt*"},
    {"avx512ifma", "vpmadd52*"},
    {"avx512_bf16", "vcvtne2ps2bf16 vcvtneps2bf16 vdpbf16ps"},
    {"avx512_vp2intersect", "vp2intersect*"},
    {"gfni", "vgf2p8*"},
    {"vaes", "vaes*"},
    {"vpclmulqdq", "vpclmulqdq"},
    {"avx512f", "vcvtph2ps vcvtps2ph"},
    {"avx512_fp16", "vmovw vcvt*ph* vcvt*sh* vcvt*2sh vcmp*ph vcmp*sh v*ph v*sh"},
    {"avx512bw",
     "vpabsb vpabsw vpack* vpadd*b vpadd*w vpalignr vpavg* vpblendmb vpblendmw "
     "vpbroadcastb vpbroadcastw vpcmp*b vpcmp*w vperm*w vpextr* vpinsr* vpmadd* "
     "vpmax*b vpmax*w vpmin*b vpmin*w vpmovb2m vpmovw2m vpmovm2b vpmovm2w vpmovwb "
     "vpmovswb vpmovuswb vpmovsxbw vpmovzxbw vpmulh* vpmullw vpsadbw vpshufb "
     "vpshufhw vpshuflw vpslldq vpsrldq vpsll*w vpsrl*w vpsra*w vpsub*b vpsub*w "
     "vptest*mb vptest*mw vpunpck*bw vpunpck*wd vdbpsadbw vmovdqu8 vmovdqu16"},
});

// EVEX forms that work on one element, and so need no vector-length extension on xmm registers.
inline constexpr std::string_view kScalar =
    "v*ss v*sd v*sh vmovd vmovq vmovw vpextr* vpinsr* vextractps vinsertps vcvt*2si vcvt*2usi "
    "vmovlps vmovhps vmovlpd vmovhpd vmovlhps vmovhlps vcvtsi2* vcvtusi2* vcvtss2* vcvtsd2* "
    "vcvtsh2*";

}  // namespace cyclescope::assembler::x86
