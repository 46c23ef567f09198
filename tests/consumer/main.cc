// Uses every function of the library, and every public header, as a user would.
#include <cyclescope/fleet.h>
#include <cyclescope/json.h>
#include <cyclescope/measure.h>
#include <cyclescope/result/document.h>
#include <cyclescope/result/names.h>

#include <cstdio>
#include <string>

namespace {

bool Holds(const char* what, bool good) {
  if (!good) std::fprintf(stderr, "failed: %s\n", what);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cyclescope;
  if (argc != 2) return 2;
  const std::string text = argv[1];
  const auto instructions = MeasureInstructions({.texts = {text}});
  const auto block = MeasureBlock({.text = text, .loop = BlockLoop::kAsLoop});
  const auto frequency = MeasureFrequency({.cycles = CycleChoice::kReference});
  const auto cores = MeasureCores({}, [](const Progress&) { return false; });
  const auto machine = CheckMachine();
  const auto plan = PlanInstructions({.texts = {text}});
  const auto problems = CheckTexts(InstructionRequest{.texts = {text, "nonsense"}});
  const auto values = ListValueClasses({.texts = {text}});
  const auto watched = WatchInstructions({.texts = {text}}, [](const Document&) { return false; });
  const auto sweep =
      MeasureSweep({.filter = "^[AS]"}, [](const Progress& at) { return at.done < 1; });
  const auto memory = MeasureMemory({.sizes = {4096, 65536}});
  const auto gpu = MeasureGpu({.driver = "/nonexistent/driver.so"});
  const auto survey =
      MeasureSurvey({.effort = SurveyEffort::kQuick}, [](const Progress&) { return false; });
  const auto run = DescribeRun("consumer");
  const auto fleet = JudgeFleet({.results = {"/nonexistent/results"}});
  bool good = Holds("run", run && NodeName(*run) == run->host.name) &&
              Holds("fleet", !fleet && fleet.error().kind == ErrorKind::kBadInput) &&
              Holds("instruction", instructions && instructions->instructions.size() == 1) &&
              Holds("block", block && block->blocks.size() == 1) &&
              Holds("frequency", frequency && !frequency->frequency.empty()) &&
              Holds("doctor", machine && !machine->doctor.empty()) &&
              Holds("plan", plan && plan->instructions.size() == 1) &&
              Holds("texts", problems && problems->size() == 1) &&
              Holds("values", values && values->size() == 1) &&
              Holds("watch", watched && watched->instructions.size() == 1) &&
              Holds("sweep", sweep && sweep->partial && sweep->sweep) &&
              Holds("exegesis", sweep && ToExegesis(*sweep, ExegesisQuantity::kLatency)) &&
              Holds("ports", sweep && !ToPortFormat(*sweep, PortFormat::kCsv)) &&
              Holds("memory", memory && memory->memory.size() == 1) &&
              Holds("gpu", !gpu && gpu.error().kind == ErrorKind::kFailed) &&
              Holds("survey", survey && survey->partial) && !VersionText().empty();
  // A machine with one CPU has no pairs, which is an error of the caller.
  good =
      Holds("cores", cores ? cores->partial : cores.error().kind == ErrorKind::kBadInput) && good;
  if (!good) return 1;
  const auto again = ParseJson(ToJson(*instructions), "what was just measured");
  if (!Holds("JSON",
             again && again->instructions.front().text == instructions->instructions.front().text))
    return 1;
  std::printf("%s\n", std::string(ToString(instructions->instructions.front().status)).c_str());
}
