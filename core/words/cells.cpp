#include "core/words/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <variant>

#include "core/attention/config.h"
#include "core/attention/steps/softmax_row.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/training_domain.h"
#include "core/words/bucket_words.h"

namespace headscope {
namespace {

bool columnsAreHeads(TensorId id) {
  return id == TensorId::q || id == TensorId::k || id == TensorId::v || id == TensorId::concat;
}

/// "column 337 of q_proj is column 17 of head 6, which has columns 320 to 383".
std::string headColumns(const Trace& trace, const Explanation& e) {
  const bool joined = e.cell.tensor == TensorId::concat;  // else split
  const CellRef& source = e.terms.front().cells.front();
  const CellRef& wide = joined ? e.cell : source;
  const CellRef& narrow = joined ? source : e.cell;
  const Index dK = trace.config().dK();
  return trFormat("column {} of {} is column {} of {}, which has columns {} to {}", wide.col,
                  symbolOf(wide.tensor), narrow.col,
                  headName(narrow.tensor, narrow.head, trace.config()), narrow.head * dK,
                  (narrow.head + 1) * dK - 1);
}

/// A cell by the names of its row and column. Weight matrices are written as textbooks multiply
/// them and as the window draws them, X·W^Q: the symbol names the transpose of PyTorch's W_Q.
std::string indexed(const CellRef& cell, const std::string& row, const std::string& col) {
  const std::string symbol = (cell.gradient ? "∂" : "") + symbolOf(cell.tensor);
  if (info(cell.tensor).rows == Axis::none) return fmt::format("{}[{}]", symbol, col);
  const bool swapped = isWeightMatrix(cell.tensor);
  return fmt::format("{}[{}, {}]", symbol, swapped ? col : row, swapped ? row : col);
}

/// A cell of the first product of a sum, with j for the index that the sum runs over.
std::string summedCell(const Trace& trace, const CellRef& first, const CellRef& next) {
  const TensorInfo& t = info(first.tensor);
  const auto name = [&](Axis axis, Index at, bool runs) {
    return runs ? "j" : placeInFormula(trace, axis, first.item, at);
  };
  return indexed(first, name(t.rows, first.row, first.row != next.row),
                 name(t.cols, first.col, first.col != next.col));
}

/// Returns whether a term is a number that is added to a score: of its own, or the pair's bias.
bool isAdded(const Term& term) {
  return term.cells.empty() || term.cells.front().tensor == TensorId::pairBias;
}

std::string sourceWords(const InputSource& source) {
  if (std::holds_alternative<TextSource>(source)) return tr("embedded from the text");
  if (const auto* series = std::get_if<SeriesSource>(&source)) {
    return tr("read from ") + (series->items.empty() ? "a series" : series->items.front()->name);
  }
  return tr("loaded from ") + std::get<TensorSource>(source).name;
}

/// Returns whether the tokens are words: steps of a series and patches of an image are none.
bool hasWords(const Document& document) {
  if (!document.source || std::holds_alternative<SeriesSource>(*document.source)) return false;
  const auto* tensors = std::get_if<TensorSource>(&*document.source);
  return tensors == nullptr || !tensors->patches.on();
}

}  // namespace

bool isWeightMatrix(TensorId tensor) { return info(tensor).symbol.starts_with("W^"); }

std::string symbolOf(TensorId tensor) {
  const TensorInfo& t = info(tensor);
  if (isWeightMatrix(tensor)) return std::string(t.symbol);
  int sharing = 0;
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    sharing += info(static_cast<TensorId>(i)).symbol == t.symbol ? 1 : 0;
  }
  return std::string(t.symbol.size() <= 2 && sharing == 1 ? t.symbol : t.name);
}

std::string_view shownToken(std::string_view token) { return token.empty() ? "[pad]" : token; }

const std::vector<std::string>& tokensAlong(const Trace& trace, Axis axis, Index item) {
  static const std::vector<std::string> kNone;
  const Input& input = *trace.document().input;
  const auto& all = axis == Axis::query ? input.tokens : input.keyTokens();
  if ((axis != Axis::query && axis != Axis::key) || item < 0 || item >= std::ssize(all)) {
    return kNone;
  }
  return all[static_cast<std::size_t>(item)];
}

std::string placeInFormula(const Trace& trace, Axis axis, Index item, Index index) {
  const bool word = hasWords(trace.document()) &&
                    index < std::ssize(tokensAlong(trace, axis, std::max<Index>(item, 0)));
  const std::string name = placeName(trace, axis, item, index);
  return word ? fmt::format("\"{}\"", name) : name;
}

std::string placeName(const Trace& trace, Axis axis, Index item, Index index) {
  const auto& tokens = tokensAlong(trace, axis, std::max<Index>(item, 0));
  if (index < std::ssize(tokens)) {
    return std::string(shownToken(tokens[static_cast<std::size_t>(index)]));
  }
  return std::to_string(index);
}

std::string cellName(const Trace& trace, const CellRef& cell) {
  const TensorInfo& t = info(cell.tensor);
  return indexed(cell, placeInFormula(trace, t.rows, cell.item, cell.row),
                 placeInFormula(trace, t.cols, cell.item, cell.col));
}

std::string leftName(const Trace& trace, const Term& term) {
  if (term.cells.empty()) return term.left;  // a number of its own
  return term.before + cellName(trace, term.cells.front()) + term.after;
}

std::string rightName(const Trace& trace, const Term& term) {
  return term.cells.size() > 1 ? cellName(trace, term.cells[1]) : term.right;
}

std::string formulaOf(const Trace& trace, const Explanation& e) {
  if (e.terms.empty()) return e.rule;
  if (e.ending == ExplanationForm::share) {
    const Term* own = e.own();
    return own == nullptr ? e.rule : fmt::format("exp({} − max) / Σ exp", leftName(trace, *own));
  }
  const auto isProduct = [](const Term& term) { return term.cells.size() == 2; };
  const auto products = static_cast<std::size_t>(
      std::find_if_not(e.terms.begin(), e.terms.end(), isProduct) - e.terms.begin());
  std::string text;
  if (products > 1) {
    const Term& first = e.terms[0];
    const Term& next = e.terms[1];
    text =
        fmt::format("{}Σ_j {}·{}", first.before, summedCell(trace, first.cells[0], next.cells[0]),
                    summedCell(trace, first.cells[1], next.cells[1]));
  }
  for (std::size_t i = products > 1 ? products : 0; i < e.terms.size(); ++i) {
    constexpr std::size_t kMostSingly = 4;  // scores of content and position have many
    if (e.cell.tensor == TensorId::rawScores && i >= products + kMostSingly) {
      text += " + …";
      break;
    }
    const Term& term = e.terms[i];
    if (!text.empty()) text += " + ";
    text += leftName(trace, term);
    if (term.right != "1") text += "·" + rightName(trace, term);
  }
  return e.before + text + e.after;
}

bool isForbidden(const Trace& trace, const Explanation& e) {
  const CellRef& cell = e.cell;
  return cell.tensor == TensorId::maskedScores && !cell.gradient &&
         !allowedKeys(trace.config().mask, cell.item, cell.row, trace.config().keys())(cell.col);
}

bool isBiased(const Explanation& e) { return e.terms.size() > 1 && isAdded(e.terms.back()); }

std::string biasText(const Explanation& e) {
  std::string text;
  for (const Term& term : e.terms) {
    if (!isAdded(term)) continue;
    text += fmt::format(" {} {:.4g}", term.leftValue < 0.0 ? "−" : "+", std::abs(term.leftValue));
    if (term.right != "1") text += fmt::format(" × {}", term.rightValue);
  }
  return text;
}

std::string biasedText(const Explanation& e) {
  return fmt::format("{}{} = {}", number(e.terms.front().product), biasText(e), number(e.value, 5));
}

std::string stepSentence(const Step& step, const Document& document) {
  const StepText text = step.text(document.config);
  if (step.id() != StepId::softmax || document.pins.of(TensorId::weights).empty()) {
    return std::string(text.sentence);
  }
  return trFormat("scores become weights{}; rows with a pinned weight need not sum to 1",
                  document.config.dropout.on() ? tr(", some dropped") : "");
}

std::string remarkOn(const Trace& trace, const Explanation& e) {
  const AttentionConfig& c = trace.config();
  if (e.cell.gradient) return e.rule;
  const TensorId id = e.cell.tensor;
  if (columnsAreHeads(id)) {
    const bool mistaken = c.mistakes.reshapeWithoutTranspose || c.mistakes.sharedHead;
    return mistaken && id != TensorId::concat ? e.rule : headColumns(trace, e);
  }
  if (id == TensorId::maskedScores) {  // what is added is in the numbers
    return isBiased(e) ? std::string() : e.rule;
  }
  if (id != TensorId::weights) return {};
  if (e.own() == nullptr) return e.rule;
  if (softmaxShare(e.own()->product, e.sum) == 0.0) return std::string(kBelowLeastWeight);
  if (!c.dropout.on()) return {};
  return e.factor == 0.0 ? tr("dropped: 0 in its place")
                         : trFormat("kept by dropout: × 1/(1 − {:g})", c.dropout.rate);
}

std::string originOf(const Trace& trace, const CellRef& cell) {
  if (cell.gradient) return tr("given: the gradient of this output cell");
  const Document& d = trace.document();
  const bool x = cell.tensor == TensorId::x;
  if (cell.tensor == TensorId::pairBias) {
    const PairBias& bias = d.config.pairBias;
    if (!bias.ofPairs()) {
      return bucketInWords(bias, cell.col - d.config.firstQuery - cell.row);
    }
    const auto& seed = bias.settings().seed;
    return seed ? trFormat("drawn: mean 0, standard deviation 1, seed {}", *seed)
                : tr("given: AlphaFold computes it from the representation of the pair");
  }
  if (!x && cell.tensor != TensorId::memory) {
    const WeightSource& w = d.weightSource;
    std::string text =
        !w.drawn() ? tr("loaded from ") + w.loadedFrom
        : w.init == WeightInit::designed
            ? trFormat("designed heads; the others drawn, seed {}", w.seed)
        : w.init == WeightInit::learned
            ? trFormat("learned from {}, seed {}", inWords(trainingDomainOf(d)), w.seed)
            : trFormat("drawn: {}, seed {}", toString(w.init), w.seed);
    return text + (d.weightsEdited ? tr("; edited since") : "");
  }
  const Axis rows = x ? Axis::query : Axis::key;
  std::string text = trFormat("token {}", cell.row);
  if (cell.row < std::ssize(tokensAlong(trace, rows, cell.item))) {
    text += fmt::format(" '{}'", placeName(trace, rows, cell.item, cell.row));
  }
  text += trFormat(", coordinate {}", cell.col);
  const std::string_view coordinate = coordinateName(trace, cell);
  if (!coordinate.empty()) text += fmt::format(": {}", coordinate);
  if (d.source != nullptr) text += " · " + sourceWords(*d.source);
  return text + (d.inputEdited ? tr("; edited since") : "");
}

std::string_view coordinateName(const Trace& trace, const CellRef& cell) {
  const auto& names = trace.document().input->coordinates;
  const bool named = cell.tensor == TensorId::x && cell.col < static_cast<Index>(names.size());
  return named ? std::string_view(names[static_cast<std::size_t>(cell.col)]) : std::string_view();
}

bool isFullyMasked(const Trace& trace, Index item, Index row) {
  const auto& rows = trace.fullyMaskedRows;  // by item, row, head
  const auto place = [](const FullyMaskedRow& r) { return std::tuple(r.item, r.row); };
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), std::tuple(item, row),
      [&](const FullyMaskedRow& r, const std::tuple<Index, Index>& k) { return place(r) < k; });
  return found != rows.end() && place(*found) == std::tuple(item, row);
}

std::string whyFullyMasked(const Trace& trace, const CellRef& cell) {
  if (info(cell.tensor).rows != Axis::query || cell.tensor < TensorId::maskedScores ||
      !isFullyMasked(trace, cell.item, cell.row)) {
    return {};
  }
  const bool pinned = std::any_of(trace.document().pins.all().begin(),
                                  trace.document().pins.all().end(), [&](const Pin& pin) {
                                    return pin.cell.tensor >= TensorId::weights &&
                                           pin.cell.item == cell.item && pin.cell.row == cell.row;
                                  });
  return trFormat("every key of '{}' is masked: no softmax, {}",
                  placeName(trace, Axis::query, cell.item, cell.row),
                  pinned                          ? tr("weights 0 except for pinned ones")
                  : trace.config().switches->bias ? tr("weights 0, output b_O")
                                                  : "weights 0, output 0");
}

}  // namespace headscope
