// Information that all registries of methods have in common.
//
// A contract is the interface through which a study uses any method of a kind. The header of a
// contract is its documentation; a suite of tests checks every registered method:
//
//   - sequence network: training/sequence_network.h (clip -> one output per frame).
//   - tracker: training/tracker.h (measurement -> state, as a stream).
//   - generator: training/generator.h (seed -> pictures or clips).
//   - translator: training/translator.h (picture -> counterpart in the other domain).
//   - adapter: training/adaptation.h (labelled source -> classes of the target).
//   - inverter: training/inverter.h (image -> latent at a noise level).
//
// The traits of a method are typed fields of its registry entry. Its id is only a name.
#pragma once
#include <string>
#include <string_view>

namespace reprise::training {

enum class Contract { Sequence, Tracker, Generator, Translator, Adapter, Inverter };
/// Name of a contract in records: "sequence", "tracker", ...
std::string_view name_of(Contract contract);

enum class Role {
  Document,  ///< proposed by the study's document
  Baseline,  ///< method that the document or the field compares with
  Ablation,  ///< method of the document with one change
  Control,   ///< trivial baseline, or a method without the effect; others should beat it
  Bound,     ///< oracle with extra knowledge, an upper bound
  User       ///< user method; takes no part in claims, shown under "Your methods"
};
/// "document", "baseline", "ablation", "control", "bound", "user method".
std::string_view name_of(Role role);

struct MethodInfo {
  std::string id;     ///< name in records, tables and --only: "pre_lstm_fc6"
  std::string title;  ///< name on pages: "PreLSTM fc6"
  Role role = Role::Document;
  std::string source;  ///< "eq 4; section 3.1", or "Kalman 1960"
  std::string cost;    ///< cost of one use: "4 products per frame"
};

}  // namespace reprise::training
