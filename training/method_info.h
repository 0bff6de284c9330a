// What every registry of methods says of every method, whatever its contract.
//
// A contract is what a study may ask of a method without knowing which one it is. There are six,
// each with a header that is its documentation and a suite of tests that runs every registered
// method:
//
//     sequence network   training/sequence_network.h   a clip in, one output per frame
//     tracker            training/tracker.h            a measurement in, a state out, as a stream
//     generator          training/generator.h          a seed in, pictures or clips out
//     translator         training/translator.h         a picture of one domain in, its counterpart in the other out
//     adapter            training/adaptation.h         labelled pictures of one domain in, classes of another's pictures out
//     inverter           training/inverter.h           an image in, a latent at a noise level out
//
// What a method is stands in the typed facts of its registry; its id is a name, and nothing is read
// off it.
#pragma once
#include <string>
#include <string_view>

namespace reprise::training {

enum class Contract { Sequence, Tracker, Generator, Translator, Adapter, Inverter };
/// "sequence", "tracker", "generator", "translator", "adapter", "inverter".
std::string_view name_of(Contract contract);

enum class Role {
  Document,  ///< proposed by the study's document
  Baseline,  ///< what the document, or the field, compares with
  Ablation,  ///< a method of the document with one thing changed
  Control,   ///< does nothing, or all but the effect: what any method has to beat
  Bound,     ///< knows more than a method may: the room that is left
  Guest  ///< neither the document's nor compared with it there: it has no part in claims and stands in "Your methods"
};
/// "document", "baseline", "ablation", "control", "bound", "guest".
std::string_view name_of(Role role);

struct MethodInfo {
  std::string id;     ///< what records, tables and --only say: "pre_lstm_fc6"
  std::string title;  ///< what pages say: "PreLSTM fc6"
  Role role = Role::Document;
  std::string source;  ///< where it comes from: "eq 4; section 3.1", or "Kalman 1960"
  std::string cost;    ///< of one use, in words: "4 products per frame"
};

}  // namespace reprise::training
