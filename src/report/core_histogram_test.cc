#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/cores_text.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two groups of four CPUs: 40 ns within, 100 ns between them.
CoreMatrix TwoGroups() {
  CoreMatrix matrix;
  matrix.nanoseconds = PairMatrix(8);
  for (int row = 0; row < 8; ++row) {
    matrix.cpus.push_back(row);
    for (int column = 0; column < 8; ++column) {
      if (row == column) continue;
      matrix.nanoseconds.At(static_cast<std::size_t>(row), static_cast<std::size_t>(column)) =
          row / 4 == column / 4 ? 40 : 100;
    }
  }
  return matrix;
}

TEST(CoreHistogramText, CountsEveryPairOnce) {
  const std::string text = CoreHistogramText(TwoGroups(), {}, {});
  EXPECT_THAT(text, StartsWith("               ns  pairs\n   40.0 –    43.8     24  #"));
  EXPECT_THAT(text, HasSubstr("   96.2 –   100.0     32  #"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4) << "what is empty takes one line";
}

TEST(CoreHistogramText, FitsTheWidth) {
  const std::string text = CoreHistogramText(TwoGroups(), {}, {.width = 60});
  EXPECT_THAT(text, HasSubstr("  " + std::string(28, '#') + '\n'));
}

TEST(CoreHistogramText, TheSpectrumWithItsLevels) {
  CoreMatrix matrix = TwoGroups();
  matrix.rounds = 8;
  matrix.spectrum = {.first_ns = 8, .step = 2, .counts = {3, 0, 0, 40}, .levels = {}};
  matrix.spectrum.levels = {{.name = "same core", .nanoseconds = 9, .share = 0.07},
                            {.name = "other core", .nanoseconds = 100, .share = 0.93}};
  const std::string text = CoreHistogramText(matrix, {}, {});
  EXPECT_THAT(text, StartsWith("               ns  visits\n    8.0 –    16.0       3  #"));
  EXPECT_THAT(text, HasSubstr("#  same core: peak at 9 ns, 7 %\n              ...\n   64.0"));
  EXPECT_THAT(text, HasSubstr("#  other core: peak at 100 ns, 93 %\n"));
}

TEST(CoreHistogramText, NoneForAFewPairsOrPairsAllAlike) {
  CoreMatrix few;
  few.cpus = {0, 1};
  few.nanoseconds = PairMatrix(2);
  few.nanoseconds.At(0, 1) = 40;
  EXPECT_EQ(CoreHistogramText(few, {}, {}), "");
  CoreMatrix alike = TwoGroups();
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      if (row != column) alike.nanoseconds.At(row, column) = 40;
    }
  }
  EXPECT_EQ(CoreHistogramText(alike, {}, {}), "");
}

}  // namespace
}  // namespace cyclescope
