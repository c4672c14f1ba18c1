// Reads process information from the operating system, enough to tell our own process from another with a reused pid: from /proc on Linux
// (slim images have no `ps`), from `ps` elsewhere. Without either, no process is known to be ours, and only our own are ever ended.

import { execFileSync } from "node:child_process"
import { readFileSync, readdirSync, readlinkSync } from "node:fs"
import path from "node:path"

/** Identifies a process: a pid may be reused, but not with the same start time. */
export interface Process {
  readonly pid: number
  readonly started: string
}

const isLinux = process.platform === "linux"

/** The current process with this pid, or undefined. */
export function findProcess(pid: number): Process | undefined {
  const started = isLinux ? startedFromProc(pid) : ps(pid, "lstart")
  return started === undefined || started === "" ? undefined : { pid, started }
}

export function isRunning(it: Process): boolean {
  return findProcess(it.pid)?.started === it.started
}

/** Tells whether it is a workerd with `NAME=value` in its environment, as far as this system shows that. */
export function isWorkerdWith(pid: number, name: string, value: string): boolean {
  if (!isLinux) return /workerd(\.exe)? serve/.test(ps(pid, "command") ?? "")
  try {
    const isWorkerd = path.basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("workerd")
    return isWorkerd && readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${name}=${value}`)
  } catch {
    return false // it has ended, or belongs to another user
  }
}

/** Possible orphans: all processes on Linux, where the environment is readable; elsewhere only `known`, if its start time matches. */
export function candidates(known: Process | undefined): readonly Process[] {
  if (!isLinux) return known !== undefined && isRunning(known) ? [known] : []
  return pids()
    .map(findProcess)
    .filter((it) => it !== undefined)
}

/** The running child processes of this process. */
export function children(): readonly Process[] {
  const own = String(process.pid)
  const all = isLinux ? pids().filter((pid) => statFields(pid)?.[1] === own) : psChildren(own)
  return all.map(findProcess).filter((it) => it !== undefined)
}

/** Kills the process and waits until it is gone, so its port and files are free. A slow disk can delay this for seconds. */
export async function endProcess(it: Process): Promise<void> {
  for (let tries = 0; isRunning(it); tries++) {
    if (tries === 2_000) throw new Error(`process ${it.pid} does not end: kill it (kill -9 ${it.pid}) and start again`)
    try {
      if (tries % 100 === 0) process.kill(it.pid, "SIGKILL")
    } catch {
      return
    }
    await new Promise((wake) => setTimeout(wake, 10))
  }
}

/** Halts all its threads, soon; false: it is gone, or this system has no such signal. */
export function stopNow(it: Process): boolean {
  return signaled(it, "SIGSTOP")
}

/** It goes on, if it was halted. */
export function proceed(it: Process): boolean {
  return signaled(it, "SIGCONT")
}

/** Whether each of its threads has halted: the signal reaches them one by one, and one that writes ends its write first. */
export function isStopped(it: Process): boolean {
  if (!isRunning(it)) return false
  if (!isLinux) return ps(it.pid, "state")?.startsWith("T") === true
  try {
    return readdirSync(`/proc/${it.pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${it.pid}/task/${thread}/stat`, "utf8")
      return /^[TtZX]$/.test(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[0] ?? "")
    })
  } catch {
    return false // a thread has just ended
  }
}

function signaled(it: Process, signal: NodeJS.Signals): boolean {
  if (process.platform === "win32") return false
  try {
    return isRunning(it) && process.kill(it.pid, signal)
  } catch {
    return false
  }
}

/** Asks it to end when its work is done; false: it is gone. */
export function endSoftly(it: Process): boolean {
  return signaled(it, "SIGTERM")
}

function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** /proc/PID/stat from its third field on: state, parent, … The name before it may contain spaces and parentheses. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

function startedFromProc(pid: number): string | undefined {
  const fields = statFields(pid)
  if (fields === undefined) return undefined
  // A zombie is gone only once its last thread is: until then the other threads hold its files and port.
  const isGone = (fields[0] === "Z" || fields[0] === "X") && threads(pid) <= 1
  return isGone ? undefined : `${bootId()}/${fields[19]}` // ticks from boot to its start
}

function threads(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length
  } catch {
    return 0
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return "boot"
  }
}

function ps(pid: number, column: string): string | undefined {
  return psRun(["-o", `${column}=`, "-p", String(pid)])
}

function psChildren(parent: string): readonly number[] {
  const rows = (psRun(["-A", "-o", "pid=,ppid="]) ?? "").split("\n").map((row) => row.trim().split(/\s+/))
  return rows.filter((row) => row[1] === parent).map((row) => Number(row[0]))
}

function psRun(args: readonly string[]): string | undefined {
  try {
    return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}
