#include "core/heads/head_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/input/embedding.h"

namespace headscope {
namespace {

const std::string kFirstPlace = "first place";

/// `axis`: "i" for the place in a line, "row" or "column" for that in an image.
std::string cosineOf(Index pair, const char* axis = "i") {
  return fmt::format("cos ω{} {}", pair + 1, axis);
}
std::string sineOf(Index pair, const char* axis = "i") {
  return fmt::format("sin ω{} {}", pair + 1, axis);
}

/// "3 position pairs".
std::string pairsInWords(Index pairs, std::string_view axis) {
  if (axis == "row") return counted(pairs, tr("{} row pair"), tr("{} row pairs"));
  if (axis == "column") return counted(pairs, tr("{} column pair"), tr("{} column pairs"));
  return counted(pairs, tr("{} position pair"), tr("{} position pairs"));
}

/// Rounds to multiples of 2^-12, which hides the last bits of a solver or a cosine.
float rounded(double value) { return static_cast<float>(std::round(value * 4096.0) / 4096.0); }

/// "70 · verb + 230 · copula", "constant − verb".
std::string mixInWords(const Mix& mix) {
  std::string words;
  for (const auto& [name, factor] : mix) {
    if (!words.empty()) words += factor < 0.0 ? " − " : " + ";
    if (words.empty() && factor < 0.0) words = "−";
    const double size = std::abs(factor);
    words += size == 1.0 ? name : fmt::format("{:g} · {}", size, name);
  }
  return words;
}

class HeadBuilder {
 public:
  HeadBuilder(const Coordinates& query, const Coordinates& key, Index dK)
      : query_(query), key_(key), dK_(dK) {
    built_.q = Tensor::zeros({dK, query.width()});
    built_.k = Tensor::zeros({dK, key.width()});
  }

  HeadMatrices build(const HeadDescription& d) {
    const Index fixed = static_cast<Index>(d.meet.size()) + (d.identity ? d.identity->least : 0);
    if (const std::string why = whyNot(d, fixed); !why.empty()) return failed(why);
    for (const Meeting& meeting : d.meet) meet(meeting);
    if (d.peaks) {
      const auto kernel = peakKernel(*d.peaks, (dK_ - row_) / 2, pairs());
      if (!kernel) {
        return failed(trFormat(
            "{} position pairs cannot tell its distance from others: it needs d_k 8 or more, and a "
            "d_model with room for about 17 pairs",
            std::min(pairs(), (dK_ - row_) / 2)));
      }
      turn(*kernel);
    }
    if (!d.shape.empty()) {
      const FittedKernel kernel = shapedKernel(d.shape, pairsOf(d));
      turn(kernel.pairs, kernel.constant);
    }
    if (d.away != 0.0) turn({{0, -d.away, 0.0}});
    if (const std::string why = turnOnGrid(d); !why.empty()) return failed(why);
    if (!d.each.empty()) meetEach(d);
    if (d.identity) meetIdentity(*d.identity);
    built_.structure = said_.empty() ? tr("nothing, they are all 0, as W_Q and W_K are")
                                     : fmt::format("{}", fmt::join(said_, "; "));
    return std::move(built_);
  }

 private:
  Index pairs() const { return std::min(query_.positionPairs(), key_.positionPairs()); }
  static Index pairsOf(const HeadDescription& d) {
    const auto all = static_cast<Index>(positionPairsBlock().labels.size());
    return d.pairs > 0 ? d.pairs : all;
  }

  /// The parts for which the embedding or the head has no room, in words; empty: none.
  std::string whyNot(const HeadDescription& d, Index fixed) const {
    std::vector<std::string> needed;
    bool allPairs = false;
    for (const Meeting& meeting : d.meet) {
      for (const auto& [name, factor] : meeting.query) needed.push_back(name);
      for (const auto& [name, factor] : meeting.key) {
        if (name != kFirstPlace) needed.push_back(name);
        if (name == kFirstPlace) allPairs = true;
      }
    }
    for (const std::string& name : needed) {
      if (query_.has(name) && key_.has(name)) continue;
      return trFormat("X has no coordinate \"{}\": no such channel, or d_model {} is too small",
                      name, query_.width());
    }
    if (!d.each.empty() && query_.startingWith(d.each).empty()) {
      return trFormat("X has no coordinate \"{}…\": d_model {} is too small", d.each,
                      query_.width());
    }
    HeadDescription whole;
    Index pairsNeeded = d.away != 0.0 || d.peaks ? 1 : 0;
    if (!d.shape.empty()) pairsNeeded = pairsOf(d);
    if (allPairs) pairsNeeded = pairsOf(whole);
    if (pairs() < pairsNeeded) {
      return trFormat("it needs {} position pairs, and d_model {} has room for {}", pairsNeeded,
                      query_.width(), pairs());
    }
    if ((d.rows || d.columns) && std::min(query_.patchPairs(), key_.patchPairs()) == 0) {
      return tr("X has no rows and columns of patches");
    }
    Index dimensions = fixed;
    if (!d.shape.empty()) dimensions += 2 * pairsOf(d);
    if (d.away != 0.0 || d.peaks) dimensions += 2;
    if (!d.each.empty()) dimensions += 1;
    if (dimensions > dK_) {
      return trFormat("it needs {} dimensions, and d_k is {}", dimensions, dK_);
    }
    const auto identity = static_cast<Index>(query_.startingWith("identity ").size());
    if (d.identity && identity < d.identity->least) {
      return trFormat("it needs {} coordinates of identity, and d_model {} has room for {}",
                      d.identity->least, query_.width(), identity);
    }
    return {};
  }

  HeadMatrices failed(std::string why) const { return {{}, {}, {}, std::move(why)}; }

  /// Cancels the division of the scores by √d_k: each side is multiplied by its root.
  double side() const { return std::pow(static_cast<double>(dK_), 0.25); }
  void setQuery(const std::string& name, double value) {
    built_.q.mutableMatrix()(row_, query_.at(name)) = rounded(value * side());
  }
  void setKey(const std::string& name, double value) {
    built_.k.mutableMatrix()(row_, key_.at(name)) = rounded(value * side());
  }

  void meet(const Meeting& meeting) {
    double largest = 0.0;
    for (const auto& [name, factor] : meeting.query) largest = std::max(largest, std::abs(factor));
    const double root = std::sqrt(largest);  // shared by both sides
    for (const auto& [name, factor] : meeting.query) setQuery(name, factor / root);
    for (const auto& [name, factor] : meeting.key) {
      if (name == kFirstPlace) {
        setFirstPlace(factor * root);
      } else {
        setKey(name, factor * root);
      }
    }
    said_.push_back(
        trFormat("{} of the query is multiplied by {} of the key", mixInWords(meeting.query),
                 meeting.key.front().first == kFirstPlace
                     ? tr("the first place (position pairs that add up to 1 there and 0 elsewhere)")
                     : mixInWords(meeting.key)));
    ++row_;
  }

  void setFirstPlace(double factor) {
    const FittedKernel first = firstPlace(pairs());
    for (const KernelPair& k : first.pairs) {
      setKey(cosineOf(k.pair), factor * k.cosine);
      setKey(sineOf(k.pair), factor * k.sine);
    }
    setKey("constant", factor * first.constant);
  }

  /// c cos ω(j−i) + s sin ω(j−i), from the key's (cos ωj, sin ωj) and the query's, turned.
  void turn(const DistanceKernel& kernel, double constant = 0.0, const char* axis = "i") {
    for (const KernelPair& k : kernel) {
      const double root = std::sqrt(std::hypot(k.cosine, k.sine));
      if (root == 0.0) continue;
      setKey(cosineOf(k.pair, axis), root);
      setQuery(cosineOf(k.pair, axis), k.cosine / root);
      setQuery(sineOf(k.pair, axis), -k.sine / root);
      ++row_;
      setKey(sineOf(k.pair, axis), root);
      setQuery(cosineOf(k.pair, axis), k.sine / root);
      setQuery(sineOf(k.pair, axis), k.cosine / root);
      ++row_;
    }
    std::vector<std::string> values;
    for (int distance = -3; distance <= 3; ++distance) {
      const double tenths = std::round(10.0 * (valueAt(kernel, distance) + constant));
      values.push_back(
          trFormat("{:g} at {}{}", tenths / 10.0 + 0.0, distance > 0 ? "+" : "", distance));
    }
    said_.push_back(trFormat(
        "{} of the query, each turned by its own angle, times the key's: a function of the "
        "distance{}, {}",
        pairsInWords(std::ssize(kernel), axis),
        axis == std::string_view("row")      ? tr(" in rows")
        : axis == std::string_view("column") ? tr(" in columns")
                                             : "",
        fmt::join(values, ", ")));
  }

  /// Rows and columns share the dimensions that are left. Returns why they do not suffice, or "".
  std::string turnOnGrid(const HeadDescription& d) {
    const Index all = std::min(query_.patchPairs(), key_.patchPairs());
    const Index count = (dK_ - row_) / (d.rows && d.columns ? 4 : 2);
    for (const auto& [peaks, axis] : {std::pair(&d.rows, "row"), std::pair(&d.columns, "column")}) {
      if (!*peaks) continue;
      const auto kernel = peakKernel(**peaks, count, all);
      if (!kernel) {
        return trFormat(
            "{} pairs of each {} cannot tell its distance from others: it needs a larger d_k or "
            "d_model",
            std::min(all, count), axis);
      }
      turn(*kernel, 0.0, axis);
    }
    return {};
  }

  void meetEach(const HeadDescription& d) {
    const double root = std::sqrt(d.eachGain);
    std::vector<std::string> met;
    for (const std::string& name : query_.startingWith(d.each)) {
      if (row_ == dK_) break;
      setQuery(name, root);
      setKey(name, root);
      met.push_back(name);
      ++row_;
    }
    const std::string names = fmt::format("{}", fmt::join(met, ", "));
    said_.push_back(
        met.size() == 1
            ? trFormat("{} of the query meets itself of the key, times {:g}", names, d.eachGain)
            : trFormat("{} of the query meet each itself of the key, times {:g}", names,
                       d.eachGain));
  }

  /// Entries are ±1/√width: of n of them, the product of a token with itself is n/width.
  void meetIdentity(const IdentityMeeting& identity) {
    const auto names = query_.startingWith("identity ");
    const auto width = static_cast<double>(names.size());
    const Index count = std::min(static_cast<Index>(names.size()), dK_ - row_);
    const double root = std::sqrt(identity.gain * width / static_cast<double>(count));
    for (Index i = 0; i < count; ++i) {
      setQuery(names[static_cast<std::size_t>(i)], root);
      setKey(names[static_cast<std::size_t>(i)], root);
      ++row_;
    }
    said_.push_back(
        trFormat("{} coordinates of identity of the query are multiplied by the key's: {:g} for "
                 "the same word",
                 count, identity.gain));
  }

  const Coordinates& query_;
  const Coordinates& key_;
  Index dK_;
  Index row_ = 0;
  HeadMatrices built_;
  std::vector<std::string> said_;
};

}  // namespace

Coordinates::Coordinates(const std::vector<std::string>& names)
    : names_(names), width_(static_cast<Index>(names.size())) {
  for (Index column = 0; column < width_; ++column) {
    columns_.emplace(names_[static_cast<std::size_t>(column)], column);
  }
  while (has(sineOf(pairs_))) ++pairs_;
  while (has(sineOf(patchPairs_, "column"))) ++patchPairs_;
}

std::vector<std::string> Coordinates::startingWith(std::string_view prefix) const {
  std::vector<std::string> found;
  for (const std::string& name : names_) {
    if (name.starts_with(prefix)) found.push_back(name);
  }
  return found;
}

HeadMatrices buildHead(const HeadDescription& description, const Coordinates& query,
                       const Coordinates& key, Index dK) {
  return HeadBuilder(query, key, dK).build(description);
}

}  // namespace headscope
