// Ports in the formats of others: spreadsheets, LLVM's tables, OSACA's machine files, PMEvo's
// mappings. All are functions of a result document that has ports.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// A form whose ports are known.
struct PortForm {
  std::string text;
  std::string opcode;  // LLVM's name; empty for a form of the map that has no row
  std::vector<PortUse> uops;
  double slots = 1;
  std::optional<double> own_cycles;  // as in PortFinding
  std::optional<double> latency;     // the longest; unset where it is not known, or only a bound
  std::optional<double> throughput;
};

// Every form of the document whose ports are known, once: rows first, then forms of the map that
// have no row. Fails where there are none.
Result<std::vector<PortForm>> PortForms(const Document& document);

// Columns: text, opcode, ports (as "1*p0156+1*p23"; "?" behind what is ambiguous), slots, uops,
// own_cycles, binds, model_ports (LLVM's), differs, reason.
Result<std::string> PortsCsv(const Document& document);

// LLVM's tables: ProcResource, ProcResGroup, SchedWriteRes and InstRW by opcode. What was not
// measured (buffers, latencies of forms without a row) is not there.
Result<std::string> PortsTableGen(const Document& document);

// What OSACA wants to know of an instruction.
struct OsacaForm {
  std::string name;
  std::vector<std::string> operands;  // YAML, each a line: "class: register, name: gpr"
};
// Unset for texts that cannot be read back.
using DescribeForOsaca = std::function<std::optional<OsacaForm>(const std::string& text)>;

// A machine file of OSACA (https://github.com/RRZE-HPC/OSACA) with the ports and the forms.
Result<std::string> PortsOsaca(const Document& document, const DescribeForOsaca& describe);

// A mapping as PMEvo has it (Ritter and Hack, PLDI 2020): the ports of each µop of each form. It
// has no place for slots and dividers.
Result<std::string> PortsPmevo(const Document& document);

// A resource that is no port, which forms with a limit of their own keep busy: named after the
// narrowest of their ports. That forms with the same ports share it is an assumption: it is so for
// dividers, and was not measured. Empty for a form without a limit.
std::string LimitName(const PortForm& form);

// "0" for "p0", as tables of ports have it; other names are as they are.
std::string BarePortName(const std::string& port);

// A whole scheduling model for LLVM, of what was measured of a core: `SchedMachineModel` with its
// width, buffer and penalties, resources, and a line for each form that says where its numbers come
// from. `name` begins the names of all that the model defines. Fails where the result has no ports.
Result<std::string> LlvmModel(const Document& document, const std::string& name);

// "graviton3" for "models/graviton3.td".
std::string LlvmModelName(const std::string& path);

}  // namespace cyclescope
