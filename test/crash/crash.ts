// `npm run crash`: the real server is killed with SIGKILL at many moments of many runs and started again on the same data.
// Every run that was answered 202 must end the way it ends without kills, and no accepted turn may be asked twice.
//
// Two servers side by side: at one, the client watches, which wakes a run at once; at the other, it leaves the runs alone, so that
// only their alarm brings them back. A third runs the service's rounds (service.ts): approvals, budgets, webhooks, callbacks, sessions,
// keys, pauses, schedules, runs that nobody looks at; SEED=N repeats its delays. At rest, the books of the world outside are compared with the
// service's (books.ts). Ends with `crash: N passed, M failed`, and a matching exit code. `-- --planted no-alarm` plants that fault, which must be
// found (planted.ts).

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { checkAsked, checkTotal, toldBy } from "./books.ts"
import { Client } from "./client.ts"
import { checkCase, readEvent, resultOf, type Check } from "./evidence.ts"
import { AGENTS, ASKING, FLOWS, PROVIDER } from "./flow.ts"
import { startModelServer } from "./model-server.ts"
import { ALARMS, buildWith, plantedBy, sayEnd } from "./planted.ts"
import { playRound, type KillSeen, type Seen } from "./round.ts"
import { describeKill, UNWATCHED, WATCHED, type Round } from "./schedule.ts"
import type { ServiceKill } from "./scene.ts"
import { playService } from "./service.ts"
import { Victim } from "./victim.ts"

const FEWEST_KILLS = 24
/** A live run is checked every 10 s at the latest; the rest is for a busy machine. A run without an alarm never continues. */
const ALONE_WITHIN_MS = 40_000
const root = fileURLToPath(new URL("../..", import.meta.url))

const checks: Check[] = []
const lost = { model: 0, tool: 0 }
const check = (name: string, fault: string | undefined): void => void checks.push({ name, fault })

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const { values } = parseArgs({ options: { planted: { type: "string" } } })
const planted = plantedBy(values.planted, ALARMS)
const began = Date.now()
const seed = Number(process.env["SEED"] ?? began % 1_000_000)
const folder = await mkdtemp(path.join(tmpdir(), "sluice-crash-worker-"))
const victims: Victim[] = []
const models = await startModelServer()
try {
  // A separate bundle: another build during the test must not change what a restart starts.
  const worker = path.join(folder, "worker.js")
  await buildWith(planted, path.relative(root, worker))
  victims.push(
    await Victim.create(worker),
    await Victim.create(worker),
    await Victim.create(worker, { ALLOWED_PRIVATE_HOSTS: "127.0.0.1" }),
  )
  const [first, second, third] = victims
  if (!first || !second || !third) throw new Error("three servers are needed")
  await Promise.all([prepare(first), prepare(second)])

  const calm = await playRound(first, models, ["case-calm"], { isWatched: true, kills: [] })
  const [example] = calm.cases
  if (!example) throw new Error("the undisturbed run was not observed")
  checkCalm(example)
  const expected = resultOf(example)
  for (const it of checkCase(example, expected, models.requests)) checks.push(it)

  const service = playService(third, seed)
  const lanes = await Promise.allSettled([lane(first, "w", 2, WATCHED, expected), lane(second, "u", 2, UNWATCHED, expected)])
  const kills = lanes.flatMap((it) => (it.status === "fulfilled" ? it.value : []))
  show(kills)
  const scene = await service
  checks.push(...scene.checks)
  showService(scene.kills)
  const broken = lanes.find((it) => it.status === "rejected")
  if (broken) throw broken.reason
  checkKills(kills)
  const asking = await killAsking(second)
  await Promise.all([
    checkList(first, ["case-calm", ...namesOf("w", 2, WATCHED)], []),
    checkList(second, namesOf("u", 2, UNWATCHED), asking),
  ])
  await Promise.all([first, second].map(checkBooks))
  check("the model server could read every request", models.strange[0])
} catch (error) {
  check("the crash test reached its end", error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await Promise.all(victims.map((it) => it.close()))
  await models.close()
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = sayEnd("crash", checks, planted) ? 0 : 1

async function prepare(victim: Victim): Promise<void> {
  await victim.start()
  const client = new Client(victim.url)
  await client.put(`/v1/settings/providers/${PROVIDER}`, { kind: "openai-compatible", baseUrl: `${models.url}/v1`, apiKey: "none" })
  await client.put("/v1/catalog", { agents: AGENTS, flows: FLOWS, skills: {} })
}

function namesOf(letter: string, each: number, rounds: readonly Round[]): string[] {
  return rounds.flatMap((_, i) => caseNames(letter, i, each))
}

function caseNames(letter: string, round: number, each: number): string[] {
  return Array.from({ length: each }, (_, k) => `case-${letter}${round + 1}${"abc".charAt(k)}`)
}

/** Rounds run one after another on one server and one data folder: later rounds run over what earlier rounds left. */
async function lane(victim: Victim, letter: string, each: number, rounds: readonly Round[], expected: string): Promise<KillSeen[]> {
  const kills: KillSeen[] = []
  for (const [i, round] of rounds.entries()) {
    const from = Date.now()
    const seen = await playRound(victim, models, caseNames(letter, i, each), round)
    if (process.env["CRASH_TIMES"]) console.log(`round ${letter}${i + 1}: ${Date.now() - from} ms`)
    for (const it of seen.cases) {
      checks.push(...checkCase(it, expected, models.requests))
      for (const event of it.journal.map(readEvent))
        if (event.type === "action.lost" && (event.kind === "model" || event.kind === "tool")) lost[event.kind] += 1
    }
    kills.push(...seen.kills)
  }
  return kills
}

/** The example must contain what the kills are meant to hit. */
function checkCalm({ view, journal, files }: Seen): void {
  const events = journal.map(readEvent)
  const opened = ["north", "east", "south"].map((id) => events.findIndex((e) => e.type === "step.opened" && e.step === id))
  const firstEnd = events.findIndex((e) => e.type === "step.finished" && ["north", "east", "south"].includes(e.step))
  const faults = [
    view.status === "succeeded" ? [] : [`it ${view.status}`],
    opened.every((at) => at >= 0 && at < firstEnd) ? [] : ["no three steps ran at once"],
    view.steps["build"]?.pass === 2 ? [] : ["no loop"],
    events.filter((e) => e.type === "tool.called").length >= 30 ? [] : ["too few tool calls"],
    events.some((e) => e.type === "model.failed" && e.retryAt !== undefined) ? [] : ["no retry"],
    view.steps["short"]?.status === "skipped" && view.steps["skim"]?.status === "skipped" ? [] : ["no decision"],
    files["log.md"]?.match(/^- /gm)?.length === 3 ? [] : ["the log has not three lines"],
  ].flat()
  check("the undisturbed run has parallel steps, a loop, tool calls, a retry, decisions and a question", faults[0])
}

function checkKills(kills: readonly KillSeen[]): void {
  check(
    `the servers were killed at ${FEWEST_KILLS} or more moments`,
    kills.filter((k) => k.isReached).length >= FEWEST_KILLS ? undefined : `${kills.length} kills`,
  )
  for (const it of kills) check("every moment of the schedule is reached", it.isReached ? undefined : describeKill(it.kill))
  const hits = kills.filter((k) => k.inFlight > 0).length
  check(
    "[J10] kills hit calls under way",
    // 24 to 29 of 41. A tool call is under way for only milliseconds: looks.ts makes sure that some are hit.
    hits >= 12 ? undefined : `${hits} kills, ${lost.tool} tool calls`,
  )
  for (const { orphan } of kills)
    if (orphan) check("[J10] a start ends a workerd that lost its launcher", orphan.isEnded ? undefined : `${orphan.pid} was left`)
  for (const it of kills.filter((k) => !k.isWatched && k.goneOnAfter !== undefined))
    check(
      "[J12] an unwatched run continues by its own alarm",
      (it.goneOnAfter ?? 0) <= ALONE_WITHIN_MS ? undefined : `after ${describeKill(it.kill)} it took ${it.goneOnAfter} ms`,
    )
}

/** Runs that wait for a person and have nothing else to do, killed as soon as the last of many starts is answered. */
async function killAsking(victim: Victim): Promise<string[]> {
  const client = new Client(victim.url)
  const starts = Array.from({ length: 12 }, (_, n) => client.start(ASKING, `case-a${n + 1}`))
  const ids = await Promise.all(starts)
  await victim.killAndRestart("both")
  return ids
}

/** The tenant's list includes every run once, with its end; runs report themselves, at the latest by their watchdog. */
async function checkList(victim: Victim, names: readonly string[], waiting: readonly string[]): Promise<void> {
  const client = new Client(victim.url)
  const until = Date.now() + ALONE_WITHIN_MS
  for (;;) {
    const rows = await client.list()
    const fault = (id: string, status: string): string | undefined => {
      const row = rows.find((it) => it.id === id)
      return row?.status === status ? undefined : `${id} is ${row?.status ?? "not there"}`
    }
    const ended = rows.filter((row) => !waiting.includes(row.id))
    const late = [...ended.map((row) => fault(row.id, "succeeded")), ...waiting.map((id) => fault(id, "waiting"))].find(
      (it) => it !== undefined,
    )
    if (late !== undefined && Date.now() < until) {
      await new Promise((wake) => setTimeout(wake, 250))
      continue
    }
    check("[J14] the tenant's list has every run that was answered, with its status", late)
    check(
      "[H4] a start sent again after a kill is the same run",
      ended.length === names.length ? undefined : `${ended.length} runs of ${names.length} cases`,
    )
    return
  }
}

/** At rest: the model server's book is the runs' and the tenant's. */
async function checkBooks(victim: Victim): Promise<void> {
  const client = new Client(victim.url)
  const told = await toldBy(client)
  const own = new Set(told.map((it) => it.name))
  checks.push(
    ...checkAsked(
      told,
      models.requests.filter((it) => own.has(it.name)),
    ),
    await checkTotal(client, told),
  )
}

function show(kills: readonly KillSeen[]): void {
  console.log(`\n   #  killed    moment${" ".repeat(34)}client   calls  down      continues after`)
  for (const [i, it] of kills.entries()) {
    const cells = [
      String(i + 1).padStart(4),
      it.kill.target.padEnd(8),
      `${describeKill(it.kill)}${it.isReached ? "" : " NOT REACHED"}`.padEnd(39),
      (it.isWatched ? "watches" : "away").padEnd(8),
      String(it.inFlight).padStart(4),
      seconds(it.upAt - it.at).padStart(7),
      seconds(it.goneOnAfter).padStart(13),
    ]
    console.log(cells.join("  "))
  }
  const again = models.requests.length - new Set(models.requests.map((r) => r.print)).size
  console.log(
    `\n${kills.length} kills lost ${lost.model} model calls and ${lost.tool} tool calls; ` +
      `${models.requests.length} model requests, ${again} of them asked again; ${seconds(Date.now() - began)} in all\n`,
  )
}

function showService(kills: readonly ServiceKill[]): void {
  console.log(`the service, SEED=${seed}:`)
  for (const { moment, downMs } of kills) console.log(`      ${moment.padEnd(60)} ${seconds(downMs).padStart(7)}`)
  console.log()
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? "-" : `${(ms / 1000).toFixed(2)} s`
}
