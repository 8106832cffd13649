#include "core/tokenizer/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <cctype>

#include "core/base/error.h"

namespace headscope::tokenizer {
namespace {

// Character classes for use within brackets. PCRE2's own \s has U+180E, which is no white space;
// its \w lacks marks.
constexpr std::string_view kSpaces =
    R"(\x09-\x0D\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view kNoSpaces = R"(\P{Xps}\x{180E})";
constexpr std::string_view kWords =
    R"(\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";

/// Reads an expression from left to right and writes it for PCRE2.
class Translation {
 public:
  explicit Translation(std::string_view expression) : in_(expression) {}

  std::string run() {
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '\\') {
        escape();
      } else if (inBrackets_) {
        withinBrackets(c);
      } else {
        outside(c);
      }
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw UserError(fmt::format(
        "the regular expression \"{}\" uses {}, which this program does not know", in_, what));
  }

  bool follows(std::string_view text) const { return in_.substr(at_).starts_with(text); }
  void copy(std::size_t count) {
    out_ += in_.substr(at_, count);
    at_ += count;
  }
  void put(std::string_view text, std::size_t read) {
    out_ += text;
    at_ += read;
  }
  void items(std::string_view set, bool negated) {
    put(inBrackets_ ? std::string(set) : fmt::format("[{}{}]", negated ? "^" : "", set), 2);
  }

  void escape() {
    if (at_ + 1 >= in_.size()) refuse("a \\ at its end");
    const char c = in_[at_ + 1];
    switch (c) {
      case 's':
        return items(kSpaces, false);
      case 'S':
        return inBrackets_ ? put(kNoSpaces, 2) : items(kSpaces, true);
      case 'w':
        return items(kWords, false);
      case 'W':
        if (inBrackets_) refuse("\\W within brackets");
        return items(kWords, true);
      case 'b':
      case 'B':
        if (inBrackets_) break;
        return boundary(c == 'b');
      case 'd':
        return put(R"(\p{Nd})", 2);
      case 'D':
        return put(R"(\P{Nd})", 2);
      case 'v':
        return put(R"(\x0B)", 2);
      case 'u':
        return unicode();
      case 'A':
      case 'z':
      case 'Z':
        if (inBrackets_) break;
        return copy(2);
      case 'p':
      case 'P':
      case 'x':
        return braced();
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'a':
      case 'e':
        return copy(2);
      default:
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) return copy(2);
    }
    refuse(fmt::format("\\{}", c));
  }

  /// Between a word's character and another (\b), or between two of a kind (\B). PCRE2's own
  /// boundary has other words.
  void boundary(bool differs) {
    const std::string before = fmt::format("(?<=[{}])", kWords),
                      after = fmt::format("(?=[{}])", kWords);
    const std::string notBefore = fmt::format("(?<![{}])", kWords),
                      notAfter = fmt::format("(?![{}])", kWords);
    put(differs ? fmt::format("(?:{}{}|{}{})", before, notAfter, notBefore, after)
                : fmt::format("(?:{}{}|{}{})", before, after, notBefore, notAfter),
        2);
  }

  /// \p{L}, \x{1F600}, \x0D.
  void braced() {
    const std::size_t end = in_.substr(at_ + 2).starts_with('{') ? in_.find('}', at_) : at_ + 1;
    if (end == std::string_view::npos) refuse("{ without }");
    copy(end + 1 - at_);
  }

  void unicode() {
    constexpr std::size_t kDigits = 4;
    const std::string_view digits = in_.substr(at_ + 2, kDigits);
    if (digits.size() < kDigits) refuse("\\u without four digits");
    for (const char digit : digits) {
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) refuse("\\u without four digits");
    }
    put(fmt::format("\\x{{{}}}", digits), 2 + kDigits);
  }

  void withinBrackets(char c) {
    if (c == '[') refuse("brackets within brackets");
    if (follows("&&")) refuse("&& within brackets");
    if (c == ']') inBrackets_ = false;
    copy(1);
  }

  void outside(char c) {
    if (c == '[') {
      inBrackets_ = true;
      copy(follows("[^") ? 2 : 1);
      if (follows("]")) refuse("] as the first of a set");
    } else if (follows("(?")) {
      group();
    } else if (c == '{') {
      repetition();
    } else {
      copy(1);
    }
  }

  void group() {
    for (const std::string_view known : {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"}) {
      if (follows(known)) return copy(known.size());
    }
    constexpr std::string_view kIgnoreCase = "(?i)";
    if (at_ == 0 && follows(kIgnoreCase)) return copy(kIgnoreCase.size());
    refuse(fmt::format("\"{}\"", in_.substr(at_, 4)));
  }

  void repetition() {
    const std::size_t end = in_.find('}', at_);
    if (end == std::string_view::npos) refuse("{ without }");
    if (in_.substr(end + 1).starts_with('+')) refuse("}+");
    if (follows("{,")) put("{0", 1);
    copy(end + 1 - at_);
  }

  std::string_view in_;
  std::string out_;
  std::size_t at_ = 0;
  bool inBrackets_ = false;
};

std::string pcreMessage(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

constexpr std::uint32_t kMostSteps = 50'000'000;  // limit of one search
constexpr std::size_t kFirstStack = 32 << 10;
constexpr std::size_t kMostStack = 8 << 20;

Span spanOf(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace

struct FreePcre {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreePcre>;

struct Pattern::Compiled {
  std::string expression;
  Owned<pcre2_code> code;
};

const char* const kGpt2Expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string pcreOf(std::string_view expression) { return Translation(expression).run(); }

Pattern Pattern::literal(std::string text) {
  Pattern pattern;
  pattern.literal_ = std::move(text);
  return pattern;
}

Pattern Pattern::regex(const std::string& expression) {
  const std::string pcre = pcreOf(expression);
  const Owned<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  if (!context) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  constexpr std::uint32_t kOptions =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  int error = 0;
  PCRE2_SIZE where = 0;
  Owned<pcre2_code> code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pcre.data()), pcre.size(),
                                       kOptions, &error, &where, context.get()));
  if (!code) {
    throw UserError(fmt::format("the regular expression \"{}\" cannot be used: {}", expression,
                                pcreMessage(error)));
  }
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // a failure only costs speed
  Pattern pattern;
  pattern.compiled_ = std::make_shared<const Compiled>(Compiled{expression, std::move(code)});
  return pattern;
}

/// The working memory of PCRE2 for one search at a time.
struct PatternSearch::Room {
  Owned<pcre2_match_context> context{pcre2_match_context_create(nullptr)};
  Owned<pcre2_match_data> data{pcre2_match_data_create(1, nullptr)};
  Owned<pcre2_jit_stack> stack{pcre2_jit_stack_create(kFirstStack, kMostStack, nullptr)};

  Room() {
    if (!context || !data) throw std::bad_alloc();
    pcre2_set_match_limit(context.get(), kMostSteps);
    if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  }
};

PatternSearch::PatternSearch(const Pattern& pattern)
    : pattern_(pattern), room_(pattern.compiled_ ? std::make_unique<Room>() : nullptr) {}
PatternSearch::~PatternSearch() = default;

void PatternSearch::in(std::string_view text, std::vector<Span>& found) {
  found.clear();
  if (room_) return byExpression(text, found);
  const std::string& literal = pattern_.literal_;
  if (literal.empty()) return;
  for (std::size_t at = text.find(literal); at != std::string_view::npos;
       at = text.find(literal, at + literal.size())) {
    found.push_back(spanOf(at, at + literal.size()));
  }
}

void PatternSearch::byExpression(std::string_view text, std::vector<Span>& found) {
  std::size_t lastEnd = std::string_view::npos;
  for (std::size_t at = 0; at <= text.size();) {
    const int result =
        pcre2_match(pattern_.compiled_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                    text.size(), at, PCRE2_NO_UTF_CHECK, room_->data.get(), room_->context.get());
    if (result == PCRE2_ERROR_NOMATCH) return;
    if (result < 0) {
      throw UserError(fmt::format(
          "the regular expression \"{}\" does not finish on this text ({}); use a shorter text",
          pattern_.compiled_->expression, pcreMessage(result)));
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(room_->data.get());
    const std::size_t begin = ends[0], end = ends[1];
    // an empty match at the end of the previous match is skipped; the search continues one
    // character later
    if (begin != end || end != lastEnd) found.push_back(spanOf(begin, end));
    if (begin == end && end == text.size()) return;
    at = begin == end ? end + characterBytes(text, end) : end;
    lastEnd = end;
  }
}

}  // namespace headscope::tokenizer
