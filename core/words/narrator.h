// Narrator: the building blocks of the sentences of all steps: tokens, cells with their values,
// sums of products; and the narration of each step.
#pragma once

#include <string>

#include "core/attention/steps/step.h"
#include "core/document/trace.h"
#include "core/words/moments.h"

namespace headscope {

struct Narrator {
  Narrator(const Trace& trace, const RowRef& subject, const TimelineSegment& moment)
      : trace(trace), c(trace.config()), subject(subject), moment(moment) {}

  const Trace& trace;
  const AttentionConfig& c;
  const RowRef& subject;
  const TimelineSegment& moment;

  /// “sat”
  std::string query(Index row) const;
  std::string query() const { return query(subject.query); }
  std::string key(Index col) const;
  /// The query of a row moment; for a sweep, its last query.
  Index rowShown() const;
  bool alone() const { return !isSweep(moment.beat); }

  CellRef cell(TensorId tensor, Index row, Index col) const;
  CellRef cell(TensorId tensor, Index col) const { return cell(tensor, subject.query, col); }
  double value(const CellRef& at) const { return trace.value(at); }
  /// `scores["sat", "cat"] = 3.577`
  std::string named(const CellRef& at) const;
  /// `heads["sat", 0] = 0.12, −0.4, 0.93 …": the first few of a row.
  std::string rowStart(TensorId tensor, Index row) const;
  /// Likewise for a head's columns of the row, from `first` on.
  std::string headStart(TensorId tensor, Index row, Index first) const;
  /// Euclidean length of a row's part, of `cols` cells from `first` on.
  double length(const CellRef& first, Index cols) const;
  /// "= 0.26·0.34 + 0.22·(−0.33) + 62 more terms = −0.121", and whether it was pinned instead.
  std::string sum(const Explanation& e) const;
  /// "columns 64 to 127": as many as a head has.
  std::string columns(Index first) const;
  /// "… and 12 more keys", or "The other 12 keys" where none came before.
  std::string rest(const char* one, const char* many) const;

 private:
  std::string numbers(TensorId tensor, Index row, Index first, Index count) const;
};

std::string narrateProject(const Narrator& n);
std::string narrateSplit(const Narrator& n);
std::string narrateNormalize(const Narrator& n);
std::string narrateRotate(const Narrator& n);
std::string narrateScore(const Narrator& n);
std::string narrateScale(const Narrator& n);
std::string narrateMask(const Narrator& n);
std::string narrateSoftmax(const Narrator& n);
std::string narrateWeigh(const Narrator& n);
std::string narrateGate(const Narrator& n);
std::string narrateConcat(const Narrator& n);
std::string narrateOutput(const Narrator& n);

}  // namespace headscope
