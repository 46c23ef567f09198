// Many results as a static site: a first page with machines as columns and forms as rows, and the
// report of each machine. It opens from a file, and from any web server.
//
//   Site site;
//   for (Document& document : documents) Write(*site.Add(std::move(document)));
//   for (const SiteFile& file : site.Finish()) Write(file);
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "report/site_loops.h"
#include "report/vendor_table.h"

namespace cyclescope {

struct SiteFile {
  std::string path;  // within the site's folder, as "machines/1.html"
  std::string text;
};

class Site {
 public:
  // `vendors`: what is published of a machine, by the name of its file.
  explicit Site(std::map<std::string, VendorTable> vendors = {}) : vendors_(std::move(vendors)) {}

  // The machine's own report. Of the document only what the first page needs is kept: of twenty
  // sweeps no memory would hold the rest.
  Result<SiteFile> Add(const Document& document);

  // Loops and snippets of all machines; what their models say of them is added to these.
  SiteLoops& loops() { return loops_; }

  // The first page, index.html, which is small; a script with all forms, one with each machine's
  // column, one with what else is known of its forms, which is loaded when a form is looked at, one
  // with how its core is built, and one with all loops. Scripts, since a page that was opened from
  // a file may not fetch anything else.
  std::vector<SiteFile> Finish() const;

 private:
  struct Figures {
    std::string form;
    std::string isa;
    std::optional<double> latency;
    std::optional<double> throughput;
    int marks = 0;  // as web/src/site/main.ts reads them
    // For the page of a form: every pair, ports, and LLVM's figures.
    std::string pairs;
    std::string ports;
    std::optional<double> model_latency;
    std::optional<double> model_throughput;
    VendorFigures vendor;
    std::string also;  // what people call it
  };
  struct Machine {
    std::string name;
    std::string file;  // without folder and ending
    std::string started;
    std::string json;  // what else the first page says of it
    std::string core;  // of its document what a diagram of the core is drawn from; empty: nothing
    std::vector<Figures> figures;
  };

  static Figures FiguresOf(const InstructionRow& row, const VendorTable* vendor);
  const VendorTable* VendorOf(const Machine& machine) const;
  // Places of a machine's figures by form; none where it has no such form.
  using Column = std::vector<const Figures*>;
  static SiteFile ColumnFile(std::size_t machine, const Column& column);
  static SiteFile DetailsFile(std::size_t machine, const Column& column);
  std::string MachineJson(const Document& document, const VendorTable* vendor, bool has_core) const;
  // The name with what tells it from others of its name: the file, or when it was measured.
  std::string NameOf(const Machine& machine) const;

  std::map<std::string, VendorTable> vendors_;
  std::vector<Machine> machines_;
  SiteLoops loops_;
};

}  // namespace cyclescope
