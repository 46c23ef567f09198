#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <windows.h>

#include <cstddef>
#include <cstdio>
#include <initializer_list>

#include "os/terminal.h"

namespace cyclescope::os {
namespace {

// The sequences that move a cursor and colour text work since Windows 10, if one asks.
void UnderstandSequences(DWORD stream) {
  HANDLE handle = GetStdHandle(stream);
  DWORD mode = 0;
  if (GetConsoleMode(handle, &mode) != 0)
    SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

}  // namespace

void PrepareProgram() {
  SetConsoleOutputCP(CP_UTF8);
  UnderstandSequences(STD_OUTPUT_HANDLE);
  UnderstandSequences(STD_ERROR_HANDLE);
  // No carriage returns: files are the same whichever system wrote them.
  _fmode = _O_BINARY;
  for (std::FILE* stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  // A console takes what is written at once for whole characters: one byte after the other, letters
  // of more than one would be lost, and sequences drawn as letters. What we write we flush.
  constexpr std::size_t kBufferBytes = 1 << 16;
  for (std::FILE* stream : {stdout, stderr}) std::setvbuf(stream, nullptr, _IOFBF, kBufferBytes);
  // No window that asks what to do about a missing disk.
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
}

char ShellQuote() { return '"'; }

}  // namespace cyclescope::os
