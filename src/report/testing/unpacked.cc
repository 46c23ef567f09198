#include "report/testing/unpacked.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>

namespace cyclescope::testing {

std::string Unpacked(std::string_view base64) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : base64) {
    const std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (letter == '=') break;
    bits = bits << 6 | static_cast<unsigned>(letters.find(letter));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255U);
  }
  std::string text(std::size_t{64} << 20, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  text.resize(size);
  return text;
}

std::string DataInPage(std::string_view page) {
  const std::string_view opening = "<script type=\"text/plain\" id=\"data\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return Unpacked(page.substr(begin, page.find("</script>", begin) - begin));
}

std::string DataInScript(std::string_view script) {
  const std::size_t begin = script.find('"') + 1;
  return Unpacked(script.substr(begin, script.rfind('"') - begin));
}

}  // namespace cyclescope::testing
