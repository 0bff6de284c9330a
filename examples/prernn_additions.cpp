#include "examples/prernn_additions.h"

#include "examples/embedded.h"
#include "reproduce/prernn/study.h"

namespace reprise::reproduce {

reports::Figure training_loss(const std::string& dataset) {
  reports::Figure figure{
      .id = "loss_" + dataset,
      .title = "Training loss, " + dataset,
      .caption =
          "Mean over the batches of each epoch. A loss that falls where the validation error "
          "does not is overfitting. Mean over seeds.",
      .x_label = "epoch",
      .y_label = "loss"};
  for (const auto& [label, method] :
       {std::pair{"CNN", "cnn"}, {"trad. GRU", "trad_gru_1"}, {"PreGRU fc6", "pre_gru_fc6"}})
    figure.series.push_back({.label = label,
                             .table = "table1",
                             .dataset = dataset,
                             .method = method,
                             .x = "",
                             .y = "train_loss"});
  return figure;
}

Study prernn_with_additions() {
  // Static: a study refers to the text of its claims.
  static const std::string claims = std::string(prernn().claims) + "\n" +
                                    std::string(example_file("claims/traditional_rnns.toml"));
  auto study = prernn();
  study.claims = claims;
  // The added figure follows those of the study, as if its report.cpp had appended it.
  study.report = [report = study.report](const Settings& settings) {
    auto out = report(settings);
    out.figures.push_back(training_loss("faces_in_motion"));
    return out;
  };
  return study;
}

}  // namespace reprise::reproduce
