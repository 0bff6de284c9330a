// The cells of study prernn: which there are, and what each does.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "models/methods.h"
#include "reproduce/study.h"

namespace reprise::reproduce::prernn_study {

inline constexpr auto motion = "faces_in_motion";
inline constexpr auto bursts = "ytf_bursts";

/// Baselines first, then the document's own, in table order: 22 methods.
std::vector<models::Method> all_methods();

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data);
void run(CellContext& context);

/// The cells' own work, by table.
void run_cnn(CellContext& context);       ///< table cnn: trains the CNN on stills; keeps its weights
void run_features(CellContext& context);  ///< table features: makes a set of clips and passes it through the frozen trunk, once
void run_sequence(CellContext& context);  ///< tables search, table1, nomemory: trains and measures one method

/// What a search cell is called: "pre_gru_fc6+lr=0.002".
std::string trial_name(const std::string& method, double learning_rate);

/// A full-size run of the paper needs what this machine may lack: every missing thing is listed.
std::vector<std::string> missing_for_paper(const std::filesystem::path& data);

}  // namespace reprise::reproduce::prernn_study
