// A simulated GPU behind NVIDIA's driver API, as a shared library: for tests, which open it in
// place of the driver. It reads the PTX that it is given (ptx_check.h), executes none of it, and
// answers with the times of a simulated GPU (simulated_gpu.h). A call in the wrong order gets a
// line in the file that CYCLESCOPE_SIMULATED_GPU_LOG names.
//
// CYCLESCOPE_SIMULATED_GPU says what is wrong with it, with commas:
//   devices=2          how many there are
//   fail=cuMemAlloc_v2:2   a call that fails, and with what
//   hang=popc          kernels that have this instruction never end
//   trap=popc          or fail; the GPU takes nothing more from this process
//   lost=popc          or fail; the driver does not start again, in no process
//   fold=rcp           copies of this instruction vanish, unless each has a guard
//   jump               every third reading of the clock is nonsense
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/driver_api.h"
#include "gpu/testing/ptx_check.h"
#include "gpu/testing/simulated_gpu.h"

namespace cyclescope::gpu::testing {
namespace {

using cuda::Status;

constexpr Status kInvalidValue = 1;
constexpr Status kNotInitialised = 3;
constexpr Status kInvalidDevice = 101;
constexpr Status kInvalidContext = 201;
constexpr Status kInvalidPtx = 218;
constexpr Status kNotFound = 500;
constexpr Status kLaunchFailed = 719;
constexpr Status kUnknown = 999;

struct SimulatedModule {
  PtxModule ptx;
};
struct SimulatedFunction {
  const PtxEntry* entry = nullptr;
};
struct SimulatedLink {
  std::string ptx;
  std::string cubin;
  char* log = nullptr;
  std::size_t log_bytes = 0;
};
struct SimulatedStream {
  Status ending = cuda::kSuccess;
};

struct State {
  Wishes wishes = ReadWishes(std::getenv("CYCLESCOPE_SIMULATED_GPU"));
  bool is_started = false;
  int current = -1;  // device
  std::map<int, int> contexts;
  std::vector<std::string> sources;  // PTX, by the id in the cubin
  std::map<const SimulatedModule*, std::unique_ptr<SimulatedModule>> modules;
  std::map<std::string, std::unique_ptr<SimulatedFunction>> functions;
  std::map<std::uint64_t, std::size_t> memory;
  SimulatedStream stream;
  SimulatedGpu gpu;
};

State& state() {
  static State instance;
  return instance;
}

void Complain(const std::string& what) {
  const char* file = std::getenv("CYCLESCOPE_SIMULATED_GPU_LOG");
  if (file == nullptr) return;
  if (std::FILE* log = std::fopen(file, "a")) {
    std::fprintf(log, "%s\n", what.c_str());
    std::fclose(log);
  }
}

Status Violation(const char* call, const char* what, Status status) {
  Complain(std::string(call) + ": " + what);
  return status;
}

// A call that is to fail, and what has to be true before any call.
std::optional<Status> Before(const char* call, bool needs_context) {
  State& now = state();
  if (const auto failing = now.wishes.failing.find(call); failing != now.wishes.failing.end())
    return failing->second;
  if (!now.is_started) return Violation(call, "before cuInit", kNotInitialised);
  if (needs_context && now.current < 0)
    return Violation(call, "without a context", kInvalidContext);
  return std::nullopt;
}

bool IsInMemory(std::uint64_t address, std::size_t bytes) {
  for (const auto& [start, size] : state().memory) {
    if (address >= start && address + bytes <= start + size) return true;
  }
  return false;
}

// Another process sees this, too.
std::string LostFile() {
  const char* log = std::getenv("CYCLESCOPE_SIMULATED_GPU_LOG");
  return std::string(log == nullptr ? "/nonexistent" : log) + ".lost";
}

bool IsLost() {
  std::FILE* file = std::fopen(LostFile().c_str(), "r");
  if (file == nullptr) return false;
  std::fclose(file);
  return true;
}

template <typename Handle, typename Made>
Handle AsHandle(Made* made) {
  return reinterpret_cast<Handle>(made);
}

}  // namespace
}  // namespace cyclescope::gpu::testing

using namespace cyclescope::gpu;           // NOLINT: the functions of a C interface
using namespace cyclescope::gpu::testing;  // NOLINT

// Several threads compile at once, as the real driver lets them.
std::mutex& Turn() {
  static std::mutex turn;
  return turn;
}

#define MADE_BEFORE(call, needs_context)          \
  const std::lock_guard<std::mutex> lock(Turn()); \
  if (const auto early = Before(call, needs_context)) return *early

extern "C" {

int cuInit(unsigned flags) {
  State& now = state();
  if (const auto failing = now.wishes.failing.find("cuInit"); failing != now.wishes.failing.end())
    return failing->second;
  if (IsLost()) return kUnknown;
  if (flags != 0) return Violation("cuInit", "flags", kInvalidValue);
  if (now.wishes.devices == 0) return cuda::kNoDevice;
  now.is_started = true;
  return cuda::kSuccess;
}

int cuDriverGetVersion(int* version) {
  MADE_BEFORE("cuDriverGetVersion", false);
  *version = 12040;
  return cuda::kSuccess;
}

int cuGetErrorName(int status, const char** name) {
  switch (status) {
    case cuda::kOutOfMemory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      return cuda::kSuccess;
    case kInvalidPtx:
      *name = "CUDA_ERROR_INVALID_PTX";
      return cuda::kSuccess;
    case kLaunchFailed:
      *name = "CUDA_ERROR_LAUNCH_FAILED";
      return cuda::kSuccess;
    case kUnknown:
      *name = "CUDA_ERROR_UNKNOWN";
      return cuda::kSuccess;
    default:
      return kInvalidValue;
  }
}

int cuGetErrorString(int status, const char** text) {
  if (status != cuda::kOutOfMemory) return kInvalidValue;
  *text = "out of memory";
  return cuda::kSuccess;
}

int cuDeviceGetCount(int* count) {
  MADE_BEFORE("cuDeviceGetCount", false);
  *count = state().wishes.devices;
  return cuda::kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  MADE_BEFORE("cuDeviceGet", false);
  if (ordinal < 0 || ordinal >= state().wishes.devices) return kInvalidDevice;
  *device = ordinal;
  return cuda::kSuccess;
}

int cuDeviceGetName(char* name, int bytes, int device) {
  MADE_BEFORE("cuDeviceGetName", false);
  std::snprintf(name, static_cast<std::size_t>(bytes), "Made GPU %d", device);
  return cuda::kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  MADE_BEFORE("cuDeviceGetAttribute", false);
  const auto found = state().gpu.AttributeOf(attribute);
  if (!found) return Violation("cuDeviceGetAttribute", "an unknown attribute", kInvalidValue);
  *value = *found;
  return cuda::kSuccess;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  MADE_BEFORE("cuDeviceTotalMem_v2", false);
  *bytes = SimulatedGpu::kMemoryBytes;
  return cuda::kSuccess;
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  MADE_BEFORE("cuDeviceCanAccessPeer", false);
  *can = device != peer ? 1 : 0;
  return cuda::kSuccess;
}

int cuDevicePrimaryCtxRetain(cuda::Context* context, int device) {
  MADE_BEFORE("cuDevicePrimaryCtxRetain", false);
  int& own = state().contexts[device];
  own = device;
  *context = AsHandle<cuda::Context>(&own);
  return cuda::kSuccess;
}

int cuCtxSetCurrent(cuda::Context context) {
  MADE_BEFORE("cuCtxSetCurrent", false);
  if (context == nullptr) return Violation("cuCtxSetCurrent", "no context", kInvalidContext);
  state().current = *reinterpret_cast<int*>(context);
  return cuda::kSuccess;
}

int cuCtxEnablePeerAccess(cuda::Context peer, unsigned flags) {
  MADE_BEFORE("cuCtxEnablePeerAccess", true);
  if (peer == nullptr || flags != 0)
    return Violation("cuCtxEnablePeerAccess", "arguments", kInvalidValue);
  return cuda::kSuccess;
}

int cuLinkCreate_v2(unsigned count, int* options, void** values, cuda::Link* link) {
  MADE_BEFORE("cuLinkCreate_v2", true);
  auto* made = new SimulatedLink;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == cuda::kJitErrorLog) made->log = static_cast<char*>(values[i]);
    if (options[i] == cuda::kJitErrorLogBytes)
      made->log_bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  *link = AsHandle<cuda::Link>(made);
  return cuda::kSuccess;
}

int cuLinkAddData_v2(cuda::Link link, int type, void* data, std::size_t bytes, const char*,
                     unsigned, int*, void**) {
  MADE_BEFORE("cuLinkAddData_v2", true);
  auto* made = reinterpret_cast<SimulatedLink*>(link);
  const char* text = static_cast<const char*>(data);
  if (type != cuda::kJitInputPtx || bytes == 0 || text[bytes - 1] != '\0')
    return Violation("cuLinkAddData_v2", "no PTX that ends with a zero", kInvalidValue);
  made->ptx = text;
  const auto read = ReadPtx(made->ptx);
  if (read) return cuda::kSuccess;
  if (made->log != nullptr) {
    std::snprintf(made->log, made->log_bytes, "ptxas application ptx input, %s\n",
                  read.error().c_str());
  }
  return kInvalidPtx;
}

int cuLinkComplete(cuda::Link link, void** cubin, std::size_t* bytes) {
  MADE_BEFORE("cuLinkComplete", true);
  auto* made = reinterpret_cast<SimulatedLink*>(link);
  const auto read = ReadPtx(made->ptx);
  if (!read) return Violation("cuLinkComplete", "nothing was added", kInvalidValue);
  std::vector<std::string>& sources = state().sources;
  made->cubin = MakeCubin(*read, state().wishes, static_cast<std::uint32_t>(sources.size()));
  sources.push_back(made->ptx);
  *cubin = made->cubin.data();
  *bytes = made->cubin.size();
  return cuda::kSuccess;
}

int cuLinkDestroy(cuda::Link link) {
  MADE_BEFORE("cuLinkDestroy", true);
  delete reinterpret_cast<SimulatedLink*>(link);
  return cuda::kSuccess;
}

int cuModuleLoadData(cuda::Module* module, const void* image) {
  MADE_BEFORE("cuModuleLoadData", true);
  std::uint32_t id = 0;
  std::memcpy(&id, static_cast<const char*>(image) + kCubinId, sizeof(id));
  if (id < state().sources.size()) {
    auto made = std::make_unique<SimulatedModule>();
    made->ptx = *ReadPtx(state().sources[id]);
    *module = AsHandle<cuda::Module>(made.get());
    state().modules[made.get()] = std::move(made);
    return cuda::kSuccess;
  }
  return Violation("cuModuleLoadData", "an image that was not compiled", kInvalidValue);
}

int cuModuleUnload(cuda::Module module) {
  MADE_BEFORE("cuModuleUnload", true);
  if (state().modules.erase(reinterpret_cast<SimulatedModule*>(module)) == 0)
    return Violation("cuModuleUnload", "no such module", kInvalidValue);
  return cuda::kSuccess;
}

int cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
  MADE_BEFORE("cuModuleGetFunction", true);
  const auto* made = reinterpret_cast<const SimulatedModule*>(module);
  if (!state().modules.contains(made))
    return Violation("cuModuleGetFunction", "no such module", kInvalidValue);
  for (const PtxEntry& entry : made->ptx.entries) {
    if (entry.name != name) continue;
    auto& own = state().functions[std::to_string(reinterpret_cast<std::uintptr_t>(&entry))];
    if (!own) own = std::make_unique<SimulatedFunction>();
    own->entry = &entry;
    *function = AsHandle<cuda::Function>(own.get());
    return cuda::kSuccess;
  }
  return Violation("cuModuleGetFunction", name, kNotFound);
}

int cuFuncSetAttribute(cuda::Function function, int attribute, int value) {
  MADE_BEFORE("cuFuncSetAttribute", true);
  const bool is_known =
      attribute == cuda::kFunctionMaxDynamicShared || attribute == cuda::kFunctionSharedCarveout;
  if (function == nullptr || !is_known || value < 0)
    return Violation("cuFuncSetAttribute", "arguments", kInvalidValue);
  return cuda::kSuccess;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  MADE_BEFORE("cuMemGetInfo_v2", true);
  *free = *total = SimulatedGpu::kMemoryBytes;
  return cuda::kSuccess;
}

int cuMemAlloc_v2(cuda::Pointer* pointer, std::size_t bytes) {
  MADE_BEFORE("cuMemAlloc_v2", true);
  if (bytes == 0) return Violation("cuMemAlloc_v2", "no bytes", kInvalidValue);
  if (bytes > SimulatedGpu::kMemoryBytes) return cuda::kOutOfMemory;
  void* memory = std::calloc(1, bytes);  // pages that are not touched cost nothing
  if (memory == nullptr) return cuda::kOutOfMemory;
  *pointer = reinterpret_cast<cuda::Pointer>(memory);
  state().memory[*pointer] = bytes;
  return cuda::kSuccess;
}

int cuMemFree_v2(cuda::Pointer pointer) {
  MADE_BEFORE("cuMemFree_v2", true);
  if (state().memory.erase(pointer) == 0)
    return Violation("cuMemFree_v2", "memory that was not had", kInvalidValue);
  std::free(reinterpret_cast<void*>(pointer));
  return cuda::kSuccess;
}

int cuMemcpyHtoD_v2(cuda::Pointer to, const void* from, std::size_t bytes) {
  MADE_BEFORE("cuMemcpyHtoD_v2", true);
  if (!IsInMemory(to, bytes)) return Violation("cuMemcpyHtoD_v2", "outside", kInvalidValue);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return cuda::kSuccess;
}

int cuMemcpyDtoH_v2(void* to, cuda::Pointer from, std::size_t bytes) {
  MADE_BEFORE("cuMemcpyDtoH_v2", true);
  if (!IsInMemory(from, bytes)) return Violation("cuMemcpyDtoH_v2", "outside", kInvalidValue);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return cuda::kSuccess;
}

int cuMemsetD8_v2(cuda::Pointer to, unsigned char value, std::size_t bytes) {
  MADE_BEFORE("cuMemsetD8_v2", true);
  if (!IsInMemory(to, bytes)) return Violation("cuMemsetD8_v2", "outside", kInvalidValue);
  constexpr std::size_t kMaxBytes = std::size_t{1} << 24;  // more is zero anyway
  if (bytes <= kMaxBytes) std::memset(reinterpret_cast<void*>(to), value, bytes);
  return cuda::kSuccess;
}

int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  MADE_BEFORE("cuMemHostAlloc", true);
  *pointer = std::calloc(1, bytes);
  return *pointer == nullptr ? cuda::kOutOfMemory : cuda::kSuccess;
}

int cuMemFreeHost(void* pointer) {
  MADE_BEFORE("cuMemFreeHost", true);
  std::free(pointer);
  return cuda::kSuccess;
}

int cuMemHostGetDevicePointer_v2(cuda::Pointer* pointer, void* host, unsigned flags) {
  MADE_BEFORE("cuMemHostGetDevicePointer_v2", true);
  if (flags != 0) return Violation("cuMemHostGetDevicePointer_v2", "flags", kInvalidValue);
  *pointer = reinterpret_cast<cuda::Pointer>(host);
  return cuda::kSuccess;
}

int cuStreamCreate(cuda::Stream* stream, unsigned) {
  MADE_BEFORE("cuStreamCreate", true);
  *stream = AsHandle<cuda::Stream>(&state().stream);
  return cuda::kSuccess;
}

int cuStreamQuery(cuda::Stream stream) {
  MADE_BEFORE("cuStreamQuery", true);
  if (stream == nullptr) return Violation("cuStreamQuery", "no stream", kInvalidValue);
  return reinterpret_cast<SimulatedStream*>(stream)->ending;
}

int cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   cuda::Stream stream, void** arguments, void** extra) {
  MADE_BEFORE("cuLaunchKernel", true);
  const auto* made = reinterpret_cast<const SimulatedFunction*>(function);
  if (made == nullptr || grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 ||
      block_y != 1 || block_z != 1 || stream == nullptr || arguments == nullptr ||
      extra != nullptr) {
    return Violation("cuLaunchKernel", "arguments", kInvalidValue);
  }
  const PtxEntry& entry = *made->entry;
  if (static_cast<int>(block_x) > entry.most_threads)
    return Violation("cuLaunchKernel", "more threads than .maxntid", kInvalidValue);
  if (shared_bytes > SimulatedGpu::kSharedBytes) return kInvalidValue;
  LaunchArguments call = {.blocks = grid_x, .threads = block_x};
  for (std::size_t i = 0; i < call.values.size(); ++i)
    call.values[i] = *static_cast<const std::uint64_t*>(arguments[i]);
  const Wishes& wishes = state().wishes;
  SimulatedStream& queue = *reinterpret_cast<SimulatedStream*>(stream);
  if (queue.ending != cuda::kSuccess) return queue.ending;
  if (wishes.hangs && entry.Has(*wishes.hangs)) queue.ending = cuda::kNotReady;
  if (wishes.traps && entry.Has(*wishes.traps)) queue.ending = kLaunchFailed;
  if (wishes.loses && entry.Has(*wishes.loses)) {
    queue.ending = kLaunchFailed;
    if (std::FILE* file = std::fopen(LostFile().c_str(), "w")) std::fclose(file);
  }
  if (queue.ending == cuda::kSuccess) state().gpu.Execute(entry, call, wishes);
  return cuda::kSuccess;
}

}  // extern "C"
