// Streams: a model of two stacks as what runs through it: the encoder's residual stream from the
// source to the memory, and the decoder's from the target to the words, each with the parts that
// read it and add to it. The memory reaches every cross-attention of the decoder. A click on a part
// chooses its layer.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/stacks.h"

namespace headscope::ui {
namespace {

enum class PartOfLayer { self, cross, network };

/// A part that reads the residual stream of its stack and adds to it.
struct StreamPart {
  PartOfLayer part = PartOfLayer::self;
  Index layer = 0;
};

std::vector<StreamPart> partsOf(const model::ModelConfig& c) {
  std::vector<StreamPart> parts;
  for (Index layer = 0; layer < c.layers; ++layer) {
    parts.push_back({c.readsMemory(layer) ? PartOfLayer::cross : PartOfLayer::self, layer});
    if (c.hasNetwork(layer) && !c.attentionOnly) parts.push_back({PartOfLayer::network, layer});
  }
  return parts;
}

/// "(7, 32)".
std::string shapeInWords(Index rows, Index columns) {
  return fmt::format("({}, {})", withThousands(rows), withThousands(columns));
}

void drawArrow(const FrameContext& look, ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 color,
               float thick) {
  list->AddLine(from, to, color, thick);
  const float side = look.px(4);
  if (from.y == to.y) {
    const float back = to.x > from.x ? -side : side;
    list->AddTriangleFilled(to, {to.x + back, to.y - side}, {to.x + back, to.y + side}, color);
  } else {
    const float back = to.y > from.y ? -side : side;
    list->AddTriangleFilled(to, {to.x - side, to.y + back}, {to.x + side, to.y + back}, color);
  }
}

class StreamsView {
 public:
  StreamsView(const PanelContext& panel, const ModelMoment& moment, const Rect& room)
      : panel_(panel),
        look_(panel.look),
        moment_(moment),
        list_(ImGui::GetWindowDrawList()),
        room_(room) {
    left_ = room.a.x + look_.px(118);
    right_ = room.b.x - look_.px(118);
    box_ = std::clamp(room.height() * 0.13F, look_.px(16), look_.px(34));
    encoderY_ = room.a.y + 0.36F * room.height();
    busY_ = room.a.y + 0.48F * room.height();
    decoderY_ = room.a.y + 0.84F * room.height();
  }

  void draw() {
    const model::ModelTrace& source = *moment_.source->trace;
    const model::ModelTrace& target = *moment_.trace;
    const Index memory = source.config().dModel;
    stream({model::Stack::encoder, source, encoderY_, "source", "memory"});
    stream({model::Stack::decoder, target, decoderY_, "target", "words"});
    bus(shapeInWords(source.tokens(), memory));
  }

 private:
  struct Stream {
    model::Stack stack;
    const model::ModelTrace& trace;
    float y;
    const char *from, *to;
  };

  ImU32 colorOf(PartOfLayer part) const {
    const Theme& t = look_.theme;
    return part == PartOfLayer::self    ? t.text
           : part == PartOfLayer::cross ? t.accentText
                                        : t.textMuted;
  }

  /// Draws a stack's stream from the left to the right, with its parts above it.
  void stream(const Stream& of) {
    const Theme& t = look_.theme;
    const model::ModelConfig& c = of.trace.config();
    const std::string shape = shapeInWords(of.trace.tokens(), c.dModel);
    const bool encoder = of.stack == model::Stack::encoder;
    drawArrow(look_, list_, {left_, of.y}, {right_, of.y}, t.text, look_.px(2.5F));
    caption({room_.a.x, of.y},
            trFormat("{} of the {}", shape, encoder ? tr("encoder") : tr("decoder")),
            fmt::format("{}: {}", of.from,
                        counted(of.trace.tokens(), tr("{} token"), tr("{} tokens"))));
    if (encoder) {
      caption({right_ + look_.space.small, of.y}, shape, of.to);
    } else {
      const bool says = moment_.trace->document().model->hasReadout();
      caption({right_ + look_.space.small, of.y},
              says ? shapeInWords(of.trace.tokens(), c.vocabulary) : shape,
              says ? tr("logits") : tr("last states"));
    }
    const std::vector<StreamPart> parts = partsOf(c);
    const float apart = (right_ - left_ - look_.px(16)) / static_cast<float>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const float x = left_ + apart * static_cast<float>(i);
      const float width = std::min(apart - look_.px(5), look_.px(96));
      const Rect box = Rect::at({x + 0.5F * (apart - width), of.y - look_.px(14) - box_},
                                {std::max(width, look_.px(3)), box_});
      part(of, parts[i], box);
    }
  }

  /// Two lines of words at the left or right end of a stream.
  void caption(ImVec2 at, const std::string& shape, const std::string& name) const {
    const float line = fontSize(look_.fonts.small);
    drawText(list_, look_.fonts.small, {at.x, at.y - line - look_.space.thin}, look_.theme.text,
             name);
    drawText(list_, look_.fonts.tiny, {at.x, at.y + look_.space.thin}, look_.theme.textMuted,
             shape);
  }

  /// Draws a part: its line from the stream, its box, and the line by which it adds.
  void part(const Stream& of, const StreamPart& each, const Rect& box) {
    const Theme& t = look_.theme;
    const ImU32 color = colorOf(each.part);
    const float reads = box.a.x + 0.22F * box.width(), adds = box.b.x - 0.22F * box.width();
    list_->AddLine({reads, of.y}, {reads, box.b.y}, color, look_.px(1.2F));
    drawArrow(look_, list_, {adds, box.b.y}, {adds, of.y - look_.px(2)}, color, look_.px(1.2F));
    if (each.part == PartOfLayer::cross) {
      drawArrow(look_, list_, {box.centre().x, busY_}, {box.centre().x, box.a.y}, memoryColor(),
                look_.px(1.6F));
    }
    ImGui::SetCursorScreenPos(box.a);
    ImGui::PushID(static_cast<int>(of.stack));
    ImGui::PushID(static_cast<int>(each.layer));
    const bool clicked = ImGui::InvisibleButton(
        each.part == PartOfLayer::network ? tr("network") : tr("attention"), box.size());
    ImGui::PopID();
    ImGui::PopID();
    const model::ModelConfig& own = moment_.config();
    if (clicked) {
      chooseHead(panel_.modelView, own, of.stack, {each.layer, panel_.modelView.head});
    }
    tip(look_, inWords(of, each));
    const bool chosen = each.part != PartOfLayer::network &&
                        isChosenLayer(panel_.modelView, own, of.stack, each.layer);
    list_->AddRectFilled(box.a, box.b, withAlpha(color, ImGui::IsItemHovered() ? 0.32F : 0.18F),
                         look_.px(4));
    list_->AddRect(box.a, box.b, chosen ? t.text : color, look_.px(4), 0,
                   look_.px(chosen ? 2.0F : 1.0F));
    const std::string number = fmt::format("{}", of.trace.config().depthOf(each.layer) + 1);
    const char* name = each.part == PartOfLayer::self    ? "self"
                       : each.part == PartOfLayer::cross ? "cross"
                                                         : "network";
    const std::string whole = fmt::format("{} {}", name, number);
    ImFont* font = look_.fonts.tiny;
    const bool fits = textSize(font, whole).x + look_.space.tight < box.width();
    const std::string& shown = fits ? whole : number;
    if (textSize(font, shown).x < box.width()) {
      drawTextCentred(list_, font, box.centre(), t.text, shown);
    }
  }

  std::string inWords(const Stream& of, const StreamPart& each) const {
    const Index tokens = of.trace.tokens(), width = of.trace.config().dModel;
    const Index heads = of.trace.config().heads;
    const Index number = of.trace.config().depthOf(each.layer) + 1;
    const std::string shape = shapeInWords(tokens, width);
    const bool encoder = of.stack == model::Stack::encoder;
    const char* stack = encoder ? tr("encoder") : tr("decoder");
    switch (each.part) {
      case PartOfLayer::self:
        return trFormat(
            "Self-attention of the {}'s layer {}: reads its stream {} and adds to it. "
            "{} heads of weights {}",
            stack, number, shape, heads, shapeInWords(tokens, tokens));
      case PartOfLayer::cross: {
        const Index keys = moment_.source->trace->tokens();
        return trFormat(
            "Cross-attention of the decoder's layer {}: queries from its stream {}, keys and "
            "values from the memory {}. {} heads of weights {}",
            number, shape, shapeInWords(keys, moment_.source->config().dModel), heads,
            shapeInWords(tokens, keys));
      }
      case PartOfLayer::network:
        break;
    }
    return trFormat(
        "Feed-forward network of the {}'s layer {}: reads each token of its stream {} alone and "
        "adds to it",
        stack, number, shape);
  }

  ImU32 memoryColor() const { return look_.theme.keyText; }

  /// Draws the memory's way from the end of the encoder along all layers of the decoder.
  void bus(const std::string& shape) const {
    const float end = right_ - look_.px(8);
    const ImU32 color = memoryColor();
    list_->AddLine({end, encoderY_}, {end, busY_}, color, look_.px(2.5F));
    list_->AddLine({end, busY_}, {left_, busY_}, color, look_.px(2.5F));
    // in a low card its name at the end of the encoder's stream is enough
    const float lines = fontSize(look_.fonts.small) + 2.0F * fontSize(look_.fonts.tiny);
    if (busY_ - encoderY_ > lines) caption({room_.a.x, busY_}, shape, tr("memory"));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const ModelMoment& moment_;
  ImDrawList* list_;
  Rect room_;
  float left_ = 0.0F, right_ = 0.0F;  // the ends of the streams
  float box_ = 0.0F;                  // the height of a part
  float encoderY_ = 0.0F, busY_ = 0.0F, decoderY_ = 0.0F;
};

}  // namespace

void drawStreams(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      tr("Each part reads its stack's residual stream and adds to it. What leaves the "
         "encoder is the memory: every cross-attention of the decoder takes keys and values "
         "from it."));
  StreamsView(panel, moment, Rect::rest()).draw();
}

}  // namespace headscope::ui
