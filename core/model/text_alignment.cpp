#include "core/model/text_alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/model/image_embedding.h"

namespace headscope::model {
namespace {

/// The last step of the cheapest way to a pair of prefixes.
enum class Step : std::uint8_t { both, ownAlone, otherAlone };

/// Two equal tokens weigh more than one change instead of a token left out and one inserted.
constexpr Index kOneAlone = 2, kChanged = 3;

std::size_t at(Index place) { return static_cast<std::size_t>(place); }

}  // namespace

std::vector<Index> alignedPlaces(const std::vector<Index>& ids, const std::vector<Index>& other) {
  const Index rows = std::ssize(ids), columns = std::ssize(other);
  std::vector<Index> places(ids.size(), kNoPartner);
  if (rows == columns) {
    std::iota(places.begin(), places.end(), Index{0});
    return places;
  }
  // costs[j]: of turning the first i tokens of `ids` into the first j of `other`
  std::vector<Index> costs(other.size() + 1);
  for (Index j = 0; j <= columns; ++j) costs[at(j)] = j * kOneAlone;
  std::vector<Step> steps(at((rows + 1) * (columns + 1)), Step::otherAlone);
  for (Index i = 1; i <= rows; ++i) {
    Index diagonal = costs[0];
    costs[0] = i * kOneAlone;
    steps[at(i * (columns + 1))] = Step::ownAlone;
    for (Index j = 1; j <= columns; ++j) {
      const Index both = diagonal + (ids[at(i - 1)] == other[at(j - 1)] ? 0 : kChanged);
      const Index own = costs[at(j)] + kOneAlone, others = costs[at(j - 1)] + kOneAlone;
      diagonal = costs[at(j)];
      costs[at(j)] = std::min({both, own, others});
      // on a tie the later tokens are partners: the last token of a name stands for the name
      steps[at(i * (columns + 1) + j)] = both <= own && both <= others ? Step::both
                                         : own <= others               ? Step::ownAlone
                                                                       : Step::otherAlone;
    }
  }
  for (Index i = rows, j = columns; i > 0 || j > 0;) {
    switch (steps[at(i * (columns + 1) + j)]) {
      case Step::both:
        places[at(--i)] = --j;
        break;
      case Step::ownAlone:
        --i;
        break;
      case Step::otherAlone:
        --j;
        break;
    }
  }
  return places;
}

Tensor alignedRows(const Tensor& own, const Tensor& other, const std::vector<Index>& places) {
  Tensor rows = own.clone();
  for (Index row = 0; row < rows.dim(0); ++row) {
    const Index from = places[at(row)];
    if (from == kNoPartner) continue;
    std::ranges::copy(other.matrix().row(from), rows.mutableMatrix().row(row).begin());
  }
  return rows;
}

namespace {

void checkSizes(const ModelInput& own, const ModelInput& other) {
  if (own.pixels == nullptr || own.pixels->shape() == other.pixels->shape()) return;
  const Extent here = extentOf(*own.pixels), there = extentOf(*other.pixels);
  throw UserError(
      trFormat("the model reads this image as {} × {} pixels and the other one as {} × {}: their "
               "patches have no partners; give images of one size",
               here.width, here.height, there.width, there.height));
}

std::string nameIn(const ModelInput& input, std::size_t place) {
  return input.tokens.empty() ? fmt::format("{}", input.ids[place])
                              : fmt::format("“{}”", input.tokens[place]);
}

}  // namespace

AlignedText aligned(const ModelInput& own, const ModelInput& other) {
  checkSizes(own, other);
  AlignedText text{alignedPlaces(own.ids, other.ids), {}};
  if (own.ids.size() == other.ids.size()) return text;
  std::vector<std::string> changed, alone, unused;
  std::vector<bool> used(other.ids.size(), false);
  for (std::size_t i = 0; i < own.ids.size(); ++i) {
    if (text.places[i] == kNoPartner) {
      alone.push_back(nameIn(own, i));
      continue;
    }
    const std::size_t partner = at(text.places[i]);
    used[partner] = true;
    if (other.ids[partner] == own.ids[i]) continue;
    changed.push_back(trFormat("{} with {}", nameIn(own, i), nameIn(other, partner)));
  }
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (!used[j]) unused.push_back(nameIn(other, j));
  }
  text.inWords =
      trFormat("The texts have {} and {} tokens and are aligned", own.ids.size(), other.ids.size());
  if (!changed.empty()) text.inWords += fmt::format(", {}", fmt::join(changed, ", "));
  text.inWords += '.';
  if (!alone.empty()) {
    text.inWords +=
        trFormat(" Without a partner, {} {}.", fmt::join(alone, ", "),
                 alone.size() == 1 ? tr("keeps its own values") : tr("keep their own values"));
  }
  if (!unused.empty()) {
    text.inWords += trFormat(" {} of the other text {} not used.", fmt::join(unused, ", "),
                             unused.size() == 1 ? "is" : "are");
  }
  return text;
}

}  // namespace headscope::model
