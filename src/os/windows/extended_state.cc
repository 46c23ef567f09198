#include "os/extended_state.h"

#include <windows.h>

#include <cstdint>

namespace cyclescope::os {

void RequestTileState() {
  // Since Windows 11; older ones have no tiles. <winnt.h> of other compilers has the number as
  // XSTATE_MASK_AMX_TILE_DATA.
  using Enable = BOOL(WINAPI*)(std::uint64_t);
  constexpr std::uint64_t kTileData = std::uint64_t{1} << 18;
  const FARPROC found =
      GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "EnableProcessOptionalXStateFeatures");
  if (found != nullptr) reinterpret_cast<Enable>(reinterpret_cast<void*>(found))(kTileData);
}

}  // namespace cyclescope::os
