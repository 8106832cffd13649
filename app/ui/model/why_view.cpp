// The chain of sums from a predicted word back to the words that were read: a trail of the parts
// that were followed, and the parts of the last of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/model/why_without.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

using model::ScoreParts;
using model::Stack;
using model::WhyLevel;
using model::WhyStep;
using model::Writer;
using model::WriterKind;
using model::WrittenPart;

/// A chain that was computed.
struct FoundWhy {
  std::vector<WhyStep> steps;
  std::vector<WhyLevel> levels;
  model::WithoutParts without;  // of the last level
};

std::optional<FoundWhy> findWhy(const AskedWord& asked, const std::string& trail,
                                const std::atomic<bool>& cancelled) {
  const ExecutionContext execution{0, &cancelled};
  const model::AskedWord word{asked.row, asked.word, asked.other};
  FoundWhy found;
  found.steps = model::stepsFrom(trail);
  found.levels = whyLevels(*asked.moment->trace, word, found.steps, execution);
  if (cancelled) return std::nullopt;
  found.without = withoutParts(asked.moment->trace, word, found.levels, 12, execution);
  if (cancelled) return std::nullopt;
  return found;
}

/// One line of a level's table.
struct PartLine {
  std::string name;
  double value = 0.0;
  std::optional<double> weight;    // of a token
  std::optional<WhyStep> follows;  // the step that a click takes
};

/// Draws the chain.
class WhyView {
 public:
  WhyView(const PanelContext& panel, const AskedWord& asked, const FoundWhy& found)
      : panel_(panel),
        look_(panel.look),
        view_(panel.modelView.prediction),
        asked_(asked),
        found_(found),
        tokens_(asked.moment->tokenNames()) {
    if (asked.moment->source != nullptr) sourceTokens_ = asked.moment->source->tokenNames();
  }

  void draw() {
    trail();
    const WhyLevel& level = found_.levels.back();
    if (level.score) return drawScore(*level.score);
    wrappedLabel(look_.fonts.small, look_.theme.text, inWords(level));
    if (level.sources) tokenChoice();
    partTable(level.sources ? linesOfTokens(level) : linesOfWriters(level), level.value);
  }

 private:
  const model::ModelConfig& config() const { return asked_.moment->config(); }
  const std::string& token(Index place, Stack stack) const {
    return (stack == Stack::encoder ? sourceTokens_ : tokens_)[static_cast<std::size_t>(place)];
  }
  std::string placeInWords(Index place, Stack stack) const {
    return fmt::format("“{}” ({}{})", token(place, stack), stack == Stack::encoder ? "source " : "",
                       place + 1);
  }
  std::string headInWords(Stack stack, HeadOfLayer head, bool capital = false) const {
    return fmt::format("{}, head {}", layerInWords(config(), stack, head.layer, capital),
                       head.head + 1);
  }
  Stack keysOf(const ScoreParts& score) const {
    return model::keysOf(*asked_.moment->trace, score.stack, score.head.layer);
  }

  void follow(const WhyStep& step) const {
    std::vector<WhyStep> steps = found_.steps;
    steps.push_back(step);
    view_.why = model::textOf(steps);
    if (step.kind != WhyStep::Kind::head) return;
    chooseHead(panel_.modelView, config(), found_.levels.back().reading.stack, step.head);
  }

  /// The names of the levels; a click goes back to one.
  void trail() const {
    for (std::size_t i = 0; i < found_.levels.size(); ++i) {
      const std::string name = fmt::format("{}##level{}", nameOf(i), i);
      if (i > 0) {
        flowOn(look_, buttonWidth(look_, name) + look_.px(14), 2.0F);
        inlineLabel(look_, look_.fonts.small, look_.theme.textMuted, "›");
        ImGui::SameLine(0.0F, look_.space.tight);
      }
      if (!pill(look_, name.c_str(), i + 1 == found_.levels.size())) continue;
      view_.why = model::textOf(
          {found_.steps.begin(), found_.steps.begin() + static_cast<std::ptrdiff_t>(i)});
    }
    const auto next = strongestStep(found_.levels.back());
    if (next && flowingPill(look_, "follow the largest",
                            "Takes the step to the largest part that can be followed")) {
      follow(*next);
    }
  }

  std::string nameOf(std::size_t level) const {
    if (level == 0) return asked_.logitName();
    const WhyStep& step = found_.steps[level - 1];
    const WhyLevel& before = found_.levels[level - 1];
    switch (step.kind) {
      case WhyStep::Kind::head:
        return headInWords(before.reading.stack, step.head);
      case WhyStep::Kind::value:
        return fmt::format("value of {}", placeInWords(step.source, before.sources->tokens));
      case WhyStep::Kind::score:
        return fmt::format("why it looks at {}", placeInWords(step.source, before.sources->tokens));
      case WhyStep::Kind::entry: {
        const Writer& writer = step.alongKey ? step.key : step.query;
        return headInWords(writer.stack, {writer.layer, writer.head});
      }
    }
    return {};
  }

  static std::string percent(double share) {
    const double of = 100.0 * share;
    return fmt::format("{:.0f} %", std::abs(of) < 0.5 ? 0.0 : of);
  }

  /// The level's sum, and the changes without the part and without the head.
  std::string inWords(const WhyLevel& level) const {
    const std::string share = level.share() == 1.0
                                  ? std::string()
                                  : fmt::format(", {} of the {}", percent(level.share()),
                                                level.ofScore ? "score" : "logit");
    const std::string sum = fmt::format("sum {:+.4f} = {:+.4f}{}", level.sum, level.value, share);
    if (level.parts) {
      return fmt::format("Written at {}: {} parts, {}. Patterns and norms are held.",
                         placeInWords(level.reading.place, level.reading.stack),
                         level.parts->size(), sum);
    }
    std::string words = fmt::format("{} at {}: weight × value of each token, {}.",
                                    headInWords(level.reading.stack, level.sources->head, true),
                                    placeInWords(level.reading.place, level.reading.stack), sum);
    if (!found_.without.head) return words;
    return words + fmt::format(
                       " Without this part: {}, patterns and norms held. Without all that "
                       "the head gives here, and what follows run again, the {} changes "
                       "by {}.",
                       changeInWords(found_.without.head->frozen),
                       level.ofScore ? "score" : "logit",
                       changeInWords(found_.without.head->total));
  }

  void tokenChoice() const {
    rowCaption(look_, "a token shows");
    const int chosen = choices(look_, "why follows", {"why the head looks there", "its value"},
                               view_.whyValues ? 1 : 0);
    if (chosen >= 0) view_.whyValues = chosen == 1;
  }

  std::vector<PartLine> linesOfWriters(const WhyLevel& level) const {
    std::vector<PartLine> lines;
    for (const WrittenPart& part : *level.parts) {
      PartLine line{model::inWords(part, config()), part.value, {}, {}};
      if (part.kind == WriterKind::token) {
        line.name = fmt::format("“{}” itself", token(level.reading.place, part.stack));
      }
      if (part.kind == WriterKind::head) {
        WhyStep step;
        step.head = {part.layer, part.head};
        line.follows = step;
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

  std::vector<PartLine> linesOfTokens(const WhyLevel& level) const {
    std::vector<PartLine> lines;
    for (std::size_t i = 0; i < level.sources->values.size(); ++i) {
      if (level.sources->weights[i] == 0.0) continue;  // masked
      WhyStep step;
      step.kind = view_.whyValues ? WhyStep::Kind::value : WhyStep::Kind::score;
      step.source = static_cast<Index>(i);
      lines.push_back({placeInWords(step.source, level.sources->tokens), level.sources->values[i],
                       level.sources->weights[i], step});
    }
    return lines;
  }

  void partTable(std::vector<PartLine> lines, double whole) const {
    std::ranges::stable_sort(lines, [](const PartLine& a, const PartLine& b) {
      return std::abs(a.value) > std::abs(b.value);
    });
    const double most = lines.empty() ? 1.0 : std::max(1e-12, std::abs(lines.front().value));
    const ColorScale scale = divergingScale(look_, static_cast<float>(most));
    const bool weighs = !lines.empty() && lines.front().weight;
    const float nameWidth = config().crossAttention ? 230.0F : 170.0F;
    std::vector<TableColumn> columns{{weighs ? "token" : "part", {}, false, nameWidth, 0, false}};
    if (weighs) columns.push_back({"weight", {}, true, 60, 0, false});
    columns.push_back({"adds", {}, true, 70, 0, false});
    columns.push_back({"", {}, false, 60, 1, false});
    columns.push_back({"share", "Of the number that is taken apart", true, 60, 0, false});
    // a list of its own for each step and text, which begins at its top
    const std::string id =
        fmt::format("why {} {}", panel_.modelView.prediction.why, asked_.moment->number);
    Table table(look_,
                {.id = id.c_str(), .height = ImGui::GetContentRegionAvail().y, .dense = true},
                columns);
    table.rows(std::ssize(lines), [&](Index i) {
      const PartLine& line = lines[static_cast<std::size_t>(i)];
      if (table.row(i) && line.follows) follow(*line.follows);
      table.text(line.name, line.follows ? look_.theme.accentText : look_.theme.text);
      if (line.weight) table.number(fmt::format("{:.3f}", *line.weight));
      table.number(changeInWords(line.value));
      table.bar(static_cast<float>(std::abs(line.value) / most),
                scale.color(look_.maps, line.value < 0.0 ? -1e30F : 1e30F));
      table.number(whole == 0.0 ? "–" : percent(line.value / whole), look_.theme.textMuted);
    });
  }

  /// "“cat”", "1·4", "FFN 2", of a decoder "cross 1·4": a writer at a place, as short as a matrix
  /// needs it. All writers of one side are of one stack.
  std::string shortName(const Writer& writer, Index place) const {
    const bool encoder = writer.stack == Stack::encoder;
    const Index layer = 1 + (encoder ? writer.layer : config().depthOf(writer.layer));
    const HeadOfLayer head{writer.layer, writer.head};
    switch (writer.kind) {
      case WriterKind::token:
        return fmt::format("“{}”", token(place, writer.stack));
      case WriterKind::head:
        return encoder ? headscope::shortName(HeadOfLayer{writer.layer, writer.head})
                       : ui::shortName(head, config());
      case WriterKind::feedForward:
        return fmt::format("FFN {}", layer);
      case WriterKind::attentionBias:
        return fmt::format("b_O {}", layer);
      default:
        return model::inWords(writer, config());
    }
  }

  /// The largest writers of one side of a score, and the sums of the others.
  struct Side {
    std::vector<std::size_t> shown;
    std::vector<std::string> names;  // with one more for the others, if there are any
  };
  Side sideOf(const std::vector<Writer>& writers, const std::vector<double>& sizes,
              std::size_t most, Index place) const {
    Side side;
    side.shown.resize(writers.size());
    std::iota(side.shown.begin(), side.shown.end(), std::size_t{0});
    std::ranges::stable_sort(side.shown,
                             [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    const std::size_t left = writers.size() > most ? writers.size() - (most - 1) : 0;
    side.shown.resize(writers.size() - left);
    for (const std::size_t i : side.shown) side.names.push_back(shortName(writers[i], place));
    if (left > 0) side.names.push_back(fmt::format("{} others", left));
    return side;
  }

  void drawScore(const ScoreParts& score) const {
    wrappedLabel(look_.fonts.small, look_.theme.text, scoreInWords(score));
    Rect room = Rect::rest();
    const float list = std::clamp(room.width() * 0.4F, look_.px(300), look_.px(470));
    const Rect right = room.cutRight(std::min(list, room.width()), look_.space.large);
    drawPairs(score, room);
    ImGui::SetCursorScreenPos(right.a);
    ImGui::BeginChild("pairs", right.size());
    partTable(linesOfPairs(score), score.score);
    ImGui::EndChild();
  }

  std::string scoreInWords(const ScoreParts& score) const {
    const model::ContentAndPosition sums = contentAndPosition(score);
    return fmt::format(
        "{} scores {:+.3f} from {} to {}: the sum over what wrote into the query "
        "(rows) × what wrote into the key (columns){}, {:+.3f}; content {:+.3f}, with position "
        "{:+.3f}.",
        headInWords(score.stack, score.head, true), score.score,
        placeInWords(score.query, score.stack), placeInWords(score.key, keysOf(score)),
        score.bias == 0.0 ? std::string() : fmt::format(", {:+.3f} for the places", score.bias),
        score.sum, sums.content, sums.mixed + sums.position);
  }

  std::vector<PartLine> linesOfPairs(const ScoreParts& score) const {
    constexpr std::size_t kMostLines = 200;
    std::vector<PartLine> lines;
    for (std::size_t i = 0; i < score.queries.size(); ++i) {
      for (std::size_t j = 0; j < score.keys.size(); ++j) {
        const Writer &query = score.queries[i], &key = score.keys[j];
        PartLine line{
            fmt::format("{} × {}", shortName(query, score.query), shortName(key, score.key)),
            score.values(static_cast<Index>(i), static_cast<Index>(j)),
            {},
            {}};
        if (const auto step = stepOf(query, key)) line.follows = step;
        lines.push_back(std::move(line));
      }
    }
    std::ranges::stable_sort(lines, [](const PartLine& a, const PartLine& b) {
      return std::abs(a.value) > std::abs(b.value);
    });
    if (lines.size() > kMostLines) lines.resize(kMostLines);
    return lines;
  }

  /// The step along a pair's key writer where that is a head, or along its query writer.
  static std::optional<WhyStep> stepOf(const Writer& query, const Writer& key) {
    if (key.kind != WriterKind::head && query.kind != WriterKind::head) return std::nullopt;
    WhyStep step;
    step.kind = WhyStep::Kind::entry;
    step.query = query;
    step.key = key;
    step.alongKey = key.kind == WriterKind::head;
    return step;
  }

  /// Draws writers × writers, the largest first, the others summed.
  void drawPairs(const ScoreParts& score, Rect room) const {
    ImFont* font = look_.fonts.tiny;
    const float line = fontSize(font) + look_.space.small;
    const auto most = [](float points, float each) {
      return static_cast<std::size_t>(std::max(3.0F, points / each));
    };
    std::vector<double> ofQueries(score.queries.size(), 0.0), ofKeys(score.keys.size(), 0.0);
    for (std::size_t i = 0; i < ofQueries.size(); ++i) {
      for (std::size_t j = 0; j < ofKeys.size(); ++j) {
        const double size = std::abs(score.values(static_cast<Index>(i), static_cast<Index>(j)));
        ofQueries[i] += size;
        ofKeys[j] += size;
      }
    }
    const Side rows =
        sideOf(score.queries, ofQueries, most(room.height() - 2.0F * line, line), score.query);
    const Side columns =
        sideOf(score.keys, ofKeys, most(room.width() - look_.px(90), look_.px(52)), score.key);
    std::vector<float> cells(rows.names.size() * columns.names.size(), 0.0F);
    const auto placeIn = [](const Side& side, std::size_t writer) {
      const auto found = std::ranges::find(side.shown, writer);
      return static_cast<std::size_t>(found - side.shown.begin());
    };
    for (std::size_t i = 0; i < score.queries.size(); ++i) {
      for (std::size_t j = 0; j < score.keys.size(); ++j) {
        cells[placeIn(rows, i) * columns.names.size() + placeIn(columns, j)] +=
            static_cast<float>(score.values(static_cast<Index>(i), static_cast<Index>(j)));
      }
    }
    const ColorScale scale = divergingScale(look_, largestFinite(cells));
    AxisLabels down{rows.names, font, look_.theme.textMuted, look_.theme.text};
    AxisLabels across{columns.names, font, look_.theme.textMuted, look_.theme.text};
    room.cutLeft(down.width(), look_.space.small);
    const ColumnLabels below(look_, across, room.width(), room.height() * 0.3F);
    room.cutBottom(below.room(), 0.0F);
    const float height =
        std::min(room.height(), static_cast<float>(rows.names.size()) * look_.px(26));
    const Rect at = Rect::at(room.a, {room.width(), height});
    const MatrixPlace place{at, std::ssize(rows.names), std::ssize(columns.names)};
    ImDrawList* draw = ImGui::GetWindowDrawList();
    for (Index i = 0; i < place.rows; ++i) {
      for (Index j = 0; j < place.cols; ++j) {
        const Rect cell = place.cellAt(i, j).inset(look_.space.hair);
        const float value = cells[static_cast<std::size_t>(i * place.cols + j)];
        draw->AddRectFilled(cell.a, cell.b, scale.color(look_.maps, value));
      }
    }
    const auto valueAt = [&](Index row, Index col) {
      return cells[static_cast<std::size_t>(row * place.cols + col)];
    };
    drawNumbers(look_, draw, place, scale, {.value = valueAt, .decimals = 2}, font);
    drawRowLabels(draw, down, at, look_.space.small);
    below.draw(draw, at);
    ImGui::SetCursorScreenPos(at.a);
    ImGui::InvisibleButton("pair matrix", at.size());
    const auto hovered = ImGui::IsItemHovered() ? place.hovered() : std::nullopt;
    if (!hovered) return;
    const auto row = static_cast<std::size_t>(hovered->row);
    const auto col = static_cast<std::size_t>(hovered->col);
    tipNow(fmt::format("{} × {}: {}", rows.names[row], columns.names[col],
                       changeInWords(double{valueAt(hovered->row, hovered->col)})),
           at);
    if (row >= rows.shown.size() || col >= columns.shown.size()) return;
    const auto step = stepOf(score.queries[rows.shown[row]], score.keys[columns.shown[col]]);
    if (step && ImGui::IsMouseReleased(0)) follow(*step);
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  PredictionView& view_;
  const AskedWord& asked_;
  const FoundWhy& found_;
  std::vector<std::string> tokens_, sourceTokens_;
};

}  // namespace

void drawWhy(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  Fingerprint key = asked.key("why");
  key.add(Fingerprint(view.why));
  const auto found = panel.computations.request<FoundWhy>("why", key, Schedule::background, [&] {
    return [asked, trail = view.why](const std::atomic<bool>& cancelled) {
      return findWhy(asked, trail, cancelled);
    };
  });
  if (!found.problem.empty()) {
    wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
    if (!view.why.empty() && pill(look, "start over##why")) view.why.clear();
    return;
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, "being computed …");
  }
  WhyView(panel, asked, *found.current).draw();
}

}  // namespace headscope::ui
