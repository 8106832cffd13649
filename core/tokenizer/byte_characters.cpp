#include "core/tokenizer/byte_characters.h"

#include <array>

#include "core/base/utf8.h"

namespace headscope::tokenizer {
namespace {

constexpr std::int32_t kBytes = 256;
constexpr std::int32_t kFirstOther = 0x100;  // unprintable bytes map here, in order

constexpr bool printed(std::int32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Tables {
  std::array<std::int32_t, kBytes> characters{};
  std::array<std::int16_t, kFirstOther + kBytes> bytes{};  // −1: no byte

  constexpr Tables() {
    bytes.fill(-1);
    std::int32_t next = kFirstOther;
    for (std::int32_t byte = 0; byte < kBytes; ++byte) {
      const std::int32_t character = printed(byte) ? byte : next++;
      characters[static_cast<std::size_t>(byte)] = character;
      bytes[static_cast<std::size_t>(character)] = static_cast<std::int16_t>(byte);
    }
  }
};
constexpr Tables kTables;

const std::array<std::string, kBytes>& written() {
  static const auto all = [] {
    std::array<std::string, kBytes> made;
    for (std::size_t byte = 0; byte < made.size(); ++byte) {
      made[byte] = utf8Of(static_cast<char32_t>(kTables.characters[byte]));
    }
    return made;
  }();
  return all;
}

}  // namespace

const std::string& byteCharacter(unsigned char byte) { return written()[byte]; }

void appendAsCharacters(const AlignedText& text, Span part, AlignedText& to) {
  const auto& characters = written();
  for (std::uint32_t at = part.begin; at < part.end; ++at) {
    const std::string& character = characters[static_cast<unsigned char>(text.text[at])];
    to.text += character;
    for (std::size_t i = 0; i < character.size(); ++i) to.origins.push_back(text.origins[at]);
  }
}

std::optional<std::string> bytesOfCharacters(std::string_view characters) {
  std::string bytes;
  for (std::size_t at = 0; at < characters.size();) {
    const CodePoint point = codePointAt(characters, at);
    if (!point.valid()) return std::nullopt;
    const auto index = static_cast<std::size_t>(point.value);
    if (index >= kTables.bytes.size() || kTables.bytes[index] < 0) return std::nullopt;
    bytes += static_cast<char>(kTables.bytes[index]);
    at += point.bytes;
  }
  return bytes;
}

}  // namespace headscope::tokenizer
