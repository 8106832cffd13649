#include "core/tokenizer/aligned_text.h"

#include <algorithm>

#include "core/base/utf8.h"

namespace headscope::tokenizer {
namespace {

std::ptrdiff_t characterCount(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

/// Aligns the bytes of `content` with those of as many characters, one by one.
void alignCharacters(std::string_view content, std::string_view replaced,
                     const Span* replacedOrigins, Span* origins) {
  for (std::size_t at = 0, from = 0; at < content.size();) {
    const std::uint32_t bytes = characterBytes(content, at);
    std::fill_n(origins + at, bytes, replacedOrigins[from]);
    at += bytes;
    from += characterBytes(replaced, from);
  }
}

/// Replaces the characters of a text, one after another.
class Rewriting {
 public:
  explicit Rewriting(AlignedText& text) : text_(text) {
    out_.text.reserve(text.text.size());
    out_.origins.reserve(text.text.size());
  }

  void put(const Rewritten& character) {
    Span origin;
    if (character.change > 0) {
      origin = at_ > 0 ? text_.origins[at_ - 1] : start();
    } else {
      origin = at_ < text_.text.size() ? text_.origins[at_] : start();
      skip(1 - character.change);
    }
    const std::string bytes = utf8Of(static_cast<char32_t>(character.point));
    out_.text += bytes;
    // one by one: an insert of so few elements takes far longer
    for (std::size_t i = 0; i < bytes.size(); ++i) out_.origins.push_back(origin);
  }

  void skip(int characters) {
    for (int i = 0; i < characters && at_ < text_.text.size(); ++i) {
      at_ += characterBytes(text_.text, at_);
    }
  }

  void finish() { text_ = std::move(out_); }

 private:
  Span start() const {
    if (text_.origins.empty()) return {};
    return {text_.origins.front().begin, text_.origins.front().begin};
  }

  AlignedText& text_;
  AlignedText out_;
  std::size_t at_ = 0;  // in the text as it was
};

}  // namespace

std::uint32_t characterBytes(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::uint32_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(bytes, static_cast<std::uint32_t>(text.size() - at));
}

AlignedText AlignedText::of(std::string_view original, Span part) {
  AlignedText result{std::string(part.of(original)), {}};
  result.origins.reserve(part.size());
  for (std::uint32_t at = part.begin; at < part.end;) {
    const std::uint32_t bytes = characterBytes(original, at);
    for (std::uint32_t i = 0; i < bytes; ++i) result.origins.push_back({at, at + bytes});
    at += bytes;
  }
  return result;
}

Span AlignedText::origin(Span range) const {
  if (range.begin >= range.end) return {};
  return {origins[range.begin].begin, origins[range.end - 1].end};
}

void AlignedText::rewrite(const std::vector<Rewritten>& characters) {
  Rewriting rewriting(*this);
  for (const Rewritten& character : characters) rewriting.put(character);
  rewriting.finish();
}

void AlignedText::each(
    const std::function<void(std::int32_t, std::vector<Rewritten>&)>& characters) {
  Rewriting rewriting(*this);
  std::vector<Rewritten> own;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = codePointAt(text, at);
    at += point.bytes;
    own.clear();
    characters(point.value, own);
    for (const Rewritten& character : own) rewriting.put(character);
    if (own.empty()) rewriting.skip(1);
  }
  rewriting.finish();
}

void AlignedText::keep(const std::function<bool(std::int32_t)>& kept) {
  each([&](std::int32_t point, std::vector<Rewritten>& own) {
    if (kept(point)) own.push_back({point, 0});
  });
}

void AlignedText::crop(Span range) {
  AlignedText out;
  out.append(*this, range);
  *this = std::move(out);
}

void AlignedText::prepend(std::string_view what) {
  if (text.empty()) return;
  origins.insert(origins.begin(), what.size(), origins.front());
  text.insert(0, what);
}

void AlignedText::replace(const std::vector<Span>& ranges, std::string_view content) {
  const std::ptrdiff_t characters = characterCount(content);
  AlignedText out;
  std::uint32_t at = 0;
  for (const Span& range : ranges) {
    out.append(*this, {at, range.begin});
    const Span last = range.end > 0 ? origins[range.end - 1] : Span{};
    const std::size_t begin = out.text.size();
    out.text += content;
    out.origins.resize(out.text.size(), last);
    if (characterCount(range.of(text)) == characters) {
      alignCharacters(content, range.of(text), origins.data() + range.begin,
                      out.origins.data() + begin);
    }
    at = range.end;
  }
  out.append(*this, {at, static_cast<std::uint32_t>(text.size())});
  *this = std::move(out);
}

void AlignedText::append(const AlignedText& other, Span range) {
  text += range.of(other.text);
  origins.insert(origins.end(), other.origins.begin() + range.begin,
                 other.origins.begin() + range.end);
}

}  // namespace headscope::tokenizer
