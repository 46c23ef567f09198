#include "serve/playground.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "analysis/block_difference.h"
#include "analysis/host_words.h"
#include "base/try.h"
#include "document/json_text.h"
#include "document/json_writer.h"
#include "serve/instruction_rows.h"

namespace cyclescope::serve {
namespace {

// Of the pipeline's picture.
constexpr int kTimelineIterations = 4;
// Quick answers first: a page that is typed into waits for no quiet moment of the core.
constexpr double kPatienceS = 0.3;
constexpr double kPatienceForPartsS = 1;
// Hundreds of mixes; the user has asked for them.
constexpr double kPatienceForPortsS = 5;

std::string LowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

OrderedJson MessageJson(const Message& message) {
  return {{"line", message.line},
          {"column", message.column},
          {"severity", message.severity},
          {"text", message.text}};
}

OrderedJson LoopJson(const PreparedLoop& loop, std::string_view architecture) {
  return {{"name", loop.source.name},
          {"function", loop.source.function},
          {"lines", loop.lines},
          {"assembly_lines", LinesOf(loop.source)},
          {"statements", StatementsOf(loop.source.text, architecture)}};
}

std::string AssemblyJson(const Code& code, const PreparedCode& prepared,
                         std::string_view architecture) {
  OrderedJson shown = OrderedJson::array();
  for (const ShownLine& line : prepared.shown)
    shown.push_back({{"line", line.line}, {"source", line.source}, {"text", line.text}});
  OrderedJson loops = OrderedJson::array();
  for (const PreparedLoop& loop : prepared.loops) loops.push_back(LoopJson(loop, architecture));
  OrderedJson messages = OrderedJson::array();
  for (const Message& message : prepared.messages) messages.push_back(MessageJson(message));
  OrderedJson json = {{"side", code.side},
                      {"shown", std::move(shown)},
                      {"loops", std::move(loops)},
                      {"messages", std::move(messages)},
                      {"att", prepared.att_syntax}};
  if (const auto chosen = ChooseLoop(prepared, code)) json["chosen"] = *chosen;
  if (!prepared.trouble.empty()) json["trouble"] = prepared.trouble;
  return Dump(json);
}

void EmitError(const Error& error, const Emit& emit) {
  emit("error", Dump(OrderedJson{{"message", error.ToString()}}));
}

// Of two codes.
void EmitDifferences(const Document& document, const Emit& emit) {
  if (document.blocks.size() < 2) return;
  OrderedJson sentences = OrderedJson::array();
  for (const BlockDifference& difference : FindDifferences(document.blocks))
    sentences.push_back(DifferenceText(difference));
  emit("difference", Dump(OrderedJson{{"sentences", std::move(sentences)}}));
}

// Tells the page how far it is, a few times a second.
OnProgress Telling(const Emit& emit, const GoesOn& goes_on) {
  using Clock = std::chrono::steady_clock;
  static constexpr auto kProgressInterval = std::chrono::milliseconds(200);
  return [&emit, &goes_on, next = Clock::now()](const Progress& progress) mutable {
    if (Clock::now() >= next) {
      next = Clock::now() + kProgressInterval;
      emit("progress",
           Dump(OrderedJson{
               {"part", progress.part}, {"done", progress.done}, {"total", progress.total}}));
    }
    return goes_on();
  };
}

// The instructions of the loops, each text once.
std::vector<std::string> InstructionsOf(const BlockRequest& request,
                                        std::string_view architecture) {
  constexpr std::size_t kMostInstructions = 60;
  std::vector<std::string> texts;
  for (const BlockSource& source : request.sources) {
    for (std::string& text : StatementsOf(source.text, architecture)) {
      if (texts.size() < kMostInstructions && std::ranges::find(texts, text) == texts.end())
        texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace

Playground::Playground(Document about, std::shared_ptr<MachineModel> model, bool measures,
                       Compilers compilers, RunProgram run)
    : about_(std::move(about)),
      model_(std::move(model)),
      compilers_(std::move(compilers)),
      run_(std::move(run)),
      measures_(measures),
      rows_(model_, measures) {}

Result<Playground> Playground::Make(std::optional<Document> machine, Compilers compilers,
                                    RunProgram run) {
  auto about = TRY(DescribeRun("serve"));
  const bool measures = !machine || AreSameKindOfCpu(machine->host, about.host);
  std::shared_ptr<MachineModel> model;
  if (machine) {
    auto read = TRY(MachineModel::Read(*machine));
    model = std::make_shared<MachineModel>(std::move(read));
  }
  if (!measures) about.host = machine->host;
  Playground playground(std::move(about), std::move(model), measures, std::move(compilers),
                        std::move(run));
  if (!measures) {
    playground.known_forms_.emplace();
    for (const InstructionRow& row : machine->instructions)
      playground.known_forms_->push_back({row.text, row.mnemonic, row.opcode});
  }
  return playground;
}

const std::string& Playground::architecture() const { return about_.host.architecture; }

void Playground::Answer(const Question& question, const Emit& emit, const Wanted& wanted) {
  const GoesOn& goes_on = wanted.goes_on;
  if (const auto* code = std::get_if<CodeQuestion>(&question.what))
    AnswerCode(*code, emit, wanted);
  else if (const auto* instruction = std::get_if<InstructionQuestion>(&question.what))
    AnswerInstruction(*instruction, emit, goes_on);
  else if (const auto* ports = std::get_if<PortsQuestion>(&question.what))
    AnswerPorts(*ports, emit, goes_on);
  else if (const auto* forms = std::get_if<FormsQuestion>(&question.what))
    AnswerForms(*forms, emit, goes_on);
  else if (std::holds_alternative<HostQuestion>(question.what))
    emit("host", HostJson());
  emit("done", "{}");
}

std::string Playground::HostJson() const {
  OrderedJson compilers = OrderedJson::array();
  for (const Compiler& compiler : compilers_.found)
    compilers.push_back({{"id", compiler.id}, {"name", compiler.name}});
  const Host& host = about_.host;
  OrderedJson json = {
      {"version", VersionText()},
      {"architecture", architecture()},
      {"cpu", host.microarchitecture.empty() ? host.cpu_model : host.microarchitecture},
      {"measures", measures_},
      {"has_model", model_ != nullptr},
      {"compilers", std::move(compilers)}};
  if (compilers_.found.empty()) json["why_no_compiler"] = compilers_.why_none;
  return Dump(json);
}

PreparedCode Playground::Prepared(const Code& code, const GoesOn& goes_on) {
  Code key = code;
  key.side.clear();
  key.line = 0;
  key.loop.reset();
  const auto known = std::ranges::find(prepared_, key, &std::pair<Code, PreparedCode>::first);
  if (known != prepared_.end()) {
    prepared_.splice(prepared_.begin(), prepared_, known);
    return prepared_.front().second;
  }
  PreparedCode prepared = Prepare(
      code, {.compilers = &compilers_, .run = run_, .architecture = architecture()}, goes_on);
  constexpr std::size_t kMostPrepared = 8;
  // A compiler that was ended may come to its end the next time.
  const bool is_final = prepared.trouble.empty() || !prepared.messages.empty();
  if (is_final && goes_on()) prepared_.emplace_front(std::move(key), prepared);
  if (prepared_.size() > kMostPrepared) prepared_.pop_back();
  return prepared;
}

void Playground::AnswerCode(const CodeQuestion& question, const Emit& emit, const Wanted& wanted) {
  const GoesOn& goes_on = wanted.goes_on;
  BlockRequest request;
  bool complete = true;
  std::optional<bool> att_syntax;
  for (const Code& code : question.codes) {
    PreparedCode prepared = Prepared(code, goes_on);
    const auto chosen = ChooseLoop(prepared, code);
    if (chosen) {
      // What the assembler says of it, at its line.
      BlockRequest alone;
      alone.sources = {prepared.loops[*chosen].source};
      alone.code.att_syntax = prepared.att_syntax;
      const auto problems = measures_ ? CheckSources(alone) : model_->CheckSources(alone);
      if (problems) AddProblems(*problems, prepared);
    }
    emit("assembly", AssemblyJson(code, prepared, architecture()));
    if (!chosen || !prepared.trouble.empty()) {
      complete = false;
      continue;
    }
    BlockSource source = prepared.loops[*chosen].source;
    if (question.codes.size() > 1) source.side = code.side;
    request.sources.push_back(std::move(source));
    if (att_syntax.value_or(prepared.att_syntax) != prepared.att_syntax) {
      EmitError({ErrorKind::kBadInput, "one code is in AT&T syntax, and the other is not",
                 "choose the same for both"},
                emit);
      return;
    }
    att_syntax = prepared.att_syntax;
  }
  if (!complete || !goes_on()) return;
  request.code.att_syntax = att_syntax.value_or(false);
  request.code.patience_s = kPatienceS;
  if (model_) {
    if (const auto predicted = PredictLoops(request, emit); !predicted)
      return EmitError(predicted.error(), emit);
  }
  if (measures_) {
    if (const auto measured = MeasureLoops(request, emit, goes_on); !measured)
      return EmitError(measured.error(), emit);
  }
  if (const auto told = TellParts(request, emit, goes_on); !told)
    return EmitError(told.error(), emit);
  if (const auto told = TellPorts(request, emit, wanted); !told) EmitError(told.error(), emit);
}

Result<void> Playground::PredictLoops(const BlockRequest& request, const Emit& emit) const {
  const auto document = TRY(model_->Predict(request, kTimelineIterations));
  emit("predicted", ToJsonLine(document));
  // What is measured says more.
  if (!measures_) EmitDifferences(document, emit);
  return {};
}

Result<void> Playground::MeasureLoops(const BlockRequest& request, const Emit& emit,
                                      const GoesOn& goes_on) {
  BlockRequest now = request;
  for (const bool explain : {false, true}) {
    now.explain = explain;
    now.timeline = explain && !model_;
    if (explain) UseMeasuredPorts(now);
    if (auto measured = MeasureOnce(now, emit, goes_on); !measured || !goes_on()) return measured;
  }
  return {};
}

// So that they say what they have to of the loop.
void Playground::UseMeasuredPorts(BlockRequest& request) const {
  if (model_ || rows_.LackPorts(InstructionsOf(request, architecture()), request.code)) return;
  request.known_ports = rows_.MeasuredPorts();
  if (!request.known_ports) return;
  request.known_ports->host = about_.host;
  request.ports = true;
}

Result<void> Playground::MeasureOnce(const BlockRequest& request, const Emit& emit,
                                     const GoesOn& goes_on) {
  const auto document = TRY(MeasureBlock(request, Telling(emit, goes_on)));
  if (!goes_on()) return {};
  emit("measured", ToJsonLine(document));
  EmitDifferences(document, emit);
  return {};
}

Result<void> Playground::TellParts(const BlockRequest& request, const Emit& emit,
                                   const GoesOn& goes_on) {
  if (!goes_on()) return {};
  CodeRequest code = request.code;
  code.patience_s = kPatienceForPartsS;
  auto known = TRY(rows_.Find(InstructionsOf(request, architecture()), code, Telling(emit, goes_on),
                              RowsOf::kModel));
  if (goes_on()) EmitInstructions(std::move(known), emit);
  return {};
}

Result<void> Playground::TellPorts(const BlockRequest& request, const Emit& emit,
                                   const Wanted& wanted) {
  const std::vector<std::string> texts = InstructionsOf(request, architecture());
  // The next question about this loop may find them.
  const GoesOn goes_on = [&wanted] { return wanted.goes_on() && wanted.is_quiet(); };
  if (model_ || !goes_on() || !rows_.LackPorts(texts, request.code)) return {};
  CodeRequest code = request.code;
  code.patience_s = kPatienceForPortsS;
  // They were not asked for: without a map there are none, and no error.
  (void)rows_.FindPorts(texts, code, Telling(emit, goes_on));
  if (!goes_on()) return {};
  auto known = TRY(rows_.Find(texts, code, Telling(emit, goes_on)));
  EmitInstructions(std::move(known), emit);
  BlockRequest now = request;
  now.timeline = true;
  UseMeasuredPorts(now);
  return now.ports ? MeasureOnce(now, emit, goes_on) : Result<void>();
}

// {"texts", "document", "why_no_ports"}
void Playground::EmitInstructions(std::vector<KnownInstruction> known, const Emit& emit) const {
  Document document = about_;
  std::vector<std::string> texts;
  for (KnownInstruction& each : known) {
    texts.push_back(std::move(each.text));
    document.instructions.push_back(std::move(each.row));
  }
  emit("instructions",
       fmt::format("{{\"texts\":{},\"document\":{},\"why_no_ports\":{}}}", Dump(texts),
                   ToJsonLine(document), Dump(OrderedJson(rows_.why_no_map()))));
}

void Playground::AnswerInstruction(const InstructionQuestion& question, const Emit& emit,
                                   const GoesOn& goes_on) {
  const CodeRequest code = {.att_syntax = question.att_syntax,
                            .patience_s = kPatienceForPartsS,
                            .reader = MakeTextReader()};
  if (measures_) {
    const auto problems = CheckTexts(InstructionRequest{.texts = {question.text}, .code = code});
    if (!problems) return EmitError(problems.error(), emit);
    if (!problems->empty()) return EmitError(problems->front().ToError(), emit);
  }
  auto known = rows_.Find({question.text}, code, Telling(emit, goes_on));
  if (!known) return EmitError(known.error(), emit);
  if (known->empty() && !measures_) {
    return EmitError(BadInput(fmt::format("the model does not have '{}'", question.text)).error(),
                     emit);
  }
  if (goes_on()) EmitInstructions(std::move(*known), emit);
}

void Playground::AnswerPorts(const PortsQuestion& question, const Emit& emit,
                             const GoesOn& goes_on) {
  const CodeRequest code = {.att_syntax = question.instruction.att_syntax,
                            .patience_s = kPatienceForPortsS};
  auto known = rows_.FindWithPorts(question.instruction.text, code, Telling(emit, goes_on));
  if (!known) return EmitError(known.error(), emit);
  std::vector<KnownInstruction> found;
  if (*known) found.push_back(std::move(**known));
  if (goes_on()) EmitInstructions(std::move(found), emit);
}

Result<void> Playground::LoadForms(const GoesOn& goes_on) {
  if (known_forms_) return {};
  auto forms = TRY(ListForms([&goes_on](const Progress&) { return goes_on(); }));
  if (!forms.empty()) known_forms_ = std::move(forms);  // else it was cancelled
  return {};
}

void Playground::AnswerForms(const FormsQuestion& question, const Emit& emit,
                             const GoesOn& goes_on) {
  if (const auto loaded = LoadForms(goes_on); !loaded) return EmitError(loaded.error(), emit);
  if (!known_forms_) return;
  constexpr std::size_t kMostShown = 50;
  const std::string search = LowerCase(question.search);
  OrderedJson texts = OrderedJson::array();
  std::size_t found = 0;
  // Those whose mnemonic begins so come first.
  for (const bool at_begin : {true, false}) {
    for (const KnownForm& form : *known_forms_) {
      if (!question.mnemonic.empty() && form.mnemonic != question.mnemonic) continue;
      const bool begins = LowerCase(form.text).starts_with(search);
      const bool holds = begins || LowerCase(form.text).contains(search) ||
                         LowerCase(form.opcode).contains(search);
      if (begins != at_begin || !holds) continue;
      if (++found <= kMostShown) texts.push_back(form.text);
    }
  }
  emit("forms", Dump(OrderedJson{{"search", question.search},
                                 {"found", found},
                                 {"of", known_forms_->size()},
                                 {"texts", std::move(texts)}}));
}

}  // namespace cyclescope::serve
