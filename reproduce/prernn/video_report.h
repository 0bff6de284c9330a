// What the study shows of gestures and actions, and of the selection of layers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "models/methods.h"

namespace reprise::reproduce::prernn_study {

/// A text of captions.toml (experiments/captions.h).
std::string caption(const std::string& key, const Settings& settings = {}, const std::map<std::string, std::string>& values = {});

/// The methods' cells in a table, for rows and series.
reports::Source source(const models::Method& method, const std::string& table, const std::string& dataset);
std::vector<reports::Source> sources(const std::vector<models::Method>& methods, const std::string& table, const std::string& dataset);

/// Tables and figures of every data set of both tasks.
void report_videos(const Settings& settings, Report& report);

/// Figure 2D of the document as tables: what the rule kept, what it gave, and what the best candidate gave; faces, gestures and actions.
std::vector<reports::Table> selection_tables(const Settings& settings);

/// Forget gates as figure 2A, reset and update gates as figures 2B and 2C have them.
/// table, dataset: where the methods are; part: the modality, "" for faces. Ids begin with "figure_2a", "figure_2b", "figure_2c".
reports::Figure forget_gates(const std::string& table, const std::string& dataset, const std::string& part, bool start);
reports::Figure gate_histogram(const std::string& table, const std::string& dataset, const std::string& part, const std::string& layer,
                               bool start);

}  // namespace reprise::reproduce::prernn_study
