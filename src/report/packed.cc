#include <zlib.h>

#include <cstdint>
#include <new>

#include "report/html_template.h"

namespace cyclescope {
namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= three.size() ? kLetters[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

}  // namespace

std::string Packed(std::string_view text) {
  const auto text_size = static_cast<uLong>(text.size());
  uLongf size = compressBound(text_size);
  std::string bytes(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), text_size, Z_DEFAULT_COMPRESSION);
  // It fails only without memory, or where there is too little room: compressBound() has seen to
  // it.
  if (status != Z_OK) throw std::bad_alloc();
  bytes.resize(size);
  return Base64(bytes);
}

}  // namespace cyclescope
