// How well ports predict: random mixes of five instructions, measured, predicted from the map and
// the ports that `cyclescope ports` finds, and simulated by llvm-mca with LLVM's model of this CPU.
//
//   ports_benchmark [MIXES] [SEED] [PATIENCE_S]
//
// Prints the mean of |predicted - measured| / measured of each side on the same mixes, and the
// mixes that our prediction misses most. Both sides get the same code: independent copies, in two
// or three orders, of which the fastest counts.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "arch/headline_forms.h"
#include "assembler/predict.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/pulse.h"
#include "ports/find_ports.h"

namespace cyclescope {
namespace {

using ports::Mix;
using ports::Usage;

constexpr int kFormsInMix = 5;

struct Outcome {
  Mix mix;
  double measured = 0;
  double ours = 0;
  double without_dispatch = 0;
  double llvm = 0;
};

// Texts of the map and of a survey that this CPU has; each once.
std::vector<std::size_t> AddForms(library::CodeSession& session, ports::PortFinder& finder) {
  std::vector<std::size_t> forms;
  const auto add = [&](std::string_view text) {
    const auto parsed = session.assembler().Parse(text);
    if (!parsed || parsed->size() != 1) return;
    const std::size_t form = finder.Add(parsed->front());
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
  };
  for (const std::string_view text : arch::PortForms()) add(text);
  for (const arch::HeadlineForm& form : arch::HeadlineForms()) add(form.text);
  return forms;
}

// What llvm-mca says of the mix: the fastest of its orders.
std::optional<double> Simulate(library::CodeSession& session, ports::PortFinder& finder,
                               const Mix& mix) {
  std::optional<double> least;
  for (const ports::MixOrder order : ports::OrdersOf(mix)) {
    const auto code = finder.CodeOf(mix, order);
    if (!code) return std::nullopt;
    assembler::Bytes bytes;
    for (const assembler::Bytes& each : code->code)
      bytes.insert(bytes.end(), each.begin(), each.end());
    const auto decoded = session.assembler().Decode(bytes);
    if (!decoded) return std::nullopt;
    std::vector<assembler::Instruction> sequence;
    for (const assembler::Decoded& each : *decoded) sequence.push_back(each.instruction);
    const auto predicted = assembler::Predict(session.assembler(), sequence, /*timeline=*/false);
    if (!predicted) return std::nullopt;
    const double cycles = predicted->cycles / code->units * ports::Instructions(mix);
    least = std::min(least.value_or(cycles), cycles);
  }
  return least;
}

bool HasVector(const assembler::Instruction& instruction, int more_bits_than) {
  return std::ranges::any_of(instruction.operands, [=](const assembler::Operand& operand) {
    return operand.reg.file == assembler::RegisterFile::kVector &&
           operand.reg.bits > more_bits_than;
  });
}

// On x86-64, legacy vector code beside code that fills the upper halves of registers waits for
// these, hundreds of cycles each time: no port is the reason.
bool ChangesEncoding(const Mix& mix, const ports::PortFinder& finder) {
  bool legacy = false;
  bool fills_upper_halves = false;
  for (const auto& [form, count] : mix) {
    const assembler::Instruction& instruction = finder.forms()[form].form.instruction;
    legacy |= !instruction.flags.vex && HasVector(instruction, 0);
    fills_upper_halves |= instruction.flags.vex && HasVector(instruction, 128);
  }
  return legacy && fills_upper_halves;
}

std::vector<Mix> RandomMixes(const std::vector<std::size_t>& forms, const ports::PortFinder& finder,
                             int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, forms.size() - 1);
  std::vector<Mix> mixes;
  while (static_cast<int>(mixes.size()) < count) {
    std::map<std::size_t, int> counts;
    for (int i = 0; i < kFormsInMix; ++i) ++counts[forms[pick(random)]];
    Mix mix(counts.begin(), counts.end());
    if (!ChangesEncoding(mix, finder)) mixes.push_back(std::move(mix));
  }
  return mixes;
}

void PrintErrors(const char* name, const std::vector<Outcome>& outcomes,
                 const std::function<double(const Outcome&)>& predicted) {
  std::vector<double> errors;
  double sum = 0;
  double bias = 0;
  for (const Outcome& each : outcomes) {
    const double error = (predicted(each) - each.measured) / each.measured;
    errors.push_back(std::abs(error));
    sum += std::abs(error);
    bias += error;
  }
  std::ranges::sort(errors);
  const auto count = static_cast<double>(errors.size());
  const auto at = [&errors](double share) {
    return 100 * errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  fmt::print("{:<34} {:>6.2f} % mean  {:>6.2f} % median  {:>6.2f} % at 90 %  {:>+6.2f} % bias\n",
             name, 100 * sum / count, at(0.5), at(0.9), 100 * bias / count);
}

int Run(int mixes, unsigned seed, double patience_s) {
  auto document = library::StartDocument("ports");
  auto settings = library::CodeSettings::Of({.patience_s = patience_s});
  if (!document || !settings) return 1;
  library::Pulse pulse({});
  auto session = library::CodeSession::Open(*settings, pulse, document->host);
  if (!session) {
    fmt::print("{}\n", session.error().ToString());
    return 1;
  }
  ports::PortFinder finder = session->Ports();
  const auto map_forms = arch::PortForms();
  finder.FindMap({map_forms.begin(), map_forms.end()});
  if (!finder.map().is_found()) {
    fmt::print("no map: {}\n", finder.map().why_none);
    return 1;
  }
  const std::vector<std::size_t> forms = AddForms(*session, finder);
  const auto found = finder.Find(forms);
  std::map<std::size_t, Usage> usages;
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    // What waits for itself tells nothing of ports; what takes long hides all others.
    if (!found[i] || !found[i]->usage || found[i]->waits_for_itself) continue;
    usages.emplace(forms[i], *found[i]->usage);
    known.push_back(forms[i]);
  }
  fmt::print("{} ({}), {:.2f} slots a cycle; the ports of {} of {} forms are known\n",
             document->host.cpu_model, session->assembler().target().cpu, finder.map().dispatch,
             known.size(), forms.size());

  const std::vector<Mix> random = RandomMixes(known, finder, mixes, seed);
  finder.Measure(random);
  std::vector<Outcome> outcomes;
  int not_quiet = 0;
  int not_simulated = 0;
  const auto usage_of = [&](std::size_t form) -> const Usage& { return usages.at(form); };
  for (const Mix& mix : random) {
    const auto& result = finder.measured().at(mix);
    if (!result.cycles) {
      ++not_quiet;
      continue;
    }
    const auto llvm = Simulate(*session, finder, mix);
    if (!llvm) {
      ++not_simulated;
      continue;
    }
    constexpr double kUnlimited = 1e9;
    outcomes.push_back({mix, *result.cycles, ports::MixTime(mix, usage_of, finder.map().dispatch),
                        ports::MixTime(mix, usage_of, kUnlimited), *llvm});
  }
  fmt::print(
      "{} random mixes of {}: {} compared, {} found no quiet moment, {} not in LLVM's model\n",
      random.size(), kFormsInMix, outcomes.size(), not_quiet, not_simulated);
  if (outcomes.empty()) return 1;
  PrintErrors("measured ports and front end", outcomes, &Outcome::ours);
  PrintErrors("measured ports alone", outcomes, &Outcome::without_dispatch);
  PrintErrors("llvm-mca, LLVM's model", outcomes, &Outcome::llvm);

  const auto bound_by_dispatch = [](const Outcome& each) {
    return each.ours > each.without_dispatch;
  };
  std::vector<Outcome> parts = outcomes;
  const auto middle = std::ranges::stable_partition(parts, bound_by_dispatch);
  const std::vector<Outcome> dispatched(parts.begin(), middle.begin());
  const std::vector<Outcome> on_ports(middle.begin(), parts.end());
  if (!dispatched.empty()) {
    fmt::print("of these, {} that dispatch binds:\n", dispatched.size());
    PrintErrors("  measured ports and front end", dispatched, &Outcome::ours);
    PrintErrors("  llvm-mca, LLVM's model", dispatched, &Outcome::llvm);
  }
  if (!on_ports.empty()) {
    fmt::print("of these, {} that ports or dividers bind:\n", on_ports.size());
    PrintErrors("  measured ports and front end", on_ports, &Outcome::ours);
    PrintErrors("  llvm-mca, LLVM's model", on_ports, &Outcome::llvm);
  }

  // Which forms are in the mixes that are missed.
  std::map<std::size_t, std::pair<double, int>> by_form;
  for (const Outcome& each : outcomes) {
    const double error = std::abs(each.ours - each.measured) / each.measured;
    for (const auto& [form, count] : each.mix) {
      by_form[form].first += error;
      ++by_form[form].second;
    }
  }
  std::vector<std::pair<double, std::size_t>> worst_forms;
  for (const auto& [form, sum] : by_form) worst_forms.emplace_back(sum.first / sum.second, form);
  std::ranges::sort(worst_forms, std::greater());
  fmt::print("\nforms in the mixes with the largest errors:\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(12, worst_forms.size()); ++i) {
    fmt::print("  {:>6.2f} %  {}\n", 100 * worst_forms[i].first,
               finder.forms()[worst_forms[i].second].form.instruction.text);
  }
  std::ranges::sort(outcomes, std::greater(), [](const Outcome& each) {
    return std::abs(each.ours - each.measured) / each.measured;
  });
  fmt::print("\nmeasured  ours  llvm-mca  the mixes that ours misses most\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(16, outcomes.size()); ++i) {
    const Outcome& each = outcomes[i];
    std::string text;
    for (const auto& [form, count] : each.mix)
      text += fmt::format("{}{} * {}", text.empty() ? "" : " + ", count,
                          finder.forms()[form].form.instruction.text);
    fmt::print("{:>8.2f} {:>5.2f} {:>9.2f}  {}\n", each.measured, each.ours, each.llvm, text);
  }
  return 0;
}

}  // namespace
}  // namespace cyclescope

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const auto number = [&arguments](std::size_t place, double otherwise) {
    return arguments.size() > place ? std::atof(arguments[place]) : otherwise;
  };
  return cyclescope::Run(static_cast<int>(number(1, 2000)), static_cast<unsigned>(number(2, 1)),
                         number(3, 120));
}
