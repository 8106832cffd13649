#include "app/view_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/heads_view_fields.h"
#include "core/steps/step.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;
using ui::ViewState;

constexpr Index kMaxHead = Limits::kDModel - 1;
constexpr Index kMaxItem = Limits::kBatch - 1;
constexpr int kMaxColorMaps = 99;  // which of them there are is seen when they are drawn

constexpr std::array kPages{"flow", "heads"};
constexpr std::array kScopes{"head", "all"};
constexpr std::array kTools{"flow",    "terms",    "mask",    "temperature",
                            "changes", "mistakes", "kvcache", "perhead"};
constexpr std::array kMistakes{"reshape", "softmax-queries", "zero-mask", "no-scale",
                               "shared-head"};
constexpr std::array kTabs{"cell", "history", "scenes"};

/// Every field that a session keeps, as one line each; an enumeration by the names of its values,
/// in order.
template <typename Fields, typename View>
void visitFields(Fields& f, View& view) {
  f.step("step", view.step);
  f.number("item", view.item, Index{0}, kMaxItem);
  f.number("head", view.head, Index{0}, kMaxHead);
  f.part("part", view.part);
  f.choice("scope", view.scope, kScopes);
  f.cell("selected", view.selected);
  f.choice("page", view.page, kPages);
  visitHeadsFields(f, view.heads);
  f.number("color_maps", view.colorMaps, 0, kMaxColorMaps);
  f.flag("animate", view.animate);
  f.number("play_speed", view.playSpeed, 0.25F, 4.0F);
  f.choice("tool", view.tool, kTools);
  f.choice("mistake", view.mistake, kMistakes);
  f.choice("inspector", view.inspectorTab, kTabs);
}

struct Writer {
  Json json = Json::object();

  void step(const char* name, StepId id) { json[name] = headscope::step(id).text({}).id; }
  template <typename T>
  void number(const char* name, T value, T, T) {
    json[name] = value;
  }
  void flag(const char* name, bool value) { json[name] = value; }
  void word(const char* name, const std::string& value) { json[name] = value; }
  void indices(const char* name, const std::vector<Index>& values, Index) { json[name] = values; }
  void part(const char* name, TensorId id) { json[name] = info(id).name; }
  template <typename Enum, std::size_t N>
  void choice(const char* name, Enum value, const std::array<const char*, N>& names) {
    const auto at = static_cast<std::size_t>(value);
    if (at < N) json[name] = names[at];
  }
  void cell(const char* name, const std::optional<CellRef>& cell) {
    if (cell) json[name] = toString(*cell);
  }
};

struct Reader {
  const Json& json;

  const Json* find(const char* name) const {
    const auto found = json.find(name);
    return found == json.end() ? nullptr : &*found;
  }
  std::optional<std::string> text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return value->get<std::string>();
  }

  void step(const char* name, StepId& id) const {
    const auto found = text(name);
    for (const Step* s : allSteps()) {
      if (found && s->text({}).id == *found) id = s->id();
    }
  }
  template <typename T>
  void number(const char* name, T& value, T low, T high) const {
    const Json* found = find(name);
    if (found == nullptr || !found->is_number()) return;
    const double given = found->get<double>();
    value = static_cast<T>(std::clamp(given, static_cast<double>(low), static_cast<double>(high)));
  }
  void flag(const char* name, bool& value) const {
    const Json* found = find(name);
    if (found != nullptr && found->is_boolean()) value = found->get<bool>();
  }
  void word(const char* name, std::string& value) const {
    if (auto found = text(name)) value = std::move(*found);
  }
  /// Those below `most`; what is no list of numbers changes nothing.
  void indices(const char* name, std::vector<Index>& values, Index most) const {
    const Json* found = find(name);
    if (found == nullptr || !found->is_array()) return;
    values.clear();
    for (const Json& value : *found) {
      const double given = value.is_number() ? value.get<double>() : -1.0;
      if (given >= 0.0 && given < static_cast<double>(most)) {
        values.push_back(static_cast<Index>(given));
      }
    }
  }
  void part(const char* name, TensorId& id) const {
    const auto found = text(name);
    const auto tensor = found ? tensorIdFromName(*found) : std::nullopt;
    if (tensor == TensorId::q || tensor == TensorId::k || tensor == TensorId::v) id = *tensor;
  }
  template <typename Enum, std::size_t N>
  void choice(const char* name, Enum& value, const std::array<const char*, N>& names) const {
    const auto found = text(name);
    for (std::size_t i = 0; found && i < N; ++i) {
      if (*found == names[i]) value = static_cast<Enum>(i);
    }
  }
  void cell(const char* name, std::optional<CellRef>& cell) const {
    const auto found = text(name);
    cell = found ? cellFromString(*found) : std::nullopt;
  }
};

}  // namespace

std::string viewToJson(const ViewState& view) {
  Writer writer;
  visitFields(writer, view);
  return writer.json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ViewState viewFromJson(const std::string& text, ViewState view) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return view;
  Reader reader{json};
  visitFields(reader, view);
  view.playing = false;
  view.playTime.reset();
  view.hovered.reset();
  return view;
}

}  // namespace headscope
