// Puts the report of the study together: notes on data, tables, figures and pictures.
#include "core/text.h"
#include "experiments/dataset_list.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/report_parts.h"

namespace reprise::reproduce::prernn_study {

Report report(const Settings& settings) {
  Report out;
  out.data_notes = {
      {"gestures", generated_data},
      {"walkers", generated_data},
      {heads_in_motion, generated_data},
      {"faces_in_motion",
       settings.text("stills.source") == generated_faces
           ? generated_data
           : "300-W (HELEN, AFW) and YouTube Faces, for research only; numbers alone"},
      {"ytf_bursts", join_licences({"ytf_keypoints"}) + "; numbers alone"},
      {"shapes", join_licences({"shapes"}) + "; numbers alone"}};
  const Captions captions("prernn", settings, {{"ced_limit", number_text(metrics::ced_limit)}});
  report_faces(captions, out);
  report_videos(captions, out);
  for (auto& table : selection_tables(captions)) out.tables.push_back(std::move(table));
  out.notes.push_back(
      captions.text(settings.flag("paper.full_size") ? "note_full_size" : "note_small"));
  for (const auto* note : {"note_error", "note_trunk", "note_choices", "note_modalities",
                           "note_unnamed", "note_seeds"})
    out.notes.push_back(captions.text(note));
  return out;
}

}  // namespace reprise::reproduce::prernn_study
