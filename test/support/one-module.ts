// Gives workerd the Worker as one module. Vitest fetches each module into workerd on its own, and there were 1,300 of them. Two objects that import
// one at the same time share a promise, which workerd refuses: "Cannot perform I/O on behalf of a different Durable Object". A bundle fetches nothing.

import { readdirSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import type { VitestPluginContext } from "vitest/node"
import { workerSettings } from "../../local/build.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** A file, so that a line of a stack can be looked up in it. */
const BUNDLE = path.join(root, "dist/one-module.js")
const MAIN = "src/index.ts"
const IMPORTERS = ["test/worker", "test/sandbox", "test/support"]
const IMPORT = /(?:from|import\() ?"((?:\.{1,2}\/)+src\/[^"?]+\.ts)"/g

/** The modules of src that a test in workerd may import, relative to the root. */
function imported(): string[] {
  const found = new Set([MAIN])
  for (const folder of IMPORTERS)
    for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue
      const file = path.join(root, folder, name)
      for (const [, to = ""] of readFileSync(file, "utf8").matchAll(IMPORT))
        found.add(path.relative(root, path.resolve(path.dirname(file), to)))
    }
  return [...found].toSorted()
}

/** The texts of the bundle and of what stands for each module: its names, taken from the bundle, where each is under the module's number. */
async function bundled(): Promise<ReadonlyMap<string, string>> {
  const modules = imported()
  const { metafile } = await build({
    ...workerSettings,
    bundle: false,
    external: [],
    entryPoints: modules,
    outbase: root,
    outdir: "dist",
    write: false,
    metafile: true,
  })
  const parts = modules.map((file, n) => {
    const names = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === file)?.exports ?? []
    return { file, names: names.map((name) => [name, `m${n}_${name}`] as const) }
  })
  const lines = parts.map(({ file, names }) => `export { ${names.map(([name, as]) => `${name} as ${as}`).join(", ")} } from "./${file}"`)
  const stdin = { contents: lines.join("\n"), resolveDir: root, loader: "ts" } as const
  const { outputFiles } = await build({ ...workerSettings, stdin, outfile: BUNDLE, write: false })
  const text = outputFiles.map((file) => file.text).join("")
  // Only to be looked at: another run of the tests may write it at the same time.
  await mkdir(path.dirname(BUNDLE), { recursive: true })
  await writeFile(BUNDLE, text)
  return new Map([
    [BUNDLE, text] as const,
    ...parts.map(
      ({ file, names }) =>
        [
          path.join(root, file),
          `export { ${names.map(([name, as]) => `${as} as ${name}`).join(", ")} } from ${JSON.stringify(BUNDLE)}`,
        ] as const,
    ),
  ])
}

let making: Promise<ReadonlyMap<string, string>> | undefined

/** A plugin of Vite that takes each module of src from the bundle. What changes in src under `--watch` needs a new start. */
export const oneModule = () => ({
  name: "one-module",
  enforce: "pre" as const,
  /** What stands here for a file follows from other files too, so Vitest keeps none of it for its next run. */
  configureVitest({ defineCacheKeyGenerator }: Pick<VitestPluginContext, "defineCacheKeyGenerator">): void {
    defineCacheKeyGenerator(({ id }) => (id === BUNDLE || id.startsWith(path.join(root, "src/")) ? false : undefined))
  },
  async load(id: string): Promise<{ readonly code: string; readonly map: { readonly mappings: "" } } | undefined> {
    if (id !== BUNDLE && (!id.startsWith(path.join(root, "src/")) || id.includes("?"))) return undefined
    const code = (await (making ??= bundled())).get(id)
    if (code === undefined)
      throw new Error(`${path.relative(root, id)} is not in the bundle: no file of ${IMPORTERS.join(", ")} imports it`)
    // Without a map: with one it is more than workerd takes in a message.
    return { code, map: { mappings: "" } }
  },
})
