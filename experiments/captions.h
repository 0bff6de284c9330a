// Texts of a study's page: STUDY/captions.toml, part of the binary. A line is a text; a section
// describes a table, figure or gallery:
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
// A name in braces is replaced by a value of the caller ({what}), another text of the file
// ({size}), or a setting ({clips.size}). A text used by others uses no further texts.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "reports/describe.h"
#include "reports/toml_file.h"

namespace reprise::reproduce {

/// Values by their names in braces.
using CaptionValues = std::map<std::string, std::string>;

/// A table without rows, and the columns of its rows.
struct TableCaption {
  reports::Table table;
  std::vector<reports::Column> columns;
};

class Captions {
 public:
  /// `known`: values for all texts. The settings must outlive it.
  Captions(const std::string& study, const Settings& settings, CaptionValues known = {});

  const Settings& settings() const { return settings_; }
  /// Returns the filled text `key`. UsageError: an unknown text; an unknown name in braces; a value
  /// that the text does not use.
  std::string text(const std::string& key, const CaptionValues& values = {}) const;

  /// Return the description of section `key`. UsageError: an unknown section, key or name in
  /// braces. All sections have id, title and caption. Further keys:
  ///   - table: corner, digits, columns. A column is a list of title, metric, and optionally digits
  ///     (a number) and the table of its records (a text).
  ///   - figure: x_label, y_label, mark, first_seed, diagonal, x_min, x_max, y_min, y_max, x_first,
  ///     x_names. A mark is "line", "points", "bars" or "matrix".
  ///   - gallery: wide.
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

/// Returns Captions(study, settings).text(key, values).
std::string caption(const std::string& study, const std::string& key, const Settings& settings,
                    const CaptionValues& values = {});

}  // namespace reprise::reproduce
