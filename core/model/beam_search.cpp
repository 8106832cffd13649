#include "core/model/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::model {
namespace {

/// The part of a token in its path's score: a forced one has none.
double logProbabilityOf(const ChosenToken& token) {
  return token.forced() ? 0.0 : std::log(token.probability);
}

}  // namespace

std::vector<Index> Beams::nodesOf(const BeamPath& path) const {
  std::vector<Index> found;
  for (Index node = path.end; node >= 0; node = nodes[static_cast<std::size_t>(node)].parent) {
    found.push_back(node);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<ChosenToken> Beams::tokensOf(const BeamPath& path) const {
  std::vector<ChosenToken> tokens;
  for (const Index node : nodesOf(path)) {
    tokens.push_back(nodes[static_cast<std::size_t>(node)].token);
  }
  return tokens;
}

BeamSearch::BeamSearch(Beginning from, Index most, Index beams) : beams_(beams) {
  if (beams < 1 || beams > kMostBeams) {
    throw UserError(trFormat("{} beams: give 1 to {}", beams, kMostBeams));
  }
  Decoder decoder(std::move(from), most);
  most_ = decoder.room() - decoder.tokens();
  const Index bytes =
      beams * layerCacheBytes(decoder.config(), decoder.room()) * decoder.config().layers;
  if (bytes > defaultMemoryBudget() / 2) {
    throw UserError(
        trFormat("keys and values of {} tokens in {} beams need {}: ask for fewer tokens or beams",
                 decoder.room(), beams, bytesInWords(bytes)));
  }
  running_.push_back({-1, 0.0, std::move(decoder)});
  found_.cacheBytes = bytesInCaches();
}

std::vector<BeamSearch::Candidate> BeamSearch::candidates() const {
  const auto count = static_cast<std::size_t>(2 * beams_);
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Beam& beam = running_[i];
    const Decoder& decoder = beam.decoder;
    const WritingPlace place{made_, most_, decoder.tokens()};
    for (const ChosenToken& token : followers(decoder.logits(), decoder.config(), place, count)) {
      all.push_back({i, token, beam.logProbability + logProbabilityOf(token)});
    }
  }
  std::ranges::stable_sort(all, std::greater(), &Candidate::logProbability);
  all.resize(std::min(all.size(), count));
  return all;
}

Index BeamSearch::added(const Candidate& candidate) {
  const Index parent = running_[candidate.beam].node;
  const Index depth = parent < 0 ? 1 : found_.nodes[static_cast<std::size_t>(parent)].depth + 1;
  found_.nodes.push_back({parent, candidate.token, candidate.logProbability, depth});
  return std::ssize(found_.nodes) - 1;
}

/// Takes a path into the best ones.
void BeamSearch::end(Index node, bool ended) {
  const BeamNode& last = found_.nodes[static_cast<std::size_t>(node)];
  found_.paths.push_back({node, last.logProbability / static_cast<double>(last.depth), ended});
  std::ranges::stable_sort(found_.paths, std::greater(), &BeamPath::score);
  found_.paths.resize(std::min(found_.paths.size(), static_cast<std::size_t>(beams_)));
}

/// Returns whether a beam that goes on may score more than the worst ended path.
bool BeamSearch::improves() const {
  if (running_.empty()) return false;
  if (std::ssize(found_.paths) < beams_) return true;
  return running_.front().logProbability / static_cast<double>(made_) > found_.paths.back().score;
}

bool BeamSearch::runUnit(const ExecutionContext& execution) {
  if (ended_) return true;
  std::vector<Beam> next;
  std::vector<std::size_t> takenBy(running_.size(), 0);
  std::vector<std::pair<Candidate, Index>> chosen;
  const std::vector<Candidate> all = candidates();
  for (std::size_t rank = 0; rank < all.size() && std::ssize(chosen) < beams_; ++rank) {
    const bool ends = running_[all[rank].beam].decoder.config().ends(all[rank].token.id);
    if (!ends) {
      chosen.emplace_back(all[rank], added(all[rank]));
      ++takenBy[all[rank].beam];
    } else if (static_cast<Index>(rank) < beams_) {
      end(added(all[rank]), true);
    }
  }
  ++made_;
  for (const auto& [candidate, node] : chosen) {
    Decoder& decoder = running_[candidate.beam].decoder;
    // the last beam behind a beginning takes its cache
    const bool last = --takenBy[candidate.beam] == 0;
    next.push_back({node, candidate.logProbability, last ? std::move(decoder) : decoder.forked()});
  }
  running_ = std::move(next);
  const bool more = made_ < most_ && improves();
  for (Beam& beam : running_) {
    if (!more) break;
    const Index id = found_.nodes[static_cast<std::size_t>(beam.node)].token.id;
    if (!beam.decoder.feed(id, execution)) return ended_ = true;
  }
  if (!running_.empty()) found_.cacheBytes = bytesInCaches();
  if (more) return false;
  if (made_ == most_ && improves()) {
    for (const Beam& beam : running_) end(beam.node, false);
  }
  return ended_ = true;
}

Index BeamSearch::bytesInCaches() const {
  const Index shared = running_.front().decoder.memoryBytes();
  Index bytes = shared;
  for (const Beam& beam : running_) bytes += beam.decoder.cacheBytes() - shared;
  return bytes;
}

}  // namespace headscope::model
