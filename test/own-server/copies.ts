// Backups of a server whose runs are under way [O54]. Some are killed; the server and its runs must not notice. Each whole one is restored elsewhere, where
// every run goes on as after a crash and ends as one that nobody disturbed, with the checks of the crash suite on its journal and on the model
// server's book.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { mkdir, readdir } from "node:fs/promises"
import path from "node:path"
import { backUp, type Backup } from "../../local/backup/backup.ts"
import { restore } from "../../local/backup/restore.ts"
import { connectToHolder } from "../../local/folder-lock.ts"
import { findProcess, isStopped } from "../../local/processes.ts"
import { WORKER } from "../../local/build.ts"
import { Client, isEnd } from "../crash/client.ts"
import { checkCase, resultOf, type Check } from "../crash/evidence.ts"
import { AGENTS, ANSWER, FLOWS, PROVIDER } from "../crash/flow.ts"
import { startModelServer, type ModelRequest, type ModelServer } from "../crash/model-server.ts"
import { playRound, type Seen } from "../crash/round.ts"
import { Victim } from "../crash/victim.ts"
import { CLI, own } from "./served.ts"

const NAMES = ["case-copy1", "case-copy2", "case-copy3"]
const CALM = { isWatched: true, kills: [] }
/** Backups that are killed, each when it has copied more than the one before: from its start until it is nearly done. */
const KILLS = 12
const ENDS_WITHIN_MS = 120_000

export async function copyUnderRuns(home: string): Promise<Check[]> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const checks: Check[] = []
  const models = await startModelServer()
  const victim = await Victim.create(WORKER)
  const series = path.join(home, "series")
  try {
    await victim.start()
    const client = new Client(victim.url)
    await client.put(`/v1/settings/providers/${PROVIDER}`, { kind: "openai-compatible", baseUrl: `${models.url}/v1`, apiKey: "none" })
    await client.put("/v1/catalog", { agents: AGENTS, flows: FLOWS, skills: {} })
    const calm = await playRound(victim, models, ["case-calm"], CALM)
    const [example] = calm.cases
    if (!example) throw new Error("the undisturbed run was not observed")
    const expected = resultOf(example)

    const playing = playRound(victim, models, NAMES, CALM)
    const made: Backup[] = []
    // The model server refuses one call of each run, once, and knows no second world in which it has not yet.
    await progress(models, (all) => NAMES.every((name) => all.some((r) => r.name === name && r.refused)))
    made.push(await backUp(victim.data, series))
    await killBackups(victim, { series, files: made[0]?.files ?? 0 }, checks)
    made.push(await backUp(victim.data, series))
    const { cases } = await playing
    made.push(await backUp(victim.data, series))
    for (const it of cases) checks.push(...checkCase(it, expected, models.requests))
    const kept = (await readdir(series)).length
    checks.push({
      name: "[O54] killed backups leave no backup",
      fault: kept >= made.length && !(await readdir(series)).some((name) => name.endsWith(".partial")) ? undefined : `${kept} are there`,
    })
    await victim.stop()

    for (const [i, backup] of made.entries()) {
      const before = models.requests.filter((r) => r.at <= Date.parse(backup.at))
      const from = models.requests.length
      checks.push(...(await playOn({ backup, cases, expected, before, models })))
      if (i === 0)
        checks.push({
          name: "the first copy had runs under way",
          fault: models.requests.length > from ? undefined : "no model was asked again",
        })
    }
    console.log(
      `halted for ${made.map(({ halted }) => `${halted} ms`).join(", ")}; ${made.at(-1)?.files} files, ${made.at(-1)?.bytes} bytes`,
    )
  } finally {
    await victim.close()
    await models.close()
  }
  return checks
}

/** Killed when it has copied so many files, from none to all of them; and once for certain while the runtime is halted. */
async function killBackups(
  victim: Victim,
  { series, files }: { readonly series: string; readonly files: number },
  checks: Check[],
): Promise<void> {
  for (let n = 0; n < KILLS; n++) {
    const before = readdirSync(series)
    const child = spawn(process.execPath, [CLI, "backup", series, "--server", victim.data], { env: own(), stdio: "ignore" })
    const least = Math.ceil((n * files) / KILLS)
    while (child.exitCode === null && copiedIn(series, before) < least) await new Promise((wake) => setTimeout(wake, 5))
    child.kill("SIGKILL")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  }
  const holder = `
    const { connectToHolder } = await import(${JSON.stringify(new URL("../../local/folder-lock.ts", import.meta.url).href)})
    const socket = await connectToHolder(${JSON.stringify(victim.data)})
    socket.on("data", (text) => process.stdout.write(text))
    socket.write("halt\\n")`
  const holds = spawn(process.execPath, ["--input-type=module", "-e", holder], { stdio: ["ignore", "pipe", "inherit"] })
  const [said] = await once(holds.stdout, "data")
  const workerd = findProcess(victim.workerd ?? 0)
  checks.push({
    name: "[O54] the runtime is halted for a backup",
    fault: String(said).trim() === "halted" && workerd && isStopped(workerd) ? undefined : String(said),
  })
  holds.kill("SIGKILL")
  if (holds.exitCode === null && holds.signalCode === null) await once(holds, "exit")
  const answer = await fetch(`${victim.url}/healthz`).catch((error: unknown) => String(error))
  checks.push({
    name: "[O54] kill -9 of a backup in its halt: the server goes on",
    fault: typeof answer !== "string" && workerd && !isStopped(workerd) ? undefined : String(answer),
  })
  const socket = await connectToHolder(victim.data)
  checks.push({ name: "[O54] and the next one is heard", fault: socket === undefined ? "nobody listens" : undefined })
  socket?.destroy()
}

interface Restoring {
  readonly backup: Backup
  /** As they were seen at the server that was copied. */
  readonly cases: readonly Seen[]
  readonly expected: string
  /** What the model server was asked before the copy's moment. */
  readonly before: readonly ModelRequest[]
  readonly models: ModelServer
}

async function playOn({ backup, cases, expected, before, models }: Restoring): Promise<Check[]> {
  const from = models.requests.length
  const other = await Victim.create(WORKER)
  try {
    restore(backup.folder, other.data)
    await other.start()
    const client = new Client(other.url)
    const seen: Seen[] = []
    for (const { name, id, acknowledged } of cases) {
      const answered = (await ended(client, id)) ?? acknowledged
      seen.push({
        name,
        id,
        isWatched: true,
        received: new Map(),
        ...(answered === undefined ? {} : { acknowledged: answered }),
        view: await client.run(id),
        journal: await client.journal(id),
        files: await client.files(id),
      })
    }
    const asked = [...before, ...models.requests.slice(from)]
    return seen.flatMap((it) => checkCase(it, expected, asked)).map(({ name, fault }) => ({ name: `restored: ${name}`, fault }))
  } finally {
    await other.close()
  }
}

/** The files of the backup that is being made; a killed one may have left its own `before`. */
function copiedIn(series: string, before: readonly string[]): number {
  try {
    const partial = readdirSync(series).find((name) => name.endsWith(".partial") && !before.includes(name))
    return partial === undefined
      ? 0
      : readdirSync(path.join(series, partial), { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
  } catch {
    // It goes while it is read.
    return 0
  }
}

/** Answers if it is asked, until the run's end. */
async function ended(client: Client, id: string): Promise<Seen["acknowledged"]> {
  let answered: Seen["acknowledged"]
  for (const until = Date.now() + ENDS_WITHIN_MS; ;) {
    const { status } = await client.run(id)
    if (isEnd(status)) return answered
    const [asked] = status === "waiting" ? await client.pending(id) : []
    if (asked) answered = { interaction: asked.id, status: await client.answer(id, asked.id, ANSWER) }
    if (Date.now() > until) throw new Error(`the restored run ${id} is ${status} after ${ENDS_WITHIN_MS / 1000} s`)
    await new Promise((wake) => setTimeout(wake, 100))
  }
}

/** Resolves as soon as the model server's book is so. */
function progress(models: ModelServer, isSo: (all: readonly ModelRequest[]) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const deaf = models.listen(() => {
      if (!isSo(models.requests)) return
      deaf()
      resolve()
    })
  })
}
