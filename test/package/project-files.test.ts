// Files that configure a tenant, without a server [F79]: judged with the rest of the project, and described for editors.

import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { agent, flow, step } from "../support/engine/memory-catalog.ts"
import { sluice } from "./sluice.ts"

let folder = ""
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}
const read = (name: string): Promise<string> => readFile(path.join(folder, name), "utf8")

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-files-"))
  await write("sluice.yaml", "name: t\n")
  await write("agents/a.md", agent("a"))
  await write("flows/one.yaml", flow("one", step("s", "a")))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe("the files of a project", () => {
  test("[F73] a link to a file of the project is read; what else is a link, or no text, is refused with its name", async () => {
    const validated = async (): Promise<readonly [number, string]> => {
      const { code, out, err } = await sluice(["validate"], { cwd: folder })
      return [code, out + err]
    }
    await symlink("one.yaml", path.join(folder, "flows/two.yaml"))
    await symlink("somebody@host.1:2", path.join(folder, "flows/.#one.yaml"))
    await symlink("nowhere", path.join(folder, "flows/NOTES"))
    // It is read: a second flow has the first one's name, which is no fault.
    expect(await validated()).toEqual([0, expect.stringContaining("3 files: valid")])
    const outside = await mkdtemp(path.join(tmpdir(), "sluice-outside-"))
    await writeFile(path.join(outside, "x.yaml"), flow("x", step("s", "a")))
    for (const [target, said] of [
      ["nowhere", "to nothing"],
      [path.join(outside, "x.yaml"), "outside the project"],
      [outside, "to a folder"],
      ["..", "to a folder"],
    ] as const) {
      await symlink(target, path.join(folder, "flows/link.yaml"))
      expect(await validated()).toEqual([3, expect.stringMatching(new RegExp(`flows/link\\.yaml is a link .*${said}`))])
      await rm(path.join(folder, "flows/link.yaml"))
    }
    await rm(outside, { recursive: true, force: true })
    for (const bytes of [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]), Buffer.from("\ufeffname: x\n", "utf16le")]) {
      await writeFile(path.join(folder, "flows/odd.yaml"), bytes)
      expect(await validated()).toEqual([3, expect.stringContaining("odd.yaml is not text in UTF-8")])
    }
  })

  test("[F79] [F2] what configures the tenant is judged offline, with the place of a fault", async () => {
    await write("hooks/in.yaml", "flow: one\nkind: token\nsecret: in\n")
    await write("schedules/nightly.yaml", "flow: one\ncron: 0 3 * * *\n")
    await write("callbacks/alerts.yaml", "url: https://alerts.example.com/\nsecret: out\n")
    await write(
      "tools/lookup.yaml",
      'description: d\nparameters: { type: object }\nrequest: { method: GET, url: "https://f.example.com/" }\n',
    )
    await write("policy.yaml", "autonomy: standard\n")
    await write("agents/b.md", agent("b").replace(/^tools: .*$/m, "tools: lookup"))
    const whole = await sluice(["validate", "--format", "github"], { cwd: folder })
    expect([whole.code, whole.out]).toEqual([0, expect.not.stringContaining("::error")])
    await write("callbacks/alerts.yaml", "url: https://alerts.example.com/\nsecrt: out\n")
    const { code, out } = await sluice(["validate", "--format", "github"], { cwd: folder })
    expect([code, out]).toEqual([3, expect.stringContaining("file=callbacks/alerts.yaml,line=2,col=1,title=PV-FIELD")])
    const alone = await sluice(["validate", "callbacks/alerts.yaml", "--format", "github"], { cwd: folder })
    expect([alone.code, alone.out]).toEqual([3, expect.stringContaining("file=callbacks/alerts.yaml,line=2,col=1,title=PV-FIELD")])
  })

  test("[F79] schema writes a schema for every kind of file, and each file's first line names its own", async () => {
    await write("flows/team/two.yaml", flow("team:two", step("s", "a")))
    await write("flows/one.rehearsal.yaml", "steps: {}\n")
    await write("tests/team/two.test.yaml", "cases: []\n")
    await write("tools/lookup.yaml", "url: https://mcp.example.com/\n")
    await write("budget.yaml", "usd: 1\n")
    expect((await sluice(["schema", "--headers"], { cwd: folder })).code).toBe(0)
    const headed = [
      "flows/one.yaml",
      "flows/team/two.yaml",
      "tools/lookup.yaml",
      "budget.yaml",
      "flows/one.rehearsal.yaml",
      "tests/team/two.test.yaml",
      "sluice.yaml",
    ]
    expect(await Promise.all(headed.map(async (name) => (await read(name)).split("\n")[0]))).toEqual([
      "# yaml-language-server: $schema=../.sluice/schemas/flow.json",
      "# yaml-language-server: $schema=../../.sluice/schemas/flow.json",
      "# yaml-language-server: $schema=../.sluice/schemas/tool.json",
      "# yaml-language-server: $schema=./.sluice/schemas/budget.json",
      "# yaml-language-server: $schema=../.sluice/schemas/rehearsal.json",
      "# yaml-language-server: $schema=../../.sluice/schemas/test.json",
      "# yaml-language-server: $schema=./.sluice/schemas/project.json",
    ])
    const { "yaml.schemas": schemas } = JSON.parse(await read(".vscode/settings.json")) as { "yaml.schemas": Record<string, string[]> }
    for (const name of Object.keys(schemas)) expect(JSON.parse(await read(name))).toHaveProperty("$schema")
    const judged = await sluice(["validate", "--format", "github"], { cwd: folder })
    expect([judged.code, judged.out]).toEqual([0, expect.not.stringMatching(/file=(?:tools|tests|flows)/)])
    const again = await sluice(["schema", "--headers", "--json"], { cwd: folder })
    expect((JSON.parse(again.out) as { written: string[] }).written.filter((name) => !name.startsWith("."))).toEqual([])
  })
})
