// The captions of a study's tables, figures and galleries: STUDY/captions.toml, part of the binary. One line is one text:
//
//   size = "{clips.size} x {clips.size} pixels"
//   clips = "The first eight clips of each generator ({size}), {what}."
//
// A name in braces is replaced: a value that the caller gives ({what}), another text of the file ({size}), or a setting ({clips.size}).
// A text that others name has no such texts in it.
#pragma once
#include <map>
#include <string>

#include "experiments/settings.h"

namespace reprise::reproduce {

/// The text `key` of STUDY/captions.toml, filled. UsageError: there is no such text; a name in braces that is none of the above; a value
/// that the text does not name.
std::string caption(const std::string& study, const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values = {});

}  // namespace reprise::reproduce
