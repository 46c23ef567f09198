#include "anatomy/sharing.h"

#include <gtest/gtest.h>

#include <vector>

namespace cyclescope::anatomy {
namespace {

const arch::WindowFiller kFiller = {arch::Window::kLoads, "load", {"load"}};

void Show(SharingWitness& witness, int fits, int times) {
  for (int i = 0; i < times; ++i) {
    std::vector<OverlapPoint> points;
    for (const OverlapLook& look : witness.WholeRange())
      points.push_back({look.fillers, look.fillers <= fits ? 1 - 0.35 * look.fillers / fits : 0});
    witness.Learn(points);
  }
}

TEST(SharingWitness, LooksBetweenTheSizeOfAPartAndTheWhole) {
  SharingWitness witness(kFiller);
  EXPECT_FALSE(witness.IsReady());
  Show(witness, 192, 10);
  ASSERT_TRUE(witness.IsReady());
  EXPECT_GT(witness.Look().fillers, 96);
  EXPECT_LT(witness.Look().fillers, 192);
  EXPECT_GT(witness.LookBeyond().fillers, 192);
}

TEST(SharingWitness, TheLargestSizeThatRepeatsIsTheWhole) {
  SharingWitness witness(kFiller);
  Show(witness, 96, 20);
  Show(witness, 192, 5);
  EXPECT_GT(witness.Look().fillers, 96);
  EXPECT_LT(witness.Look().fillers, 192);
}

TEST(SharingWitness, OneSizeThatDoesNotRepeatIsWrong) {
  SharingWitness witness(kFiller);
  Show(witness, 96, 20);
  Show(witness, 400, 1);
  EXPECT_LT(witness.Look().fillers, 96);
}

TEST(SharingWitness, AFewOfHundredsAreWrong) {
  SharingWitness witness(kFiller);
  Show(witness, 192, 300);
  Show(witness, 400, 6);
  EXPECT_LT(witness.Look().fillers, 192);
}

TEST(SharingWitness, WhatOverlapsAgainBehindTheStepWasDisturbed) {
  SharingWitness witness(kFiller);
  Show(witness, 96, 20);
  for (int i = 0; i < 10; ++i) {
    std::vector<OverlapPoint> points;
    for (const OverlapLook& look : witness.WholeRange())
      points.push_back({look.fillers, look.fillers <= 96 || look.fillers == 291 ? 0.7 : 0});
    witness.Learn(points);
  }
  EXPECT_LT(witness.Look().fillers, 96);
}

}  // namespace
}  // namespace cyclescope::anatomy
