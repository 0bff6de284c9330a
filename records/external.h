// Records of external methods. Their options also name the file:
//   - method.kind: "torchscript" or "predictions".
//   - method.file: the file's name, without its folder.
//   - method.sha256: the file's hash. Another file is another method.
#pragma once
#include "records/record.h"

namespace reprise::records {

inline bool is_external(const Record& record) { return record.options->contains("method.kind"); }

}  // namespace reprise::records
