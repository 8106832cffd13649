#include "core/base/downloaded_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"

namespace headscope {
namespace {

struct OtherFormat {
  std::string_view begin;  // of the file
  std::string_view is;     // its description and the way out
};

constexpr std::string_view kSaveAgain =
    "save the model again with save_pretrained(…, safe_serialization=True)";

constexpr OtherFormat kLfs{
    "version https://git-lfs.github.com/spec/",
    "is a Git LFS pointer, and the real file is not there yet: run \"git lfs pull\" in its folder"};

constexpr OtherFormat kOtherFormats[]{
    kLfs,
    {"GGUF",
     "is a GGUF file, which this program does not read: download the same model as config.json and "
     "model.safetensors"},
    {"\x89HDF", "is a Keras file (HDF5): download model.safetensors instead"},
    {"\x1f\x8b", "is a gzip archive: unpack it first"},
};

/// PyTorch's files are zip archives or, in older versions, pickles.
constexpr std::string_view kPyTorch[]{"PK\x03\x04", "\x80\x02"};

/// Lower-cased, without the space before it.
std::string startOfText(std::string_view bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    if (text.empty() && std::isspace(byte) != 0) continue;
    text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

/// Returns whether the bytes are ASCII, like a server's message and unlike the length at the start
/// of a file.
bool isText(std::string_view bytes) {
  return !bytes.empty() && std::ranges::all_of(bytes, [](char each) {
    return (each >= ' ' && each <= '~') || each == '\n' || each == '\r' || each == '\t';
  });
}

std::string firstLine(std::string_view text) {
  constexpr std::size_t kMost = 80;
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return line.size() <= kMost ? std::string(line) : std::string(line.substr(0, kMost)) + " …";
}

}  // namespace

std::optional<std::string> lfsPointer(std::string_view firstBytes) {
  if (!firstBytes.starts_with(kLfs.begin)) return std::nullopt;
  return std::string(kLfs.is);
}

std::optional<std::string> whatItIsInstead(std::string_view firstBytes) {
  for (const OtherFormat& other : kOtherFormats) {
    if (firstBytes.starts_with(other.begin)) return std::string(other.is);
  }
  for (const std::string_view begin : kPyTorch) {
    if (firstBytes.starts_with(begin)) {
      return fmt::format(
          "is a file of PyTorch (a zip archive or a pickle), whatever its name says: {}",
          kSaveAgain);
    }
  }
  const std::string text = startOfText(firstBytes);
  for (const char* page : {"<!doctype html", "<html", "<?xml", "<head"}) {
    if (text.starts_with(page)) {
      return "is a web page instead of the file: download the file itself, logged in if the model "
             "requires it";
    }
  }
  return std::nullopt;
}

std::optional<std::string> whatItIsInsteadOfBinary(std::string_view firstBytes) {
  if (auto known = whatItIsInstead(firstBytes)) return known;
  constexpr std::size_t kLooked = 64;
  if (!isText(firstBytes.substr(0, kLooked))) return std::nullopt;
  return fmt::format("is a text that begins with \"{}\", not the file itself: download it again",
                     firstLine(firstBytes));
}

Json downloadedJson(std::string_view text, const std::string& file, const JsonLimits& limits) {
  try {
    return parseJson(text, limits);
  } catch (const JsonError& error) {
    if (const auto instead = whatItIsInstead(text.substr(0, kTellingBytes))) {
      throw UserError(fmt::format("{} {}", file, *instead));
    }
    throw UserError(fmt::format("{}: {}; download it again", file, error.what()));
  }
}

}  // namespace headscope
