// HeadDescription: the behaviour and construction of a designed head, from
// assets/designed_heads.json. Coordinates have names, so it fits any width. Strengths are in logits
// (scores after ÷√d_k).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// Coordinates with factors. Their weighted sum is one dimension of q or k.
using Mix = std::vector<std::pair<std::string, double>>;

/// One dimension: the sums of the query and of the key that are multiplied. "first place" is 1 at
/// the first token and 0 elsewhere, as a sum of all position pairs.
struct Meeting {
  Mix query, key;
};

/// A wanted function of the distance Δ = key − query, from `first` to `last`: `near` at |Δ| = 1,
/// `far` at 40, in between along log |Δ|. Distances without a piece are arbitrary.
struct DistancePiece {
  int first = 0, last = 0;
  double near = 0.0, far = 0.0;
};

/// Distances with their lead over all others in logits. Those with less than 1 are second choices.
struct Peaks {
  std::vector<std::pair<int, double>> at;
  double lead = 0.0;
};

/// The product of the token identities of query and key, over at least this many dimensions.
struct IdentityMeeting {
  double gain = 0.0;
  long least = 0;
};

/// The rule for a query's partner: among the keys of the classes `is` (none: any), the one at
/// `where`.
struct PartnerRule {
  std::vector<std::string> of;  // classes of the query; empty: any
  std::vector<std::string> is;  // of the key; in a series a flag
  std::string where;
};

enum class Looks { anywhere, left, right, both };

struct HeadDescription {
  std::string title, about;
  std::optional<Peaks> peaks;
  std::vector<DistancePiece> shape;
  long pairs = 0;                      // position pairs the shape takes; 0: all there are
  double away = 0.0;                   // −away · cos ω1 Δ: grows with the distance up to 40
  std::optional<Peaks> rows, columns;  // of an image: distances in rows and in columns of patches
  std::vector<Meeting> meet;
  std::string each;  // coordinates that begin so meet themselves, a dimension each
  double eachGain = 0.0;
  std::optional<IdentityMeeting> identity;
  Looks looks = Looks::anywhere;
  std::vector<PartnerRule> partner;
};

/// In the order in which heads take them: within a text, from one text to another, within a series,
/// within an image's patches.
struct HeadDescriptions {
  std::vector<HeadDescription> text, across, series, image;
};

/// Reads assets/designed_heads.json. Throws std::runtime_error that names the file and field: the
/// file is the program's own.
HeadDescriptions parseDesignedHeads(std::string_view json);

}  // namespace headscope
