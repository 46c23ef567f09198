#include "report/model_agreement.h"

#include <algorithm>
#include <cmath>

namespace cyclescope {
namespace {

constexpr std::string_view kMemory = "memory";

bool Agree(double measured, double model) {
  constexpr double kRelative = 0.02;
  constexpr double kCycles = 0.05;
  return std::abs(measured - model) <= std::max(kRelative * model, kCycles);
}

bool IsMeasured(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

void CompareLatency(const InstructionRow& row, ModelAgreement& agreement) {
  const auto measured = LongestLatency(row);
  if (!measured || !row.model->latency) return;
  // Like with like: the register that an instruction combines with a loaded value does not wait for
  // the load. Documents of older versions have only the whole.
  const double model = measured->model.value_or(*row.model->latency);
  ++agreement.latency.compared;
  if (Agree(measured->cycles, model) || (measured->upper_bound && measured->cycles > model)) {
    ++agreement.latency.agreeing;
  } else {
    agreement.differences.push_back({&row, ModelQuantity::kLatency, measured->cycles, model});
  }
}

void CompareThroughput(const InstructionRow& row, ModelAgreement& agreement) {
  if (!row.throughput || !row.model->throughput) return;
  const double measured = row.throughput->cycles.value;
  const double model = *row.model->throughput;
  ++agreement.throughput.compared;
  if (Agree(measured, model)) {
    ++agreement.throughput.agreeing;
  } else {
    agreement.differences.push_back({&row, ModelQuantity::kThroughput, measured, model});
  }
}

}  // namespace

std::optional<HeadlineLatency> LongestLatency(const InstructionRow& row) {
  std::optional<HeadlineLatency> longest;
  for (const Latency& latency : row.latency) {
    if (latency.from == kMemory || latency.to == kMemory) continue;
    const bool bound = latency.kind == LatencyKind::kUpperBound;
    if (longest && bound && !longest->upper_bound) continue;
    if (!longest || (longest->upper_bound && !bound) || latency.cycles.value > longest->cycles) {
      longest = {latency.cycles.value, bound, latency.model};
    }
  }
  return longest;
}

ModelAgreement CompareWithModel(std::span<const InstructionRow> rows) {
  ModelAgreement agreement;
  for (const InstructionRow& row : rows) {
    if (!row.model) continue;
    if (agreement.cpu.empty()) agreement.cpu = row.model->cpu;
    if (!IsMeasured(row)) continue;
    CompareLatency(row, agreement);
    CompareThroughput(row, agreement);
  }
  std::ranges::stable_sort(agreement.differences, std::ranges::greater(),
                           [](const ModelDifference& d) { return std::abs(d.difference()); });
  return agreement;
}

}  // namespace cyclescope
