// The projects that `sluice init` makes: valid as they are, with tests, and never over what is there.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { completedManifest, scaffold } from "../../cli/scaffold.ts"
import { bundleOf } from "../../local/definition-files.ts"
import { judge } from "../../cli/project/judge.ts"
import { sluice } from "./sluice.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-init-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe("init", () => {
  test.each(["demo", "empty", "chat", "webhook"])("[F2] %s makes a project without an error or a warning", async (template) => {
    const done = await sluice(["init", template, "--json"], { cwd: folder })
    expect([done.code, done.err]).toEqual([0, ""])
    expect(JSON.parse(done.out)).toMatchObject({ template, kept: [] })
    expect(await judge(await bundleOf(folder), folder)).toMatchObject({ valid: true, diagnostics: {} })
    const validated = await sluice(["validate"], { cwd: folder })
    expect([validated.code, validated.out]).toEqual([0, expect.stringMatching(/^\d+ files: valid\n$/)])
  })

  test("[F2] never overwrites, and says what it left", async () => {
    await writeFile(path.join(folder, "wrangler.toml"), "mine")
    const { code, out } = await sluice(["init"], { cwd: folder })
    expect(code).toBe(0)
    expect(out).toContain("wrangler.toml exists and stays as it is")
    expect(await readFile(path.join(folder, "wrangler.toml"), "utf8")).toBe("mine")
    const again = await sluice(["init", "--json"], { cwd: folder })
    expect(JSON.parse(again.out)).toMatchObject({ written: [] })
  })

  test("[F2] an unknown template is a usage error that names the others, and nothing is written", async () => {
    const { code, err } = await sluice(["init", "blog"], { cwd: folder })
    expect([code, err]).toEqual([2, 'sluice: there is no template "blog": write demo, empty, chat, webhook\n'])
  })
})

test("[F24c] a package.json of others is completed, and what is theirs stays", () => {
  const made = completedManifest(
    '{"name":"theirs","type":"commonjs","scripts":{"test":"echo \\"Error: no test specified\\" && exit 1","dev":"vite"}}',
  )
  expect(made?.added).toEqual(["scripts validate, types, test, plan, apply, deploy"])
  expect(JSON.parse(made?.text ?? "")).toMatchObject({ name: "theirs", type: "commonjs", scripts: { dev: "vite", test: "sluice test" } })
  expect(made?.note).toContain('"type": "commonjs"')
  // What init has made is complete, so that a second init changes nothing.
  expect(completedManifest(scaffold("demo", "sluice", "0.1.0")["package.json"] ?? "")?.added).toEqual([])
  expect(completedManifest("{}")?.added).toEqual(["scripts dev, validate, types, test, plan, apply, deploy", "type: module"])
  expect([completedManifest("[]"), completedManifest("no")]).toEqual([undefined, undefined])
  expect(completedManifest(made?.text ?? "")).toMatchObject({ text: made?.text, added: [] })
})
