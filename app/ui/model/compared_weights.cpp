// The weights of the page's model next to those of the compared one: every tensor with its
// differences, and one of them as pictures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/model/compared_pictures.h"
#include "app/ui/model/compared_view.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/weight_errors.h"

namespace headscope::ui {
namespace {

using formats::WeightError;

constexpr std::array kTitlesOfWeights{trLater("this model"), trLater("the other"),
                                      trLater("this − other")};

/// A matrix of weights from both models, reduced for drawing.
struct BothWeights {
  Index rows = 0, cols = 0;  // as drawn
  bool reduced = false;      // a drawn cell is the largest of several
  std::array<std::vector<float>, Pictures::kCount> cells;
  std::array<float, Pictures::kCount> largest{};
};

BothWeights bothWeights(const std::string& own, const std::string& other,
                        const std::string& tensor) {
  constexpr Index kMostSide = 512;
  const auto [a, b] = formats::weightsOfBoth(own, other, tensor);
  Tensor difference = Tensor::uninitialised(a.shape());
  for (Index i = 0; i < a.size(); ++i) difference.mutableData()[i] = a.data()[i] - b.data()[i];
  BothWeights both;
  const std::array<CellRows, Pictures::kCount> all{rowsOf(a), rowsOf(b), rowsOf(difference)};
  both.rows = std::min(all.front().rows, kMostSide);
  both.cols = std::min(all.front().cols, kMostSide);
  both.reduced = both.rows < all.front().rows || both.cols < all.front().cols;
  for (std::size_t i = 0; i < all.size(); ++i) {
    both.cells[i].resize(static_cast<std::size_t>(both.rows * both.cols));
    reduce(all[i], static_cast<int>(both.rows), static_cast<int>(both.cols), Reduction::largest,
           both.cells[i].data());
    both.largest[i] = largestFinite(all[i]);
  }
  return both;
}

Pictures picturesOfWeights(const FrameContext& look, const BothWeights& both,
                           const Fingerprint& values) {
  Pictures pictures;
  pictures.values = values;
  pictures.reduced = both.reduced;
  for (std::size_t i = 0; i < pictures.all.size(); ++i) {
    const bool isDifference = i + 1 == pictures.all.size();
    const float most = isDifference ? both.largest[i] : std::max(both.largest[0], both.largest[1]);
    pictures.all[i] = {{both.rows, both.cols,
                        [&both, i](Index row, std::span<float> out) {
                          std::copy_n(both.cells[i].begin() + row * both.cols, both.cols,
                                      out.begin());
                        }},
                       divergingScale(look, std::max(most, 1e-12F)),
                       tr(kTitlesOfWeights[i]),
                       {}};
    pictures.all[i].extent = trFormat("at most {:.3g}", both.largest[i]);
  }
  return pictures;
}

using WeightErrors = std::vector<WeightError>;

/// The tensors of both models, the most changed first.
WeightErrors sortedErrors(const std::string& own, const std::string& other) {
  WeightErrors errors = formats::weightErrors(own, other);
  std::ranges::stable_sort(errors, std::greater<>{}, &WeightError::relativeMean);
  return errors;
}

}  // namespace

void drawComparedWeights(const PanelContext& panel, const ModelMoment& own,
                         const ModelMoment& other) {
  const FrameContext& look = panel.look;
  ComparedView& view = panel.modelView.compared;
  const std::string a = own.folder.string(), b = other.folder.string();
  Fingerprint key("weights", own.number, other.number);
  const auto found =
      panel.computations.request<WeightErrors>("weights of both", key, Schedule::background, [&] {
        return [a, b](const std::atomic<bool>&) -> std::optional<WeightErrors> {
          return sortedErrors(a, b);
        };
      });
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("comparing the weights …"));
  }
  const WeightErrors& errors = *found.current;
  if (std::ranges::find(errors, view.tensor, &WeightError::tensor) == errors.end()) {
    view.tensor = errors.front().tensor;
  }
  Rect room = Rect::rest();
  const Rect right = room.cutRight(room.width() * 0.42F, look.space.large);
  key.add(Fingerprint(view.tensor));
  const auto both = panel.computations.request<BothWeights>(
      "weights of both, drawn", key, Schedule::background, [&] {
        return
            [a, b, tensor = view.tensor](const std::atomic<bool>&) -> std::optional<BothWeights> {
              return bothWeights(a, b, tensor);
            };
      });
  if (both.current != nullptr)
    drawPictures(look, picturesOfWeights(look, *both.current, key), room);
  ImGui::SetCursorScreenPos(right.a);
  Table table(look, {.id = "weights of both", .height = right.height(), .dense = true},
              {{tr("tensor"), {}, false, 120, 1, false},
               {tr("kept as"), tr("how this model's file keeps it"), false, 50, 0, false},
               {tr("mean"), tr("the mean difference, relative to the tensor's largest value"), true,
                60, 0, false},
               {tr("largest"), tr("the largest difference, relative to the tensor's largest value"),
                true, 60, 0, false}});
  table.rows(std::ssize(errors), [&](Index i) {
    const WeightError& error = errors[static_cast<std::size_t>(i)];
    if (table.row(i, error.tensor == view.tensor)) view.tensor = error.tensor;
    table.text(error.tensor);
    table.text(error.type, look.theme.textMuted);
    table.number(fmt::format("{:.1e}", error.relativeMean()));
    table.number(fmt::format("{:.1e}", error.relativeLargest()));
  });
}

}  // namespace headscope::ui
