// What the page of a study says: STUDY/captions.toml, part of the binary. A line is a text; a
// section describes a table, figure or gallery:
//
//   size = "{clips.size} x {clips.size} pixels"
//   clips = "The first eight clips of each generator ({size}), {what}."
//
//   [tracking]
//   id = "tracking_{kind}"              # without it the name of the section
//   title = "Error of each angle, {kind}"
//   caption = "Mean absolute error of each angle, in degrees."
//   columns = [["pitch", "error_pitch_{kind}"], ["lag", "lag_{kind}", 1]]
//
// A name in braces is replaced: a value that the caller gives ({what}), another text of the file
// ({size}), or a setting ({clips.size}). A text that others name has no such texts in it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "reports/describe.h"
#include "reports/toml_file.h"

namespace reprise::reproduce {

/// By their names in braces.
using CaptionValues = std::map<std::string, std::string>;

/// A table without rows, and the columns that rows with metrics have.
struct TableCaption {
  reports::Table table;
  std::vector<reports::Column> columns;
};

class Captions {
 public:
  /// `known`: values of all texts. The settings must outlive it.
  Captions(const std::string& study, const Settings& settings, CaptionValues known = {});

  const Settings& settings() const { return settings_; }
  /// The text `key`, filled. UsageError: there is no such text; a name in braces that is none of
  /// the above; a value that the text does not name.
  std::string text(const std::string& key, const CaptionValues& values = {}) const;

  /// The description of section `key`. UsageError: there is no such section, or it has a key of
  /// none of these; a name in braces that is none of the above.
  ///     all        id, title, caption
  ///     table      corner, digits, columns: lists of title, metric, digits (a number) and records' table (a text)
  ///     figure     x_label, y_label, mark ("points", "bars", "matrix"), first_seed, diagonal, x_min, x_max, y_min, y_max, x_first, x_names
  ///     gallery    wide
  TableCaption table(const std::string& key, const CaptionValues& values = {}) const;
  reports::Figure figure(const std::string& key, const CaptionValues& values = {}) const;
  reports::Gallery gallery(const std::string& key, const CaptionValues& values = {}) const;

 private:
  class Filler;
  const toml::table& section(const std::string& key,
                             const std::vector<std::string>& own_keys) const;

  reports::TomlFile file_;
  const Settings& settings_;
  CaptionValues known_;
};

/// Captions(study, settings).text(key, values).
std::string caption(const std::string& study, const std::string& key, const Settings& settings,
                    const CaptionValues& values = {});

}  // namespace reprise::reproduce
