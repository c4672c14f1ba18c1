// A person at a terminal: `dev`, a run with a question and an approval, Ctrl-C, and an apply that removes. All against one `sluice dev`.

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { buildWorker } from "../../local/build.ts"
import { LOCAL_KEY } from "../../local/settings.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { KEY, Terminal } from "./terminal.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

let home = ""
let project = ""
let dev: Terminal
let url = ""
let client: Sluice
let open: Terminal[] = []

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-terminal-"))
  project = path.join(home, "project")
  const worker = path.join(home, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  await cp(path.join(root, "templates/demo"), project, { recursive: true })
  await mkdir(path.join(project, "src"))
  // The project's own Worker, so that this test needs no build before it.
  await writeFile(
    path.join(project, "src/index.ts"),
    `export * from ${JSON.stringify(worker)}\nexport { default } from ${JSON.stringify(worker)}\n`,
  )
  await writeFile(path.join(project, "sluice.yaml"), "name: terminal\n")
  dev = new Terminal(["dev", "--port", "0"], { cwd: project })
  url = (await dev.until(/Sluice serves (http:\S+)/))[1] ?? ""
  client = new Sluice({ url, key: LOCAL_KEY })
  await dev.until(/ done after/)
})
afterEach(async () => {
  for (const terminal of open) await terminal.close()
  open = []
})
afterAll(async () => {
  await dev?.close()
  await rm(home, { recursive: true, force: true })
})

function at(...args: string[]): Terminal {
  const terminal = new Terminal([...args, "--url", url, "--key", LOCAL_KEY], { cwd: home })
  open.push(terminal)
  return terminal
}
const research = (): Terminal => at("run", "research", "--rehearse", "--task", "Should runbooks be beside the code?")
const runOf = async (terminal: Terminal): Promise<string> => (await terminal.until(/run_\w+/))[0]

describe("run", () => {
  test("[Q1] asks a question in place, and goes on with the answer", async () => {
    const terminal = research()
    const run = await runOf(terminal)
    await terminal.until(/● Answer now/)
    terminal.type(KEY.enter)
    expect(await terminal.ended(), terminal.text).toBe(0)
    expect((await client.runs.get(run)).status).toBe("succeeded")
  })

  test("[Q3] shows an approval with its arguments; approved, the call is made, and rejected, the agent reads why", async () => {
    await client.settings.policy.put({ hooks: { confirm: ["write"] } })
    try {
      const yes = at("run", "hello", "--rehearse", "--task", "Greet Ada.")
      const run = await runOf(yes)
      await yes.until(/Good day, Ada\.[\s\S]*may write be called[\s\S]*● Approve/)
      yes.type(KEY.enter)
      expect(await yes.ended(), yes.text).toBe(0)
      expect((await client.interactions.get(run, "i1")).status).toBe("answered")
      const no = at("run", "hello", "--rehearse", "--task", "Greet Ada.")
      const other = await runOf(no)
      await no.until(/● Approve/)
      no.type(KEY.down)
      await no.until(/● Reject/)
      no.type(KEY.enter)
      await no.until(/Why\?/)
      no.type("too cheerful", KEY.enter)
      await no.ended()
      expect(JSON.stringify(await client.interactions.get(other, "i1"))).toContain("too cheerful")
    } finally {
      await client.settings.policy.put({})
    }
  })
})

describe("Ctrl-C", () => {
  /** A run whose question was left open: it goes on waiting, watched. */
  async function watched(): Promise<readonly [Terminal, string]> {
    const terminal = research()
    const run = await runOf(terminal)
    await terminal.until(/● Answer now/)
    terminal.type(KEY.interrupt)
    await terminal.until(/left open: sluice answer run_/)
    await terminal.press(KEY.interrupt, /The run is not over\.[\s\S]*● Detach/)
    return [terminal, run]
  }

  test("[Q1] leaves a question open; again, it asks, and detached the run goes on", async () => {
    const [terminal, run] = await watched()
    terminal.type(KEY.enter)
    await terminal.until(/it goes on: sluice watch run_/)
    expect(await terminal.ended()).toBe(0)
    expect((await client.runs.get(run)).status).toBe("waiting")
  })

  test("[Q1] stays, or cancels the run and ends with 1", async () => {
    const [terminal, run] = await watched()
    terminal.type(KEY.down)
    await terminal.until(/● Cancel/)
    terminal.type(KEY.down)
    await terminal.until(/● Keep/)
    terminal.type(KEY.enter)
    await terminal.until(/Keep watching\n/)
    await terminal.press(KEY.interrupt, /● Detach/)
    terminal.type(KEY.down)
    await terminal.until(/● Cancel/)
    terminal.type(KEY.enter)
    await terminal.until(/canceled/)
    expect(await terminal.ended()).toBe(1)
    await expect.poll(async () => (await client.runs.get(run)).status).toBe("canceled")
  })
})

describe("apply --prune", () => {
  test("[F78] lists what it removes and asks first; no is the default", async () => {
    const folder = path.join(home, "other")
    await mkdir(path.join(folder, "skills/mine"), { recursive: true })
    await writeFile(path.join(folder, "skills/mine/SKILL.md"), "---\nname: mine\ndescription: what is mine\n---\nMine.\n")
    await client.catalog.put("skill", "theirs/SKILL.md", "---\nname: theirs\ndescription: what is theirs\n---\nTheirs.\n")
    const paths = async (): Promise<readonly string[]> => Object.keys((await client.catalog.export()).skills ?? {})
    const no = at("apply", folder, "--prune")
    await no.until(/- skills\/theirs\/SKILL\.md[\s\S]*Remove \d+ files? from the server\?/)
    no.type(KEY.enter)
    await no.until(/nothing was changed/)
    expect([await no.ended(), await paths()]).toEqual([0, expect.not.arrayContaining(["mine/SKILL.md"])])
    const yes = at("apply", folder, "--prune")
    await yes.until(/Remove \d+ files? from the server\?/)
    yes.type("y")
    expect([await yes.ended(), await paths()]).toEqual([0, ["mine/SKILL.md"]])
  })
})

describe("dev", () => {
  test("[K21] tells where it serves and what to do next, judges every save, and Ctrl-C ends it with 0", async () => {
    expect(dev.text).toContain(`console  ${url}/console`)
    expect(dev.text).toContain("a save is checked, drafted, rehearsed and tested")
    expect(dev.text).toContain("sluice run FLOW --rehearse")
    const file = path.join(project, "flows/hello.yaml")
    const text = await readFile(file, "utf8")
    await writeFile(file, text.replace("agent: greeter", "agent: greter"))
    await dev.until(/\^[\s\S]*flows\/hello\.yaml: not valid/)
    await writeFile(file, text.replace("Greets one person", "Greets a person"))
    await dev.until(/flows\/hello\.yaml: valid[\s\S]*hello rehearsed: succeeded[\s\S]*done after/)
    dev.type(KEY.interrupt)
    expect(await dev.ended(), dev.text).toBe(0)
  })
})
