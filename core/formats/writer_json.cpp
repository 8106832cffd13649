#include "core/formats/writer_json.h"

#include <string_view>

#include "core/formats/model_tensors.h"

namespace headscope::formats {
namespace {

using model::WriterKind;

std::string_view keyOf(WriterKind kind) {
  switch (kind) {
    case WriterKind::token:
      return "token";
    case WriterKind::position:
      return "position";
    case WriterKind::head:
      return "head";
    case WriterKind::attentionBias:
      return "attention_bias";
    case WriterKind::feedForward:
      return "feed_forward";
    case WriterKind::normBias:
      return "norm_bias";
    case WriterKind::readoutBias:
      return "readout_bias";
    case WriterKind::steering:
      return "steering";
    case WriterKind::biases:
      return "biases";
    case WriterKind::relativePosition:
      return "relative_position";
  }
  return "";
}

}  // namespace

Json writerJson(const model::Writer& writer, const model::ModelConfig& config) {
  Json json = Json::emptyObject();
  json["part"] = keyOf(writer.kind);
  if (writer.stack == model::Stack::encoder) json["stack"] = "encoder";
  if (writer.layer >= 0) addLayer(json, writer.layer, config, writer.stack);
  if (writer.head >= 0) json["head"] = writer.head;
  return json;
}

}  // namespace headscope::formats
