// Sums the resources that a process and its descendants have used so far, from /proc. Linux only.

import { readdirSync, readFileSync } from "node:fs"

// USER_HZ: the unit of /proc/PID/stat. 100 on every Linux that Node supports.
const TICKS = 100

export interface Used {
  /** User and system time, ms. What ended children used counts once their parent has waited for them. */
  readonly cpu: number
  /** Bytes passed to write calls: files and sockets. */
  readonly written: number
}

export function usedBy(root: number): Used {
  let [cpu, written] = [0, 0]
  for (const pid of treeOf(root)) {
    const fields = statOf(pid)
    // utime, stime, cutime, cstime
    for (const at of [11, 12, 13, 14]) cpu += Number(fields[at] ?? 0)
    written += Number(/^wchar: (\d+)/m.exec(text(`/proc/${pid}/io`))?.[1] ?? 0)
  }
  return { cpu: (cpu * 1000) / TICKS, written }
}

/** The process and its descendants. */
export function treeOf(root: number): readonly number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync("/proc")) if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1] ?? 0))
  const tree = [root]
  for (const parent of tree) for (const [pid, of] of parents) if (of === parent) tree.push(pid)
  return tree
}

/** The fields after the name, which may contain anything: state, ppid, … */
function statOf(pid: number): readonly string[] {
  const stat = text(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It has just ended.
    return ""
  }
}
