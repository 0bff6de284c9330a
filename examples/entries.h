// What the registries hold of the examples. In the program each of these is one entry of the list
// that its comment names.
#pragma once
#include "experiments/dataset_list.h"
#include "experiments/metric_list.h"

namespace reprise::reproduce {

/// An entry of metric_list() (experiments/metric_list.cpp): `./reprise metric` and the setting
/// `metrics` know it then.
NamedMetric balanced_accuracy_entry();

/// An entry of dataset_list() (experiments/dataset_list.cpp): `./reprise data` and settings such as
/// `actions.datasets` know it then.
NamedDataset gratings_entry();

}  // namespace reprise::reproduce
