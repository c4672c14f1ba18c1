// What a release consists of: the list of dependencies is current, no license brings duties that nobody has looked at, and the lockfile
// alone decides the bytes of the build and of the bill of materials.

import { execFileSync } from "node:child_process"
import { globSync, readdirSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Miniflare } from "miniflare"
import { afterAll, describe, expect, test } from "vitest"
import { buildModules, buildWorker } from "../../local/build.ts"
import { ALONE } from "../../local/server.ts"
import { FOLDERS, list, packagesOf, renderPage, unexplained } from "../../scripts/dependencies.ts"
import { sbom } from "../../scripts/sbom.ts"
import { mapped } from "../../scripts/stack.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")
const SCRATCH = "dist/release-test"

afterAll(async () => rm(path.join(root, SCRATCH), { recursive: true, force: true }))

describe("dependencies", () => {
  test("docs/DEPENDENCIES.md is what the lockfiles say", () => {
    expect(read("docs/DEPENDENCIES.md")).toBe(renderPage())
  })

  test("the list has every package of every lockfile, with its version and license", () => {
    const all = list()
    const packages = FOLDERS.flatMap(packagesOf)
    expect(all.length).toBe(packages.length)
    for (const { place, version, license } of packages)
      expect(all.some((line) => line.includes(`: ${place} ${version}`) && line.includes(`, ${license}, `))).toBe(true)
  })

  test("the list reads every lockfile", () => {
    const found = globSync("**/package-lock.json", { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" })
    expect(found.map((file) => path.dirname(file).replace(/^\.$/, "")).toSorted()).toEqual(FOLDERS.toSorted())
  })

  test("every license is allowed, or has a reason", () => {
    expect(unexplained(FOLDERS.flatMap(packagesOf))).toEqual([])
    const one = packagesOf("")[0]
    expect(one && unexplained([{ ...one, name: "x", version: "1", license: "(MIT AND AGPL-3.0)" }])).toEqual(["x 1: (MIT AND AGPL-3.0)"])
  })

  test("the bill of materials has every dependency of the Worker, and two of them are equal", () => {
    const text = sbom()
    expect(sbom()).toBe(text)
    const { components } = JSON.parse(text)
    const names = new Set(components.map((one: { name: string; version: string }) => `${one.name}@${one.version}`))
    // The stand-ins for what a library does not need here are one empty package under several names; npm lists it once.
    for (const { place, name, version, dev, optional } of packagesOf(""))
      if (!dev && !optional && place.endsWith(name)) expect(names).toContain(`${name}@${version}`)
    for (const name of Object.keys(JSON.parse(read("package.json")).dependencies))
      expect(text).toContain(`"pkg:npm/${name.replace("@", "%40")}@`)
  })
})

describe("the build", () => {
  const modulesOf = async (folder: string): Promise<readonly (readonly [string, string])[]> => {
    await buildModules(folder)
    return readdirSync(path.join(root, folder)).map((file) => [file, read(`${folder}/${file}`)])
  }
  let built: readonly (readonly [string, string])[] | undefined
  const modules = async () => (built ??= await modulesOf(`${SCRATCH}/one`))

  test("made twice has the same bytes and no path of this machine", async () => {
    const bundles = [await buildWorker("src/index.ts", `${SCRATCH}/a.js`), await buildWorker("src/index.ts", `${SCRATCH}/b.js`)].map(read)
    expect(bundles[0] === bundles[1]).toBe(true)
    expect(bundles[0]?.includes(root)).toBe(false)
  })

  test("so have the modules of a deploy", async () => {
    const [first, second] = [await modules(), await modulesOf(`${SCRATCH}/two`)]
    expect(first.length).toBeGreaterThan(1)
    expect(JSON.stringify(first) === JSON.stringify(second)).toBe(true)
    expect(JSON.stringify(first).includes(root)).toBe(false)
    const names = first.map(([name]) => name)
    expect(names.filter((name) => name.endsWith(".mjs")).filter((name) => !names.includes(`${name}.map`))).toEqual([])
  })

  test("[N8] a stack in a log leads back to the sources, though the modules have short names", async () => {
    await buildModules(`${SCRATCH}/thrown`, "test/fixtures/stacks/outer.ts")
    const { href } = pathToFileURL(path.join(root, SCRATCH, "thrown/outer.mjs"))
    // In a process of its own: vitest would read the maps itself.
    const program = `import { outer } from ${JSON.stringify(href)}; process.stdout.write(await outer())`
    const stack = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })
    expect(stack).not.toContain("outer.ts")
    const line = JSON.stringify({ level: "error", event: "http.fault", stack, at: "nowhere.mjs:1:1" })
    const said = mapped(line, path.join(root, SCRATCH, "thrown"))
    expect(said).toContain(`${path.join("test", "fixtures", "stacks", "inner.ts")}:4:9`)
    expect(said).toContain(`${path.join("test", "fixtures", "stacks", "outer.ts")}:8:5`)
    expect(said).toContain("nowhere.mjs:1:1")
  })

  test("the modules of a deploy answer in workerd", async () => {
    const files = (await modules()).filter(([file]) => file.endsWith(".mjs"))
    const runtime = new Miniflare({
      workers: [
        {
          config: {
            name: "modules",
            compatibilityDate: "2026-07-30",
            compatibilityFlags: ["nodejs_compat"],
            manifest: {
              mainModule: "index.mjs",
              modules: Object.fromEntries(files.map(([file, contents]) => [file, { type: "esm" as const, contents }])),
            },
            env: {},
          },
        },
      ],
      ...ALONE,
    })
    try {
      const answer = await runtime.dispatchFetch("http://localhost/healthz")
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("ok")])
    } finally {
      await runtime.dispose()
    }
  })
})
