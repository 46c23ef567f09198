// Simulated cores for tests: what their instructions use is known, and mixes take the time that
// follows, with noise.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ports/core_map.h"
#include "ports/port_model.h"
#include "ports/usage_search.h"

namespace cyclescope::ports {

struct SimulatedPorts {
  std::string name;
  double dispatch = 0;
  // Form 0 takes a slot and no port; then one-µop forms that a map is made of, then others.
  std::vector<Usage> forms;
  std::size_t map_forms = 0;
  // By form; kNone behind the end. Beside wide vectors, narrow ones have none of these ports.
  std::vector<VectorKind> vectors = {};
  PortSet closed = 0;

  VectorKind VectorsOf(std::size_t form) const {
    return form < vectors.size() ? vectors[form] : VectorKind::kNone;
  }
  std::vector<VectorKind> VectorsOfMap() const {
    std::vector<VectorKind> of_map;
    for (std::size_t form = 0; form < map_forms; ++form) of_map.push_back(VectorsOf(form));
    return of_map;
  }
};

inline PortSet Set(std::initializer_list<int> ports) {
  PortSet set = 0;
  for (const int port : ports) set |= PortSet{1} << port;
  return set;
}

inline Usage One(std::initializer_list<int> ports) { return {.uops = {{Set(ports), 1}}}; }

inline SimulatedPorts LikeGoldenCove() {
  SimulatedPorts core;
  core.name = "like Golden Cove";
  core.dispatch = 6;
  core.forms = {Usage(),         One({0, 1, 5, 6, 10}), One({0, 6}), One({1}),      One({0, 6, 10}),
                One({0, 1, 5}),  One({1, 5}),           One({1, 5}), One({0, 1}),   One({5}),
                One({2, 3, 11}), One({0, 1}),           One({0}),    One({1, 5, 6})};
  core.map_forms = core.forms.size();
  core.forms.push_back({.uops = {{Set({1}), 1}, {Set({0, 6}), 1}}, .slots = 2});  // bswap
  core.forms.push_back({.uops = {{Set({2, 3, 11}), 1}, {Set({0, 1, 5, 6, 10}), 1}}, .slots = 1});
  core.forms.push_back({.uops = {{Set({0}), 1}}, .slots = 1, .own_cycles = 4});  // a divider
  core.forms.push_back(
      {.uops = {{Set({0, 6}), 2}, {Set({5}), 1}, {Set({2, 3, 11}), 1}}, .slots = 3});
  return core;
}

// The same with vectors of 512 bits, beside which port 1 has no vector unit.
inline SimulatedPorts LikeGoldenCoveWithWideVectors() {
  using enum VectorKind;
  SimulatedPorts core = LikeGoldenCove();
  core.name = "like Golden Cove, with wide vectors";
  core.forms.resize(core.map_forms);
  core.forms.insert(core.forms.end(), {One({0, 5}), One({5}), One({0, 5})});
  core.map_forms = core.forms.size();
  core.vectors = {kNone,   kNone, kNone,   kNone, kNone, kNarrow, kNarrow, kNarrow, kNarrow,
                  kNarrow, kNone, kNarrow, kNone, kNone, kWide,   kWide,   kWide};
  core.closed = Set({1});
  core.forms.push_back(One({0}));
  core.forms.push_back({.uops = {{Set({0, 5}), 1}, {Set({5}), 1}}, .slots = 2});
  core.forms.push_back({.uops = {{Set({0, 5}), 1}, {Set({2, 3, 11}), 1}}, .slots = 1});
  core.forms.push_back({.uops = {{Set({0}), 2}}, .slots = 2});
  core.vectors.resize(core.forms.size(), kWide);
  return core;
}

// Twelve pipes and eight slots; writing flags is a capacity of three a cycle, not three ports.
inline SimulatedPorts LikeNeoverseV1() {
  SimulatedPorts core;
  core.name = "like Neoverse V1";
  core.dispatch = 8;
  core.forms = {Usage(),
                One({0, 1, 2, 3}),
                One({2, 3}),
                One({2}),
                One({4, 5}),
                One({6, 7, 8, 9}),
                One({6, 7}),
                One({6, 8}),
                One({7, 9}),
                One({6}),
                One({10, 11, 12}),
                One({10, 11}),
                {.uops = {{Set({0, 1, 2, 3}), 1}}, .own_cycles = 1.0 / 3},
                One({7})};
  core.map_forms = core.forms.size();
  core.forms.push_back({.uops = {{Set({6}), 2}}, .slots = 2});
  core.forms.push_back({.uops = {{Set({2}), 1}}, .slots = 1, .own_cycles = 7});
  core.forms.push_back({.uops = {{Set({0, 1, 2, 3}), 1}, {Set({10, 11, 12}), 1}}, .slots = 2});
  return core;
}

inline SimulatedPorts LikeZen() {
  SimulatedPorts core;
  core.name = "like Zen";
  core.dispatch = 6;
  core.forms = {Usage(),           One({0, 1, 2, 3}), One({1, 2}), One({1}),    One({0, 3}),
                One({4, 5, 6, 7}), One({4, 5}),       One({6, 7}), One({5, 6}), One({4, 7}),
                One({8, 9, 10}),   One({5}),          One({8, 9})};
  core.map_forms = core.forms.size();
  core.forms.push_back({.uops = {{Set({4, 5}), 2}}, .slots = 2});
  core.forms.push_back({.uops = {{Set({8, 9, 10}), 1}, {Set({4, 5}), 1}}, .slots = 1});
  core.forms.push_back({.uops = {{Set({1}), 2}}, .slots = 2});
  return core;
}

// µops that share a slot with others.
inline int MostFused(const Usage& usage) {
  int uops = 0;
  for (const auto& [ports, count] : usage.uops) uops += count;
  return std::max(uops - static_cast<int>(usage.slots), 0);
}

class PortsBench {
 public:
  PortsBench(SimulatedPorts core, double noise, unsigned seed)
      : core_(std::move(core)), random_(seed), noise_(noise) {}

  void Measure(const std::vector<Mix>& mixes) {
    for (const Mix& mix : mixes) {
      const bool has_wide = std::ranges::any_of(mix, [this](const auto& part) {
        return core_.VectorsOf(part.first) == VectorKind::kWide;
      });
      const auto usage_of = [&](std::size_t form) {
        const bool loses = has_wide && core_.VectorsOf(form) == VectorKind::kNarrow;
        return loses ? WithoutClosed(core_.forms[form]) : core_.forms[form];
      };
      measured_[mix] = {MixTime(mix, usage_of, core_.dispatch) * (1 + noise_ * normal_(random_)),
                        {}};
    }
  }

  // The mix was tried in vain.
  void Lose(const Mix& mix) { measured_[mix] = {std::nullopt, "it found no quiet moment"}; }

  CoreMap FindMap() {
    for (;;) {
      MapStep step = InferMap(core_.VectorsOfMap(), measured_);
      if (step.wanted.empty()) return std::move(step.map);
      Measure(step.wanted);
    }
  }

  FormPorts FindUsage(const CoreMap& map, std::size_t form) {
    return FindUsage(
        map, form, {.most_fused = MostFused(core_.forms[form]), .vectors = core_.VectorsOf(form)});
  }
  FormPorts FindUsage(const CoreMap& map, std::size_t form, const FormTraits& traits) {
    for (;;) {
      UsageStep step = InferUsage(map, form, traits, measured_);
      if (step.wanted.empty()) return std::move(step.ports);
      Measure(step.wanted);
    }
  }

  MixResults& measured() { return measured_; }

 private:
  Usage WithoutClosed(const Usage& usage) const {
    Usage rest = usage;
    rest.uops.clear();
    for (const auto& [ports, count] : usage.uops) rest.uops[ports & ~core_.closed] += count;
    return rest;
  }

  SimulatedPorts core_;
  std::mt19937 random_;
  double noise_;
  std::normal_distribution<double> normal_;
  MixResults measured_;
};

}  // namespace cyclescope::ports
