#include <algorithm>
#include <array>

#include "os/linux/cpu_identity.h"

namespace cyclescope::os {
namespace {

struct Implementer {
  unsigned number;
  std::string_view name;
};

// Arm Architecture Reference Manual, MIDR_EL1.Implementer, and what Linux knows besides
// (arch/arm64/include/asm/cputype.h).
constexpr std::array kImplementers = {
    Implementer{0x41, "Arm"},           Implementer{0x42, "Broadcom"},
    Implementer{0x43, "Cavium"},        Implementer{0x46, "Fujitsu"},
    Implementer{0x48, "HiSilicon"},     Implementer{0x4e, "NVIDIA"},
    Implementer{0x50, "Applied Micro"}, Implementer{0x51, "Qualcomm"},
    Implementer{0x53, "Samsung"},       Implementer{0x56, "Marvell"},
    Implementer{0x61, "Apple"},         Implementer{0x69, "Intel"},
    Implementer{0x6d, "Microsoft"},     Implementer{0x70, "Phytium"},
    Implementer{0xc0, "Ampere"},
};

struct Part {
  unsigned implementer;
  unsigned number;
  std::string_view name;
};

// From the technical reference manuals of the cores, section MIDR_EL1.
constexpr std::array kParts = {
    Part{0x41, 0xd02, "Cortex-A34"},
    Part{0x41, 0xd03, "Cortex-A53"},
    Part{0x41, 0xd04, "Cortex-A35"},
    Part{0x41, 0xd05, "Cortex-A55"},
    Part{0x41, 0xd06, "Cortex-A65"},
    Part{0x41, 0xd07, "Cortex-A57"},
    Part{0x41, 0xd08, "Cortex-A72"},
    Part{0x41, 0xd09, "Cortex-A73"},
    Part{0x41, 0xd0a, "Cortex-A75"},
    Part{0x41, 0xd0b, "Cortex-A76"},
    Part{0x41, 0xd0c, "Neoverse-N1"},
    Part{0x41, 0xd0d, "Cortex-A77"},
    Part{0x41, 0xd0e, "Cortex-A76AE"},
    Part{0x41, 0xd13, "Cortex-R52"},
    Part{0x41, 0xd40, "Neoverse-V1"},
    Part{0x41, 0xd41, "Cortex-A78"},
    Part{0x41, 0xd42, "Cortex-A78AE"},
    Part{0x41, 0xd43, "Cortex-A65AE"},
    Part{0x41, 0xd44, "Cortex-X1"},
    Part{0x41, 0xd46, "Cortex-A510"},
    Part{0x41, 0xd47, "Cortex-A710"},
    Part{0x41, 0xd48, "Cortex-X2"},
    Part{0x41, 0xd49, "Neoverse-N2"},
    Part{0x41, 0xd4a, "Neoverse-E1"},
    Part{0x41, 0xd4b, "Cortex-A78C"},
    Part{0x41, 0xd4c, "Cortex-X1C"},
    Part{0x41, 0xd4d, "Cortex-A715"},
    Part{0x41, 0xd4e, "Cortex-X3"},
    Part{0x41, 0xd4f, "Neoverse-V2"},
    Part{0x41, 0xd80, "Cortex-A520"},
    Part{0x41, 0xd81, "Cortex-A720"},
    Part{0x41, 0xd82, "Cortex-X4"},
    Part{0x41, 0xd83, "Neoverse-V3AE"},
    Part{0x41, 0xd84, "Neoverse-V3"},
    Part{0x41, 0xd85, "Cortex-X925"},
    Part{0x41, 0xd87, "Cortex-A725"},
    Part{0x41, 0xd8e, "Neoverse-N3"},
    Part{0x42, 0x516, "ThunderX2"},
    Part{0x43, 0x0a1, "ThunderX"},
    Part{0x43, 0x0af, "ThunderX2"},
    Part{0x46, 0x001, "A64FX"},
    Part{0x48, 0xd01, "Kunpeng 920"},
    Part{0x48, 0xd02, "Kunpeng 920B"},
    Part{0x4e, 0x003, "Denver 2"},
    Part{0x4e, 0x004, "Carmel"},
    Part{0x4e, 0x010, "Olympus"},
    Part{0x50, 0x000, "X-Gene"},
    Part{0x51, 0x001, "Oryon"},
    Part{0x51, 0x800, "Kryo 2xx Gold"},
    Part{0x51, 0x801, "Kryo 2xx Silver"},
    Part{0x51, 0x802, "Kryo 3xx Gold"},
    Part{0x51, 0x803, "Kryo 3xx Silver"},
    Part{0x51, 0x804, "Kryo 4xx Gold"},
    Part{0x51, 0x805, "Kryo 4xx Silver"},
    Part{0x51, 0xc00, "Falkor"},
    Part{0x53, 0x001, "Exynos M1"},
    Part{0x61, 0x022, "M1 Icestorm"},
    Part{0x61, 0x023, "M1 Firestorm"},
    Part{0x61, 0x024, "M1 Pro Icestorm"},
    Part{0x61, 0x025, "M1 Pro Firestorm"},
    Part{0x61, 0x028, "M1 Max Icestorm"},
    Part{0x61, 0x029, "M1 Max Firestorm"},
    Part{0x61, 0x032, "M2 Blizzard"},
    Part{0x61, 0x033, "M2 Avalanche"},
    Part{0x61, 0x034, "M2 Pro Blizzard"},
    Part{0x61, 0x035, "M2 Pro Avalanche"},
    Part{0x61, 0x038, "M2 Max Blizzard"},
    Part{0x61, 0x039, "M2 Max Avalanche"},
    Part{0x6d, 0xd49, "Azure Cobalt 100"},
    Part{0x70, 0x662, "FTC662"},
    Part{0x70, 0x663, "FTC663"},
    Part{0xc0, 0xac3, "Ampere-1"},
    Part{0xc0, 0xac4, "Ampere-1A"},
    Part{0xc0, 0xac5, "Ampere-1B"},
};

}  // namespace

std::string_view ArmImplementerName(unsigned implementer) {
  const auto found = std::ranges::find(kImplementers, implementer, &Implementer::number);
  return found == kImplementers.end() ? std::string_view{} : found->name;
}

std::string_view ArmPartName(unsigned implementer, unsigned part) {
  const auto found = std::ranges::find_if(kParts, [implementer, part](const Part& candidate) {
    return candidate.implementer == implementer && candidate.number == part;
  });
  return found == kParts.end() ? std::string_view{} : found->name;
}

}  // namespace cyclescope::os
