#include "document/packed.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>

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

namespace {

// zlib's windowBits: the largest window, in gzip's format.
constexpr int kGzipWindow = 15 + 16;

// zlib counts what it is given, and what it may write, in 32 bits.
constexpr std::size_t kMaxBytesAtOnce = std::numeric_limits<uInt>::max();

}  // namespace

std::string Gzipped(std::string_view text) {
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string bytes;
  std::array<char, 64 * 1024> part{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    // zlib reads its input through a pointer that is not const, and does not change it.
    const std::size_t given = std::min(text.size(), kMaxBytesAtOnce);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = deflate(&stream, given == text.size() ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(given - stream.avail_in);
    bytes.append(part.data(), part.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return bytes;
}

bool IsGzipped(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> Gunzipped(std::string_view bytes, std::string_view file_name,
                              std::size_t most_bytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  std::string text;
  std::array<char, 64 * 1024> part{};
  int status = Z_OK;
  while (status == Z_OK && text.size() <= most_bytes) {
    const std::size_t given = std::min(bytes.size(), kMaxBytesAtOnce);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(given - stream.avail_in);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (text.size() > most_bytes)
    return BadInput(fmt::format("'{}' unpacks to more than {} MB", file_name, most_bytes >> 20));
  if (status != Z_STREAM_END || !bytes.empty())
    return BadInput(fmt::format("cannot unpack '{}': it is damaged or was cut off", file_name),
                    "copy it again");
  return text;
}

}  // namespace cyclescope
