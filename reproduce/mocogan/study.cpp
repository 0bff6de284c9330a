#include "reproduce/mocogan/study.h"

#include "reproduce/embedded.h"
#include "reproduce/mocogan/cells.h"

namespace reprise::reproduce {

Study mocogan() {
  return {
      .name = "mocogan",
      .title = "MoCoGAN: content and motion of generated clips",
      .document =
          "US 2018/0288431 A1: System and method for content and motion controlled action video generation; Tulyakov, Liu, Yang, Kautz, CVPR 2018",
      .version = mocogan_version,
      .profiles = {{"smoke", embedded::file("mocogan/smoke.toml")},
                   {"gate", embedded::file("mocogan/gate.toml")},
                   {"desk", embedded::file("mocogan/desk.toml")},
                   {"paper", embedded::file("mocogan/paper.toml")}},
      .claims = embedded::file("mocogan/claims.toml"),
      .published = embedded::file("mocogan/published.toml"),
      .findings = embedded::file("mocogan/findings.toml"),
      .sample = embedded::file("mocogan/sample.toml"),
      .plan = mocogan_study::plan,
      .run = mocogan_study::run,
      .report = mocogan_study::report,
      .methods = mocogan_study::listed_methods,
      .other_names = {"clip_judge"}};
}

}  // namespace reprise::reproduce
