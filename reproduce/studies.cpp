#include "reproduce/studies.h"

#include "reproduce/dynamic_face/study.h"
#include "reproduce/langevin/study.h"
#include "reproduce/mocogan/study.h"
#include "reproduce/prernn/study.h"
#include "reproduce/unit/study.h"

namespace reprise::reproduce {

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      prernn(), dynamic_face(), langevin(), mocogan(), unit(),
  };
  return all;
}

}  // namespace reprise::reproduce
