#include "measure/visit.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "measure/testing/simulated_core.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;
using testing::SimulatedCore;

constexpr double kUnitCycles = 3;
constexpr std::size_t kUnits = 192;
constexpr std::uint32_t kPlace = 1;  // among the loaded experiments

enum class Length { kQuick, kNotQuick, kLong, kSlow };

struct VisitCase {
  Length length = Length::kQuick;
  bool memory = false;
  bool reads_clock = false;
  Difference difference = Difference::kCopies;
};

std::string NameOf(const VisitCase& of) {
  std::string name = std::array{"Quick", "NotQuick", "Long", "Slow"}[static_cast<int>(of.length)];
  if (of.memory) name += "WithMemory";
  if (of.reads_clock) name += "WithReadings";
  if (of.difference == Difference::kLoops) name += "ByLoops";
  return name;
}

class VisitTest : public ::testing::TestWithParam<VisitCase> {
 protected:
  void SetUp() override {
    auto instrument =
        Instrument::SetUp(core_.Clock(), {.name = "reference", .reason = ""}, core_, 0, watch_);
    ASSERT_TRUE(instrument.has_value());
    instrument_ = std::make_unique<Instrument>(*instrument);
    const VisitCase& of = GetParam();
    experiment_ = testing::BytesExperiment(kUnits * static_cast<std::size_t>(kUnitCycles), kUnits);
    experiment_.difference = of.difference;
    if (of.difference == Difference::kLoops) experiment_.kernels[1] = experiment_.kernels[0];
    if (of.memory) experiment_.memory = 7;
    tally_.experiment = &experiment_;
    constexpr double kLoopNs = kUnits * kUnitCycles / 3;  // at 3 GHz
    constexpr std::array kLoops = {13, 130, 1000, 4000};
    tally_.loops = static_cast<std::uint64_t>(kLoops[static_cast<std::size_t>(of.length)]);
    tally_.shorter_ns = static_cast<double>(tally_.loops) * kLoopNs;
    const std::vector<sandbox::KernelView> kernels = {
        experiment_.kernels[0], experiment_.kernels[1], experiment_.kernels[0],
        experiment_.kernels[1]};
    ASSERT_TRUE(core_.Load(kernels).has_value());
  }

  VisitLayout Append(std::vector<Call>& calls) const {
    return AppendVisit(*instrument_, {.most_samples = 3, .reads_clock = GetParam().reads_clock},
                       kPlace, tally_, calls);
  }

  // Runs the calls and reads what they gave; `disturb` may change the records before.
  void Visit(
      const std::function<void(const VisitLayout&, std::vector<CallRecord>&)>& disturb = {}) {
    std::vector<Call> calls;
    const VisitLayout layout = Append(calls);
    const auto probes = instrument_->TakeProbes(core_, 0, 2);
    ASSERT_TRUE(probes.has_value());
    auto records = std::get<0>(core_.Run(calls));
    if (disturb) disturb(layout, records);
    const std::vector<ProbePair> around = {{(*probes)[0], (*probes)[1]}};
    const CycleLengths lengths(*watch_, around);
    ReadVisit(*instrument_, layout, {around[0], lengths, 0, watch_->revision(), 0}, records,
              tally_);
  }

  std::size_t MostSamples() const {
    return GetParam().length == Length::kLong || GetParam().length == Length::kSlow ? 1 : 3;
  }

  SimulatedCore core_;
  std::shared_ptr<CoreWatch> watch_ = std::make_shared<CoreWatch>();
  std::unique_ptr<Instrument> instrument_;
  Experiment experiment_;
  Tally tally_;
};

TEST_P(VisitTest, TheLayoutSaysWhereTheCallsAre) {
  std::vector<Call> calls;
  const VisitLayout layout = Append(calls);
  ASSERT_EQ(calls.size(), layout.calls());
  EXPECT_EQ(layout.samples, MostSamples());
  EXPECT_EQ(layout.reads_clock, GetParam().reads_clock && GetParam().length != Length::kSlow);
  for (std::size_t i = 0; i < layout.samples; ++i) {
    EXPECT_EQ(calls[layout.shorter(i)].entry, (Entry{Entry::Kind::kKernel, 2 * kPlace}));
    EXPECT_EQ(calls[layout.shorter(i) + 1].entry, (Entry{Entry::Kind::kKernel, 2 * kPlace + 1}));
  }
  for (std::size_t i = 0; layout.reads_clock && i <= layout.samples; ++i)
    EXPECT_EQ(calls[layout.reading(i)].entry.kind, Entry::Kind::kReferenceChain);
  EXPECT_EQ(calls.front().entry.kind == Entry::Kind::kFillMemory, GetParam().memory);
  EXPECT_FALSE(calls.back().goes_on);
}

TEST_P(VisitTest, GivesWhatAUnitTakes) {
  Visit();
  ASSERT_EQ(tally_.quiet.visits.size(), 1u);
  const std::vector<double>& cycles = tally_.quiet.visits[0].cycles;
  EXPECT_EQ(cycles.size(), MostSamples());
  for (const double each : cycles) EXPECT_NEAR(each, kUnitCycles, 0.02);
  EXPECT_EQ(tally_.rejected, 0);
}

TEST_P(VisitTest, AnInterruptAtTheEndCostsTheLastSampleOrAll) {
  bool is_one_piece = false;
  Visit([&](const VisitLayout& layout, std::vector<CallRecord>& records) {
    is_one_piece = layout.is_one_piece;
    records.back().context_switches = 1;
  });
  const std::size_t left = is_one_piece ? 0 : MostSamples() - 1;
  EXPECT_EQ(tally_.rejected, static_cast<int>(MostSamples() - left));
  EXPECT_EQ(tally_.quiet.visits.size(), left > 0 ? 1u : 0u);
  EXPECT_EQ(tally_.lost_visits, left > 0 ? 0 : 1);
}

TEST_P(VisitTest, AClockThatChangedBetweenTwoReadingsCostsOneSample) {
  Visit([](const VisitLayout& layout, std::vector<CallRecord>& records) {
    if (layout.reads_clock)
      records[layout.reading(0)].ticks += records[layout.reading(0)].ticks / 40;
  });
  const bool reads = GetParam().reads_clock && GetParam().length != Length::kSlow;
  EXPECT_EQ(tally_.rejected, reads ? 1 : 0);
}

TEST_P(VisitTest, TicksThatMakeNoSenseGiveNoValue) {
  for (const std::uint64_t ticks : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    Visit([ticks](const VisitLayout&, std::vector<CallRecord>& records) {
      for (CallRecord& record : records) record.ticks = ticks;
    });
    EXPECT_FALSE(tally_.was_visited());
  }
}

TEST_P(VisitTest, LoopsStayFiniteWhateverTheRecordsSay) {
  std::vector<Call> calls;
  const VisitLayout layout = Append(calls);
  const std::vector<CallRecord> records(calls.size());  // no time at all
  for (int i = 0; i < 20; ++i) FitAgain(*instrument_, layout, records, tally_);
  EXPECT_LT(tally_.loops, std::uint64_t{1} << 50);
  EXPECT_GT(tally_.loops, 0u);
}

INSTANTIATE_TEST_SUITE_P(Visits, VisitTest, ::testing::ValuesIn([] {
                           std::vector<VisitCase> cases;
                           for (const Length length :
                                {Length::kQuick, Length::kNotQuick, Length::kLong, Length::kSlow}) {
                             for (const bool memory : {false, true}) {
                               for (const bool reads_clock : {false, true})
                                 cases.push_back({length, memory, reads_clock});
                             }
                           }
                           cases.push_back({Length::kQuick, false, true, Difference::kLoops});
                           return cases;
                         }()),
                         [](const auto& test) { return NameOf(test.param); });

}  // namespace
}  // namespace cyclescope::measure
