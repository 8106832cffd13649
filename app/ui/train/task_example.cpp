#include "app/ui/train/task_example.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// The picture of an example: its places one below the other on both sides, and the lines between.
class ExamplePicture {
 public:
  ExamplePicture(const FrameContext& look, const TrainingMoment& moment, std::size_t relation,
                 const Rect& room)
      : look_(look),
        example_(moment.example),
        partners_(moment.example.partners[relation]),
        names_(placesOf(*moment.task, moment.example)),
        color_(relationColor(look.theme, moment, relation)) {
    const AxisLabels labels = side(-1);
    const float names = std::min(labels.width() + look.space.small, room.width() * 0.35F);
    inner_ = {{room.a.x + names, room.a.y}, {room.b.x - names, room.b.y}};
  }

  void draw(ImDrawList* list) const {
    const MatrixPlace rows{inner_, example_.length, 1};
    const auto under = ImGui::IsWindowHovered() &&
                               ImGui::IsMouseHoveringRect({inner_.a.x - look_.px(80), inner_.a.y},
                                                          {inner_.b.x + look_.px(80), inner_.b.y})
                           ? std::optional(rows.nearest(ImGui::GetIO().MousePos).row)
                           : std::nullopt;
    drawRowLabels(list, side(under.value_or(-1)), inner_, look_.space.tight);
    drawRowLabelsRight(list, side(under ? partnerOf(*under) : -1), inner_, look_.space.tight);
    for (Index i = 0; i < example_.length; ++i) {
      const float strength = !under ? 0.75F : *under == i ? 1.0F : 0.12F;
      for (Index j = 0; j < example_.length; ++j) {
        if (partners_[static_cast<std::size_t>(i * example_.length + j)] == 0) continue;
        list->AddLine({inner_.a.x, rows.cellAt(i, 0).centre().y},
                      {inner_.b.x, rows.cellAt(j, 0).centre().y}, withAlpha(color_, strength),
                      look_.px(1.5F));
      }
    }
  }

 private:
  /// Returns the first partner of a place; −1 where it has none.
  Index partnerOf(Index place) const {
    const auto row = std::span(partners_).subspan(static_cast<std::size_t>(place * example_.length),
                                                  static_cast<std::size_t>(example_.length));
    const auto found = std::ranges::find_if(row, [](std::uint8_t p) { return p != 0; });
    return found != row.end() ? found - row.begin() : -1;
  }

  AxisLabels side(Index lit) const {
    return {names_, look_.fonts.small, look_.theme.text, look_.theme.queryText, lit, look_.px(90)};
  }

  const FrameContext& look_;
  const training::Examples& example_;
  const std::vector<std::uint8_t>& partners_;
  std::vector<std::string> names_;
  ImU32 color_;
  Rect inner_;
};

/// Draws the channels of a series as curves over its steps, one below the other: each after its
/// name, or below all names in a line where the rows are lower than a name.
void seriesCurves(const FrameContext& look, const TrainingMoment& moment, Rect room) {
  const auto& channels = moment.task->channels;
  const auto count = static_cast<Index>(channels.size());
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.tiny;
  float widest = 0.0F;
  for (const auto& name : channels) widest = std::max(widest, textSize(font, name).x);
  const bool inALine = room.height() < static_cast<float>(count) * fontSize(font);
  Rect names = inALine ? room.cutTop(fontSize(font), look.space.hair)
                       : room.cutLeft(widest, look.space.small);
  for (Index c = 0; c < count; ++c) {
    std::vector<ChartPoint> points;
    double low = 0.0, high = 0.0;
    for (Index i = 0; i < moment.example.length; ++i) {
      const double value = moment.example.series[static_cast<std::size_t>(i * count + c)];
      points.push_back({static_cast<double>(i), value});
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const Rect row = room.row(static_cast<int>(c), static_cast<int>(count), look.space.tight);
    const ImU32 color = channelColor(look.theme, static_cast<std::size_t>(c));
    const std::string_view name = channels[static_cast<std::size_t>(c)];
    const float y = inALine ? names.a.y : row.centre().y - fontSize(font) * 0.5F;
    drawText(list, font, {names.a.x, y}, color, name);
    if (inALine) names.cutLeft(textSize(font, name).x, look.space.small);
    ChartFrame frame{row,
                     {0.0, static_cast<double>(moment.example.length - 1)},
                     {low, std::max(high, low + 1e-3)}};
    frame.yTicks = false;
    const Chart chart(look, frame);
    chart.drawAxes(list);
    chart.curve(list, points, color);
  }
}

}  // namespace

void drawTaskExample(const FrameContext& look, const TrainingMoment& moment, std::size_t relation,
                     Rect room) {
  if (moment.task->features.empty()) {
    seriesCurves(look, moment, room.cutTop(room.height() * 0.4F, look.space.small));
  }
  ExamplePicture(look, moment, relation, room).draw(ImGui::GetWindowDrawList());
}

}  // namespace headscope::ui
