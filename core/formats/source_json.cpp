#include "core/formats/source_json.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/attention/config.h"
#include "core/base/numbers.h"

namespace headscope::formats {
namespace {

struct SourceJson {
  const AddTensor& add;

  Json operator()(const TextSource& s) const {
    return {{"kind", "text"}, {"texts", s.texts}, {"memory_texts", s.memoryTexts}};
  }
  Json operator()(const SeriesSource& s) const {
    Json items = Json::emptyList();
    for (const auto& series : s.items) {
      items.push_back(
          {{"name", series->name},
           {"channels", series->channels},
           {"values", add(series->values, fmt::format("series.{}", items.list()->size()))}});
    }
    return {{"kind", "series"}, {"items", std::move(items)}};
  }
  Json operator()(const TensorSource& s) const {
    Json json{{"kind", "tensors"},         {"name", s.name},
              {"x", add(s.x, "source.x")}, {"memory", add(s.memory, "source.memory")},
              {"tokens", s.tokens},        {"memory_tokens", s.memoryTokens}};
    if (s.patches.on()) {
      json["patches"] = {
          {"first", s.patches.first}, {"rows", s.patches.rows}, {"columns", s.patches.columns}};
    }
    if (!s.relations.empty()) {
      Json& relations = json["relations"] = Json::emptyList();
      for (const LearnedRelation& each : s.relations) {
        Json partners = Json::emptyList();
        for (const auto& keys : each.partners) partners.push_back(keys);
        relations.push_back(
            {{"head", each.head}, {"name", each.name}, {"partners", std::move(partners)}});
      }
    }
    return json;
  }
};

std::shared_ptr<const Series> seriesFrom(const JsonField& field, TensorsToRead& tensors) {
  Series series{field.at("name").text(), field.at("channels").texts(), {}};
  if (series.channels.empty()) field.at("channels").fail("is empty: a series has at least one");
  series.values =
      tensors.read(field.at("values"), {-1, static_cast<Index>(series.channels.size())});
  return std::make_shared<const Series>(std::move(series));
}

/// Reads the rows and columns of an image's patches; an empty grid for other tokens.
PatchGrid patchesFrom(const JsonField& source, const AttentionConfig& c) {
  const auto field = source.find("patches");
  if (!field) return {};
  const auto count = [&](const char* name, Index least) {
    const JsonField own = field->at(name);
    const Index value = own.whole();
    if (value < least || value > c.seqLen)
      own.fail(fmt::format("must be {} to {}", least, c.seqLen));
    return value;
  };
  const PatchGrid grid{count("first", 0), count("rows", 1), count("columns", 1)};
  if (grid.first + grid.rows * grid.columns != c.seqLen) {
    field->fail(fmt::format("does not give the {} tokens", withThousands(c.seqLen)));
  }
  return grid;
}

/// Reads the relations that heads learned with a task; none for other tensors.
std::vector<LearnedRelation> relationsFrom(const JsonField& source, const AttentionConfig& c) {
  std::vector<LearnedRelation> relations;
  const auto field = source.find("relations");
  if (!field) return relations;
  for (const JsonField& each : field->items()) {
    LearnedRelation& relation = relations.emplace_back();
    relation.head = each.at("head").whole();
    if (relation.head < 0) each.at("head").fail("must be 0 or more");
    relation.name = each.at("name").text();
    const JsonField partners = each.at("partners");
    for (const JsonField& token : partners.items()) {
      relation.partners.push_back(token.wholes());
      for (const Index key : relation.partners.back()) {
        if (key < 0 || key >= c.seqLen)
          token.fail(fmt::format("must have places below {}", c.seqLen));
      }
    }
    if (std::ssize(relation.partners) != c.seqLen) {
      partners.fail(fmt::format("must have a list for each of the {} tokens", c.seqLen));
    }
  }
  return relations;
}

}  // namespace

Tensor tensorFrom(const JsonField& field, const char* name, TensorId id, const AttentionConfig& c,
                  TensorsToRead& tensors) {
  if (!has(c, id)) {
    static_cast<void>(field.find(name));  // null, or of an input whose memory is unused
    return {};
  }
  return tensors.read(field.at(name), shapeOf(id, c));
}

Json sourceJson(const InputSource& source, const AddTensor& add) {
  return std::visit(SourceJson{add}, source);
}

InputSource sourceFrom(const JsonField& field, const AttentionConfig& c, TensorsToRead& tensors) {
  const JsonField kind = field.at("kind");
  if (kind.text() == "text") {
    return TextSource{field.at("texts").texts(), field.at("memory_texts").texts()};
  }
  if (kind.text() == "series") {
    SeriesSource source;
    for (const JsonField& item : field.at("items").items()) {
      source.items.push_back(seriesFrom(item, tensors));
    }
    return source;
  }
  if (kind.text() != "tensors") kind.fail("must be text, series or tensors");
  return TensorSource{field.at("name").text(),
                      tensorFrom(field, "x", TensorId::x, c, tensors),
                      tensorFrom(field, "memory", TensorId::memory, c, tensors),
                      field.at("tokens").texts(),
                      field.at("memory_tokens").texts(),
                      patchesFrom(field, c),
                      relationsFrom(field, c)};
}

}  // namespace headscope::formats
