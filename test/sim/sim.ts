// `npm run sim`: plays seeds of the simulator. Exit code 1 when one has a finding.
//
//   npm run sim -- --seed N              this seed, twice: the same journals to the byte
//   npm run sim -- --runs M              seeds from --seed on (or from the clock) until M runs were played
//   npm run sim -- --seconds S           until S seconds of CPU were used
//   npm run sim -- --events E --resume FILE   until E events were played; FILE keeps the place, so that a later call goes on
//   npm run sim -- --tree                20 seeds that follow from the hash of the committed tree: the same tree, the same answer
//   npm run sim -- --seed N --table      what happened, as a table of who did what when
//   npm run sim -- --list                the seeds of seeds.txt, which found something once; also with --tree
//   npm run sim -- --kernel [--seed N] [--seconds S | --runs M]   the pure kernel instead of the service: flows, crashes and meddling that a seed draws
//   npm run sim -- --planted [--faults NAME,… | --mutants N]   puts faults into the code, and says which seeds find them
//
// A seed with a finding is played again with fewer and fewer faults of the platform, and the shortest schedule that still fails is printed.

import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { takeGlobals } from "./platform/globals.ts"
import { codeOf } from "./platform/machines.ts"
import { planted } from "./planted/planted.ts"
import { play, type Played } from "./play.ts"
import { Progress } from "./progress.ts"
import { shrunk } from "./shrink.ts"
import { tableOf } from "./table.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const SEEDS = fileURLToPath(new URL("seeds.txt", import.meta.url))
/** Seeds of one tree, a minute of CPU. A count, since a time would be another answer on another machine. */
const TREE_SEEDS = 20

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    runs: { type: "string" },
    seconds: { type: "string" },
    events: { type: "string" },
    resume: { type: "string" },
    without: { type: "string" },
    only: { type: "string" },
    table: { type: "boolean" },
    tree: { type: "boolean" },
    list: { type: "boolean" },
    kernel: { type: "boolean" },
    planted: { type: "boolean" },
    faults: { type: "string" },
    mutants: { type: "string" },
    loud: { type: "boolean" },
    "no-shrink": { type: "boolean" },
  },
})

/** A whole number of the command line. */
function numberOf(name: "seed" | "runs" | "seconds" | "events" | "mutants"): number | undefined {
  const said = values[name]
  if (said === undefined) return undefined
  const number = Number(said)
  if (Number.isSafeInteger(number) && number >= 0) return number
  console.error(`sim: --${name} ${said}: say a whole number, as in --${name} 60`)
  process.exit(2)
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
/** When all that was said has left: a pipe may be slower than this process. */
async function end(status: number): Promise<never> {
  await new Promise<void>((resolve) => void process.stdout.write("", () => resolve()))
  process.exit(status)
}
const seed = numberOf("seed")
const most = { runs: numberOf("runs"), seconds: numberOf("seconds"), events: numberOf("events") }
const isOne =
  seed !== undefined && values.planted !== true && most.runs === undefined && most.seconds === undefined && most.events === undefined
const listed = (text: string | undefined): string[] => (text === undefined ? [] : text.split(",").map((it) => it.trim()))
const choice = { without: listed(values.without), only: values.only === undefined ? undefined : listed(values.only) }

if (values.kernel === true) await end((await import("./kernel/kernel.ts")).kernel({ ...most, seed, say }) === 0 ? 0 : 1)
if (values.planted === true) {
  const mutants = numberOf("mutants")
  const all = await planted({
    faults: listed(values.faults),
    ...(mutants === undefined ? {} : { mutants }),
    ...(seed === undefined ? {} : { seed }),
  })
  await end(all ? 0 : 1)
}

// The service writes to its log what goes wrong, which is most of what happens here.
if (values.loud !== true) for (const name of ["log", "error", "warn", "info"] as const) console[name] = () => {}
process.on("unhandledRejection", () => {})

const code = await codeOf()
takeGlobals()

if (isOne && values.table === true) {
  const { rows, played } = await tableOf({ code, seed, ...choice })
  for (const row of rows) say(row)
  await end(report(played))
}
if (isOne) {
  const first = await play({ code, seed, ...choice })
  const again = await play({ code, seed, ...choice })
  if (first.journals !== again.journals || first.events !== again.events) {
    say(`seed ${seed} had ${first.events} events and then ${again.events}: something that a seed does not decide crosses the border`)
    await end(1)
  }
  await shorter(first)
  await end(report(first))
}

let failed = 0
const progress = Progress.of(values.resume, seed ?? Number(process.hrtime.bigint() % 1_000_000_000n))
for (const next of seedsOf(progress)) {
  if (isEnough(progress)) break
  const played = await play({ code, seed: next })
  progress.add(played)
  if (played.findings.length === 0) continue
  failed++
  await shorter(played)
  report(played)
}
const { runs, events, seeds } = progress
const cpu = progress.cpu()
say(`${seeds} seeds, ${runs} runs, ${events} events in ${cpu.toFixed(0)} s of CPU: ${Math.round((runs / cpu) * 60)} runs a minute`)
say(`${seeds - failed} passed, ${failed} failed`)
await end(failed === 0 ? 0 : 1)

/** Those of a list have an end. */
function* seedsOf({ next }: Progress): Generator<number> {
  if (values.list === true)
    for (const line of readFileSync(SEEDS, "utf8").split("\n")) if (/^\d/.test(line)) yield Number.parseInt(line, 10)
  if (values.tree === true) {
    const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" })
    const from = Number.parseInt(createHash("sha256").update(tree).digest("hex").slice(0, 8), 16)
    for (let i = 0; i < TREE_SEEDS; i++) yield from + i
  }
  if (values.list === true || values.tree === true) return
  for (let i = next; ; i++) yield i
}

function isEnough(done: Progress): boolean {
  if (values.list === true || values.tree === true) return false
  if (most.runs === undefined && most.seconds === undefined && most.events === undefined) return done.seeds >= 20
  return (
    (most.runs !== undefined && done.runs >= most.runs) ||
    (most.seconds !== undefined && done.cpu() >= most.seconds) ||
    (most.events !== undefined && done.events >= most.events)
  )
}

function report({ seed: of, runs: count, events: happened, findings, happened: faults }: Played): number {
  say(`seed ${of}: ${count} runs, ${happened} events, ${faults.length} faults, ${findings.length} findings`)
  for (const finding of findings) say(`  ${finding}`)
  if (findings.length > 0) say(`  again: npm run sim -- --seed ${of} --table`)
  return findings.length === 0 ? 0 : 1
}

async function shorter(played: Played): Promise<void> {
  if (played.findings.length === 0 || values["no-shrink"] === true) return
  const few = await shrunk(code, played)
  say(
    `seed ${played.seed}: of ${played.happened.length} faults these are enough (npm run sim -- --seed ${played.seed} --only ${JSON.stringify(few.happened.join(","))} --table):`,
  )
  for (const fault of few.happened) say(`  ${fault}`)
}
