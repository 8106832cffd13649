#include "core/formats/designed_heads_file.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "core/formats/asset_json.h"

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
  throw std::runtime_error("a head looks left, right or both, not " + name);
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

int readDistance(const std::string& text) {
  int distance = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), distance);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("\"" + text + "\" is no distance");
  }
  return distance;
}

HeadDescription readHead(const Json& entry) {
  HeadDescription head;
  entry.at("title").get_to(head.title);
  entry.at("about").get_to(head.about);
  if (entry.contains("peaks")) {
    Peaks peaks{{}, entry.at("peaks").at("lead").get<double>()};
    for (const auto& [distance, height] : entry.at("peaks").at("at").items()) {
      peaks.at.emplace_back(readDistance(distance), height.get<double>());
    }
    head.peaks = std::move(peaks);
  }
  for (const Json& piece : entry.value("shape", Json::array())) {
    head.shape.push_back({wholeNumber<int>(piece.at(0)), wholeNumber<int>(piece.at(1)),
                          piece.at(2).get<double>(), piece.at(3).get<double>()});
  }
  if (entry.contains("pairs")) head.pairs = wholeNumber<long>(entry.at("pairs"));
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
    head.identity =
        IdentityMeeting{identity.at("gain").get<double>(), wholeNumber<long>(identity.at("least"))};
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
  return readAsset<Json, std::runtime_error>(text, "designed_heads.json", [](const Json& file) {
    return HeadDescriptions{readHeads(file.at("text")), readHeads(file.at("series"))};
  });
}

}  // namespace headscope::formats
