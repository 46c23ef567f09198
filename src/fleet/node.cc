#include "fleet/node.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace cyclescope::fleet {
namespace {

MetricValue Combined(const std::vector<MetricValue>& values) {
  if (values.size() == 1) return values.front();
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  double own = 0;
  for (const MetricValue& value : values) {
    mean += value.place / count;
    own += value.error * value.error / (count * count);
  }
  double between = 0;
  for (const MetricValue& value : values)
    between += (value.place - mean) * (value.place - mean) / (count * (count - 1));
  return {values.front().metric, mean, std::sqrt(std::max(own, between))};
}

}  // namespace

Node CombinePasses(std::vector<Pass> passes) {
  std::ranges::sort(passes, {}, [](const Pass& pass) {
    return std::pair(std::string_view(pass.started), std::string_view(pass.source));
  });
  Node node;
  node.name = passes.back().node;
  for (const Pass& pass : passes) {
    if (!pass.source.empty()) node.sources.push_back(pass.source);
  }
  std::vector<const Pass*> with_values;
  for (const Pass& pass : passes) {
    if (pass.failure.empty()) {
      with_values.push_back(&pass);
    } else {
      node.failure = pass.failure;
    }
  }
  // Also a node that failed belongs somewhere.
  const Pass& last = with_values.empty() ? passes.back() : *with_values.back();
  node.kind = last.kind;
  node.settings = last.settings;
  if (with_values.empty()) return node;
  if (!node.failure.empty()) {
    node.claims.push_back({ClaimCode::kPassesFailed,
                           {{"failed", static_cast<double>(passes.size() - with_values.size())},
                            {"passes", static_cast<double>(passes.size())},
                            {"reason", node.failure}}});
    node.failure.clear();
  }
  const std::size_t before = with_values.size();
  std::erase_if(with_values, [&](const Pass* pass) { return pass->kind != last.kind; });
  if (with_values.size() < before) {
    node.claims.push_back({ClaimCode::kPassesLeftOut,
                           {{"passes", static_cast<double>(before - with_values.size())}}});
  }
  node.passes = static_cast<int>(with_values.size());
  if (std::ranges::any_of(with_values, &Pass::partial))
    node.claims.push_back({ClaimCode::kPartialResult, {}});

  std::map<std::size_t, std::vector<MetricValue>> by_metric;
  for (const Pass* pass : with_values) {
    for (const MetricValue& value : pass->values) by_metric[value.metric].push_back(value);
  }
  for (const auto& [metric, values] : by_metric) node.values.push_back(Combined(values));
  return node;
}

}  // namespace cyclescope::fleet
