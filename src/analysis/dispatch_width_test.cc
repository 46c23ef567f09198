#include "analysis/dispatch_width.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

Document WithAnatomy(double per_cycle) {
  Document document;
  document.anatomy = Anatomy{};
  document.anatomy->widths = {
      {.name = "decode", .pattern = "mix", .per_cycle = {4, 4, 4}},
      {.name = "dispatch", .pattern = "mix", .per_cycle = {per_cycle, per_cycle, per_cycle}}};
  return document;
}

TEST(DispatchWidth, IsAWholeNumberWithinTheNoise) {
  EXPECT_EQ(DispatchWidth(WithAnatomy(5.93)), 6);
  EXPECT_EQ(DispatchWidth(WithAnatomy(5.5)), 5.5);
}

TEST(DispatchWidth, OfASharedCoreOrABoundIsNone) {
  Document document = WithAnatomy(3.9);
  document.anatomy->widths.back().contended = true;
  EXPECT_FALSE(DispatchWidth(document));
  document.anatomy->widths.back().contended = false;
  document.anatomy->widths.back().at_least = true;
  EXPECT_FALSE(DispatchWidth(document));
}

TEST(DispatchWidth, AnatomyGoesBeforeThePortMap) {
  Document document = WithAnatomy(6);
  document.port_map = PortMap{};
  document.port_map->dispatch = 5.4;
  EXPECT_EQ(DispatchWidth(document), 6);
  document.anatomy.reset();
  EXPECT_EQ(DispatchWidth(document), 5.4) << "no whole number is near";
  EXPECT_FALSE(DispatchWidth(Document{}));
}

}  // namespace
}  // namespace cyclescope
