// Letters: a text as its letters are drawn: from right to left and joined where its script is
// written so (Unicode's bidirectional algorithm, UAX #9), and with its code point in the place of a
// letter that no typeface here has. Keeps which letters were asked for beyond those the fonts begin
// with, so that a host finds typefaces that have them.
#pragma once

#include <imgui.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

class Letters {
 public:
  /// Those of the current Dear ImGui context, where a host has set them; null else.
  static Letters* current() { return static_cast<Letters*>(ImGui::GetIO().UserData); }

  /// The text as `font` draws it. Where nothing differs it is `text` itself; else it is written to
  /// `room`, which must outlive the view.
  std::string_view drawn(const ImFont* font, std::string_view text, std::string& room);

  /// Asks for the letters of a text that another draws (a text field).
  void want(const ImFont* font, std::string_view text);

  /// True once after letters were asked for that were not before.
  bool takeNew();

  /// All that were asked for, at most kMost: more would not fit a texture. None that Dear ImGui
  /// cannot hold.
  const std::set<char32_t>& wanted() const { return wanted_; }

  /// As Dear ImGui's fonts take them: pairs of first and last, ended by 0. The pointer holds until
  /// the next call.
  const ImWchar* ranges();

  static constexpr std::size_t kMost = 2000;

 private:
  bool has(const ImFont* font, char32_t letter);

  std::set<char32_t> wanted_;
  std::vector<ImWchar> ranges_;
  bool new_ = false;
};

/// `text` as the fonts of the current context draw it; see Letters::drawn.
std::string_view asDrawn(const ImFont* font, std::string_view text, std::string& room);

}  // namespace headscope::ui
