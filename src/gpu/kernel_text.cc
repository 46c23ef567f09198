#include "gpu/kernel_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "gpu/chain_body.h"

namespace cyclescope::gpu {
namespace {

bool UsesShared(const PtxForm& form) {
  return std::ranges::any_of(form.sources, [](const PtxOperand& each) {
    return each.is_address && each.space == AddressSpace::kShared;
  });
}

// Every word of shared memory holds the address where what is read with it begins.
std::string FillShared(const PtxForm& form, unsigned threads, int chains) {
  if (!UsesShared(form)) return "";
  const int word = FillWordBytes(form);
  const unsigned words = SharedBytes(form, threads, chains) / static_cast<unsigned>(word);
  return fmt::format(
      "  .reg .b32 %fill_i, %fill_at, %fill_value, %fill_step;\n"
      "  .reg .b64 %fill_wide;\n"
      "  .reg .pred %fill_more;\n"
      "  mov.u32 %fill_i, %thread;\n"
      "  mov.u32 %fill_step, %ntid.x;\n"
      "FILL:\n"
      "  mul.lo.u32 %fill_at, %fill_i, {0};\n"
      "  and.b32 %fill_value, %fill_at, {1};\n"
      "  {{ .reg .b32 %base; mov.u32 %base, shared_area; add.u32 %fill_at, %fill_at, %base;\n"
      "    add.u32 %fill_value, %fill_value, %base; }}\n"
      "  cvt.u64.u32 %fill_wide, %fill_value;\n"
      "  st.shared.{2} [%fill_at], {3};\n"
      "  add.u32 %fill_i, %fill_i, %fill_step;\n"
      "  setp.lt.u32 %fill_more, %fill_i, {4};\n"
      "  @%fill_more bra FILL;\n"
      "  bar.sync 0;\n",
      word, ~static_cast<unsigned>(GranuleBytes(form) - 1), word == 8 ? "u64" : "u32",
      word == 8 ? "%fill_wide" : "%fill_value", words);
}

}  // namespace

void AddSingleEntry(ModuleText& module, std::string_view name, const ChainSpec& spec, int copies) {
  constexpr unsigned kThreads = 32;
  ChainBody body(module, spec, kSingles, kThreads);
  body.Line("mov.u64 %shift, 0;");
  body.SetUp();
  for (int i = 0; i < copies; ++i) body.Copy(i, i);
  body.Sink();
  module.AddEntry(
      name, kThreads,
      "  .reg .b64 %shift;\n" + FillShared(*spec.form, kThreads, kSingles) + body.Text());
}

void AddLatencyEntry(ModuleText& module, std::string_view name, const ChainSpec& spec, int copies) {
  constexpr unsigned kThreads = 32;
  ChainBody body(module, spec, /*chains=*/1, kThreads);
  body.Line("ld.param.u64 %shift, [b];");
  body.SetUp();
  body.Line("ld.param.u32 %passes, [a];");
  body.Line("mov.u64 %to, %out;");
  body.Line("mov.u32 %pass, 0;");
  body.Line("setp.eq.u64 %never, %mem, 1;");
  body.Line("PASS:");
  body.Line("mov.u64 %begin, %clock64;");
  body.Line("@%never bra.uni DONE;");
  for (int i = 0; i < copies; ++i) body.Copy(i, 0);
  body.WaitFor(0, "DONE");
  body.Line("mov.u64 %end, %clock64;");
  body.Line("sub.u64 %end, %end, %begin;");
  body.Line("st.global.u64 [%to], %end;");
  body.Line("add.u64 %to, %to, 8;");
  body.Line("add.u32 %pass, %pass, 1;");
  body.Line("setp.lt.u32 %more, %pass, %passes;");
  body.Line("@%more bra.uni PASS;");
  body.Line("DONE:");
  body.Sink();
  module.AddEntry(name, kThreads,
                  "  .reg .b64 %begin, %end, %to, %shift;\n  .reg .b32 %passes, %pass;\n"
                  "  .reg .pred %more, %never;\n" +
                      FillShared(*spec.form, kThreads, 1) + body.Text());
}

void AddThroughputEntry(ModuleText& module, std::string_view name, const ChainSpec& spec,
                        int copies) {
  const int chains = ChainsOf(*spec.form);
  ChainBody body(module, spec, chains, kThroughputThreads);
  body.Line("mov.u64 %shift, 0;");
  body.SetUp();
  body.Line("ld.param.u32 %passes, [a];");
  body.Line("setp.eq.u64 %never, %mem, 1;");
  body.Line("mov.u32 %pass, 0;");
  body.Line("bar.sync 0;");
  body.Line("mov.u64 %begin, %clock64;");
  body.Line("@%never bra.uni DONE;");
  body.Line("PASS:");
  for (int i = 0; i < copies; ++i) body.Copy(i, i % chains);
  body.Line("add.u32 %pass, %pass, 1;");
  body.Line("setp.lt.u32 %more, %pass, %passes;");
  body.Line("@%more bra.uni PASS;");
  for (int chain = 0; chain < chains; ++chain) body.WaitFor(chain, "DONE");
  body.Line("mov.u64 %end, %clock64;");
  // out[2 * (block * warps + warp)]
  body.Line("mov.u32 %warp, %ctaid.x;");
  body.Line("mov.u32 %warps, %ntid.x;");
  body.Line("mad.lo.u32 %warp, %warp, %warps, %thread;");
  body.Line("shr.u32 %warp, %warp, 5;");
  body.Line("mul.wide.u32 %to, %warp, 16;");
  body.Line("add.u64 %to, %out, %to;");
  body.Line("st.global.u64 [%to], %begin;");
  body.Line("st.global.u64 [%to+8], %end;");
  body.Line("DONE:");
  body.Sink();
  module.AddEntry(
      name, kThroughputThreads,
      "  .reg .b64 %begin, %end, %to, %shift;\n  .reg .b32 %passes, %pass, %warp, %warps;\n"
      "  .reg .pred %more, %never;\n" +
          FillShared(*spec.form, kThroughputThreads, chains) + body.Text());
}

void AddFillEntry(ModuleText& module) {
  module.AddEntry(kFillEntry, kThroughputThreads,
                  "  .reg .b64 %i, %step, %count, %word, %granule, %at, %value, %mask;\n"
                  "  .reg .b32 %block, %blocks, %low;\n"
                  "  .reg .pred %more, %is_wide;\n"
                  "  ld.param.u64 %count, [a];\n"
                  "  ld.param.u64 %word, [b];\n"
                  "  ld.param.u64 %granule, [c];\n"
                  "  sub.u64 %mask, %granule, 1;\n"
                  "  not.b64 %mask, %mask;\n"
                  "  mov.u32 %block, %ctaid.x;\n"
                  "  mov.u32 %blocks, %ntid.x;\n"
                  "  mad.lo.u32 %block, %block, %blocks, %thread;\n"
                  "  cvt.u64.u32 %i, %block;\n"
                  "  mov.u32 %block, %nctaid.x;\n"
                  "  mul.wide.u32 %step, %block, %blocks;\n"
                  "  setp.eq.u64 %is_wide, %word, 8;\n"
                  "  setp.ge.u64 %more, %i, %count;\n"
                  "  @%more bra DONE;\n"
                  "NEXT:\n"
                  "  mul.lo.u64 %at, %i, %word;\n"
                  "  and.b64 %value, %at, %mask;\n"
                  "  add.u64 %at, %at, %mem;\n"
                  "  add.u64 %value, %value, %mem;\n"
                  "  cvt.u32.u64 %low, %value;\n"
                  "  @%is_wide st.global.u64 [%at], %value;\n"
                  "  @!%is_wide st.global.u32 [%at], %low;\n"
                  "  add.u64 %i, %i, %step;\n"
                  "  setp.lt.u64 %more, %i, %count;\n"
                  "  @%more bra NEXT;\n"
                  "DONE:\n");
}

int FillWordBytes(const PtxForm& form) {
  if (form.results.empty()) return 4;
  return BitsOf(form.registers[form.results.front().registers.front()].kind) == 64 ? 8 : 4;
}

std::uint64_t GlobalBytes(const PtxForm& form, unsigned blocks) {
  const bool uses_it = std::ranges::any_of(form.sources, [](const PtxOperand& each) {
    return each.is_address && each.space == AddressSpace::kGlobal;
  });
  if (!uses_it) return 0;
  return std::uint64_t{blocks} * static_cast<unsigned>(ChainsOf(form) * GranuleBytes(form)) *
             kThroughputThreads +
         kMostShift;
}

unsigned SharedBytes(const PtxForm& form, unsigned threads, int chains) {
  return UsesShared(form) ? threads * static_cast<unsigned>(chains * GranuleBytes(form)) : 0;
}

}  // namespace cyclescope::gpu
