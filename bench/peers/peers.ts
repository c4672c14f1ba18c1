// `npm run bench -- peers`: Sluice, the floor below it (a bare Durable Object) and other systems for durable flows, side by side, on disk and on
// tmpfs. Writes bench/peers/figures.json and bench/report.html, and prints the tables.
//
//   --rounds=4 --runs=200 --singles=5 --keyed=1000    the size
//   --only=bare,restate                  contenders whose name contains one of the words
//   --before=PATH                        a second checkout of Sluice with its dist/worker.js, measured in the same rounds
//   --places=disk,tmpfs  --no-counts     parts
//   --report                             bench/report.html again from the recorded figures

import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import os from "node:os"
import { parseArgs } from "node:util"
import { fileURLToPath } from "node:url"
import { buildWorker } from "../../local/build.ts"
import { type Contender, WORKS } from "./contender.ts"
import { goFirst } from "../priority.ts"
import { counts } from "./counts.ts"
import { packaged } from "./packaged.ts"
import { start } from "./processes.ts"
import { type Count, Recorded, type Sample } from "./recorded.ts"
import { page, tables } from "./report.ts"
import { rounds } from "./rounds.ts"
import { type Checkout, sluice } from "./sluice.ts"

const HERE = fileURLToPath(new URL("../..", import.meta.url))
const FIGURES = fileURLToPath(new URL("figures.json", import.meta.url))
const REPORT = fileURLToPath(new URL("../report.html", import.meta.url))
/** Where tmpfs is on Linux. */
const MEMORY = "/dev/shm"

const PEERS: readonly Contender[] = [
  packaged({ folder: "bare", name: "bare object", note: "the floor: a row and an fsync per step, and nothing else" }),
  packaged({
    folder: "restate",
    name: "Restate",
    package: "@restatedev/restate-server",
    note: "one node with default settings; steps wait for its log, and concurrent writes share an fsync; w5 is a virtual object per key",
    works: WORKS,
  }),
  packaged({
    folder: "dbos",
    name: "DBOS",
    package: "@dbos-inc/dbos-sdk",
    note: "PostgreSQL 18; each commit waits for its fsync; w5 is a queue with a partition per key, asked as often as it ships",
    works: WORKS,
  }),
  packaged({
    folder: "langgraph",
    name: "LangGraph",
    package: "@langchain/langgraph",
    note: "SQLite, synchronous = FULL: each checkpoint waits for its fsync",
    settings: { sync: "FULL" },
    native: true,
  }),
  packaged({
    folder: "langgraph",
    name: "LangGraph NORMAL",
    note: "SQLite, synchronous = NORMAL: no fsync per checkpoint",
    settings: { sync: "NORMAL" },
    native: true,
  }),
  packaged({ folder: "mastra", name: "Mastra", package: "@mastra/core", note: "libSQL, synchronous = NORMAL: no fsync per step" }),
]

export async function peers(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "4" },
      runs: { type: "string", default: "200" },
      singles: { type: "string", default: "5" },
      keyed: { type: "string", default: "1000" },
      only: { type: "string", default: "" },
      before: { type: "string" },
      places: { type: "string", default: "disk,tmpfs" },
      "no-counts": { type: "boolean", default: false },
      report: { type: "boolean", default: false },
    },
  })
  if (values.report) return writeFileSync(REPORT, page(Recorded.parse(JSON.parse(readFileSync(FIGURES, "utf8")))))
  goFirst()
  await buildWorker()
  const load = {
    runs: Number(values.runs),
    concurrency: 16,
    rounds: Number(values.rounds),
    singles: Number(values.singles),
    keyed: Number(values.keyed),
  }
  const checkouts: Checkout[] = [{ name: "Sluice", root: HERE }]
  if (values.before !== undefined) checkouts.push({ name: `Sluice ${commitOf(values.before)}`, root: values.before })
  const words = values.only.split(",")
  const contenders = [...checkouts.flatMap((checkout) => [sluice(checkout), sluice(checkout, "code")]), ...PEERS].filter(({ name }) =>
    words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  )
  const leftOut: string[] = []
  const tell = (line: string): void => {
    process.stderr.write(`${line}\n`)
    if (line.includes("is left out")) leftOut.push(line.split("\n", 1)[0] ?? line)
  }
  const model = await start("model.mjs")
  try {
    const samples: Sample[] = []
    for (const place of values.places.split(",")) {
      if (place === "tmpfs" && !existsSync(MEMORY)) continue
      samples.push(...(await rounds(contenders, { where: place === "tmpfs" ? MEMORY : os.tmpdir(), model: model.url, load, tell })))
    }
    const record = (counted: readonly Count[]): Recorded => ({
      date: new Date().toISOString().slice(0, 16),
      machine: `${os.cpus().length} × ${os.cpus()[0]?.model ?? "?"}, load ${os.loadavg()[1]?.toFixed(1) ?? "?"}`,
      node: process.version,
      commit: commitOf(HERE),
      load,
      contenders: contenders.map(({ name, note }) => ({ name, note })),
      left_out: leftOut,
      samples,
      counts: [...counted],
    })
    // The times are kept before anything is counted, so that an interrupted command loses no rounds.
    kept(record([]))
    if (!values["no-counts"]) kept(record(await counts(contenders, checkouts, { model: model.url, tell })))
    console.log(tables(Recorded.parse(JSON.parse(readFileSync(FIGURES, "utf8")))))
  } finally {
    await model.stop()
  }
}

function kept(recorded: Recorded): void {
  writeFileSync(FIGURES, `${JSON.stringify(recorded)}\n`)
  writeFileSync(REPORT, page(recorded))
}

const commitOf = (root: string): string => execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: root, encoding: "utf8" }).trim()
