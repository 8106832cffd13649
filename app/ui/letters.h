// Letters: prepares a text for drawing. Right-to-left scripts are reordered and joined (Unicode's
// bidirectional algorithm, UAX #9), and a letter that no typeface has is replaced by its code
// point. Records the letters needed beyond those of the initial fonts, so that a host finds
// typefaces that have them.
#pragma once

#include <imgui.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

class Letters {
 public:
  /// The Letters of the current Dear ImGui context; null where no host has set them.
  static Letters* current() { return static_cast<Letters*>(ImGui::GetIO().UserData); }

  /// Returns the text as `font` draws it. An unchanged text is `text` itself; a changed one is
  /// written to `room`, which must outlive the view.
  std::string_view drawn(const ImFont* font, std::string_view text, std::string& room);

  /// Requests the letters of a text that is drawn elsewhere (in a text field).
  void want(const ImFont* font, std::string_view text);

  /// Returns true once after new letters were requested.
  bool takeNew();

  /// The requested letters that Dear ImGui can hold, at most kMost: more would not fit a texture.
  const std::set<char32_t>& wanted() const { return wanted_; }

  /// The requested letters in Dear ImGui's form: pairs of first and last, ended by 0. The pointer
  /// is valid until the next call.
  const ImWchar* ranges();

  static constexpr std::size_t kMost = 2000;

 private:
  bool has(const ImFont* font, char32_t letter);

  std::set<char32_t> wanted_;
  std::vector<ImWchar> ranges_;
  bool new_ = false;
};

/// Returns `text` as the fonts of the current context draw it; see Letters::drawn.
std::string_view asDrawn(const ImFont* font, std::string_view text, std::string& room);

/// Returns the label of a control of Dear ImGui that shows a user's text, such as a file's name:
/// the text as the current font draws it, with the text itself as its id.
std::string asLabel(std::string_view text);

}  // namespace headscope::ui
