#include "os/x86_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace cyclescope::os {
namespace {

constexpr std::uint8_t kAnyStepping = 0xff;

// A range of models of one family. `last_stepping` is for models that were given to several
// products: the first row that covers a stepping counts.
struct X86Row {
  std::string_view vendor;
  std::uint8_t family;
  std::uint8_t first_model;
  std::uint8_t last_model;
  std::string_view product;
  std::string_view core;
  std::uint8_t last_stepping = kAnyStepping;
};

// Intel: arch/x86/include/asm/intel-family.h of Linux. AMD: the processor programming references,
// and the model ranges of arch/x86/kernel/cpu/amd.c.
constexpr std::array kX86Rows = std::to_array<X86Row>({
    {"Intel", 6, 0x1a, 0x1a, "Nehalem", ""},
    {"Intel", 6, 0x1e, 0x1f, "Nehalem", ""},
    {"Intel", 6, 0x25, 0x25, "Westmere", ""},
    {"Intel", 6, 0x2a, 0x2a, "Sandy Bridge", ""},
    {"Intel", 6, 0x2c, 0x2c, "Westmere", ""},
    {"Intel", 6, 0x2d, 0x2d, "Sandy Bridge-EP", "Sandy Bridge"},
    {"Intel", 6, 0x2e, 0x2e, "Nehalem-EX", "Nehalem"},
    {"Intel", 6, 0x2f, 0x2f, "Westmere-EX", "Westmere"},
    {"Intel", 6, 0x37, 0x37, "Bay Trail", "Silvermont"},
    {"Intel", 6, 0x3a, 0x3a, "Ivy Bridge", ""},
    {"Intel", 6, 0x3c, 0x3c, "Haswell", ""},
    {"Intel", 6, 0x3d, 0x3d, "Broadwell", ""},
    {"Intel", 6, 0x3e, 0x3e, "Ivy Bridge-EP", "Ivy Bridge"},
    {"Intel", 6, 0x3f, 0x3f, "Haswell-EP", "Haswell"},
    {"Intel", 6, 0x45, 0x46, "Haswell", ""},
    {"Intel", 6, 0x47, 0x47, "Broadwell", ""},
    {"Intel", 6, 0x4c, 0x4c, "Cherry Trail", "Airmont"},
    {"Intel", 6, 0x4d, 0x4d, "Avoton", "Silvermont"},
    {"Intel", 6, 0x4e, 0x4e, "Skylake", ""},
    {"Intel", 6, 0x4f, 0x4f, "Broadwell-EP", "Broadwell"},
    {"Intel", 6, 0x55, 0x55, "Skylake-SP", "Skylake", 4},
    {"Intel", 6, 0x55, 0x55, "Cascade Lake", "Skylake", 7},
    {"Intel", 6, 0x55, 0x55, "Cooper Lake", "Skylake"},
    {"Intel", 6, 0x56, 0x56, "Broadwell-DE", "Broadwell"},
    {"Intel", 6, 0x57, 0x57, "Knights Landing", ""},
    {"Intel", 6, 0x5c, 0x5c, "Apollo Lake", "Goldmont"},
    {"Intel", 6, 0x5e, 0x5e, "Skylake", ""},
    {"Intel", 6, 0x5f, 0x5f, "Denverton", "Goldmont"},
    {"Intel", 6, 0x66, 0x66, "Cannon Lake", "Palm Cove"},
    {"Intel", 6, 0x6a, 0x6a, "Ice Lake-SP", "Sunny Cove"},
    {"Intel", 6, 0x6c, 0x6c, "Ice Lake-D", "Sunny Cove"},
    {"Intel", 6, 0x7a, 0x7a, "Gemini Lake", "Goldmont Plus"},
    {"Intel", 6, 0x7d, 0x7e, "Ice Lake", "Sunny Cove"},
    {"Intel", 6, 0x85, 0x85, "Knights Mill", ""},
    {"Intel", 6, 0x86, 0x86, "Snow Ridge", "Tremont"},
    {"Intel", 6, 0x8a, 0x8a, "Lakefield", "Sunny Cove + Tremont"},
    {"Intel", 6, 0x8c, 0x8d, "Tiger Lake", "Willow Cove"},
    {"Intel", 6, 0x8e, 0x8e, "Kaby Lake", "Skylake", 9},
    {"Intel", 6, 0x8e, 0x8e, "Whiskey Lake", "Skylake"},
    {"Intel", 6, 0x8f, 0x8f, "Sapphire Rapids", "Golden Cove"},
    {"Intel", 6, 0x96, 0x96, "Elkhart Lake", "Tremont"},
    {"Intel", 6, 0x97, 0x97, "Alder Lake", "Golden Cove + Gracemont"},
    {"Intel", 6, 0x9a, 0x9a, "Alder Lake", "Golden Cove + Gracemont"},
    {"Intel", 6, 0x9c, 0x9c, "Jasper Lake", "Tremont"},
    {"Intel", 6, 0x9e, 0x9e, "Kaby Lake", "Skylake", 9},
    {"Intel", 6, 0x9e, 0x9e, "Coffee Lake", "Skylake"},
    {"Intel", 6, 0xa5, 0xa6, "Comet Lake", "Skylake"},
    {"Intel", 6, 0xa7, 0xa7, "Rocket Lake", "Cypress Cove"},
    {"Intel", 6, 0xaa, 0xaa, "Meteor Lake", "Redwood Cove + Crestmont"},
    {"Intel", 6, 0xac, 0xac, "Meteor Lake", "Redwood Cove + Crestmont"},
    {"Intel", 6, 0xad, 0xae, "Granite Rapids", "Redwood Cove"},
    {"Intel", 6, 0xaf, 0xaf, "Sierra Forest", "Crestmont"},
    {"Intel", 6, 0xb5, 0xb5, "Arrow Lake", "Redwood Cove + Crestmont"},
    {"Intel", 6, 0xb6, 0xb6, "Grand Ridge", "Crestmont"},
    {"Intel", 6, 0xb7, 0xb7, "Raptor Lake", "Raptor Cove + Gracemont"},
    {"Intel", 6, 0xba, 0xba, "Raptor Lake", "Raptor Cove + Gracemont"},
    {"Intel", 6, 0xbd, 0xbd, "Lunar Lake", "Lion Cove + Skymont"},
    {"Intel", 6, 0xbe, 0xbe, "Alder Lake-N", "Gracemont"},
    {"Intel", 6, 0xbf, 0xbf, "Raptor Lake", "Golden Cove + Gracemont"},
    {"Intel", 6, 0xc5, 0xc6, "Arrow Lake", "Lion Cove + Skymont"},
    {"Intel", 6, 0xcc, 0xcc, "Panther Lake", "Cougar Cove + Darkmont"},
    {"Intel", 6, 0xcf, 0xcf, "Emerald Rapids", "Raptor Cove"},
    {"Intel", 6, 0xdd, 0xdd, "Clearwater Forest", "Darkmont"},
    {"AMD", 0x15, 0x00, 0x01, "Bulldozer", ""},
    {"AMD", 0x15, 0x02, 0x1f, "Piledriver", ""},
    {"AMD", 0x15, 0x30, 0x3f, "Steamroller", ""},
    {"AMD", 0x15, 0x60, 0x7f, "Excavator", ""},
    {"AMD", 0x17, 0x01, 0x01, "Naples", "Zen"},
    {"AMD", 0x17, 0x08, 0x08, "Pinnacle Ridge", "Zen+"},
    {"AMD", 0x17, 0x11, 0x11, "Raven Ridge", "Zen"},
    {"AMD", 0x17, 0x18, 0x18, "Picasso", "Zen+"},
    {"AMD", 0x17, 0x20, 0x20, "Dali", "Zen"},
    {"AMD", 0x17, 0x31, 0x31, "Rome", "Zen 2"},
    {"AMD", 0x17, 0x47, 0x47, "Xbox Series X", "Zen 2"},
    {"AMD", 0x17, 0x60, 0x67, "Renoir", "Zen 2"},
    {"AMD", 0x17, 0x68, 0x6f, "Lucienne", "Zen 2"},
    {"AMD", 0x17, 0x71, 0x71, "Matisse", "Zen 2"},
    {"AMD", 0x17, 0x90, 0x91, "Van Gogh", "Zen 2"},
    {"AMD", 0x17, 0xa0, 0xaf, "Mendocino", "Zen 2"},
    {"AMD", 0x19, 0x00, 0x07, "Milan", "Zen 3"},
    {"AMD", 0x19, 0x08, 0x0f, "Chagall", "Zen 3"},
    {"AMD", 0x19, 0x10, 0x17, "Genoa", "Zen 4"},
    {"AMD", 0x19, 0x18, 0x1f, "Storm Peak", "Zen 4"},
    {"AMD", 0x19, 0x20, 0x2f, "Vermeer", "Zen 3"},
    {"AMD", 0x19, 0x40, 0x4f, "Rembrandt", "Zen 3+"},
    {"AMD", 0x19, 0x50, 0x5f, "Cezanne", "Zen 3"},
    {"AMD", 0x19, 0x60, 0x6f, "Raphael", "Zen 4"},
    {"AMD", 0x19, 0x70, 0x7f, "Phoenix", "Zen 4"},
    {"AMD", 0x19, 0xa0, 0xaf, "Bergamo", "Zen 4c"},
    {"AMD", 0x1a, 0x00, 0x0f, "Turin", "Zen 5"},
    {"AMD", 0x1a, 0x10, 0x1f, "Turin Dense", "Zen 5c"},
    {"AMD", 0x1a, 0x20, 0x2f, "Strix Point", "Zen 5 + Zen 5c"},
    {"AMD", 0x1a, 0x40, 0x4f, "Granite Ridge", "Zen 5"},
    {"AMD", 0x1a, 0x60, 0x6f, "Krackan Point", "Zen 5 + Zen 5c"},
    {"AMD", 0x1a, 0x70, 0x7f, "Strix Halo", "Zen 5"},
    {"Hygon", 0x18, 0x00, 0x0f, "Dhyana", "Zen"},
});

}  // namespace

std::string X86VendorName(std::string_view cpuid_name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames = {{
      {"GenuineIntel", "Intel"},
      {"AuthenticAMD", "AMD"},
      {"HygonGenuine", "Hygon"},
      {"CentaurHauls", "Zhaoxin"},
      {"Shanghai", "Zhaoxin"},
  }};
  const auto found =
      std::ranges::find(kNames, cpuid_name, &std::pair<std::string_view, std::string_view>::first);
  return std::string{found == kNames.end() ? cpuid_name : found->second};
}

std::string X86ModelName(std::string_view text) {
  std::string result{text};
  const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  result.erase(std::ranges::unique(result, both_blank).begin(), result.end());
  return result;
}

std::string X86Microarchitecture(const X86Signature& signature) {
  const auto found = std::ranges::find_if(kX86Rows, [&signature](const X86Row& row) {
    return row.vendor == signature.vendor && row.family == signature.family &&
           row.first_model <= signature.model && signature.model <= row.last_model &&
           (row.last_stepping == kAnyStepping || signature.stepping <= row.last_stepping);
  });
  if (found == kX86Rows.end()) return {};
  if (found->core.empty()) return std::string(found->product);
  return fmt::format("{} ({})", found->product, found->core);
}

}  // namespace cyclescope::os
