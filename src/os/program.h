// What a program does with its process at the start of `main`, while it has one thread. A library
// must not.
#pragma once

namespace cyclescope::os {

// Writing to a closed pipe becomes an error that the writer sees; libraries say nothing on standard
// error; and text goes out as it is, in UTF-8.
void PrepareProgram();

// What people put around an argument with spaces in it, in the shells that they have here.
char ShellQuote();

}  // namespace cyclescope::os
