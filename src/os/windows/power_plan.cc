#include "os/windows/power_plan.h"

#include <windows.h>
// Behind <windows.h>, which it needs.
#include <powrprof.h>

namespace cyclescope::os {

// By its number, as names are in the user's language.
std::string PowerPlanName() {
  GUID* scheme = nullptr;
  if (PowerGetActiveScheme(nullptr, &scheme) != ERROR_SUCCESS || scheme == nullptr) return "";
  constexpr GUID kHighPerformance = {
      0x8c5e7fda, 0xe8bf, 0x4a96, {0x9a, 0x85, 0xa6, 0xe2, 0x3a, 0x8c, 0x63, 0x5c}};
  constexpr GUID kBalanced = {
      0x381b4222, 0xf694, 0x41f0, {0x96, 0x85, 0xff, 0x5b, 0xb2, 0x60, 0xdf, 0x2e}};
  constexpr GUID kPowerSaver = {
      0xa1841308, 0x3541, 0x4fab, {0xbc, 0x81, 0xf7, 0x15, 0x56, 0xf2, 0x0b, 0x4a}};
  constexpr GUID kUltimate = {
      0xe9a42b02, 0xd5df, 0x448d, {0xaa, 0x00, 0x03, 0xf1, 0x47, 0x49, 0xeb, 0x61}};
  std::string name = "of the user's own";
  if (IsEqualGUID(*scheme, kHighPerformance)) name = "High performance";
  if (IsEqualGUID(*scheme, kBalanced)) name = "Balanced";
  if (IsEqualGUID(*scheme, kPowerSaver)) name = "Power saver";
  if (IsEqualGUID(*scheme, kUltimate)) name = "Ultimate performance";
  LocalFree(scheme);
  return name;
}

std::optional<unsigned long> LeastUnparkedPercent() {
  GUID* scheme = nullptr;
  if (PowerGetActiveScheme(nullptr, &scheme) != ERROR_SUCCESS || scheme == nullptr)
    return std::nullopt;
  constexpr GUID kProcessor = {
      0x54533251, 0x82be, 0x4824, {0x96, 0xc1, 0x47, 0xb6, 0x0b, 0x74, 0x0d, 0x00}};
  constexpr GUID kLeastCores = {
      0x0cc5b647, 0xc1df, 0x4637, {0x89, 0x1a, 0xde, 0xc3, 0x5c, 0x31, 0x85, 0x83}};
  DWORD percent = 0;
  const DWORD error = PowerReadACValueIndex(nullptr, scheme, &kProcessor, &kLeastCores, &percent);
  LocalFree(scheme);
  if (error != ERROR_SUCCESS) return std::nullopt;
  return percent;
}

}  // namespace cyclescope::os
