// The readers over what a program of its own recorded: taken jumps of a Neoverse V1, beside a
// compiler. Of that core 96 and 8,192 branch targets and a cache of 64 KB are published.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "anatomy/branch_targets.h"
#include "anatomy/plateaus.h"

namespace cyclescope::anatomy {
namespace {

using RecordedJumps = std::vector<std::pair<double, double>>;

// The recording counts neither the loop's own jump nor has errors: it gives two digits.
JumpCurve CurveOf(std::int64_t stride, const RecordedJumps& recorded) {
  JumpCurve curve;
  curve.stride = stride;
  for (const auto& [jumps, cycles] : recorded) {
    const double all = jumps + 1;
    curve.curve.points.push_back({all, cycles * jumps / all, 0.005, false});
  }
  curve.curve.plateaus = FindPlateaus(curve.curve.points, {});
  return curve;
}

const std::vector<JumpCurve>& NeoverseV1() {
  static const std::vector<JumpCurve> curves = {
      CurveOf(8, {{4, 0.75},    {8, 0.63},     {16, 0.56},    {24, 0.54},    {32, 0.53},
                  {48, 0.52},   {64, 0.52},    {96, 0.57},    {128, 1.02},   {192, 1.01},
                  {256, 1.01},  {384, 1.01},   {512, 1.00},   {768, 1.00},   {1024, 1.00},
                  {1536, 1.00}, {2048, 1.00},  {3072, 1.00},  {4096, 1.00},  {6144, 1.00},
                  {8192, 1.01}, {10240, 2.85}, {12288, 4.01}, {16384, 5.46}, {24576, 6.00}}),
      CurveOf(16, {{4, 0.75},    {8, 0.63},     {16, 0.56},    {24, 0.54},    {32, 0.53},
                   {48, 0.52},   {64, 0.52},    {96, 0.57},    {128, 1.02},   {192, 1.01},
                   {256, 1.01},  {384, 1.01},   {512, 1.00},   {768, 1.00},   {1024, 1.00},
                   {1536, 1.00}, {2048, 1.00},  {3072, 1.00},  {4096, 1.00},  {6144, 1.46},
                   {8192, 1.53}, {10240, 2.28}, {12288, 3.58}, {16384, 6.48}, {24576, 6.51}}),
      CurveOf(32, {{4, 0.75},    {8, 0.63},     {16, 0.56},    {24, 0.54},    {32, 0.53},
                   {48, 0.52},   {64, 0.52},    {96, 0.57},    {128, 1.02},   {192, 1.02},
                   {256, 1.01},  {384, 1.01},   {512, 1.01},   {768, 1.00},   {1024, 1.00},
                   {1536, 1.00}, {2048, 1.02},  {3072, 1.91},  {4096, 2.07},  {6144, 2.26},
                   {8192, 2.36}, {10240, 2.58}, {12288, 4.06}, {16384, 7.62}, {24576, 8.45}}),
      CurveOf(64, {{4, 0.75},     {8, 0.63},      {16, 0.56},     {24, 0.54},     {32, 0.53},
                   {48, 0.52},    {64, 0.52},     {96, 0.88},     {128, 1.02},    {192, 1.02},
                   {256, 1.01},   {384, 1.01},    {512, 1.01},    {768, 1.01},    {1024, 1.02},
                   {1536, 3.00},  {2048, 3.04},   {3072, 3.07},   {4096, 3.08},   {6144, 8.44},
                   {8192, 10.16}, {10240, 10.55}, {12288, 11.15}, {16384, 13.55}, {24576, 16.03}}),
      CurveOf(128, {{4, 0.75},     {8, 0.63},      {16, 0.56},     {24, 0.54},     {32, 0.53},
                    {48, 0.52},    {64, 0.52},     {96, 0.80},     {128, 1.02},    {192, 1.01},
                    {256, 1.02},   {384, 1.01},    {512, 1.05},    {768, 3.01},    {1024, 3.01},
                    {1536, 3.04},  {2048, 3.09},   {3072, 10.34},  {4096, 12.55},  {6144, 17.74},
                    {8192, 20.08}, {10240, 23.54}, {12288, 23.23}, {16384, 26.68}, {24576, 26.60}}),
  };
  return curves;
}

TEST(FrontEndRecording, BranchTargetsOfANeoverseV1) {
  const JumpReading reading = ReadJumps(NeoverseV1());
  ASSERT_EQ(reading.targets.size(), 2);
  // Its points are as far apart as the published numbers are from the next ones.
  EXPECT_LE(reading.targets[0].entries.low, 97);
  EXPECT_GE(reading.targets[0].entries.high, 96);
  EXPECT_NEAR(reading.targets[0].cycles, 0.51, 0.02);
  EXPECT_LE(reading.targets[1].entries.low, 8193);
  EXPECT_GE(reading.targets[1].entries.high, 8192);
  EXPECT_NEAR(reading.targets[1].cycles, 1, 0.02);
  EXPECT_FALSE(reading.targets[1].at_least);
}

TEST(FrontEndRecording, TheFirstCodeCacheOfANeoverseV1) {
  const JumpReading reading = ReadJumps(NeoverseV1());
  ASSERT_TRUE(reading.cache);
  EXPECT_LE(reading.cache->bytes.low, 65536 + 64);
  EXPECT_GE(reading.cache->bytes.high, 65536);
  EXPECT_NEAR(reading.cache->cycles_per_line, 2, 0.1);
}

}  // namespace
}  // namespace cyclescope::anatomy
