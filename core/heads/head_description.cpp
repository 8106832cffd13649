#include "core/heads/head_description.h"

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <system_error>

#include "core/base/asset_json.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

Mix readMix(const JsonField& field) {
  Mix mix;
  for (const auto& [name, factor] : field.fields()) mix.emplace_back(name, factor.number());
  return mix;
}

Looks readLooks(const JsonField& field) {
  const std::string& name = field.text();
  if (name.empty()) return Looks::anywhere;
  if (name == "left") return Looks::left;
  if (name == "right") return Looks::right;
  if (name != "both") field.fail(tr("must be left, right or both"));
  return Looks::both;
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

/// A distance that stands as a field's name.
int readDistance(const std::string& text, const JsonField& field) {
  int distance = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), distance);
  if (error != std::errc() || end != text.data() + text.size()) field.fail(tr("is at no distance"));
  return distance;
}

std::optional<Peaks> readPeaks(const JsonField& head, const char* name) {
  const auto given = head.find(name);
  if (!given) return std::nullopt;
  Peaks peaks{{}, given->at("lead").number()};
  for (const auto& [distance, height] : given->at("at").fields()) {
    peaks.at.emplace_back(readDistance(distance, height), height.number());
  }
  return peaks;
}

HeadDescription readHead(const JsonField& entry) {
  HeadDescription head;
  head.title = entry.at("title").text();
  head.about = entry.at("about").text();
  head.peaks = readPeaks(entry, "peaks");
  head.rows = readPeaks(entry, "rows");
  head.columns = readPeaks(entry, "columns");
  for (const JsonField& piece : itemsIn(entry, "shape")) {
    const auto values = piece.items();
    if (values.size() != 4) piece.fail(tr("must be two distances and two numbers"));
    head.shape.push_back({values[0].wholeOf<int>(), values[1].wholeOf<int>(), values[2].number(),
                          values[3].number()});
  }
  if (const auto pairs = entry.find("pairs")) head.pairs = pairs->wholeOf<long>();
  if (const auto away = entry.find("away")) head.away = away->number();
  for (const JsonField& meeting : itemsIn(entry, "meet")) {
    head.meet.push_back({readMix(meeting.at("query")), readMix(meeting.at("key"))});
  }
  if (const auto each = entry.find("each")) {
    head.each = each->at("coordinates").text();
    head.eachGain = each->at("gain").number();
  }
  if (const auto identity = entry.find("identity")) {
    head.identity =
        IdentityMeeting{identity->at("gain").number(), identity->at("least").wholeOf<long>()};
  }
  if (const auto looks = entry.find("looks")) head.looks = readLooks(*looks);
  for (const JsonField& rule : itemsIn(entry, "partner")) {
    head.partner.push_back({readClasses(textIn(rule, "of")), readClasses(textIn(rule, "is")),
                            rule.at("where").text()});
  }
  return head;
}

std::vector<HeadDescription> readHeads(const JsonField& list) {
  std::vector<HeadDescription> heads;
  for (const JsonField& entry : list.items()) heads.push_back(readHead(entry));
  return heads;
}

}  // namespace

HeadDescriptions parseDesignedHeads(std::string_view text) {
  return readAsset<std::runtime_error>(text, "designed_heads.json", [](const JsonField& file) {
    return HeadDescriptions{readHeads(file.at("text")), readHeads(file.at("across")),
                            readHeads(file.at("series")), readHeads(file.at("image"))};
  });
}

}  // namespace headscope
