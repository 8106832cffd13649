#include "core/formats/designed_heads_file.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace headscope::formats {
namespace {

using Json = nlohmann::ordered_json;

Mix readMix(const Json& field) {
  Mix mix;
  for (const auto& [name, factor] : field.items()) mix.emplace_back(name, factor.get<double>());
  return mix;
}

Looks readLooks(const std::string& name) {
  if (name.empty()) return Looks::anywhere;
  if (name == "left") return Looks::left;
  if (name == "right") return Looks::right;
  if (name == "both") return Looks::both;
  throw std::runtime_error("designed_heads.json: a head looks left, right or both, not " + name);
}

/// "verb or adjective": both.
std::vector<std::string> readClasses(const std::string& text) {
  static const std::string kOr = " or ";
  std::vector<std::string> classes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(kOr, begin), text.size());
    classes.push_back(text.substr(begin, end - begin));
    begin = end + kOr.size();
  }
  return classes;
}

HeadDescription readHead(const Json& entry) {
  HeadDescription head;
  entry.at("title").get_to(head.title);
  entry.at("about").get_to(head.about);
  if (entry.contains("peaks")) {
    Peaks peaks{{}, entry.at("peaks").at("lead").get<double>()};
    for (const auto& [distance, height] : entry.at("peaks").at("at").items()) {
      peaks.at.emplace_back(std::stoi(distance), height.get<double>());
    }
    head.peaks = std::move(peaks);
  }
  for (const Json& piece : entry.value("shape", Json::array())) {
    head.shape.push_back({piece.at(0), piece.at(1), piece.at(2), piece.at(3)});
  }
  head.pairs = entry.value("pairs", 0L);
  head.away = entry.value("away", 0.0);
  for (const Json& meeting : entry.value("meet", Json::array())) {
    head.meet.push_back({readMix(meeting.at("query")), readMix(meeting.at("key"))});
  }
  if (entry.contains("each")) {
    entry.at("each").at("coordinates").get_to(head.each);
    entry.at("each").at("gain").get_to(head.eachGain);
  }
  if (entry.contains("identity")) {
    const Json& identity = entry.at("identity");
    head.identity = IdentityMeeting{identity.at("gain"), identity.at("least")};
  }
  head.looks = readLooks(entry.value("looks", std::string()));
  head.across = entry.value("across", false);
  for (const Json& rule : entry.value("partner", Json::array())) {
    head.partner.push_back({readClasses(rule.value("of", std::string())),
                            readClasses(rule.value("is", std::string())),
                            rule.at("where").get<std::string>()});
  }
  return head;
}

std::vector<HeadDescription> readHeads(const Json& list) {
  std::vector<HeadDescription> heads;
  for (const Json& entry : list) heads.push_back(readHead(entry));
  return heads;
}

}  // namespace

HeadDescriptions parseDesignedHeads(std::string_view text) {
  const Json file = Json::parse(text);
  return {readHeads(file.at("text")), readHeads(file.at("series"))};
}

}  // namespace headscope::formats
