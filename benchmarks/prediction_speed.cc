// How many blocks are predicted in a second on one CPU: bounds alone, and with the simulated core.
//
//   prediction_speed MACHINE BLOCKS [SECONDS]
//
// MACHINE is a result document with instructions and ports, BLOCKS has a snippet a line. Reading
// both is not counted: programs are made of instructions that were parsed before.
#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "cyclescope/json.h"
#include "library/block_prediction.h"
#include "predict/block_program.h"
#include "predict/bounds.h"
#include "predict/pipeline.h"

namespace cyclescope {
namespace {

using Instructions = std::vector<assembler::Instruction>;

double PerSecond(const std::vector<Instructions>& blocks, double seconds,
                 const std::function<void(const Instructions&)>& predict) {
  // Of the processor, not of the clock on the wall: others may use it, too.
  const std::clock_t begin = std::clock();
  std::size_t done = 0;
  double spent = 0;
  while (spent < seconds) {
    predict(blocks[done % blocks.size()]);
    ++done;
    spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  return static_cast<double>(done) / spent;
}

int Main(const std::string& machine_file, const std::string& blocks_file, double seconds) {
  std::ifstream input(machine_file);
  const std::string json((std::istreambuf_iterator<char>(input)), {});
  const auto document = ParseJson(json, machine_file);
  if (!document) return fmt::print(stderr, "{}\n", document.error().ToString()), 2;
  auto assembler = assembler::Assembler::Create(
      assembler::HostTarget(*assembler::ParseArchitecture(document->host.architecture),
                            document->host.features, document->host.llvm_cpu));
  if (!assembler) return fmt::print(stderr, "{}\n", assembler.error().ToString()), 2;
  auto model = predict::CoreModel::From(*document, *assembler);
  if (!model) return fmt::print(stderr, "{}\n", model.error().ToString()), 2;
  std::vector<Instructions> blocks;
  std::ifstream lines(blocks_file);
  for (std::string line; std::getline(lines, line);) {
    if (auto parsed = assembler->Parse(line); parsed && !parsed->empty())
      blocks.push_back(std::move(*parsed));
  }
  if (blocks.empty()) return fmt::print(stderr, "no block in '{}'\n", blocks_file), 2;
  const predict::PipelineCore core = predict::CoreOf(*model);
  double sink = 0;
  const double bounds = PerSecond(blocks, seconds, [&](const Instructions& block) {
    sink +=
        predict::BoundsOf(*model, predict::MakeProgram(*model, {.instructions = block})).Largest();
  });
  std::size_t settled = 0;
  std::size_t simulated = 0;
  const double predictions = PerSecond(blocks, seconds, [&](const Instructions& block) {
    const auto result =
        predict::RunPipeline(core, predict::MakeProgram(*model, {.instructions = block}));
    settled += result.settled ? 1 : 0;
    ++simulated;
    sink += result.cycles;
  });
  fmt::print(
      "{} blocks: bounds {:.0f} a second, simulated {:.0f} a second, {:.1f} % settled ({:.0f})\n",
      blocks.size(), bounds, predictions,
      100.0 * static_cast<double>(settled) / static_cast<double>(simulated), sink);
  return 0;
}

}  // namespace
}  // namespace cyclescope

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "prediction_speed MACHINE BLOCKS [SECONDS]\n");
    return 2;
  }
  return cyclescope::Main(argv[1], argv[2], argc > 3 ? std::atof(argv[3]) : 2);
}
