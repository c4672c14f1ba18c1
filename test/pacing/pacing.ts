// `npm run pacing`: 200 runs at once at one model with 60 requests and 100,000 tokens a minute, over a real server, with limits that are set and
// with limits that one earlier run learned: measure 6 of flow control [R24–R29]. `-- --minutes N`: so long (5). Ends with
// `pacing: N passed, M failed`, and a matching exit code.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import { Client, isEnd } from "../crash/client.ts"
import type { Check } from "../crash/evidence.ts"
import { sayVerdict } from "../crash/verdict.ts"
import { Victim } from "../crash/victim.ts"
import { startLimited, type Asked, type LimitedServer } from "./limited-server.ts"

const FAMILIES = 20
const CHILDREN = 10
const MINUTE_MS = 60_000
const LIMITS = { requests: 60, tokens: 100_000 }
/** From the second minute on. */
const LEAST_A_MINUTE = 54
const MOST_APART = 2
/** "Among the next two": one goes before it, and one whose turn had come when it asked, since an isolate asks once a second. */
const MOST_BEFORE = 2

const AGENT = "---\nname: w\ndescription: works\nmodel: p/m\nmax_output_tokens: 400\n---\nWork.\n"
const step = (n: number): string => `  - { id: s${n}, type: agent, agent: w, task: "\${{task}}"${n > 0 ? `, blockedBy: s${n - 1}` : ""} }\n`
const FLOWS = {
  "one.yaml": `name: one\ndescription: d\nsteps:\n${step(0)}`,
  "many.yaml": `name: many\ndescription: d\nsteps:\n${[0, 1, 2, 3, 4, 5].map(step).join("")}`,
  "twelve.yaml": `name: twelve\ndescription: d\nsteps:\n${Array.from({ length: 12 }, (_, n) => step(n)).join("")}`,
  "family.yaml": `name: family\ndescription: d\ninputs: { items: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.items}}", do: many, task: "\${{item}}", max_concurrent: ${CHILDREN} }\n`,
}

const { values } = parseArgs({ options: { minutes: { type: "string" } } })
const minutes = Number(values.minutes ?? 5)
const checks: Check[] = []
const check = (name: string, fault: string | undefined): void => void checks.push({ name, fault })
const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), "sluice-pacing-"))
const closing: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
try {
  const worker = path.join(folder, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  await Promise.all([
    play("set by hand", worker, { models: { "p/m": { rpm: LIMITS.requests, tpm: LIMITS.tokens } } }),
    play("learned", worker, {}),
  ])
} catch (error) {
  check("the measure reached its end", error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  for (const close of closing.toReversed()) await close()
}
process.exitCode = sayVerdict("pacing", checks) ? 0 : 1

async function play(how: string, worker: string, pacing: object): Promise<void> {
  const model = await startLimited({ ...LIMITS, tells: how === "learned" })
  const victim = await Victim.create(worker, { ALLOWED_PRIVATE_HOSTS: "127.0.0.1" })
  closing.push(
    () => model.close(),
    () => victim.close(),
  )
  await victim.start()
  const client = new Client(victim.url)
  await client.put("/v1/settings/providers/p", { kind: "openai-compatible", baseUrl: `${model.url}/v1`, apiKey: "none" })
  await client.put("/v1/settings/pacing", pacing)
  await client.put("/v1/catalog", { agents: { "w.md": AGENT }, flows: FLOWS, skills: {} })
  if (how === "learned") {
    const id = await client.start("twelve", "family-before run-before")
    while (!isEnd((await client.run(id)).status)) await sleep(250)
  }

  const from = Date.now()
  const before = model.asked.length
  await Promise.all(
    Array.from({ length: FAMILIES }, async (_, f) => {
      const items = Array.from({ length: CHILDREN }, (_, c) => `family-f${f} run-f${f}c${c}`)
      const answer = await client.ask("POST", "/v1/flows/family/runs", { task: `family ${f}`, inputs: { items } })
      if (answer.status !== 202) throw new Error(`the start was answered ${answer.status}: ${await answer.text()}`)
    }),
  )
  const chats = attend(client, model, from)
  await sleep(from + minutes * MINUTE_MS - Date.now())
  const asked = model.asked.slice(before).filter(({ at }) => at < from + minutes * MINUTE_MS)
  checkRates(how, asked, from)
  for (const { name, ahead } of await chats)
    check(
      `[R27] ${how}: an attended run's call is among the next two`,
      ahead <= MOST_BEFORE ? undefined : `${name}: ${ahead} went before it`,
    )
}

function checkRates(how: string, asked: readonly Asked[], from: number): void {
  const refused = asked.filter(({ status }) => status === 429).length
  check(`[R26] ${how}: under 1 % of the answers are 429`, refused < asked.length / 100 ? undefined : `${refused} of ${asked.length}`)
  const counts: string[] = []
  for (let m = 0; m < minutes; m++) {
    const within = asked.filter(({ at }) => at >= from + m * MINUTE_MS && at < from + (m + 1) * MINUTE_MS)
    const each = Array.from({ length: FAMILIES }, (_, f) => within.filter(({ family }) => family === `f${f}`).length)
    const apart = Math.max(...each) - Math.min(...each)
    counts.push(`${within.length} (${Math.min(...each)}–${Math.max(...each)} a family)`)
    if (m === 0) continue
    check(
      `[R28] ${how}: at least ${LEAST_A_MINUTE} calls a minute`,
      within.length >= LEAST_A_MINUTE ? undefined : `${within.length} in minute ${m + 1}`,
    )
    check(
      `[R27] ${how}: families differ by at most ${MOST_APART} a minute`,
      apart <= MOST_APART ? undefined : `${each.join(" ")} in minute ${m + 1}`,
    )
  }
  console.log(`${how}: ${refused} refused of ${asked.length}; calls in each minute: ${counts.join(", ")}`)
}

/** Someone waits for a run, once in a while. */
async function attend(client: Client, model: LimitedServer, from: number): Promise<{ readonly name: string; readonly ahead: number }[]> {
  const seen: { name: string; ahead: number }[] = []
  for (let at = MINUTE_MS; at < (minutes - 0.5) * MINUTE_MS; at += 12_300) {
    await sleep(from + at - Date.now())
    const name = `chat${seen.length}`
    const asks = Date.now()
    const answer = await client.ask("POST", "/v1/flows/one/runs", { task: `family-${name} run-${name}` }, { prefer: "wait=15" })
    await answer.text()
    const place = model.asked.findIndex(({ run }) => run === name)
    const ahead = (place < 0 ? model.asked : model.asked.slice(0, place)).filter((one) => one.at >= asks).length
    const took = (model.asked[place]?.at ?? Date.now()) - asks
    console.log(`${name}: ${ahead} before it, after ${took} ms`)
    seen.push({ name, ahead })
  }
  return seen
}
