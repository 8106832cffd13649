#include "app/ui/text_field.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/letters.h"
#include "core/base/utf8.h"

namespace headscope::ui {
namespace {

constexpr bool kHoldsEverything = IM_UNICODE_CODEPOINT_MAX > 0xFFFF;
constexpr char32_t kFirstStandIn = 0xE000;
constexpr char32_t kLastStandIn = 0xF8FF;
constexpr char32_t kMissing = 0xFFFD;

bool isStandIn(char32_t c) { return c >= kFirstStandIn && c <= kLastStandIn; }

// the UTF-16 halves of characters beyond 16 bits
constexpr char32_t kHighHalf = 0xD800;
constexpr char32_t kLowHalf = 0xDC00;
constexpr char32_t kBeyond16Bits = 0x10000;
bool isHighHalf(char32_t c) { return c >= kHighHalf && c < kLowHalf; }
bool isLowHalf(char32_t c) { return c >= kLowHalf && c < kFirstStandIn; }

bool isAscii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

/// Returns the text with each character beyond ASCII replaced by `as`; invalid bytes stay as they
/// are.
template <typename As>
std::string eachCharacter(std::string_view text, const As& as) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && isAscii(text[end])) ++end;
    result.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const CodePoint point = codePointAt(text, at);
    if (point.valid()) {
      const auto now = static_cast<char32_t>(point.value);
      const char32_t then = as(now);
      result += now == then ? std::string(text.substr(at, point.bytes)) : utf8Of(then);
      at += point.bytes;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// One frame of a field.
class FieldFrame {
 public:
  FieldFrame(const TextField& field, StandIns& standIns, char32_t& highHalf)
      : field_(field), standIns_(standIns), highHalf_(highHalf) {}

  bool draw(std::string& held) {
    // converts the text that is cut, copied and pasted meanwhile
    const ClipboardBetween between([this](const char* text) { return pasted(text); },
                                   [this](const char* text) { return standIns_.meant(text); });
    ImGuiInputTextFlags flags = field_.flags;
    if (!kHoldsEverything) flags |= ImGuiInputTextFlags_CallbackCharFilter;
    if (field_.always) flags |= ImGuiInputTextFlags_CallbackAlways;
    if (standIns_.full()) flags |= ImGuiInputTextFlags_ReadOnly;  // later text would be lost
    if (field_.lines > 0) {
      const float height = static_cast<float>(field_.lines) * ImGui::GetFontSize() +
                           2.0F * ImGui::GetStyle().FramePadding.y;
      return ImGui::InputTextMultiline(field_.id, &held, {0.0F, height},
                                       flags | ImGuiInputTextFlags_CtrlEnterForNewLine, onEvent,
                                       this);
    }
    return ImGui::InputTextWithHint(field_.id, field_.hint, &held, flags, onEvent, this);
  }

 private:
  static int onEvent(ImGuiInputTextCallbackData* data) {
    auto& frame = *static_cast<FieldFrame*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCharFilter) return frame.refuses(*data);
    if (frame.field_.always) frame.field_.always(*data);
    return 0;
  }

  /// Joins the halves of a character: holds back the first, and completes it by the second.
  int refuses(ImGuiInputTextCallbackData& data) {
    const auto typed = static_cast<char32_t>(data.EventChar);
    const char32_t high = std::exchange(highHalf_, isHighHalf(typed) ? typed : 0);
    if (isHighHalf(typed) || (isLowHalf(typed) && high == 0)) return 1;
    if (!isLowHalf(typed)) return 0;
    const char32_t whole = kBeyond16Bits + ((high - kHighHalf) << 10U) + (typed - kLowHalf);
    data.EventChar = standIns_.holder(whole);
    return standIns_.full() ? 1 : 0;
  }

  std::string pasted(const char* text) {
    std::string held = standIns_.held(text);
    return standIns_.full() ? std::string() : held;
  }

  const TextField& field_;
  StandIns& standIns_;
  char32_t& highHalf_;
};

}  // namespace

ImWchar StandIns::holder(char32_t codePoint) {
  // a private-use character of the text itself must not be mistaken for a stand-in
  if (codePoint < kBeyond16Bits && !isStandIn(codePoint)) return static_cast<ImWchar>(codePoint);
  const auto next = static_cast<ImWchar>(kFirstStandIn + meant_.size());
  if (const auto known = holders_.find(codePoint); known != holders_.end()) return known->second;
  if (!isStandIn(next)) {
    full_ = true;
    return static_cast<ImWchar>(kMissing);
  }
  holders_[codePoint] = next;
  meant_.push_back(codePoint);
  return next;
}

std::string StandIns::held(std::string_view text) {
  if (kHoldsEverything) return std::string(text);
  return eachCharacter(text, [this](char32_t c) { return static_cast<char32_t>(holder(c)); });
}

std::string StandIns::meant(std::string_view held) const {
  return eachCharacter(held, [this](char32_t c) {
    const std::size_t place = c - kFirstStandIn;
    return isStandIn(c) && place < meant_.size() ? meant_[place] : c;
  });
}

TextField textOfLines(const char* id, std::string_view text) {
  constexpr std::ptrdiff_t kMostLines = 8;
  const std::ptrdiff_t lines = 1 + std::ranges::count(text, '\n');
  return {.id = id, .lines = static_cast<int>(std::min(lines, kMostLines))};
}

bool textField(const FrameContext& look, const TextField& field, std::string& text) {
  TypedText& typed = look.typed;
  const ImGuiID id = ImGui::GetID(field.id);
  const bool before = typed.field == id;
  StandIns fresh;
  StandIns& standIns = before ? typed.standIns : fresh;
  const std::string shown = standIns.held(text);
  std::string held = shown;
  if (Letters* letters = Letters::current()) letters->want(ImGui::GetFont(), shown);
  const bool answer = FieldFrame(field, standIns, typed.highHalf).draw(held);
  if (held != shown) text = standIns.meant(held);
  if (ImGui::IsItemActive()) {
    if (!before) typed = {id, std::move(fresh), 0};
  } else if (before) {
    typed = {};
  }
  return answer;
}

void typeCharacter(char32_t codePoint, const std::function<void(unsigned)>& add) {
  if (kHoldsEverything || codePoint < kBeyond16Bits) return add(static_cast<unsigned>(codePoint));
  const char32_t bits = codePoint - kBeyond16Bits;
  add(static_cast<unsigned>(kHighHalf + (bits >> 10U)));
  add(static_cast<unsigned>(kLowHalf + (bits & 0x3FFU)));
}

void eachCharacterOf(std::string_view utf8, const std::function<void(char32_t)>& add) {
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = codePointAt(utf8, at);
    if (!point.valid()) break;
    add(static_cast<char32_t>(point.value));
    at += point.bytes;
  }
}

}  // namespace headscope::ui
