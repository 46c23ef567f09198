#include <gtest/gtest.h>

#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

// From tables of the distribution.
TEST(StudentQuantile, AgreesWithTheTables) {
  EXPECT_NEAR(StudentQuantile(0.975, 1), 12.706, 0.001);
  EXPECT_NEAR(StudentQuantile(0.975, 2), 4.303, 0.001);
  EXPECT_NEAR(StudentQuantile(0.995, 4), 4.604, 0.001);
  EXPECT_NEAR(StudentQuantile(0.95, 30), 1.697, 0.001);
  EXPECT_NEAR(StudentQuantile(0.975, 16384), 1.9601, 0.0001);
}

TEST(StudentTails, AgreesWithTheTables) {
  EXPECT_NEAR(StudentTails(0, 5), 1, 1e-9);
  EXPECT_NEAR(StudentTails(2.571, 5), 0.05, 1e-4);
  EXPECT_NEAR(StudentTails(-2.571, 5), 0.05, 1e-4);
  EXPECT_NEAR(StudentTails(12.706, 1), 0.05, 1e-4);
  EXPECT_NEAR(StudentTails(1, 2), 0.42265, 1e-5);
  EXPECT_NEAR(StudentTails(9.0, 30) / 4.9e-10, 1, 0.05);
  EXPECT_EQ(StudentTails(1e200, 30), 0);
}

}  // namespace
}  // namespace cyclescope::statistics
