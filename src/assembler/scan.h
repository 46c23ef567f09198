// What LLVM's parser may see of a text from an untrusted source. It knows directives that read
// files, loop, or fill memory; none of that is an instruction, and none gets through.
#pragma once

#include <optional>
#include <string_view>

#include "assembler/llvm_target.h"
#include "assembler/text_error.h"

namespace cyclescope::assembler {

// Nothing where the text holds only instructions, labels and comments, as far as its tokens tell.
std::optional<TextError> Scan(const Llvm& llvm, std::string_view text);

// An error at a place of the text, with its line and column filled in.
TextError ErrorAt(std::string_view text, std::size_t offset, TextErrorKind kind,
                  std::string message, std::string hint = {});

}  // namespace cyclescope::assembler
