// The commands that use a trained network: one file a command or a group of them.
#pragma once
#include "tools/command.h"

namespace reprise::reproduce {

void add_weights(CLI::App& app, Call& call);
void add_features(CLI::App& app, Call& call);
void add_track(CLI::App& app, Call& call);
void add_sample(CLI::App& app, Call& call);
void add_invert(CLI::App& app, Call& call);
void add_generate(CLI::App& app, Call& call);
void add_translate(CLI::App& app, Call& call);

}  // namespace reprise::reproduce
