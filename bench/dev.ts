// `npm run bench:dev [-- --saves=40]`: measures `sluice dev` of the demo project, from a save to its diagnostics and to its rehearsed and
// tested result. Every save writes a file as an editor does, and waits for `done` before the next one. Three clocks: from the write itself
// (with the watcher's quiet time), from the watcher's call (what `dev` prints), and CPU of `dev` and of workerd together over the whole
// save. A loaded machine stretches the first two; the third is what the work costs.

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { quantile, short, table } from "./figures.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const SLUICE = [process.execPath, path.join(root, "cli/sluice.ts")]

const { values } = parseArgs({ options: { saves: { type: "string", default: "40" } } })

interface Save {
  /** ms from the write to the diagnostics, and to the end of the rehearsal and the tests. */
  readonly checked: number
  readonly done: number
  /** The same from the watcher's call. */
  readonly checkedWork: number
  readonly doneWork: number
  /** ms of CPU. */
  readonly cpu: number
}

const folder = mkdtempSync(path.join(tmpdir(), "sluice-bench-dev-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

spawnSync(SLUICE[0] ?? "", [...SLUICE.slice(1), "init", "demo"], { cwd: folder, stdio: "ignore" })
// The shipped Worker serves: the folder has no package installed that its own could be built from.
rmSync(path.join(folder, "src"), { recursive: true })
const dev = spawn(SLUICE[0] ?? "", [...SLUICE.slice(1), "dev", "--port", "0", "--json"], {
  cwd: folder,
  env: { ...process.env, SLUICE_PROFILES: path.join(folder, "none.json") },
  stdio: ["ignore", "pipe", "inherit"],
})
process.once("exit", () => dev.kill("SIGKILL"))
const lines = createInterface({ input: dev.stdout })[Symbol.asyncIterator]()
await until("done")

const agent = path.join(folder, "agents/greeter.md")
const flow = path.join(folder, "flows/hello.yaml")
const [agentText, flowText] = [readFileSync(agent, "utf8"), readFileSync(flow, "utf8")]
const good: Save[] = []
const broken: number[] = []
for (let i = 0; i < Number(values.saves); i++) {
  good.push(await saved(agent, `${agentText}\nNote ${i}.\n`))
  // A mistake has diagnostics and no rehearsal; mending it is a save of its own.
  if (i % 4 === 0) {
    broken.push((await saved(flow, flowText.replace("agent: greeter", "agent: greter"))).checked)
    await saved(flow, flowText)
  }
}

const row = (name: string, list: readonly number[], limit: string): readonly string[] => [
  name,
  short(quantile(list, 0.5)),
  short(quantile(list, 0.95)),
  limit,
]
console.log(`${good.length} saves; load average ${loadavg().map(short).join(", ")}\n`)
console.log(
  table(
    ["ms", "p50", "p95", "aim, p95"],
    [
      row(
        "save → diagnostics",
        good.map((one) => one.checked),
        "300",
      ),
      row("a mistake → its location", broken, "300"),
      row(
        "save → rehearsed and tested",
        good.map((one) => one.done),
        "1,000",
      ),
      row(
        "of it after the watcher's call: diagnostics",
        good.map((one) => one.checkedWork),
        "",
      ),
      row(
        "of it after the watcher's call: all",
        good.map((one) => one.doneWork),
        "",
      ),
      row(
        "CPU of dev and workerd, the whole save",
        good.map((one) => one.cpu),
        "1,000",
      ),
    ],
  ),
)
dev.kill("SIGTERM")
await once(dev, "exit")
process.exit(0)

/** The next message of this type, as `dev --json` tells them. */
async function until(type: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`dev ended before it printed "${type}"`)
    const told = JSON.parse(value) as Readonly<Record<string, unknown>>
    if (told["type"] === type) return told
    if (told["type"] === "failed") throw new Error(String(told["message"]))
  }
}

async function saved(file: string, text: string): Promise<Save> {
  const pids = family(dev.pid ?? 0)
  const cpu = cpuOf(pids)
  const began = performance.now()
  writeFileSync(file, text)
  const checked = await until("checked")
  const checkedAt = performance.now()
  const done = await until("done")
  return {
    checked: checkedAt - began,
    done: performance.now() - began,
    checkedWork: Number(checked["ms"]),
    doneWork: Number(done["ms"]),
    cpu: cpuOf(pids) - cpu,
  }
}

/** The process and all below it. */
function family(pid: number): readonly number[] {
  const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  )
  return [pid, ...below.flatMap(family)]
}

/** ms of all threads. A thread that has ended since is left out. */
function cpuOf(pids: readonly number[]): number {
  let ms = 0
  for (const pid of pids)
    for (const task of readdirSync(`/proc/${pid}/task`))
      try {
        ms += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6
      } catch {
        // It ended between the list and the look.
      }
  return ms
}
