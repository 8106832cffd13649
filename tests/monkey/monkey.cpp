#include "monkey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/view_json.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/history.h"
#include "starts.h"

namespace headscope::monkey {
namespace {

constexpr std::size_t kRemembered = 50;  // events
constexpr int kEnough = 20;              // waits, as each frame may request more

}  // namespace

Monkey::Monkey(std::uint64_t seed, Pace pace)
    : random_(seed),
      seed_(seed),
      pace_(pace),
      words_([this] { return story(); }),
      first_(anyStart(random_)),
      zoo_(random_, first_),
      keeps_(random_.oneIn(8)),
      host_(1280, 800) {
  start();
}

void Monkey::start() {
  app_.reset();
  AppOptions options;
  // all of its history is kept, so that undo leads to the first document
  options.history = std::make_shared<const History>(first_, kBudget, Index{1} << 30);
  options.memoryBudget = kBudget;
  options.threads = 1;
  options.tracePath = "trace.safetensors";
  if (keeps_) options.stateFolder = "state";
  app_.emplace(std::move(options));
  seen_ = first_;
  app_->finish();
  frames(2);
}

void Monkey::run(int events) {
  try {
    for (int i = 0; i < events; ++i) event();
    note("the end");
    undoToTheStart();
  } catch (const std::exception& error) {
    throw Fault(fmt::format("{}\n{}", error.what(), story()));
  }
}

void Monkey::event() {
  struct Kind {
    std::size_t weight;
    void (Monkey::*act)();
  };
  constexpr std::array kKinds{Kind{230, &Monkey::click},       Kind{40, &Monkey::doubleClick},
                              Kind{60, &Monkey::hover},        Kind{60, &Monkey::drag},
                              Kind{60, &Monkey::wheel},        Kind{240, &Monkey::key},
                              Kind{50, &Monkey::typeText},     Kind{50, &Monkey::typeNumber},
                              Kind{25, &Monkey::drop},         Kind{120, &Monkey::edit},
                              Kind{25, &Monkey::resize},       Kind{12, &Monkey::look},
                              Kind{25, &Monkey::wait},         Kind{2, &Monkey::restart},
                              Kind{2, &Monkey::undoToTheStart}};
  std::size_t all = 0;
  for (const Kind& kind : kKinds) all += kind.weight;
  std::size_t drawn = random_.below(all);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) {
    if (drawn < k.weight) return true;
    drawn -= k.weight;
    return false;
  });
  ++events_;
  (this->*kind->act)();
  takeInput();
}

/// Draws frames until no input waits for a later one.
void Monkey::takeInput() {
  do {
    frame();
  } while (host_.session().input().waiting());
}

void Monkey::frame() {
  if (pace_ == Pace::waits) rest();
  const double before = clockSeconds();
  host_.frame(*app_);
  slowest_ = std::max(slowest_, clockSeconds() - before);
  ++frames_;
  drawPicture();
  if (pace_ == Pace::waits) {
    rest();
    if (app_->trace() && app_->trace()->documentPtr() != app_->document()) {
      throw Fault("the trace is not the document's");
    }
  }
  watch_.frame(*app_);
  if (seen_ != app_->document()) {
    seen_ = app_->document();
    walked_ = mix64(walked_ ^ fingerprint(*seen_));
  }
  walked_ = mix64(walked_ ^ hashBytes(viewToJson(app_->view())));
}

void Monkey::frames(int count) {
  for (int i = 0; i < count; ++i) frame();
}

/// Waits until the trace is that of the document; an edit that the worker refuses is undone.
void Monkey::rest() {
  for (int i = 0; i < kEnough; ++i) {
    app_->finish();
    if (app_->trace() && app_->trace()->documentPtr() == app_->document()) return;
  }
}

void Monkey::note(std::string what) {
  last_.push_back(fmt::format("{:5}  {}", events_, std::move(what)));
  if (last_.size() > kRemembered) last_.pop_front();
}

std::string Monkey::story() {
  std::string text = fmt::format("monkey of seed {} ({}), its last events:\n", seed_,
                                 pace_ == Pace::waits ? "waits" : "hurries");
  for (const std::string& event : last_) text += event + "\n";
  if (!app_) return text;
  const AttentionConfig& c = app_->document()->config;
  const ui::ViewState& v = app_->view();
  const auto at = [](const CellRef& cell) { return toString(cell); };
  return text + fmt::format(
                    "D {} H {} of {} T {} M {} B {}; item {} head {} step {} tool {} page {}; "
                    "chosen {}, hovered {}; {}",
                    c.dModel, c.numHeads, c.numKvHeads, c.seqLen, c.memoryLen, c.batch,
                    v.selection.item, v.selection.head, static_cast<int>(v.selection.step),
                    v.selection.tool, v.selection.page,
                    v.selection.cell ? at(*v.selection.cell) : "none",
                    v.frame.hovered ? at(v.frame.hovered->cell) : "none", app_->message());
}

}  // namespace headscope::monkey
