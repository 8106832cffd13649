#include "app/link.h"

#include <cstdlib>
#include <memory>
#include <new>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/editing/make_document.h"
#include "core/formats/link.h"

// zlib's format, written and read by the PNG libraries
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb_image.h>
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace headscope {
namespace {

constexpr std::string_view kLinkStart = "s1.";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kMostLinkLetters = std::size_t{1} << 20;  // letters of an address
constexpr std::size_t kMostLinkText = std::size_t{4} << 20;     // bytes of the decompressed text
constexpr int kCheckLetters = 6;
constexpr const char* kDamaged =
    trLater("the link is damaged: copy the whole link again from its source, or make a new one");

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// Encodes bytes in RFC 4648's alphabet for URLs, without padding.
std::string toAddress(const unsigned char* bytes, std::size_t count) {
  std::string text;
  unsigned held = 0;
  int bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    held = held << 8 | bytes[i];
    for (bits += 8; bits >= 6; bits -= 6) text += kDigits[held >> (bits - 6) & 63U];
  }
  if (bits > 0) text += kDigits[held << (6 - bits) & 63U];
  return text;
}

std::string fromAddress(std::string_view text) {
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw UserError(tr(kDamaged));
    held = held << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 255U);
  }
  return bytes;
}

/// A checksum of six letters; another text rarely has the same one.
std::string checkOf(std::string_view text) {
  std::uint64_t hash = hashBytes(text);
  std::string check;
  for (int i = 0; i < kCheckLetters; ++i, hash >>= 6U) check += kDigits[hash & 63U];
  return check;
}

}  // namespace

std::string linkOf(const formats::Session& session, Index memoryBudget, const WeightMaker& make) {
  constexpr int kBest = 9;
  std::string text = formats::linkText(session, memoryBudget, make);
  int size = 0;
  const std::unique_ptr<unsigned char, Free> bytes(stbi_zlib_compress(
      reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size()), &size, kBest));
  if (bytes == nullptr) throw std::bad_alloc();
  return std::string(kLinkStart) + checkOf(text) +
         toAddress(bytes.get(), static_cast<std::size_t>(size));
}

formats::Session sessionOfLink(std::string_view link, Index memoryBudget, const WeightMaker& make) {
  if (const auto at = link.rfind('#'); at != std::string_view::npos) link.remove_prefix(at + 1);
  if (link.size() > kMostLinkLetters)
    throw UserError(tr("the link is longer than any that headscope makes"));
  if (!link.starts_with(kLinkStart)) {
    const bool newer =
        link.starts_with('s') && link.substr(0, 4).find('.') != std::string_view::npos;
    throw UserError(newer ? tr("the link was made by a newer headscope: open it with that version")
                          : tr(kDamaged));
  }
  link.remove_prefix(kLinkStart.size());
  if (link.size() < kCheckLetters) throw UserError(tr(kDamaged));
  const std::string bytes = fromAddress(link.substr(kCheckLetters));
  std::string text(kMostLinkText, '\0');
  const int size = stbi_zlib_decode_buffer(text.data(), static_cast<int>(text.size()), bytes.data(),
                                           static_cast<int>(bytes.size()));
  if (size < 0) throw UserError(tr(kDamaged));
  text.resize(static_cast<std::size_t>(size));
  if (checkOf(text) != link.substr(0, kCheckLetters)) throw UserError(tr(kDamaged));
  return formats::sessionFromLink(text, memoryBudget, make);
}

}  // namespace headscope
