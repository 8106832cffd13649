// The history walked at random, against a plain list of kept documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/random.h"
#include "core/document/document.h"
#include "core/editing/history.h"
#include "tests/core/support/states.h"

namespace headscope::test {
namespace {

/// Edits and moves, each drawn at random.
class RandomWalk {
 public:
  explicit RandomWalk(std::uint64_t seed)
      : random_(seed, "walk"),
        history_(fromTexts({"the cat sat"}, {"on a mat"}), kBudget),
        kept_{history_.current()} {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (next(3) != 0) {
        edit();
      } else {
        move(next(2) == 0 ? neighbour() : next(kept_.size()));
      }
      ASSERT_EQ(history_.size(), kept_.size());
      ASSERT_EQ(history_.position(), at_);
      expectSameState(*history_.current(), *kept_[at_]);
      const std::size_t look = next(kept_.size());
      expectSameState(*history_.at(look), *kept_[look]);
    }
  }

 private:
  std::size_t next(std::size_t bound) { return random_.bits(count_++) % bound; }

  std::size_t neighbour() {
    const bool back = next(2) == 0;
    if (back) return at_ > 0 ? at_ - 1 : 0;
    return std::min(at_ + 1, kept_.size() - 1);
  }

  Edit anyEdit() {
    const Document& d = *history_.current();
    switch (next(18)) {
      case 0:
        return SetSwitch{&Switches::bias, next(2) == 0};
      case 1:
        return SetTokens{static_cast<Index>(2 + next(6))};
      case 2:
        return SetDimensions{static_cast<Index>(16 * (1 + next(3))), 4, 4,
                             next(2) == 0 ? Index{0} : Index{5}};  // d_k by itself, or the division
      case 3:
        return DrawWeights{WeightInit::xavier, next(5)};
      case 4:
        return SetText{0, false, next(2) == 0 ? "a dog ran home" : "the cat sat"};
      case 5:
        return Open{kept_[next(kept_.size())], "again"};
      case 6: {
        const auto cell = [&](Index extent) {
          return static_cast<Index>(next(static_cast<std::size_t>(extent)));
        };
        const CellRef at{TensorId::weights, 0, cell(4), cell(d.config.seqLen),
                         cell(d.config.keys())};
        return SetPin{{at, static_cast<float>(next(3))}};
      }
      case 7:
        return RemoveAllPins{};
      case 8:
        return masked(history_.current(), [&](Mask& m) {
          const Index queries = d.config.seqLen;
          const Index keys = d.config.keys();
          std::vector<std::uint8_t> allowed(static_cast<std::size_t>(queries * keys), 1);
          allowed[next(allowed.size())] = 0;
          m.painted = painted(queries, keys, allowed);
        });
      default:
        break;
    }
    const std::size_t which = next(kTensors);
    const auto cells = static_cast<std::size_t>(tensorOf(d, which).size());
    return cellEdit(d, which, static_cast<Index>(next(cells)), static_cast<float>(next(9)));
  }

  void edit() {
    const std::string gesture = next(3) == 0 ? "drag" : "";
    const bool continues = !gesture.empty() && gesture == gesture_;
    history_.apply(anyEdit(), gesture);
    kept_.resize(at_ + (continues ? 0 : 1));
    kept_.push_back(apart(*history_.current()));
    at_ = kept_.size() - 1;
    gesture_ = gesture;
  }

  void move(std::size_t to) {
    history_.jumpTo(to);
    at_ = to;
    gesture_.clear();
  }

  RandomStream random_;
  std::uint64_t count_ = 0;
  History history_;
  std::vector<DocumentPtr> kept_;
  std::size_t at_ = 0;
  std::string gesture_;
};

TEST(HistoryWalk, RandomWalksGiveWhatWasThere) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) RandomWalk(seed).run(400);
}

}  // namespace
}  // namespace headscope::test
