#include "serve/questions.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/try.h"

namespace cyclescope::serve {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestWord = 256;
constexpr std::size_t kLongestInstruction = 1000;

// Reads fields, and remembers the first that is not what it has to be.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  std::string Text(const char* name, std::size_t longest, bool required = true) {
    const auto found = json_.find(name);
    if (found == json_.end()) {
      if (required) Complain(name, "is missing");
      return {};
    }
    if (!found->is_string()) {
      Complain(name, "is not text");
      return {};
    }
    auto text = found->get<std::string>();
    if (text.size() > longest) Complain(name, "is too long");
    return text;
  }

  bool Flag(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end()) return false;
    if (!found->is_boolean()) {
      Complain(name, "is neither true nor false");
      return false;
    }
    return found->get<bool>();
  }

  std::optional<int> Number(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    constexpr std::int64_t kMaxNumber = 10'000'000;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 0 ||
        found->get<std::int64_t>() > kMaxNumber) {
      Complain(name, "is not a number in its range");
      return std::nullopt;
    }
    return found->get<int>();
  }

  std::vector<std::string> Words(const char* name) {
    std::vector<std::string> words;
    const auto found = json_.find(name);
    if (found == json_.end()) return words;
    if (!found->is_array()) {
      Complain(name, "is not a list");
      return words;
    }
    for (const Json& word : *found) {
      if (!word.is_string() || word.get_ref<const std::string&>().size() > kLongestWord) {
        Complain(name, "holds more than words");
        return words;
      }
      words.push_back(word.get<std::string>());
    }
    return words;
  }

  void Complain(std::string_view name, std::string_view what) {
    if (complaint_.empty()) complaint_ = fmt::format("'{}' of the question {}", name, what);
  }
  const std::string& complaint() const { return complaint_; }

 private:
  const Json& json_;
  std::string complaint_;
};

Result<Code> ReadCode(const Json& json) {
  if (!json.is_object()) return BadInput("a code of the question is not an object");
  Reader reader(json);
  constexpr std::size_t kLongestText = std::size_t{1} << 20;
  Code code = {.side = reader.Text("side", kLongestWord),
               .att_syntax = reader.Flag("att"),
               .text = reader.Text("text", kLongestText),
               .compiler = reader.Text("compiler", kLongestWord, false),
               .flags = reader.Words("flags"),
               .line = reader.Number("line").value_or(0),
               .loop = reader.Number("loop")};
  const std::string language = reader.Text("language", kLongestWord);
  if (language == "c")
    code.language = Language::kC;
  else if (language == "c++")
    code.language = Language::kCpp;
  else if (language != "assembly")
    reader.Complain("language", "is none of c, c++ and assembly");
  if (!reader.complaint().empty()) return BadInput(reader.complaint());
  return code;
}

Result<CodeQuestion> ReadCodes(const Json& json) {
  const auto codes = json.find("codes");
  if (codes == json.end() || !codes->is_array() || codes->empty() || codes->size() > 2)
    return BadInput("'codes' of the question is not a list of one or two");
  CodeQuestion question;
  for (const Json& each : *codes) {
    question.codes.push_back(TRY(ReadCode(each)));
  }
  if (question.codes.size() == 2 && question.codes[0].side == question.codes[1].side)
    return BadInput("both codes of the question have the same name");
  return question;
}

Result<Question> Read(std::string_view path, const Json& json) {
  Reader reader(json);
  Question question;
  question.tab = reader.Text("tab", kLongestWord);
  if (path == "/api/code") {
    question.what = TRY(ReadCodes(json));
  } else if (path == "/api/instruction" || path == "/api/ports") {
    InstructionQuestion instruction = {.text = reader.Text("text", kLongestInstruction),
                                       .att_syntax = reader.Flag("att")};
    if (path == "/api/ports")
      question.what = PortsQuestion{std::move(instruction)};
    else
      question.what = std::move(instruction);
  } else if (path == "/api/forms") {
    question.what = FormsQuestion{.search = reader.Text("search", kLongestWord),
                                  .mnemonic = reader.Text("mnemonic", kLongestWord, false)};
  } else if (path == "/api/cancel") {
    question.what = CancelQuestion{};
  } else {
    question.what = HostQuestion{};
  }
  if (!reader.complaint().empty()) return BadInput(reader.complaint());
  return question;
}

}  // namespace

std::optional<Result<Question>> ParseQuestion(std::string_view path, std::string_view body) {
  constexpr std::string_view kPaths[] = {"/api/code",  "/api/instruction", "/api/ports",
                                         "/api/forms", "/api/host",        "/api/cancel"};
  if (std::ranges::find(kPaths, path) == std::end(kPaths)) return std::nullopt;
  const Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return BadInput("the question is no JSON object");
  return Read(path, json);
}

}  // namespace cyclescope::serve
