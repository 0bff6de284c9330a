// The result of `reprise generate --prior`: a picture, panorama, painting, 3-D object, video or sound.
#pragma once
#include <memory>

#include "tools/prior_run.h"

namespace reprise::reproduce {

/// Makes the representation of the result in its initial state.
std::unique_ptr<models::Representation> make_representation(const PreparedRun& run,
                                                            const at::Device& device);
/// Fits an MLP to the picture of --from. A canvas already holds it.
void fit_to_picture(models::Representation& phi, const PreparedRun& run);
/// Writes the known pixels of --from back into the canvas.
void restore_known(models::Representation& phi, const PreparedRun& run);
/// Renders the result and writes the file of --out. Error: a value that is not finite.
void write_result(models::Representation& phi, const PreparedRun& run);

}  // namespace reprise::reproduce
