#include "memory/chase_source.h"

#include <gtest/gtest.h>

#include <memory>

#include "arch/memory_loops.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope::memory {
namespace {

class ChaseSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    allowed_ = *os::AllowedCpus();
    auto gauge = Gauge::SetUp(measure::SystemTickClock(), allowed_.back(),
                              std::make_shared<measure::CoreWatch>(), {});
    ASSERT_TRUE(gauge) << gauge.error().ToString();
    gauge_ = std::make_unique<Gauge>(std::move(*gauge));
    source_ = std::make_unique<ChaseSource>(
        *gauge_, ChaseSettings{.most_bytes = 4 << 20, .line_bytes = arch::CacheLineBytes()});
  }
  void TearDown() override { EXPECT_TRUE(os::Unpin(allowed_)); }

  os::CpuList allowed_;
  std::unique_ptr<Gauge> gauge_;
  std::unique_ptr<ChaseSource> source_;
};

TEST_F(ChaseSourceTest, LinesAreLinkedToOneCycleInTheirOrder) {
  for (const ChaseOrder order :
       {ChaseOrder::kRandom, ChaseOrder::kPageByPage, ChaseOrder::kLinePerPage}) {
    const curves::Chase chase = {order, PageKind::kSmall, 1 << 20};
    const auto lines = source_->Link(chase, source_->LinesOf(chase));
    ASSERT_TRUE(lines);
    const std::int64_t unit = order == ChaseOrder::kLinePerPage
                                  ? source_->PageBytes(PageKind::kSmall)
                                  : arch::CacheLineBytes();
    EXPECT_EQ(static_cast<std::int64_t>(lines->size()), (1 << 20) / unit);
    for (std::size_t i = 0; i < lines->size(); ++i) {
      ASSERT_EQ(*static_cast<const void* const*>((*lines)[i]), (*lines)[(i + 1) % lines->size()]);
    }
  }
}

TEST_F(ChaseSourceTest, AVisitGivesTimesOrSaysThatItWasDisturbed) {
  for (const std::int64_t bytes : {2048, 8 << 10, 4 << 20}) {
    const auto visit = source_->Visit({ChaseOrder::kRandom, PageKind::kSmall, bytes});
    ASSERT_TRUE(visit);
    EXPECT_EQ(visit->cycles.size(), visit->nanoseconds.size());
    for (const double ns : visit->nanoseconds) EXPECT_GT(ns, 0);
  }
}

TEST_F(ChaseSourceTest, SmallPagesAreNotHuge) {
  ASSERT_TRUE(source_->Visit({ChaseOrder::kRandom, PageKind::kSmall, 2 << 20}));
  const auto placement = source_->Placement();
  ASSERT_TRUE(placement);
  EXPECT_GT(placement->resident_bytes + placement->swapped_bytes, 0);
  EXPECT_EQ(placement->huge_bytes, 0);
}

}  // namespace
}  // namespace cyclescope::memory
