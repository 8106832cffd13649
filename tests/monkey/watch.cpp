#include "watch.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "app/gl/scene.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/attention/weights.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/tensor/finite.h"

namespace headscope::monkey {
namespace {

void require(bool holds, std::string_view what, const char* where = nullptr) {
  if (!holds) throw Fault(fmt::format("{}{}", what, where != nullptr ? where : ""));
}

// Dear ImGui

/// Checks that a frame has popped all that it pushed, and ended all that it began.
void checkStacks() {
  const ImGuiContext& g = *GImGui;
  require(g.CurrentWindowStack.Size <= 1, "a window was begun and not ended");
  require(g.ColorStack.Size == 0, "a colour was pushed and not popped");
  require(g.StyleVarStack.Size == 0, "a style variable was pushed and not popped");
  require(g.FontStack.Size <= 1, "a font was pushed and not popped");
  require(g.ItemFlagsStack.Size <= 1, "an item flag was pushed and not popped");
  require(g.BeginPopupStack.Size == 0, "a popup was begun and not ended");
  require(g.GroupStack.Size == 0, "a group was begun and not ended");
  for (const ImGuiWindow* window : g.Windows) {
    // none where the window was not shown for a minute: Dear ImGui has freed its memory
    require(window->IDStack.Size <= 1,
            fmt::format("ids pushed and not popped in {}", window->Name));
  }
}

bool finite(const gl::Bounds& r) {
  return std::isfinite(r.x0) && std::isfinite(r.y0) && std::isfinite(r.x1) && std::isfinite(r.y1);
}

/// Checks that everything is drawn at a finite place.
void checkPlaces(App& app) {
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; data != nullptr && i < data->CmdListsCount; ++i) {
    const ImDrawList& list = *data->CmdLists[i];
    const bool somewhere = std::all_of(
        list.VtxBuffer.begin(), list.VtxBuffer.end(),
        [](const ImDrawVert& v) { return std::isfinite(v.pos.x) && std::isfinite(v.pos.y); });
    require(somewhere, "something is drawn at no place in ", list._OwnerName);
  }
  for (const auto& command : app.scene().commands) {
    if (const auto* heatmaps = std::get_if<gl::HeatmapBatch>(&command.batch)) {
      for (const gl::HeatmapQuad& q : heatmaps->quads) {
        require(finite(q.rect), "a heatmap has no place");
        require(std::isfinite(q.low) && std::isfinite(q.high), "a heatmap's range is not finite");
        require(q.source < heatmaps->sources.size(), "a heatmap has no source");
      }
    } else if (const auto* pictures = std::get_if<gl::PictureBatch>(&command.batch)) {
      for (const gl::PictureQuad& q : pictures->quads) {
        require(finite(q.rect), "a picture has no place");
      }
    } else {
      for (const gl::Ribbon& r : std::get<gl::RibbonBatch>(command.batch).ribbons) {
        require(finite({r.x0, r.top0, r.x1, r.top1}) && finite({r.x0, r.bottom0, r.x1, r.bottom1}),
                "a ribbon has no place");
      }
    }
  }
}

// the document and the trace

void checkDocument(const Document& d) {
  const AttentionConfig& c = d.config;
  const auto problems = validate(c);
  if (!problems.empty()) throw Fault("invalid: " + problems.front().message);
  require(d.input->x.shape() == shapeOf(TensorId::x, c), "X has another shape");
  require(d.input->memory.empty() == !c.crossAttention(), "a memory without cross-attention");
  if (c.crossAttention()) {
    require(d.input->memory.shape() == shapeOf(TensorId::memory, c), "memory has another shape");
    require(allFinite(d.input->memory.matrixOf(0, 0)), "the memory is not finite");
  }
  const auto counted = [&](const auto& tokens, Index length) {
    require(static_cast<Index>(tokens.size()) == c.batch, "tokens of another batch");
    for (const auto& item : tokens) {
      require(static_cast<Index>(item.size()) == length, "tokens of another length");
    }
  };
  counted(d.input->tokens, c.seqLen);
  if (c.crossAttention()) counted(d.input->memoryTokens, c.memoryLen);
  require(!firstNotFinite(d.input->x), "X is not finite");
  try {
    checkWeights(d.weights, c, "the document");
  } catch (const UserError& error) {
    throw Fault(error.what());
  }
  for (const Pin& pin : d.pins.all()) {
    require(exists(pin.cell, c) && canBePinned(pin.cell.tensor), "a pin without a cell");
    require(std::isfinite(pin.value), "a pin is not finite");
  }
  for (const float gain : c.headGains) require(std::isfinite(gain), "a head's gain is not finite");
  require(validate(c).empty(), "the configuration is invalid");
}

void checkTrace(const Trace& trace) {
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::rawScores,
                            TensorId::weights, TensorId::heads, TensorId::output}) {
    const Tensor& tensor = trace.tensor(id);
    if (tensor.shape() != shapeOf(id, trace.config())) {
      throw Fault(fmt::format("{} has another shape", info(id).name));
    }
    if (firstNotFinite(tensor)) throw Fault(fmt::format("{} is not finite", info(id).name));
  }
}

class Mixer {
 public:
  template <typename Number>
  void add(Number value) {
    std::uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    hash_ = mix64(hash_ ^ bits);
  }
  void add(const std::string& text) { add(hashBytes(text)); }
  void add(const Tensor& tensor) {
    add(tensor.shape().size());
    for (const Index extent : tensor.shape()) add(extent);
    if (tensor.empty()) return;
    for (const float value : tensor.values()) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      hash_ = (hash_ ^ bits) * RandomStream::kGolden;
      hash_ ^= hash_ >> 29U;
    }
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 1;
};

}  // namespace

std::uint64_t fingerprint(const Document& d) {
  const AttentionConfig& c = d.config;
  Mixer all;
  for (const Index n : {c.dModel, c.numHeads, c.numKvHeads, c.seqLen, c.memoryLen, c.memoryWidth,
                        c.batch, c.mask.window}) {
    all.add(n);
  }
  for (const bool on :
       {c.mask.causal, d.inputEdited, d.weightsEdited, c.mistakes.reshapeWithoutTranspose,
        c.mistakes.softmaxOverQueries, c.mistakes.zeroForMasked, c.mistakes.sharedHead}) {
    all.add(on);
  }
  for (const Switch& each : allSwitches()) all.add(valueOf(each, c));
  all.add(c.dropout.rate);
  all.add(c.dropout.seed);
  for (const float gain : c.headGains) all.add(gain);
  for (const Index length : c.mask.lengths) all.add(length);
  if (c.mask.painted) {
    for (const std::uint8_t allowed : c.mask.painted->allowed) all.add(allowed);
  }
  all.add(d.preset);
  all.add(d.positions);
  all.add(d.source->index());
  all.add(d.weightSource.init);
  all.add(d.weightSource.seed);
  for (const auto* tokens : {&d.input->tokens, &d.input->memoryTokens}) {
    for (const auto& item : *tokens) {
      for (const std::string& token : item) all.add(token);
    }
  }
  const Weights& w = d.weights;
  for (const Tensor* tensor :
       {&d.input->x, &d.input->memory, &w.wQ, &w.wK, &w.wV, &w.wO, &w.bQ, &w.bK, &w.bV, &w.bO}) {
    all.add(*tensor);
  }
  for (const Pin& pin : d.pins.all()) {
    all.add(toString(pin.cell));
    all.add(pin.value);
  }
  return all.hash();
}

void Watch::frame(App& app) {
  checkStacks();
  checkPlaces(app);
  // the engine refuses what is not finite, so no number on the screen is
  const auto where = printed_.notFinite();
  // a tooltip repeats a refusal of the status bar, which names what was refused
  const bool refused = where && where->starts_with("##Tooltip") &&
                       (app.message().find("nan") != std::string::npos ||
                        app.message().find("inf") != std::string::npos);
  if (where && !refused) throw Fault("nan or inf is printed in " + *where);
  if (document_ != app.document()) {
    document_ = app.document();
    checkDocument(*document_);
  }
  if (trace_ != app.trace()) {
    trace_ = app.trace();
    if (trace_) checkTrace(*trace_);
  }
}

void checkAgainstFreshPass(const Trace& trace) {
  ExecutionContext execution;
  execution.threads = 1;
  const TracePtr fresh = runAttention(trace.documentPtr(), nullptr, execution);
  for (const TensorId id : {TensorId::rawScores, TensorId::weights, TensorId::output}) {
    if (trace.materialise(id).values() != fresh->materialise(id).values()) {
      throw Fault(fmt::format("{} is not what a fresh pass gives", info(id).name));
    }
  }
}

}  // namespace headscope::monkey
