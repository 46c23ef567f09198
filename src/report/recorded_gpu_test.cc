// What an H200 gave (tests/data/recordings/gpu-h200.json): it is read, it is told, and it says what
// is known of that GPU from elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "document/json_reader.h"
#include "report/document_text.h"

namespace cyclescope {
namespace {

Document Recorded() {
  std::ifstream file(std::filesystem::path(CYCLESCOPE_TEST_DATA) / "recordings" / "gpu-h200.json");
  std::stringstream text;
  text << file.rdbuf();
  auto document = ParseJson(text.str(), "gpu-h200.json");
  EXPECT_TRUE(document.has_value()) << document.error().ToString();
  return document ? std::move(*document) : Document{};
}

const GpuInstruction* Find(const GpuRow& row, std::string_view start) {
  for (const GpuInstruction& each : row.instructions) {
    if (each.text.starts_with(start)) return &each;
  }
  return nullptr;
}

TEST(RecordedGpu, LatenciesAreThoseOfOtherProbes) {
  const Document document = Recorded();
  ASSERT_EQ(document.gpu.size(), 1);
  const GpuRow& row = document.gpu.front();
  const std::pair<const char*, double> expected[] = {
      {"mad.lo.s32", 4},
      {"lop3.b32", 4},
      {"shf.l.wrap", 4},
      {"prmt.b32", 4},
      {"dp4a", 4},
      {"fma.rn.f32", 4},
      {"fma.rn.f64", 8},
      {"fma.rn.f16x2", 8},
      {"mul.hi.u32", 9},
      {"popc.b32", 17},
      {"ex2.approx", 17},
      {"sqrt.approx", 17},
      {"shfl.sync.bfly", 24},
      {"ld.shared.u32", 23},
      {"ld.global.ca.u64", 34},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16", 24}};
  for (const auto& [text, cycles] : expected) {
    const GpuInstruction* found = Find(row, text);
    ASSERT_NE(found, nullptr) << text;
    ASSERT_FALSE(found->latency.empty()) << text;
    EXPECT_NEAR(found->latency.front().cycles.value, cycles, 0.02 * cycles) << text;
  }
}

TEST(RecordedGpu, RatesAreThoseOfTheDataSheet) {
  const Document document = Recorded();
  const GpuRow& row = document.gpu.front();
  const GpuInstruction* warp = Find(row, "mma.sync.aligned.m16n8k16.row.col.f32.f16");
  const GpuInstruction* group = Find(row, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16");
  ASSERT_TRUE(warp && warp->throughput && group && group->throughput);
  EXPECT_NEAR(*warp->throughput->operations_per_sm, 2730, 0.05 * 2730);
  EXPECT_NEAR(*group->throughput->operations_per_sm, 4096, 0.1 * 4096);
  EXPECT_NEAR(Find(row, "ex2.approx")->throughput->per_sm.value, 16, 0.5);
  EXPECT_NEAR(Find(row, "add.rn.f32")->throughput->per_sm.value, 128, 4);
}

TEST(RecordedGpu, LaddersHaveTheClaimedSizes) {
  const Document document = Recorded();
  const GpuRow& row = document.gpu.front();
  ASSERT_EQ(row.levels.size(), 3);
  for (const MemoryLevel& level : row.levels) {
    if (!level.capacity) continue;
    ASSERT_TRUE(level.claimed_bytes.has_value()) << level.name;
    EXPECT_NEAR(level.capacity->value / static_cast<double>(*level.claimed_bytes), 1, 0.15)
        << level.name;
  }
  EXPECT_EQ(row.levels.back().name, "memory");
}

TEST(RecordedGpu, IsToldAsText) {
  const auto text = DocumentText(Recorded(), {.full = true}, {});
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, ::testing::HasSubstr("GPU 0: NVIDIA H200"));
}

}  // namespace
}  // namespace cyclescope
