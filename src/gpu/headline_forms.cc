#include "gpu/headline_forms.h"

namespace cyclescope::gpu {
namespace {

constexpr bool kQuick = true;

#define CYCLESCOPE_MMA(shape, types) "mma.sync.aligned." shape ".row.col." types " "

constexpr HeadlineForm kHeadlineForms[] = {
    {"integer", "add.s32 %r0, %r1, %r2", 70, kQuick},
    {"integer", "mad.lo.s32 %r0, %r1, %r2, %r3", 70, kQuick},
    {"integer", "mul.lo.s32 %r0, %r1, %r2"},
    {"integer", "mul.hi.u32 %r0, %r1, %r2"},
    {"integer", "mad.wide.u32 %rd0, %r0, %r1, %rd1"},
    {"integer", "add.s64 %rd0, %rd1, %rd2"},
    {"integer", "mul.lo.s64 %rd0, %rd1, %rd2"},
    {"integer", "lop3.b32 %r0, %r1, %r2, %r3, 0x96", 70, kQuick},
    {"integer", "shf.l.wrap.b32 %r0, %r1, %r2, %r3", 70, kQuick},
    {"integer", "shl.b32 %r0, %r1, %r2"},
    {"integer", "prmt.b32 %r0, %r1, %r2, %r3"},
    {"integer", "dp4a.s32.s32 %r0, %r1, %r2, %r3"},
    {"integer", "min.s32 %r0, %r1, %r2"},
    {"integer", "sad.u32 %r0, %r1, %r2, %r3"},
    {"integer", "bfe.u32 %r0, %r1, %r2, %r3"},
    {"integer", "bfi.b32 %r0, %r1, %r2, %r3, %r4"},
    {"integer", "popc.b32 %r0, %r1", 70, kQuick},
    {"integer", "clz.b32 %r0, %r1"},
    {"integer", "brev.b32 %r0, %r1"},
    {"integer", "selp.b32 %r0, %r1, %r2, %p0"},
    {"integer", "setp.lt.s32 %p0, %r0, %r1"},
    {"integer", "div.u32 %r0, %r1, %r2"},
    {"FP32", "add.rn.f32 %f0, %f1, %f2", 70, kQuick},
    {"FP32", "mul.rn.f32 %f0, %f1, %f2"},
    {"FP32", "fma.rn.f32 %f0, %f1, %f2, %f3", 70, kQuick},
    {"FP32", "min.f32 %f0, %f1, %f2"},
    {"FP32", "setp.lt.f32 %p0, %f0, %f1"},
    {"FP32", "div.rn.f32 %f0, %f1, %f2"},
    {"FP64", "add.rn.f64 %fd0, %fd1, %fd2"},
    {"FP64", "mul.rn.f64 %fd0, %fd1, %fd2"},
    {"FP64", "fma.rn.f64 %fd0, %fd1, %fd2, %fd3", 70, kQuick},
    {"FP64", "div.rn.f64 %fd0, %fd1, %fd2"},
    {"FP16 and BF16", "add.rn.f16x2 %r0, %r1, %r2"},
    {"FP16 and BF16", "fma.rn.f16x2 %r0, %r1, %r2, %r3", 70, kQuick},
    {"FP16 and BF16", "fma.rn.bf16x2 %r0, %r1, %r2, %r3", 80},
    {"FP16 and BF16", "fma.rn.f16 %rs0, %rs1, %rs2, %rs3"},
    {"FP16 and BF16", "max.f16x2 %r0, %r1, %r2", 80},
    {"special functions", "rcp.approx.ftz.f32 %f0, %f1"},
    {"special functions", "rsqrt.approx.ftz.f32 %f0, %f1"},
    {"special functions", "sqrt.approx.ftz.f32 %f0, %f1"},
    {"special functions", "ex2.approx.ftz.f32 %f0, %f1", 70, kQuick},
    {"special functions", "lg2.approx.ftz.f32 %f0, %f1"},
    {"special functions", "sin.approx.ftz.f32 %f0, %f1"},
    {"special functions", "tanh.approx.f32 %f0, %f1", 75},
    {"conversion", "cvt.rn.f32.s32 %f0, %r0"},
    {"conversion", "cvt.rni.s32.f32 %r0, %f0"},
    {"conversion", "cvt.f64.f32 %fd0, %f0"},
    {"conversion", "cvt.rn.f32.f64 %f0, %fd0"},
    {"conversion", "cvt.rn.f16x2.f32 %r0, %f0, %f1", 80},
    {"conversion", "cvt.rni.f32.f32 %f0, %f1"},
    {"warp", "shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xffffffff", 70, kQuick},
    {"warp", "shfl.sync.idx.b32 %r0, %r1, %r2, 31, 0xffffffff"},
    {"warp", "vote.sync.ballot.b32 %r0, %p0, 0xffffffff"},
    {"warp", "match.any.sync.b32 %r0, %r1, 0xffffffff"},
    {"warp", "redux.sync.add.s32 %r0, %r1, 0xffffffff", 80},
    {"shared memory", "ld.shared.u32 %r0, [%r1]", 70, kQuick},
    {"shared memory", "ld.shared.u64 %rd0, [%r1]"},
    {"shared memory", "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r4]"},
    {"shared memory", "st.shared.u32 [%r0], %r1"},
    {"shared memory", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r4]", 75},
    {"global memory", "ld.global.ca.u32 %r0, [%rd0]", 70, kQuick},
    {"global memory", "ld.global.ca.u64 %rd0, [%rd1]"},
    {"global memory", "ld.global.ca.v4.u32 {%r0, %r1, %r2, %r3}, [%rd0]"},
    {"global memory", "ld.global.nc.u32 %r0, [%rd0]"},
    {"global memory", "ld.global.cg.u32 %r0, [%rd0]", 70, kQuick},
    {"global memory", "ld.global.cs.u32 %r0, [%rd0]"},
    {"global memory", "ld.global.lu.u32 %r0, [%rd0]"},
    {"global memory", "ld.global.cv.u32 %r0, [%rd0]"},
    {"global memory", "ld.relaxed.gpu.global.u32 %r0, [%rd0]"},
    {"global memory", "ld.acquire.gpu.global.u32 %r0, [%rd0]"},
    {"global memory", "st.global.wb.u32 [%rd0], %r0"},
    {"global memory", "st.global.cg.u32 [%rd0], %r0"},
    {"global memory", "st.global.cs.u32 [%rd0], %r0"},
    {"global memory", "st.global.wt.u32 [%rd0], %r0"},
    {"atomics", "atom.shared.add.u32 %r0, [%r1], %r2"},
    {"atomics", "atom.shared.cas.b32 %r0, [%r1], %r2, %r3"},
    {"atomics", "atom.global.add.u32 %r0, [%rd0], %r1", 70, kQuick},
    {"atomics", "atom.global.cas.b32 %r0, [%rd0], %r1, %r2"},
    {"atomics", "atom.global.exch.b32 %r0, [%rd0], %r1"},
    {"atomics", "atom.global.add.f32 %f0, [%rd0], %f1"},
    {"atomics", "red.global.add.u32 [%rd0], %r0"},
    {"barriers", "bar.sync 0"},
    {"barriers", "bar.warp.sync 0xffffffff"},
    {"barriers", "fence.acq_rel.cta"},
    {"barriers", "fence.acq_rel.gpu"},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k16", "f32.f16.f16.f32")
     "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}",
     80, kQuick},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k16", "f16.f16.f16.f16")
     "{%r0, %r1}, {%r2, %r3, %r4, %r5}, {%r6, %r7}, {%r8, %r9}",
     80},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k16", "f32.bf16.bf16.f32")
     "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}",
     80},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k8", "f32.tf32.tf32.f32")
     "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}",
     80},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k32", "s32.s8.s8.s32")
     "{%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r10, %r11, %r12, %r13}",
     80},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k32", "f32.e4m3.e4m3.f32")
     "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}",
     89},
    {"matrices",
     CYCLESCOPE_MMA("m8n8k4", "f64.f64.f64.f64")
     "{%fd0, %fd1}, {%fd2}, {%fd3}, {%fd4, %fd5}",
     80},
    {"matrices",
     CYCLESCOPE_MMA("m16n8k16", "f64.f64.f64.f64")
     "{%fd0, %fd1, %fd2, %fd3}, {%fd4, %fd5, %fd6, %fd7, %fd8, %fd9, %fd10, %fd11}, "
     "{%fd12, %fd13, %fd14, %fd15}, {%fd16, %fd17, %fd18, %fd19}",
     90},
    {"matrices",
     "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
     "{%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r10, %r11, %r12, %r13}",
     80},
    {"asynchronous copies",
     "cp.async.ca.shared.global [%r0], [%rd0], 16; cp.async.commit_group; cp.async.wait_group 0", 80},
    {"asynchronous copies",
     "cp.async.cg.shared.global [%r0], [%rd0], 16; cp.async.commit_group; cp.async.wait_group 0",
     80},
    {"asynchronous copies",
     "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r0], 16; cp.async.bulk.commit_group; "
     "cp.async.bulk.wait_group 0",
     90},
};

#undef CYCLESCOPE_MMA

}  // namespace

std::span<const HeadlineForm> HeadlineForms() { return kHeadlineForms; }

}  // namespace cyclescope::gpu
