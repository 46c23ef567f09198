#include "anatomy/window_kernel.h"

#include "arch/kernel_parts.h"

namespace cyclescope::anatomy {
namespace {

// Collects pieces of code until one of them cannot be made.
class Writer {
 public:
  void Add(const Result<assembler::Bytes>& piece) {
    if (!failure_ && !piece) failure_ = piece.error();
    if (piece) kernel_.insert(kernel_.end(), piece->begin(), piece->end());
  }
  std::size_t size() const { return kernel_.size(); }
  Result<sandbox::Kernel> Take() {
    if (failure_) return std::unexpected(*failure_);
    return std::move(kernel_);
  }

 private:
  sandbox::Kernel kernel_;
  std::optional<Error> failure_;
};

}  // namespace

Result<assembler::Bytes> WindowKernels::Bytes(std::string_view text) {
  if (const auto known = assembled_.find(text); known != assembled_.end()) return known->second;
  auto bytes = assembler_.AssembleText(text);
  if (bytes) assembled_.emplace(text, *bytes);
  return bytes;
}

Result<sandbox::Kernel> WindowKernels::Make(const arch::WindowFiller& filler, int fillers,
                                            Heads heads) {
  const arch::KernelRegisters& registers = arch::ReservedRegisters();
  const bool waits = filler.window == arch::Window::kScheduler;
  Writer writer;
  writer.Add(Bytes(arch::CopyGeneralText(registers.counter, registers.loops_argument) +
                   arch::SetGeneralText(registers.address, scratch_address_) +
                   arch::SetGeneralText(registers.zero, 0) +
                   arch::WindowSetUpText(places_.cursors)));
  const std::size_t begin = writer.size();
  std::vector<Result<assembler::Bytes>> pieces;
  for (const std::string_view text : filler.code) pieces.push_back(Bytes(text));
  for (int head = 0; head < 2; ++head) {
    const int chain = heads == Heads::kOneChain ? 0 : head;
    writer.Add(Bytes(arch::HeadText(chain)));
    if (waits) writer.Add(Bytes(arch::WaitForHeadText(chain)));
    for (int i = 0; i < fillers; ++i)
      writer.Add(pieces[static_cast<std::size_t>(i) % pieces.size()]);
  }
  writer.Add(arch::LoopEnd(registers.counter, writer.size() - begin, /*keep_flags=*/false));
  writer.Add(Bytes(arch::WindowEndText(places_.cursors)));
  return writer.Take();
}

Result<sandbox::Kernel> WindowKernels::MakeChains(int chains) {
  const arch::KernelRegisters& registers = arch::ReservedRegisters();
  Writer writer;
  writer.Add(Bytes(arch::CopyGeneralText(registers.counter, registers.loops_argument) +
                   arch::ChaseSetUpText(places_.cursors)));
  const std::size_t begin = writer.size();
  for (int i = 0; i < chains; ++i) writer.Add(Bytes(arch::ChaseStepText(i)));
  writer.Add(arch::LoopEnd(registers.counter, writer.size() - begin, /*keep_flags=*/false));
  return writer.Take();
}

}  // namespace cyclescope::anatomy
