#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "curves/read_levels.h"
#include "curves/testing/simulated_memory.h"
#include "memory/claims.h"

namespace cyclescope::curves {
namespace {

// A curve of single visits, as a machine that was building software gave it: 16 cycles from 64 KB
// on, and some 20 from 512 KB to 1 MB, in which the second level had lines of others.
TEST(ReadLevels, FootprintsVisitedOnceMakeNoLevelOfTheirNoise) {
  struct Point {
    double kilobytes;
    double cycles;
  };
  const auto curve_of = [](std::initializer_list<Point> points) {
    MemoryCurve curve;
    for (const auto& [kilobytes, cycles] : points) {
      MemoryPoint& point = curve.points.emplace_back();
      point.bytes = static_cast<std::int64_t>(kilobytes * kKb);
      point.cycles = {cycles, cycles * 0.9975, cycles * 1.0025};
      point.nanoseconds = {cycles / 2.6, cycles / 2.7, cycles / 2.5};
      point.visits = 1;
    }
    return curve;
  };
  const MemoryCurve random =
      curve_of({{1, 5.0},        {1, 5.1},       {2, 5.0},       {3, 5.0},       {4, 5.2},
                {6, 5.1},        {8, 5.2},       {11, 5.0},      {16, 5.1},      {23, 5.1},
                {32, 5.1},       {45, 5.7},      {64, 16.7},     {90, 16.1},     {128, 16.0},
                {181, 16.2},     {256, 18.0},    {362, 16.1},    {512, 38.1},    {724, 20.5},
                {1024, 22.1},    {1448, 60.9},   {2048, 114.0},  {2896, 273.5},  {4096, 223.3},
                {5793, 366.6},   {8192, 260.0},  {11585, 318.1}, {16384, 340.0}, {23170, 305.0},
                {32768, 337.4},  {46341, 403.8}, {65536, 367.5}, {92682, 312.3}, {185364, 432.8},
                {370728, 430.3}, {741455, 429.4}});
  const MemoryCurve page_by_page =
      curve_of({{1, 5.2},       {1, 5.2},       {2, 5.3},       {3, 5.2},        {4, 5.2},
                {6, 5.2},       {8, 5.4},       {11, 5.6},      {16, 5.7},       {23, 6.9},
                {32, 11.1},     {45, 16.3},     {64, 16.6},     {90, 17.9},      {128, 18.7},
                {181, 16.4},    {256, 17.1},    {362, 17.0},    {512, 19.6},     {724, 28.4},
                {1024, 54.3},   {1448, 60.0},   {2048, 69.8},   {2896, 70.2},    {4096, 112.8},
                {5793, 158.5},  {11585, 118.7}, {16384, 156.1}, {23170, 143.2},  {32768, 166.4},
                {46341, 174.1}, {65536, 153.0}, {92682, 175.3}, {185364, 152.3}, {370728, 131.5},
                {741455, 152.8}});
  const auto levels = ReadLevels(random, {page_by_page}, {});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_NEAR(levels[0].cycles.value, 5, 0.2);
  EXPECT_NEAR(levels[1].cycles.value, 16, 1.5);
  EXPECT_GT(levels[1].capacity->high, 1 * kMb);
}

// As a virtual machine gave them: bytes, cycles, half of the interval, ns, visits, contended.
struct RecordedPoint {
  std::int64_t bytes;
  double cycles;
  double half_width;
  double nanoseconds;
  int visits;
  bool contended;
};

MemoryCurve Recorded(std::initializer_list<RecordedPoint> points) {
  MemoryCurve curve;
  for (const RecordedPoint& each : points) {
    MemoryPoint& point = curve.points.emplace_back();
    point.bytes = each.bytes;
    point.cycles = {each.cycles, std::max(each.cycles - each.half_width, 0.0),
                    each.cycles + each.half_width};
    point.nanoseconds = {each.nanoseconds, 0.97 * each.nanoseconds, 1.03 * each.nanoseconds};
    point.visits = each.visits;
    point.contended = each.contended;
  }
  return curve;
}

const std::vector<os::CacheClaim>& EmeraldRapids() {
  static const std::vector<os::CacheClaim> claimed = {
      {1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{300} << 20}};
  return claimed;
}

// Fourteen compilers on two CPUs left time for one visit each. It was read as an L2 of 161 KB, an
// L3 of 20 cycles and a memory of 15 ns.
TEST(ReadLevels, ABusyMachinesMemoryIsWhereItsCurveEnds) {
  const MemoryCurve random =
      Recorded({{1024, 5.086, 0.165, 1.93, 1, true},   {1472, 5.116, 0.166, 1.83, 1, true},
                {2048, 5.046, 0.164, 1.8, 1, true},    {2880, 5.211, 0.169, 1.88, 1, true},
                {4096, 5.113, 0.166, 1.83, 1, true},   {5824, 5.322, 0.173, 2.38, 1, true},
                {8192, 5.095, 0.166, 2.32, 1, true},   {11584, 5.146, 0.167, 1.83, 1, true},
                {16384, 5.192, 0.169, 1.86, 1, true},  {23168, 5.688, 0.185, 2.11, 1, true},
                {32768, 5.361, 0.174, 1.92, 1, true},  {46336, 13.3, 0.432, 5.11, 1, true},
                {65536, 16.33, 0.531, 6.1, 1, true},   {92672, 16.37, 0.532, 5.83, 1, true},
                {131072, 16.51, 0.536, 5.89, 1, true}, {185344, 18.07, 0.587, 6.73, 1, true},
                {262144, 18.98, 0.617, 9.52, 1, true}, {370752, 19.7, 0.64, 7.98, 1, true},
                {524288, 19.44, 0.632, 6.71, 1, true}, {741440, 22.05, 0.716, 11.1, 1, true},
                {1048576, 47.92, 1.56, 17, 1, true},   {1482880, 36.52, 1.19, 13.6, 1, true},
                {2097152, 126.6, 4.12, 60.9, 1, true}, {2965824, 357.6, 11.6, 126, 1, true},
                {4194304, 345.7, 11.2, 126, 1, true},  {5931648, 339.3, 11, 127, 1, true},
                {8388608, 358.5, 11.7, 124, 1, true},  {11863296, 289.8, 9.42, 144, 1, true},
                {23726592, 386.9, 12.6, 138, 1, true}, {47453120, 372, 12.1, 138, 1, true},
                {94906240, 303.9, 9.88, 146, 1, true}});
  const MemoryCurve page_by_page = Recorded({{1024, 5.19, 0.169, 1.86, 1, true},
                                             {2880, 5.158, 0.168, 1.91, 1, true},
                                             {5824, 5.142, 0.167, 1.91, 1, true},
                                             {8192, 5.308, 0.172, 1.96, 1, true},
                                             {23168, 5.405, 0.176, 1.93, 1, true},
                                             {46336, 15.23, 0.495, 5.64, 1, true},
                                             {65536, 15.85, 0.515, 5.62, 1, true},
                                             {370752, 17.58, 0.571, 6.07, 1, true},
                                             {5931648, 132.4, 4.3, 49.1, 1, true},
                                             {11863296, 133.5, 4.34, 49.5, 1, true},
                                             {94906240, 133.6, 4.34, 48.9, 1, true}});
  const auto levels = ReadLevels(random, {page_by_page}, EmeraldRapids());
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_NEAR(levels[0].cycles.value, 5.1, 0.2);
  EXPECT_NEAR(levels[1].cycles.value, 17, 1.5);
  EXPECT_NEAR(levels[2].cycles.value, 330, 45);
  EXPECT_NEAR(levels[2].nanoseconds.value, 123, 15);
  for (const MemoryLevel& level : levels) EXPECT_TRUE(level.contended) << level.name;
  EXPECT_TRUE(levels[0].capacity_at_least);
  EXPECT_TRUE(levels[1].capacity_at_least);
  EXPECT_TRUE(memory::CompareWithClaims(levels, random, EmeraldRapids()).empty());
}

// One clear point each was enough to place the end of a level within 4 %, where the curve rises
// from 1.3 MB on. Nothing was clear page by page.
TEST(ReadLevels, ALevelEndsNoLaterThanItsCurveLeavesIt) {
  const MemoryCurve random =
      Recorded({{1024, 5.009, 0.163, 2.01, 1, false},    {1472, 5.013, 0.163, 2.18, 1, false},
                {2048, 5.008, 0.163, 1.86, 1, false},    {2880, 5.006, 0.163, 1.86, 1, false},
                {4096, 5.007, 0.163, 1.93, 2, false},    {5824, 5.007, 0.163, 1.77, 2, false},
                {8192, 5.009, 0.163, 1.9, 2, false},     {11584, 5.031, 1.69, 2.18, 3, false},
                {16384, 5.014, 0.163, 1.98, 2, false},   {23168, 5.097, 0.26, 1.86, 2, false},
                {32768, 5.086, 0.829, 2.04, 4, false},   {38976, 5.196, 0.073, 1.93, 3, false},
                {41280, 5.249, 0.0365, 1.99, 4, false},  {43712, 5.416, 0.0712, 2.17, 4, false},
                {46336, 5.511, 0.342, 2.08, 2, false},   {49088, 5.816, 0.727, 2.33, 4, false},
                {52032, 13.44, 2.24, 5.75, 3, false},    {55104, 15.89, 0.862, 5.9, 2, false},
                {65536, 15.98, 0.519, 5.72, 1, false},   {92672, 16.93, 11.7, 6.92, 2, false},
                {131072, 16.05, 0.0678, 5.95, 3, false}, {185344, 16.03, 0.521, 5.95, 1, false},
                {262144, 16.08, 0.533, 6.13, 2, false},  {370752, 16.12, 0.524, 6.46, 1, false},
                {392768, 16.69, 7.43, 7.03, 2, false},   {440896, 16.9, 0.0423, 6.27, 3, false},
                {467072, 17.22, 0.0431, 6.39, 4, false}, {524288, 17.88, 1.15, 7.77, 3, false},
                {555456, 18.14, 0.0472, 6.95, 4, false}, {623488, 21.89, 6.21, 9.1, 3, false},
                {660544, 18.92, 0.0594, 7.11, 3, false}, {699840, 19.2, 9.3, 8.34, 3, false},
                {741440, 22.28, 15.3, 11.5, 2, false},   {785536, 19.57, 2.76, 7.83, 3, false},
                {832256, 20.9, 15, 7.91, 2, false},      {881728, 25.08, 0.981, 9.48, 2, false},
                {1048576, 24.5, 4.56, 9.09, 3, false},   {1246976, 24.06, 0.782, 8.83, 1, false},
                {1321152, 25.2, 9.24, 9.9, 4, false},    {1399680, 37.69, 12.7, 18.5, 4, false},
                {1482880, 63.95, 349, 42.2, 2, false},   {1571072, 37.87, 100, 14.8, 3, false},
                {1664512, 61.68, 45.6, 24.6, 4, false},  {1763456, 49.64, 49.5, 18.4, 3, false},
                {1868352, 73.03, 79.1, 27.7, 4, false},  {2097152, 73.61, 2.39, 31.1, 1, false},
                {2221824, 90.14, 13.2, 33, 3, false},    {2353984, 132.3, 458, 54, 2, false},
                {2493952, 136.9, 4.45, 56.3, 1, true},   {2642240, 131, 85, 49.1, 3, false},
                {2799360, 191.3, 80.1, 79.9, 3, false},  {2965824, 193.3, 366, 73.3, 2, false},
                {3142208, 169.6, 201, 74, 2, false},     {3329024, 209.6, 53.8, 83.3, 3, false},
                {3526976, 236.5, 107, 88.8, 3, false},   {3736704, 163.4, 116, 65.4, 3, false},
                {3958912, 240.2, 60.9, 108, 5, false},   {4194304, 255.6, 8.31, 94.8, 1, false},
                {4987904, 255.9, 390, 97, 2, false},     {5931648, 300.4, 60, 123, 3, false},
                {8388608, 295.1, 9.59, 123, 1, false},   {9975808, 306.1, 456, 129, 2, false},
                {11863296, 314.1, 117, 131, 2, false},   {16777216, 334.9, 202, 134, 2, false},
                {19951616, 349.2, 120, 140, 3, false},   {23726592, 333.2, 435, 122, 2, false},
                {25137408, 347.3, 76.7, 132, 4, false},  {28215808, 335.8, 168, 135, 2, false},
                {33554432, 353.7, 11.5, 131, 1, false},  {47453120, 353.9, 50.5, 134, 2, false},
                {67108864, 333.9, 345, 135, 2, false},   {94906240, 315.2, 10.2, 143, 1, false},
                {189812544, 357.4, 11.6, 144, 1, false}, {379625088, 414.2, 13.5, 160, 1, true},
                {759250112, 403.6, 13.1, 156, 1, false}});
  const MemoryCurve page_by_page =
      Recorded({{1024, 5.064, 0.165, 1.82, 1, true},     {1472, 5.043, 0.164, 1.75, 1, true},
                {2048, 5.073, 0.165, 1.96, 1, true},     {2880, 5.072, 0.165, 1.88, 1, true},
                {4096, 5.082, 0.165, 1.76, 1, true},     {5824, 5.068, 0.165, 1.83, 1, true},
                {8192, 5.094, 0.166, 1.83, 1, true},     {11584, 5.126, 0.167, 1.85, 1, true},
                {16384, 5.24, 0.17, 1.82, 1, true},      {23168, 5.364, 0.174, 2.08, 1, true},
                {27584, 5.69, 0.185, 2.12, 1, true},     {32768, 7.156, 0.233, 2.4, 1, true},
                {38976, 9.029, 0.293, 3.24, 1, true},    {46336, 12.93, 0.42, 4.8, 1, true},
                {55104, 15.18, 0.493, 5.63, 1, true},    {65536, 15.47, 0.503, 5.77, 1, true},
                {92672, 15.71, 0.511, 5.84, 1, true},    {131072, 15.98, 0.519, 5.73, 1, true},
                {185344, 16.06, 0.522, 5.76, 1, true},   {262144, 16.14, 0.525, 5.78, 1, true},
                {370752, 16.14, 0.525, 5.61, 1, true},   {524288, 16.2, 0.526, 6.25, 1, true},
                {741440, 16.24, 0.528, 5.72, 1, true},   {881728, 16.53, 0.537, 6.1, 1, true},
                {1048576, 17.41, 0.566, 6.55, 1, true},  {1246976, 21.13, 0.687, 8.51, 1, true},
                {1482880, 30.33, 0.986, 11.4, 1, true},  {1763456, 39.2, 1.27, 14.7, 1, true},
                {2097152, 54.35, 1.77, 18.4, 1, true},   {2493952, 54.5, 1.77, 22.8, 1, true},
                {2965824, 64.46, 2.09, 23.1, 1, true},   {3526976, 73.38, 2.39, 29.4, 1, true},
                {4194304, 91.69, 2.98, 34.9, 1, true},   {5931648, 91.36, 2.97, 31.7, 1, true},
                {7053952, 102.4, 3.33, 48, 1, true},     {8388608, 127.3, 4.14, 49.1, 1, true},
                {9975808, 117.3, 3.81, 50.2, 1, true},   {11863296, 141.3, 4.59, 50.6, 1, true},
                {16777216, 139.4, 4.53, 50.8, 1, true},  {23726592, 139.6, 4.54, 52.4, 1, true},
                {33554432, 143.4, 4.66, 53.2, 1, true},  {47453120, 141.7, 4.61, 48.9, 1, true},
                {56431616, 126.3, 4.11, 51.2, 1, true},  {67108864, 132.5, 4.31, 49.6, 1, true},
                {79806336, 143.4, 4.66, 53.3, 1, true},  {94906240, 90.64, 2.95, 55.1, 1, true},
                {189812544, 125.4, 4.07, 53.4, 1, true}, {379625088, 133.3, 4.33, 52.7, 1, true},
                {759250112, 129.7, 4.21, 59.5, 1, true}});
  const auto levels = ReadLevels(random, {page_by_page}, EmeraldRapids());
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_LT(levels[1].capacity->low, 2 * kMb);
  EXPECT_GT(levels[1].capacity->high, 2 * kMb);
  for (const MemoryFinding& finding : memory::CompareWithClaims(levels, random, EmeraldRapids()))
    EXPECT_NE(finding.level, "L2");
}

// Huge pages in the virtual machine, small ones below it: from 384 KB on, which 96 translations
// reach, a load takes 20 cycles instead of 16. It was read as an L3, since the lines page by page
// were visited while a neighbour shared the core.
TEST(ReadLevels, AStepThatNothingShowsToBeACacheIsNone) {
  const MemoryCurve random =
      Recorded({{1024, 5.012, 0.0125, 1.83, 4, false},   {1472, 5.011, 0.0125, 1.79, 3, false},
                {2048, 5.015, 0.0127, 2.09, 4, false},   {2880, 5.008, 0.0241, 2.09, 3, false},
                {4096, 5.011, 0.0164, 2.11, 4, false},   {5824, 5.016, 0.0157, 2.09, 4, false},
                {8192, 5.014, 0.0125, 1.89, 4, false},   {11584, 5.014, 0.0125, 2.09, 4, false},
                {16384, 5.018, 1.05, 2.05, 3, false},    {23168, 5.015, 0.103, 2.09, 4, false},
                {32768, 5.023, 0.0129, 1.9, 4, false},   {38976, 5.082, 0.0149, 1.89, 3, false},
                {41280, 5.088, 0.599, 1.86, 4, false},   {46336, 5.352, 0.0677, 2.11, 4, false},
                {49088, 5.507, 0.144, 2.01, 3, false},   {55104, 15.91, 0.169, 5.91, 3, false},
                {65536, 15.98, 0.107, 6.17, 3, false},   {92672, 16.03, 0.261, 5.94, 3, false},
                {131072, 16.05, 0.045, 6.32, 4, false},  {185344, 16.02, 0.0401, 6.44, 4, false},
                {262144, 16.02, 0.0401, 6.7, 3, false},  {370752, 16.07, 0.0402, 5.98, 4, false},
                {392768, 16.16, 0.0621, 6, 4, false},    {440896, 16.87, 0.125, 6.23, 3, false},
                {467072, 17.49, 1.59, 6.59, 3, false},   {524288, 17.88, 0.896, 7.23, 4, false},
                {555456, 18.12, 0.0759, 6.87, 4, false}, {623488, 18.66, 0.0467, 6.92, 3, false},
                {741440, 19.37, 0.0485, 6.92, 4, false}, {881728, 19.92, 0.0937, 7.41, 4, false},
                {1048576, 20.43, 8.02, 9.18, 4, false},  {1246976, 21.26, 7.21, 8.04, 4, false},
                {1482880, 27.45, 8.97, 11.8, 4, false},  {1571072, 38.34, 10.5, 14.3, 4, false},
                {1763456, 43.19, 7.59, 17.2, 4, false},  {1868352, 51.84, 23.5, 18.5, 4, false},
                {2097152, 63.27, 3.37, 26.9, 4, false},  {2965824, 105.5, 225, 47.1, 4, false},
                {4194304, 166.9, 166, 62, 3, false},     {4443712, 355.5, 77.5, 131, 3, false},
                {4987904, 447.5, 48.2, 158, 3, false},   {5284480, 390.1, 152, 153, 4, false},
                {5931648, 388.6, 92.5, 150, 3, false},   {8388608, 445, 352, 159, 3, false},
                {11863296, 456.5, 14.8, 169, 1, false},  {23726592, 539.8, 17.5, 180, 1, false},
                {94906240, 481.8, 15.7, 193, 1, false}});
  const MemoryCurve page_by_page =
      Recorded({{1024, 5.058, 0.414, 2.08, 2, true},   {1472, 5.04, 0.314, 2.91, 2, true},
                {2048, 5.245, 0.489, 2.38, 2, true},   {2880, 5.755, 6.55, 2.38, 2, true},
                {4096, 5.166, 1.19, 2.07, 2, true},    {5824, 5.29, 1.71, 2.41, 2, true},
                {8192, 5.129, 0.39, 2.14, 2, true},    {11584, 5.302, 1.71, 2.41, 2, true},
                {16384, 5.252, 3.01, 2.95, 2, true},   {23168, 5.067, 0.692, 2.89, 2, true},
                {32768, 10.88, 17.6, 4.57, 2, true},   {46336, 13.58, 36.1, 6.17, 2, true},
                {65536, 16.65, 3.31, 7.11, 2, true},   {92672, 16.08, 0.56, 8.98, 2, true},
                {131072, 18.59, 19.2, 7.74, 2, true},  {185344, 16.52, 5.36, 7.35, 2, true},
                {262144, 16.7, 0.788, 6.98, 2, true},  {370752, 17.48, 18.1, 7.79, 2, true},
                {524288, 16.68, 5.69, 7.41, 2, true},  {741440, 17.07, 8.17, 7.46, 2, true},
                {1048576, 27.93, 21.1, 12.4, 2, true}, {1482880, 55.84, 243, 22.5, 2, true},
                {2097152, 70.14, 153, 31.1, 2, true},  {2965824, 108, 205, 45.7, 2, true},
                {4194304, 133.5, 4.34, 60.7, 1, true}, {5931648, 181.3, 389, 72.3, 2, true},
                {8388608, 164.1, 25, 71.6, 2, true},   {11863296, 140, 186, 66.4, 2, true},
                {23726592, 178.1, 5.79, 81, 1, true},  {47453120, 168.6, 401, 82.9, 2, true},
                {94906240, 175.9, 5.72, 80, 1, true}});
  const auto levels = ReadLevels(random, {page_by_page}, EmeraldRapids());
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_NEAR(levels[0].cycles.value, 5, 0.1);
  EXPECT_FALSE(levels[0].contended);
  EXPECT_NEAR(levels[0].capacity->value, 48 * kKb, 4 * kKb);
  EXPECT_NEAR(levels[1].cycles.value, 16, 0.3);
  EXPECT_FALSE(levels[1].contended);
  EXPECT_GT(levels[2].cycles.value, 380);
}

// A Neoverse V1 fetches whole pages ahead: page by page hardly a step is seen, and all were taken
// for translation, so that "memory" began at 76 KB. Between the second cache and memory the curve
// has no plateau, since neighbours have nearly all of the third.
TEST(ReadLevels, HardwareThatFetchesPagesAheadHidesNoCaches) {
  const MemoryCurve random =
      Recorded({{1024, 4.008, 0.01, 1.54, 8, false},     {1472, 4.008, 0.314, 1.54, 8, false},
                {2048, 4.007, 0.01, 1.54, 8, false},     {2880, 4.008, 0.01, 1.54, 8, false},
                {4096, 4.008, 0.292, 1.54, 8, false},    {5824, 4.008, 0.0233, 1.54, 8, false},
                {8192, 4.008, 0.01, 1.54, 8, false},     {11584, 4.008, 0.01, 1.54, 8, false},
                {16384, 4.009, 0.181, 1.54, 8, false},   {23168, 4.012, 0.0154, 1.54, 8, false},
                {32768, 4.015, 0.01, 1.54, 8, false},    {46336, 4.04, 0.0101, 1.55, 8, false},
                {65536, 4.17, 0.149, 1.6, 8, false},     {69440, 6.24, 0.565, 2.4, 8, false},
                {73536, 8.076, 0.109, 3.1, 8, false},    {77952, 9.775, 0.114, 3.76, 8, false},
                {82560, 11.07, 0.328, 4.26, 8, false},   {92672, 11.11, 0.22, 4.27, 8, false},
                {131072, 11.1, 0.991, 4.27, 8, false},   {155840, 11.16, 0.0593, 4.29, 8, false},
                {165120, 11.4, 1.14, 4.38, 8, false},    {185344, 11.83, 0.647, 4.55, 8, false},
                {196416, 12.23, 0.112, 4.7, 23, false},  {220416, 12.66, 0.29, 4.87, 23, false},
                {233536, 12.69, 0.246, 4.88, 23, false}, {262144, 13.08, 0.568, 5.03, 8, false},
                {370752, 14.25, 0.69, 5.48, 24, false},  {524288, 16.55, 0.828, 6.36, 23, false},
                {555456, 16.64, 0.469, 6.4, 24, false},  {588480, 17.28, 0.603, 6.64, 23, false},
                {623488, 19.19, 0.611, 7.38, 23, false}, {741440, 21.27, 0.94, 8.18, 23, false},
                {785536, 24.1, 1.01, 9.27, 23, false},   {832256, 25.63, 1.26, 9.86, 24, false},
                {881728, 27.97, 1.22, 10.8, 23, false},  {934144, 30.24, 0.973, 11.6, 23, false},
                {989696, 32.41, 1.1, 12.5, 23, false},   {1048576, 35.32, 1.33, 13.6, 23, false},
                {1110912, 38.89, 1.11, 15, 23, false},   {1176960, 43.38, 2.49, 16.7, 23, false},
                {1246976, 45.8, 0.912, 17.6, 23, false}, {1321152, 49.15, 3.38, 18.9, 23, false},
                {1482880, 57.12, 2.73, 22, 23, false},   {1571072, 62.72, 4.81, 24.1, 23, false},
                {1763456, 69.24, 5.7, 26.6, 23, false},  {1868352, 78.05, 5.42, 30, 23, false},
                {2097152, 81.45, 5.26, 31.3, 23, false}, {2221824, 109, 8.37, 41.9, 23, false},
                {2353984, 113.6, 5.33, 43.6, 23, false}, {2493952, 136, 12.5, 52.3, 23, false},
                {2965824, 144.1, 11.4, 55.4, 23, false}, {3142208, 163.4, 20.1, 62.8, 24, false},
                {3526976, 184.4, 12.1, 70.9, 23, false}, {4194304, 194.8, 13.4, 74.9, 23, false},
                {4443712, 225.9, 9.72, 86.9, 23, false}, {4707968, 236.8, 7.47, 91, 24, false},
                {4987904, 246.9, 5.81, 94.9, 24, false}, {5931648, 255.6, 6.99, 98.3, 23, false},
                {8388608, 281.6, 3.94, 108, 23, false},  {9975808, 297.9, 2.29, 115, 23, false},
                {11863296, 306.4, 3.86, 118, 24, false}, {16777216, 316, 11.1, 122, 8, false},
                {23726592, 324.3, 5.15, 125, 8, false},  {33554432, 332.3, 5.21, 128, 8, false},
                {47453120, 336.5, 3.77, 129, 8, false},  {67108864, 338.2, 6.85, 130, 8, false},
                {94906240, 345, 11.2, 133, 1, false},    {189812544, 350.3, 11.4, 135, 1, false}});
  const MemoryCurve page_by_page = Recorded(
      {{1024, 4.382, 0.846, 1.68, 4, false},     {1216, 4.007, 0.01, 1.54, 4, false},
       {1472, 4.007, 0.01, 1.54, 4, false},      {2048, 4.007, 0.01, 1.54, 4, false},
       {2880, 4.008, 0.01, 1.54, 4, false},      {4096, 4.007, 0.01, 1.54, 4, false},
       {5824, 4.008, 0.01, 1.54, 4, false},      {8192, 4.008, 0.01, 1.54, 4, false},
       {11584, 4.009, 0.01, 1.54, 4, false},     {16384, 4.012, 0.01, 1.54, 4, false},
       {23168, 4.023, 0.0101, 1.55, 4, false},   {32768, 4.042, 1.3, 1.55, 4, false},
       {38976, 5.345, 0.61, 2.06, 4, false},     {46336, 5.842, 2.05, 2.25, 4, false},
       {55104, 5.984, 1.59, 2.3, 4, false},      {65536, 7.408, 1.16, 2.85, 4, false},
       {77952, 8.7, 0.736, 3.34, 4, false},      {92672, 9.808, 0.277, 3.77, 4, false},
       {110208, 10.69, 0.272, 4.11, 4, false},   {131072, 10.87, 0.233, 4.18, 4, false},
       {185344, 11.31, 0.258, 4.35, 4, false},   {262144, 11.75, 0.13, 4.52, 4, false},
       {370752, 12.21, 0.92, 4.69, 4, false},    {524288, 13.01, 1.5, 5, 4, false},
       {623488, 13.89, 0.55, 5.34, 4, false},    {741440, 14.45, 1.07, 5.56, 4, false},
       {881728, 14.95, 0.498, 5.75, 4, false},   {1048576, 15.61, 0.293, 6, 4, false},
       {1482880, 16.37, 0.621, 6.29, 4, false},  {1763456, 17, 0.329, 6.53, 4, false},
       {2097152, 17.83, 0.68, 6.86, 4, false},   {2493952, 18.53, 0.603, 7.13, 4, false},
       {2965824, 19.86, 0.326, 7.63, 4, false},  {3526976, 20.34, 0.297, 7.82, 4, false},
       {4194304, 20.86, 1.09, 8.02, 4, false},   {5931648, 21.85, 0.962, 8.4, 4, false},
       {7053952, 23.98, 2.47, 9.22, 4, false},   {8388608, 26.58, 1.48, 10.2, 4, false},
       {9975808, 29.27, 1.21, 11.3, 4, false},   {11863296, 30.25, 1.41, 11.6, 4, false},
       {14107904, 31.4, 1.14, 12.1, 4, false},   {16777216, 33.73, 2.12, 13, 4, false},
       {23726592, 33.24, 0.316, 12.8, 4, false}, {33554432, 33.6, 0.408, 12.9, 4, false},
       {47453120, 34.07, 0.681, 13.1, 4, false}, {67108864, 34.2, 0.46, 13.1, 4, false},
       {94906240, 34.06, 0.153, 13.1, 3, false}, {189812544, 33.96, 1.04, 13.1, 3, false}});
  const TranslationLevel nearest = {.page_bytes = 4096, .reach = {40, 40, 43}, .cycles = {5, 4, 6}};
  const TranslationLevel next = {
      .page_bytes = 4096, .reach = {1408, 1353, 1448}, .cycles = {19, 17, 21}};
  const std::vector<os::CacheClaim> claimed = {{1, 64 << 10}, {2, 1 << 20}, {3, 32 << 20}};
  for (const auto& stores : {std::vector{nearest, next}, std::vector<TranslationLevel>()}) {
    const auto levels = ReadLevels(random, {page_by_page, stores}, claimed);
    ASSERT_EQ(levels.size(), 3u);
    EXPECT_NEAR(levels[0].cycles.value, 4, 0.1);
    EXPECT_NEAR(levels[0].capacity->value, 64 * kKb, 4 * kKb);
    EXPECT_NEAR(levels[1].cycles.value, 11, 0.5);
    EXPECT_LT(levels[1].capacity->low, 1 * kMb);
    EXPECT_GT(levels[1].capacity->high, 1 * kMb);
    EXPECT_NEAR(levels[2].cycles.value, 330, 15);
    EXPECT_EQ(levels[2].name, kMemory);
  }
}

// An Emerald Rapids of which neighbours leave little of the third cache: from 2.9 to 4.9 MB loads
// take 95 cycles. That the next step begins so soon made one step of two, from 16 cycles to memory.
TEST(ReadLevels, ALevelOfWhichLittleIsLeftIsSeen) {
  const MemoryCurve random =
      Recorded({{1024, 5.008, 0.337, 2, 6, false},       {4096, 5.013, 0.346, 2, 5, false},
                {8192, 5.012, 0.722, 2, 5, false},       {16384, 5.008, 0.0206, 2, 6, false},
                {23168, 5.011, 0.0439, 2, 5, false},     {32768, 5.056, 0.447, 2.02, 5, false},
                {38976, 5.194, 0.0586, 2.08, 6, false},  {46336, 5.533, 0.459, 2.21, 6, false},
                {49088, 5.772, 0.746, 2.29, 7, false},   {52032, 13.39, 0.975, 5.34, 6, false},
                {55104, 15.9, 0.0563, 6.23, 6, false},   {65536, 15.99, 0.0464, 6.39, 6, false},
                {92672, 16.02, 0.04, 6.41, 5, false},    {131072, 16.02, 0.04, 6.41, 5, false},
                {185344, 16.04, 1.01, 6.41, 5, false},   {262144, 16.04, 1.64, 6.41, 5, false},
                {370752, 16.04, 0.549, 6.41, 6, false},  {524288, 16.02, 1.11, 6.41, 5, false},
                {741440, 16.02, 0.458, 6.41, 5, false},  {1048576, 16.31, 0.265, 6.44, 5, false},
                {1482880, 16.19, 18.2, 6.47, 5, false},  {2097152, 25.01, 12.6, 9.81, 6, false},
                {2221824, 41.93, 23.5, 16.8, 6, false},  {2493952, 72.51, 16.6, 27.8, 7, false},
                {2642240, 74.19, 4.12, 28.9, 6, false},  {2799360, 84.55, 4.72, 33.8, 6, false},
                {2965824, 90.17, 2.46, 36.1, 5, false},  {3142208, 93.81, 1.99, 36, 6, false},
                {3329024, 96.12, 2.26, 38, 6, false},    {3526976, 97.75, 1.24, 39.2, 6, false},
                {4194304, 98.88, 2, 39.5, 5, false},     {4987904, 122.3, 80.7, 47.8, 6, false},
                {5284480, 215.9, 110, 86.3, 6, false},   {5931648, 289.9, 108, 116, 6, false},
                {8388608, 318.2, 13.9, 127, 5, false},   {11863296, 318.5, 10.4, 126, 5, false},
                {16777216, 315.8, 10.9, 126, 7, false},  {23726592, 315.9, 12.3, 126, 5, false},
                {33554432, 318.1, 8.04, 127, 6, false},  {47453120, 322.3, 9.59, 128, 6, false},
                {67108864, 322.9, 5.03, 129, 5, false},  {94906240, 326.3, 10.6, 131, 1, false},
                {189812544, 323.3, 10.5, 129, 1, false}, {379625088, 319.7, 10.4, 128, 1, false},
                {759250112, 343.1, 11.2, 137, 1, false}});
  const auto levels = ReadLevels(random, {}, {});
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_NEAR(levels[1].cycles.value, 16, 0.3);
  EXPECT_NEAR(levels[1].capacity->value, 2.2 * kMb, 0.3 * kMb);
  EXPECT_NEAR(levels[2].cycles.value, 95, 5);
  EXPECT_NEAR(levels[2].capacity->value, 4.8 * kMb, kMb);
  EXPECT_NEAR(levels[3].cycles.value, 318, 10);
}

}  // namespace
}  // namespace cyclescope::curves
