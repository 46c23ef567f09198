// The part of NVIDIA's driver API that we use, declared here: nothing of CUDA is needed to build.
// Names, numbers and arguments are those of the CUDA Driver API, which keeps them.
#pragma once

#include <cstddef>

namespace cyclescope::gpu::cuda {

using Status = int;
using Device = int;
using Pointer = unsigned long long;
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;
using Link = struct LinkHandle*;

inline constexpr Status kSuccess = 0;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNoDevice = 100;
inline constexpr Status kNotReady = 600;
inline constexpr Status kPeerAccessAlreadyEnabled = 704;

// CUdevice_attribute
inline constexpr int kClockRateKhz = 13;
inline constexpr int kMultiprocessors = 16;
inline constexpr int kMemoryClockRateKhz = 36;
inline constexpr int kMemoryBusBits = 37;
inline constexpr int kL2Bytes = 38;
inline constexpr int kThreadsPerMultiprocessor = 39;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kSharedBytesPerMultiprocessor = 81;
inline constexpr int kSharedBytesPerBlockOptIn = 97;
inline constexpr int kPciBus = 33;
inline constexpr int kPciDevice = 34;
inline constexpr int kPciDomain = 50;

// CUfunction_attribute
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kFunctionSharedCarveout = 9;

// CUjit_option, CUjitInputType
inline constexpr int kJitErrorLog = 5;
inline constexpr int kJitErrorLogBytes = 6;
inline constexpr int kJitInputPtx = 1;

// CU_MEMHOSTALLOC_*
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostMapped = 2;

// Each function: our name, the driver's name, its arguments.
#define CYCLESCOPE_CUDA_FUNCTIONS(F)                                                             \
  F(Init, "cuInit", (unsigned flags))                                                            \
  F(DriverGetVersion, "cuDriverGetVersion", (int* version))                                      \
  F(GetErrorName, "cuGetErrorName", (Status status, const char** name))                          \
  F(GetErrorString, "cuGetErrorString", (Status status, const char** text))                      \
  F(DeviceGetCount, "cuDeviceGetCount", (int* count))                                            \
  F(DeviceGet, "cuDeviceGet", (Device * device, int ordinal))                                    \
  F(DeviceGetName, "cuDeviceGetName", (char* name, int bytes, Device device))                    \
  F(DeviceGetAttribute, "cuDeviceGetAttribute", (int* value, int attribute, Device device))      \
  F(DeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t* bytes, Device device))                  \
  F(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int* can, Device device, Device peer))        \
  F(PrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context * context, Device device))            \
  F(CtxSetCurrent, "cuCtxSetCurrent", (Context context))                                         \
  F(CtxEnablePeerAccess, "cuCtxEnablePeerAccess", (Context peer, unsigned flags))                \
  F(LinkCreate, "cuLinkCreate_v2", (unsigned count, int* options, void** values, Link* link))    \
  F(LinkAddData, "cuLinkAddData_v2",                                                             \
    (Link link, int type, void* data, std::size_t bytes, const char* name, unsigned count,       \
     int* options, void** values))                                                               \
  F(LinkComplete, "cuLinkComplete", (Link link, void** cubin, std::size_t* bytes))               \
  F(LinkDestroy, "cuLinkDestroy", (Link link))                                                   \
  F(ModuleLoadData, "cuModuleLoadData", (Module * module, const void* image))                    \
  F(ModuleUnload, "cuModuleUnload", (Module module))                                             \
  F(ModuleGetFunction, "cuModuleGetFunction",                                                    \
    (Function * function, Module module, const char* name))                                      \
  F(FuncSetAttribute, "cuFuncSetAttribute", (Function function, int attribute, int value))       \
  F(MemGetInfo, "cuMemGetInfo_v2", (std::size_t* free, std::size_t* total))                      \
  F(MemAlloc, "cuMemAlloc_v2", (Pointer * pointer, std::size_t bytes))                           \
  F(MemFree, "cuMemFree_v2", (Pointer pointer))                                                  \
  F(MemcpyHtoD, "cuMemcpyHtoD_v2", (Pointer to, const void* from, std::size_t bytes))            \
  F(MemcpyDtoH, "cuMemcpyDtoH_v2", (void* to, Pointer from, std::size_t bytes))                  \
  F(MemsetD8, "cuMemsetD8_v2", (Pointer to, unsigned char value, std::size_t bytes))             \
  F(MemHostAlloc, "cuMemHostAlloc", (void** pointer, std::size_t bytes, unsigned flags))         \
  F(MemFreeHost, "cuMemFreeHost", (void* pointer))                                               \
  F(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2",                                     \
    (Pointer * pointer, void* host, unsigned flags))                                             \
  F(StreamCreate, "cuStreamCreate", (Stream * stream, unsigned flags))                           \
  F(StreamQuery, "cuStreamQuery", (Stream stream))                                               \
  F(LaunchKernel, "cuLaunchKernel",                                                              \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,     \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments, \
     void** extra))

// The functions, as found in the driver, with its names.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)
struct Api {
#define CYCLESCOPE_DECLARE(name, symbol, arguments) Status(*name) arguments = nullptr;
  CYCLESCOPE_CUDA_FUNCTIONS(CYCLESCOPE_DECLARE)
#undef CYCLESCOPE_DECLARE
};
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

}  // namespace cyclescope::gpu::cuda
