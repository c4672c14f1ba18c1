// `npm run protocols`: the official clients of each protocol drive one flow (text, a tool, a question, an approval, a reload, a cancel), and the
// journals that they leave are the same as that of the API's own run, but for trigger, thread and who asks.
//
// Needs the packages of this folder: `npm ci --prefix test/protocols`. Prints `N passed, N failed`. `--only WORD` runs the clients in whose name it is.

import { access, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { LOCAL_KEY, readSettings } from "../../local/settings.ts"
import { runMain, Trouble } from "../../local/trouble.ts"
import { journalOf } from "./journal.ts"
import type { Driven, Place } from "./place.ts"
import { useChat } from "./use-chat.ts"

type Driver = (at: Place) => Promise<Driven>

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const NAMES = ["chatWhole", "chatStreamed", "responsesWhole", "responsesStreamed", "a2aJsonRpc", "a2aRest", "agui", "mcp"]

const SKIPPED = "skipped"

await runMain(async () => {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" }, events: { type: "boolean" } } })
  await access(here("node_modules")).catch(() => {
    throw new Trouble("this needs the packages of test/protocols: run `npm ci --prefix test/protocols` first")
  })
  const data = await mkdtemp(path.join(tmpdir(), "sluice-protocols-"))
  const worker = await buildWorker("src/index.ts", "dist/protocols-worker.js")
  const server = await startServer(readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data }), worker)
  try {
    const at = { url: server.url, key: LOCAL_KEY, flow: "guided", task: "Guide me." }
    await found(at)
    const drivers = (await import(here("clients.mjs"))) as Record<string, Driver>
    const own = await drivers["rest"]?.(at)
    if (!own) throw new Error("clients.mjs has no driver of the API")
    const whole = { done: await journalOf(at, own.done), canceled: await journalOf(at, own.canceled) }
    let [passed, failed] = [0, 0]
    for (const name of [...NAMES, "useChat"].filter((one) => one.includes(values.only))) {
      const fault = await drive(name === "useChat" ? useChat : drivers[name], at, whole).catch((e: unknown) => String(e))
      if (fault === undefined) passed += 1
      else if (fault !== SKIPPED) failed += 1
      if (fault === undefined && process.argv.includes("--events"))
        console.log(`     ${whole.done.length} and ${whole.canceled.length} events`)
      console.log(fault === undefined ? `ok   ${name}` : fault === SKIPPED ? `skip ${name}: no Chromium` : `FAIL ${name}: ${fault}`)
    }
    console.log(`${passed} passed, ${failed} failed`)
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
})

/** undefined: it drove both runs, and they are the API's. */
async function drive(
  driver: ((at: Place) => Promise<Driven | "skipped">) | undefined,
  at: Place,
  whole: Readonly<Record<keyof Driven, readonly string[]>>,
): Promise<string | undefined> {
  const runs = await driver?.(at)
  if (!runs) return "there is no such driver"
  if (runs === "skipped") return SKIPPED
  for (const which of ["done", "canceled"] as const) {
    const journal = await journalOf(at, runs[which])
    const n = Math.max(journal.length, whole[which].length)
    for (let i = 0; i < n; i++)
      if (journal[i] !== whole[which][i])
        return `${which}, event ${i + 1}:\n  ${journal[i] ?? "none"}\n  the API's: ${whole[which][i] ?? "none"}`
  }
  return undefined
}

async function found({ url, key }: Place): Promise<void> {
  const put = async (where: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const r = await fetch(url + where, { method: "PUT", headers, body: JSON.stringify(body) })
    if (!r.ok) throw new Error(`PUT ${where}: ${r.status} ${await r.text()}`)
  }
  await put("/v1/settings/providers/sc", {
    kind: "scripted",
    turns: {
      guide: [
        { text: "Let me look.", calls: [{ tool: "ls", args: {} }] },
        { calls: [{ tool: "ask_user", args: { question: "Which?", type: "select", options: ["red", "blue"] } }] },
        { text: "I write it down.", calls: [{ tool: "write", args: { path: "colour.txt", content: "red" } }] },
        { finish: { status: "complete", summary: "written" } },
      ],
    },
  })
  const agent =
    "---\nname: guide\ndescription: d\nmodel: sc/guide\ntools: ls, ask_user, write\ntool_approvals: { write: always }\n---\nGuide. ${{task}}\n"
  const flow = "name: guided\ndescription: Guides.\nautonomous: false\nsteps:\n  - { id: a, type: agent, agent: guide }\n"
  await put("/v1/catalog", { agents: { "guide.md": agent }, flows: { "guided.yaml": flow } })
}
