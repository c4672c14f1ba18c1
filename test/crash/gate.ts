// `npm run crash:gate`: the server is killed while writes wait for the gate [V40–V42]. No write is done without evidence, each has one experiment,
// and no trial runs twice. `-- --kills N`: so many (20). Ends with `gate: N passed, M failed`, and a matching exit code.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { z } from "zod"
import { buildWorker } from "../../local/build.ts"
import type { Check } from "./evidence.ts"
import { sayVerdict } from "./verdict.ts"
import { Victim, type Target } from "./victim.ts"

const KEY = "sl_local_dev"
const ROWS = 10
/** A kill comes this long after its write, at the latest. */
const LATEST_MS = 4_000
const PATIENCE_MS = 120_000
const TARGETS: readonly Target[] = ["both", "workerd", "launcher"]
/** Each third write is worse. */
const isWorse = (n: number): boolean => n % 3 === 2

const Experiments = z.object({ data: z.array(z.looseObject({ id: z.string(), name: z.string().optional(), status: z.string() })) })
const Rows = z.object({ data: z.array(z.looseObject({ trials: z.array(z.looseObject({ run: z.string().nullable() })) })) })
const Runs = z.object({ data: z.array(z.looseObject({ id: z.string() })), next_cursor: z.string().nullable() })
const Problem = z.looseObject({ code: z.string().optional() })

const agent = (n: number, model: string): string =>
  `---\nname: keeper\ndescription: keeps\nmodel: gated/${model}\n---\nDo it, version ${n}.\n`

const { values } = parseArgs({ options: { kills: { type: "string" } } })
const kills = Number(values.kills ?? 20)
const checks: Check[] = []
const check = (name: string, fault: string | undefined): void => void checks.push({ name, fault })
const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), "sluice-gate-"))
const closing: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
try {
  const worker = path.join(folder, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  await play(await Victim.create(worker))
} catch (error) {
  check("the kills reached their end", error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  for (const close of closing.toReversed()) await close()
}
process.exitCode = sayVerdict("gate", checks) ? 0 : 1

async function play(victim: Victim): Promise<void> {
  closing.push(() => victim.close())
  await victim.start()
  const send = (method: string, at: string, body?: string, type = "application/json"): Promise<Response> =>
    fetch(`${victim.url}${at}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, "content-type": type },
      ...(body === undefined ? {} : { body }),
    })
  /** Until it is answered, by a server that is up. */
  const insist = async (what: string, ask: () => Promise<Response>, isOver: (said: Response) => Promise<boolean>): Promise<Response> => {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
      await victim.up()
      const answer = await ask().catch(() => undefined)
      if (answer && (await isOver(answer))) return answer
      await sleep(100)
    }
    throw new Error(`${what} is not answered: ${await victim.log()}`)
  }
  const read = async <T>(at: string, shape: z.ZodType<T>): Promise<T> =>
    shape.parse(
      await (
        await insist(
          at,
          () => send("GET", at),
          async ({ ok }) => ok,
        )
      ).json(),
    )
  const put = async (at: string, body: object): Promise<void> =>
    void (await insist(
      at,
      () => send("PUT", at, JSON.stringify(body)),
      async ({ ok }) => ok,
    ))

  const finish = (status: string) => [{ finish: { status, summary: "Done." } }]
  await put("/v1/settings/providers/gated", { kind: "scripted", turns: { good: finish("complete"), bad: finish("failed") } })
  await put("/v1/catalog", {
    agents: { "keeper.md": agent(0, "good") },
    flows: { "kept.yaml": "name: kept\ndescription: d\nsteps:\n  - { id: work, agent: keeper }\n" },
    scorers: { "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n" },
  })
  await put("/v1/datasets/regress", { flow: "kept" })
  const rows = { rows: Array.from({ length: ROWS }, (_, i) => ({ task: `row ${i}` })) }
  await insist(
    "the rows",
    () => send("POST", "/v1/datasets/regress/rows", JSON.stringify(rows)),
    async ({ ok }) => ok,
  )
  await put("/v1/settings/gate", { flows: [{ match: "kept", tests: false, score: { dataset: "regress", scorers: { fine: 0.5 } } }] })

  const gated = async () => (await read("/v1/experiments", Experiments)).data.filter(({ name }) => name === "gate: kept")
  for (let n = 1; n <= kills; n++) {
    const [model, before] = [isWorse(n) ? "bad" : "good", (await gated()).length]
    const text = agent(n, model)
    const write = (): Promise<Response> => send("PUT", "/v1/agents/keeper", text, "text/plain")
    const first = write().catch(() => undefined)
    await sleep(Math.random() * LATEST_MS)
    await victim.killAndRestart(TARGETS[(n - 1) % TARGETS.length] ?? "both")
    await first
    const done = await insist(`write ${n}`, write, async (said) => Problem.parse(await said.clone().json()).code !== "gate_pending")
    const own = await gated()
    const content = await (
      await insist(
        "the agent",
        () => send("GET", "/v1/agents/keeper"),
        async ({ ok }) => ok,
      )
    ).text()
    const of = (fault: string | undefined): string | undefined => fault && `write ${n} ${fault}`
    check("[V41] an equal write is written, and a worse one refused", of(wrong(done.status, isWorse(n) ? 409 : 200)))
    check("[V42] nothing is in the catalog that did not pass", of((content === text) === isWorse(n) ? `left ${content}` : undefined))
    check("[V42] each write has one experiment, which is done", of(wrong([own.length, own[0]?.status].join(" "), `${before + 1} done`)))
    process.stdout.write(`  write ${n}: ${done.status}\n`)
  }

  const made = (await Promise.all((await gated()).map(({ id }) => read(`/v1/experiments/${id}/rows?limit=200`, Rows)))).flatMap(
    ({ data }) => data.flatMap(({ trials }) => trials.flatMap(({ run }) => run ?? [])),
  )
  const listed: string[] = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const some: z.infer<typeof Runs> = await read(`/v1/runs?trigger=experiment&limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`, Runs)
    listed.push(...some.data.map(({ id }) => id))
    cursor = some.next_cursor
  }
  check("[V42] each write has tried each row once on each side", wrong(made.length, kills * ROWS * 2))
  check("[V38] no trial ran twice, and none is lost", wrong(listed.toSorted().join(" "), made.toSorted().join(" ")))
}

function wrong(is: unknown, should: unknown): string | undefined {
  return is === should ? undefined : `is ${String(is)}, and should be ${String(should)}`
}
