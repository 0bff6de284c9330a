#include "training/method_info.h"

namespace reprise::training {

std::string_view name_of(Contract contract) {
  switch (contract) {
    case Contract::Sequence:
      return "sequence";
    case Contract::Tracker:
      return "tracker";
    case Contract::Generator:
      return "generator";
    case Contract::Translator:
      return "translator";
    case Contract::Adapter:
      return "adapter";
    case Contract::Inverter:
      return "inverter";
  }
  return "";
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::Document:
      return "document";
    case Role::Baseline:
      return "baseline";
    case Role::Ablation:
      return "ablation";
    case Role::Control:
      return "control";
    case Role::Bound:
      return "bound";
    case Role::User:
      return "user method";
  }
  return "";
}

}  // namespace reprise::training
