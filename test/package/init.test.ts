// What `sluice init` makes of the package: where a new project gets it from, and that it is ours.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { dependencyOn } from "../../cli/project/installed.ts"
import { sluice } from "./sluice.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-init-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function withPackage(at: string, manifest: object): Promise<void> {
  const home = path.join(at, "node_modules/sluice")
  await mkdir(home, { recursive: true })
  await writeFile(path.join(home, "package.json"), JSON.stringify({ name: "sluice", ...manifest }))
}
const OURS = { exports: { ".": {}, "./worker": {}, "./testing": {} } }

describe("init", () => {
  test("[F79] in an empty folder it says to install first", async () => {
    const { code, out } = await sluice(["init"], { cwd: folder })
    expect(code).toBe(0)
    expect(out.slice(out.indexOf("Next:"))).toBe(
      'Next:\n  npm install\n  npx sluice dev\n  npx sluice run hello --rehearse --task "Greet Ada."\n',
    )
  })

  test("[F79] in a folder below one that has the package there is nothing to install", async () => {
    await withPackage(folder, OURS)
    const { out } = await sluice(["init", "--dir", "flows-of-mine"], { cwd: folder })
    expect(out).toContain("Next:\n  cd flows-of-mine\n  npx sluice dev\n")
  })

  test("[N5] another package of our name is refused before anything is written", async () => {
    await withPackage(folder, { exports: "./index.js", bin: { sluice: "run.js" } })
    const { code, err } = await sluice(["init"], { cwd: folder })
    expect(code).toBe(2)
    expect(err).toContain(`${path.join(folder, "node_modules/sluice")} is another package of that name`)
    await expect(readFile(path.join(folder, "sluice.yaml"))).rejects.toThrow("ENOENT")
  })

  test("[N5] what came from a tarball names the tarball, not whatever has the name on the registry", async () => {
    await withPackage(folder, OURS)
    const root = path.join(folder, "node_modules/sluice")
    expect(await dependencyOn(root, "sluice", "0.1.0")).toBe("^0.1.0")
    const lock = (resolved: string): Promise<void> =>
      writeFile(
        path.join(folder, "node_modules/.package-lock.json"),
        JSON.stringify({ packages: { "node_modules/sluice": { version: "0.1.0", resolved } } }),
      )
    await lock("file:../sluice-0.1.0.tgz")
    expect(await dependencyOn(root, "sluice", "0.1.0")).toBe(`file:${path.join(path.dirname(folder), "sluice-0.1.0.tgz")}`)
    await lock("https://registry.npmjs.org/sluice/-/sluice-0.1.0.tgz")
    expect(await dependencyOn(root, "sluice", "0.1.0")).toBe("^0.1.0")
  })

  test("[F79] coding agents are told where the manual of the package is", async () => {
    await sluice(["init", "empty"], { cwd: folder })
    expect(await readFile(path.join(folder, "AGENTS.md"), "utf8")).toContain("`node_modules/sluice/AGENTS.md`")
  })
})

test("[H11] where the package is installed, editors read its schemas, which every colleague has", async () => {
  await withPackage(folder, OURS)
  await mkdir(path.join(folder, "node_modules/sluice/schemas"))
  await sluice(["init", "empty"], { cwd: folder })
  const { out } = await sluice(["schema", "--headers"], { cwd: folder })
  expect(out).not.toContain(".sluice/schemas")
  const flow = await readFile(path.join(folder, "flows/first.yaml"), "utf8")
  expect(flow.split("\n")[0]).toBe("# yaml-language-server: $schema=../node_modules/sluice/schemas/flow.json")
  expect(await readFile(path.join(folder, ".vscode/settings.json"), "utf8")).toContain("./node_modules/sluice/schemas/hook.json")
})
