// How many cycles an instruction takes from each operand to each result:
//   latency 'madd x0, x1, x2, x3'
#include <cyclescope/measure.h>

#include <cstdio>

int main(int argc, char** argv) {
  const auto result = cyclescope::MeasureInstructions(
      {.texts = {argv + 1, argv + argc}}, [](const cyclescope::Progress& progress) {
        std::fprintf(stderr, "%zu of %zu\n", progress.done, progress.total);
        return true;  // false would end it here
      });
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().ToString().c_str());
    return 1;
  }
  for (const cyclescope::InstructionRow& row : result->instructions) {
    std::printf("%s: %s\n", row.text.c_str(), row.reason.c_str());
    for (const cyclescope::Latency& pair : row.latency)
      std::printf("  %s to %s: %.2f cycles\n", pair.from.c_str(), pair.to.c_str(),
                  pair.cycles.value);
  }
}
