// What a person's disk does to a project: files where folders belong, faults in sluice.yaml, parts of a project, settings of the shell.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { profileFile } from "../../cli/profiles.ts"
import { agent, flow, step } from "../support/engine/memory-catalog.ts"
import { sluice } from "./sluice.ts"

let folder = ""
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice odd ü "))
  await write("sluice.yaml", "name: t\n")
  await write("agents/a.md", agent("a"))
  await write("flows/one.yaml", flow("one", step("s", "a")))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const said = async (argv: readonly string[], cwd = folder): Promise<readonly [number, string]> => {
  const { code, out, err } = await sluice(argv, { cwd })
  return [code, out + err]
}

const UNTESTED = "no tests and no rehearsal: one (write tests/one.test.yaml)\n"

describe("a disk that is in the way", () => {
  test("[H11] what the file system refuses is one line that names the file, with code 2", async () => {
    await write("file", "")
    await write(".sluice", "")
    for (const argv of [["init", "--dir", "file"], ["init", "--dir", "file/below"], ["schema"]]) {
      const [code, text] = await said(argv)
      expect([argv, code]).toEqual([argv, 2])
      expect(text).toMatch(/^sluice: \/.* cannot be made: a file is .*: move it away \(E[A-Z]+\)\n$/)
    }
    const { code, err } = await sluice(["schema", "--json"], { cwd: folder })
    expect([code, JSON.parse(err)]).toEqual([2, { error: { code: "usage", message: expect.stringContaining("cannot be made") } }])
  })

  test("[F73] a folder that cannot be read is no missing one: nothing is judged without it", async () => {
    await rm(path.join(folder, "flows"), { recursive: true })
    await write("flows", "")
    for (const command of ["validate", "plan", "apply"])
      expect(await said([command])).toEqual([2, expect.stringMatching(/flows cannot be read: a file is where a folder belongs/)])
  })
})

describe("sluice.yaml", () => {
  test.each([
    ["an unknown key", "name: t\nprot: 1\n", "sluice.yaml:2:1: error PV-FIELD", 'did you mean "port"?'],
    ["a value out of range", "port: 99999\n", "sluice.yaml:1:7: error PV-VALUE", "`port` must be 65535 at most"],
    ["a list", "- a\n", "sluice.yaml:1:1: error PV-VALUE", "must be an object"],
    ["a repeated key", "name: a\nname: b\n", "sluice.yaml:2:1: error PV-DUP-KEY", "name"],
    ["no YAML", "name: [\n", "sluice.yaml:2:1: error PV-PARSE", "close the open bracket"],
  ])("[F2] %s is told like a fault of any other file", async (_, text, place, words) => {
    await write("sluice.yaml", text)
    for (const command of [["validate"], ["validate", "sluice.yaml"], ["plan"], ["apply"]]) {
      const [code, all] = await said(command)
      expect([command, code]).toEqual([command, 3])
      expect(all).toContain(place)
      expect(all).toContain(words)
    }
    const { out } = await sluice(["validate", "--format", "sarif"], { cwd: folder })
    expect(out).toContain('"uri":"sluice.yaml"')
  })

  test.each(["", "# nothing yet\n", "\ufeffname: t\r\nport: 0\r\n"])("[F2] may be %j", async (text) => {
    await write("sluice.yaml", text)
    expect(await said(["validate"])).toEqual([0, `${UNTESTED}2 files: valid\n`])
  })

  test("[F2] its tools are known also while another key is wrong", async () => {
    await write("agents/a.md", agent("a", "tools: shout"))
    await write("sluice.yaml", "tools: [shout]\nprot: 1\n")
    const [, all] = await said(["validate"])
    expect(all).toContain("PV-FIELD")
    expect(all).not.toContain("shout")
  })
})

describe("a part of a project", () => {
  test("[F73] a folder in it is judged with its project, from wherever one stands", async () => {
    await write("flows/deep/two.yaml", flow("two", step("s", "nobody")))
    expect(await said(["validate", "agents"])).toEqual([0, "1 files: valid\n"])
    expect(await said(["validate"], path.join(folder, "agents"))).toEqual([0, "1 files: valid\n"])
    for (const name of ["flows", "flows/", "flows/deep"]) {
      const [code, all] = await said(["validate", name])
      expect([name, code]).toEqual([name, 3])
      expect(all).toContain("flows/deep/two.yaml:")
    }
  })

  test("[F73] files of two projects are each judged in their own", async () => {
    const other = await mkdtemp(path.join(tmpdir(), "sluice-other-"))
    await mkdir(path.join(other, "flows"))
    await writeFile(path.join(other, "sluice.yaml"), "name: other\n")
    await writeFile(path.join(other, "flows/bad.yaml"), flow("bad", step("s", "a")))
    const [code, all] = await said(["validate", "flows/one.yaml", path.join(other, "flows/bad.yaml")])
    expect(code).toBe(3)
    expect(all).toContain("FV-AGENT")
    expect(all).toContain("flows/one.yaml: valid")
    expect(all).toContain("bad.yaml: not valid")
    await rm(other, { recursive: true })
  })
})

test("[H11] a header of a schema leaves a byte order mark first, and line ends as they are", async () => {
  await write("flows/bom.yaml", `\ufeff${flow("bom", step("s", "a"))}`)
  await write("flows/crlf.yaml", flow("crlf", step("s", "a")).replaceAll("\n", "\r\n"))
  expect((await said(["schema", "--headers"]))[0]).toBe(0)
  expect(await readFile(path.join(folder, "flows/bom.yaml"), "utf8")).toMatch(/^\ufeff# yaml-language-server: [^\r\n]+\nname: bom\n/)
  const crlf = await readFile(path.join(folder, "flows/crlf.yaml"), "utf8")
  expect(crlf).toMatch(/^# yaml-language-server: [^\r\n]+\r\nname: crlf\r\n/)
  expect(await said(["validate"])).toEqual([0, expect.stringMatching(/^no tests and no rehearsal: bom, crlf, one \(.*\n4 files: valid\n$/)])
})

describe("the shell", () => {
  test("[H11] keys are kept in one folder, whatever HOME and XDG_CONFIG_HOME are", () => {
    for (const env of [{ HOME: "" }, { XDG_CONFIG_HOME: "config" }, { HOME: "", XDG_CONFIG_HOME: "." }, {}])
      expect(path.isAbsolute(profileFile(env))).toBe(true)
    expect(profileFile({ XDG_CONFIG_HOME: "/x" })).toBe("/x/sluice/profiles.json")
  })

  test("[H11] --json holds for whatever is refused", async () => {
    for (const argv of [["runs", "--nope"], ["show"], ["runn"], ["runs", "too", "many"], ["schema", "--", "x"]]) {
      const { code, out, err } = await sluice([argv[0] ?? "", "--json", ...argv.slice(1)], { cwd: folder })
      expect([argv, code, out]).toEqual([argv, 2, ""])
      expect([argv, JSON.parse(err)]).toEqual([argv, { error: { code: "usage", message: expect.stringMatching(/^[a-z]/) } }])
    }
  })

  test("[H11] help of a command that does not exist suggests one, and is a usage error", async () => {
    for (const argv of [
      ["help", "validat"],
      ["validat", "--help"],
    ])
      expect(await said(argv)).toEqual([2, "sluice: unknown command 'validat' (Did you mean validate?)\n"])
    expect(await said(["help", "catalog", "lst"])).toEqual([2, "sluice: unknown command 'lst' (Did you mean list?)\n"])
    expect((await said(["help", "catalog", "list"]))[1]).toContain("$ sluice catalog list")
  })

  test("[H11] a command that serves nothing loads no server", async () => {
    // What it loads is loaded when it is asked for: the list of commands is read at every start.
    const sources = await Promise.all(["commands/dev.ts", "main.ts", "program.ts"].map((name) => source(`../../cli/${name}`)))
    expect(sources.join("\n")).not.toMatch(/^import .*(?:local\/server|local\/build|miniflare|project\/judge|dev-session|dev\/round)/m)
  })
})

const source = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), "utf8")
