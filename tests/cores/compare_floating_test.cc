// Two runs on one machine whose virtual CPUs move, minutes apart: `compare` must not call pairs
// changed that only are somewhere else.
#include <gtest/gtest.h>

#include "analysis/compare.h"
#include "cores/interpret.h"
#include "cores/matrix_experiment.h"
#include "cores/testing/floating_placement.h"
#include "cores/testing/simulated_line_source.h"

namespace cyclescope {
namespace {

TEST(CompareFloating, MostPairsDoNotDiffer) {
  constexpr int kCpus = 16;
  for (const double residence_ms : {2.0, 100.0, 10'000.0}) {
    cores::testing::FloatingPlacement placement(kCpus, 96, residence_ms * 1e6, 8);
    cores::testing::SimulatedLineSource source(cores::testing::TiledHost(96),
                                               {.line_spread = 0.08, .placement = &placement}, 8);
    std::vector<Document> documents(2);
    for (Document& document : documents) {
      auto measured = cores::MeasureMatrix(source, cores::testing::FlatMachine(kCpus).Cpus(),
                                           {.line = {.batches = 1, .round_trips = 90},
                                            .precision = 0.1,
                                            .watch_ns = cores::WatchNs(kCpus),
                                            .follow_ns = 100'000'000},
                                           [](const CoreMatrix&, Progress) { return true; });
      ASSERT_TRUE(measured.has_value());
      cores::Interpret(*measured, {}, source);
      measured->matrix.test = "cas";
      document.cores.push_back(std::move(measured->matrix));
      source.Wait(300'000);
    }
    const Comparison comparison = Compare(documents, {});
    ASSERT_EQ(comparison.kinds.size(), 1u);
    EXPECT_LE(comparison.kinds[0].counts[0].changed, 240u * 5 / 100) << residence_ms;
  }
}

}  // namespace
}  // namespace cyclescope
