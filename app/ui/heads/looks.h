// Looks: the tabs of the card that shows where each token looks, and their columns of tokens.
#pragma once

#include <memory>
#include <optional>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/heads/view_model/looks.h"
#include "core/analysis/value_plane.h"
#include "core/document/fwd.h"

namespace headscope::ui {

/// The tab of the written sentence, with arcs from the chosen query to the keys it looks at.
std::unique_ptr<Card> makeSentenceTab();
/// The tab of lines, one per weight, from each query to the keys it looks at; thicker lines are
/// larger weights.
std::unique_ptr<Card> makeLinesTab();
/// The tab of a head's value vectors in the plane of their two main components, with a query's
/// output as their weighted mean.
std::unique_ptr<Card> makeValuesTab();
/// The tab of q·k: a query and a key as two arrows with lengths and angle, and a table of all keys,
/// which shows whether a large score comes from length or from direction.
std::unique_ptr<Card> makeLengthsTab();

/// The width of the words next to a picture: a share of the card's width, within limits in points.
struct WordsWidth {
  float share, least, most;
};

/// A tab about one query of the chosen head: the list of queries at the left, a picture of the
/// chosen query in the middle, and words about it at the right.
class OneQueryTab : public Card {
 public:
  OneQueryTab(const CardText& text, const WordsWidth& words) : Card(text), words_(words) {}
  void draw(const PanelContext& panel) final;

 private:
  virtual void drawRow(const PanelContext& panel, const RowRef& row, const Rect& picture,
                       const Rect& words) = 0;
  /// Draws the list of queries; returns the query clicked.
  std::optional<Index> queryList(const PanelContext& panel, Index chosen, Rect room);

  WordsWidth words_;
  Index shown_ = -1;  // the query scrolled to last
};

// Two columns of tokens to choose from, queries on the left and keys on the right, with weights as
// ribbons between them. Long columns show fewer labels and scroll.

struct TokenColumns {
  TokenColumn queries, keys;
  float left = 0.0F, right = 0.0F;  // the ends of the lines
  LooksAt at;                       // the token under the mouse, else the one passed in
  std::optional<LooksAt> chosen;    // set by a click; both −1: the choice is cleared

  bool scrolls() const;
};

/// Draws both columns and highlights the tokens looked at; `scrolled` is 0 … 1.
TokenColumns tokenColumns(const PanelContext& panel, const Rect& room, float scrolled,
                          const LooksAt& at);

/// Draws the lines and returns their number. Lines with both ends out of sight are not drawn.
Index drawLines(const PanelContext& panel, const TokenColumns& columns, const LineChoice& choice);
/// Draws the weights of the lines of the token looked at, at their other ends; without such a
/// token, nothing.
void drawWeights(const PanelContext& panel, const TokenColumns& columns, const LineChoice& choice);

}  // namespace headscope::ui
