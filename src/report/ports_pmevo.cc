#include <nlohmann/json.hpp>

#include "base/try.h"
#include "report/port_exports.h"

namespace cyclescope {

Result<std::string> PortsPmevo(const Document& document) {
  const auto forms = TRY(PortForms(document));
  const auto names = [](const std::vector<std::string>& ports) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& port : ports) list.push_back(BarePortName(port));
    return list;
  };
  nlohmann::json instructions = nlohmann::json::array();
  nlohmann::json assignment = nlohmann::json::object();
  for (const PortForm& form : forms) {
    instructions.push_back(form.text);
    nlohmann::json uops = nlohmann::json::array();
    for (const PortUse& use : form.uops) {
      for (int i = 0; i < use.uops; ++i) uops.push_back(names(use.ports));
    }
    assignment[form.text] = std::move(uops);
  }
  const nlohmann::json mapping = {{"kind", "Mapping3"},
                                  {"arch",
                                   {{"kind", "Architecture"},
                                    {"name", document.host.cpu_model},
                                    {"insns", std::move(instructions)},
                                    {"ports", names(document.port_map->ports)}}},
                                  {"assignment", std::move(assignment)}};
  return mapping.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace cyclescope
