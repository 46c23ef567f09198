// What a machine and a result are called.
import type {Result} from './data';
import type {Host} from './document';

/** What people call the CPU; the system's words where it is not known. */
export function cpuName(host: Host): string {
  return host.microarchitecture || host.cpu_model || 'Unknown CPU';
}

/** The CPU and the machine it is in, for titles. */
export function machineName({document: measured, source}: Result): string {
  const {host, fleet, hosts} = measured;
  if (fleet && measured.config.command === 'fleet') {
    return `Fleet of ${fleet.nodes.length.toLocaleString('en')} nodes`;
  }
  if (hosts && measured.config.command === 'hosts') return `${hosts.hosts.length} hosts`;
  const cpu = host.microarchitecture || host.cpu_model;
  return [cpu, host.name].filter(Boolean).join(', ') || source || 'unknown machine';
}

/** With the file, or when it was measured, where another result is of a machine of that name. */
export function distinctName(result: Result, all: Result[]): string {
  const name = machineName(result);
  const alike = all.filter((other) => machineName(other) === name);
  if (alike.length < 2) return name;
  const {source, document: measured} = result;
  const isOwn = alike.every((other) => other === result || other.source !== source);
  return `${name} (${source && isOwn ? source : measured.config.started})`;
}

/** A hypervisor that does not give its name (include/cyclescope/result/host.h). */
const kUnnamed = 'unnamed';

export function hypervisorName({hypervisor}: Host): string {
  return hypervisor === kUnnamed ? 'one that does not give its name' : (hypervisor ?? '');
}

/** "virtual machine (kvm)", "bare metal", or nothing where it is not known. */
export function kindOfMachine(host: Host): string {
  if (!host.hypervisor) return '';
  return host.hypervisor === 'none'
    ? 'bare metal'
    : host.hypervisor === kUnnamed
      ? 'virtual machine'
      : `virtual machine (${host.hypervisor})`;
}
