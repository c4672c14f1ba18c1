// Counts what a run costs on disk: fsyncs (strace, where it is installed) and bytes at rest, for every contender; calls between objects,
// statements, rows and hashes for Sluice. Counts do not depend on the machine's load.

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { pause } from "../server.ts"
import type { Contender, Running, Work } from "./contender.ts"
import { treeOf } from "./process-tree.ts"
import type { Count } from "./recorded.ts"
import { type Checkout } from "./sluice.ts"
import { insideCounts } from "./inside-counts.ts"

const RUNS: Readonly<Record<Work, number>> = { w1: 20, w2: 3, w3: 5, w4: 5, w5: 20 }
/** What is written after the answer: the last notes of a run, a checkpoint. */
const SETTLE_MS = 2_000
/** A program of the machine, not of a package. */
const STRACE = "strace"

export async function counts(
  contenders: readonly Contender[],
  checkouts: readonly Checkout[],
  { model, tell }: { model: string; tell: (line: string) => void },
): Promise<readonly Count[]> {
  const all: Count[] = []
  for (const contender of contenders) {
    const data = mkdtempSync(path.join(os.tmpdir(), "sluice-peers-"))
    try {
      const running = await contender.start(data, model)
      try {
        for (const work of contender.works) all.push(await outside(contender, running, work, data))
      } finally {
        await running.stop()
      }
      const w1 = all.find((count) => count.contender === contender.name && count.work === "w1")
      if (w1) w1.per_run["bytes at rest"] = ((await atRest(contender, model, RUNS.w1)) - (await atRest(contender, model, 0))) / RUNS.w1
    } catch (error) {
      tell(`counts of ${contender.name} are left out: ${String(error).slice(0, 500)}`)
    } finally {
      rmSync(data, { recursive: true, force: true, maxRetries: 5 })
    }
    tell(`counted: ${contender.name}`)
  }
  for (const checkout of checkouts) {
    if (!contenders.some(({ name }) => name === checkout.name)) continue
    for (const { work, per_run } of await insideCounts(checkout, model)) {
      const seen = all.find((count) => count.contender === checkout.name && count.work === work)
      if (seen) Object.assign(seen.per_run, per_run)
    }
  }
  return all
}

async function outside({ name }: Contender, running: Running, work: Work, data: string): Promise<Count> {
  for (let n = 0; n < 2; n++) await running.run(work)
  await pause(SETTLE_MS)
  const trace = await traced(running.pid, data)
  for (let n = 0; n < RUNS[work]; n++) await running.run(work)
  await pause(SETTLE_MS)
  const fsyncs = await trace?.()
  return { contender: name, work, per_run: fsyncs === undefined ? {} : { fsyncs: fsyncs / RUNS[work] } }
}

/** What a data folder of its own holds once the contender has stopped after so many runs of w1, and the two that it begins with. */
async function atRest(contender: Contender, model: string, runs: number): Promise<number> {
  const data = mkdtempSync(path.join(os.tmpdir(), "sluice-peers-"))
  try {
    const running = await contender.start(data, model)
    try {
      for (let n = 0; n < runs + 2; n++) await running.run("w1")
      await pause(SETTLE_MS)
    } finally {
      await running.stop()
    }
    return bytesIn(data)
  } finally {
    rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Counts the calls that wait for the disk, in all threads of the tree, until the function that it returns is called. */
async function traced(pid: number, data: string): Promise<(() => Promise<number>) | undefined> {
  if (!hasStrace()) return undefined
  const file = `${data}.strace`
  const processes = treeOf(pid).flatMap((one) => ["-p", String(one)])
  const child = spawn(STRACE, ["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range,msync", "-o", file, ...processes], {
    stdio: "ignore",
  })
  await attached(child, pid)
  return async () => {
    const ended = once(child, "exit")
    child.kill("SIGINT")
    await ended
    const calls = readFileSync(file, "utf8").match(/\b(?:fsync|fdatasync|sync_file_range|msync)\(/g) ?? []
    rmSync(file)
    return calls.length
  }
}

async function attached(child: ChildProcess, pid: number): Promise<void> {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
    if (/^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) break
    await pause(50)
  }
  // The other threads and processes follow within the same call.
  await pause(500)
}

function hasStrace(): boolean {
  try {
    execFileSync(STRACE, ["-V"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Bytes of the blocks that the folder's files take. */
function bytesIn(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    try {
      bytes += statSync(path.join(entry.parentPath, entry.name)).blocks * 512
    } catch {
      // Removed in between.
    }
  }
  return bytes
}
