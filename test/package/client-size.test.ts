// What the package promises of its client: small, and nothing else comes with it.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { describe, expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const MOST = 6_800

/** As scripts/package.ts builds it. */
async function built(entry: string) {
  return build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    metafile: true,
    external: ["react"],
    logLevel: "silent",
  })
}

describe("the package's client", () => {
  test("[H11] weighs at most 6.8 KB (gzip) and brings no dependency", async () => {
    const { outputFiles, metafile } = await built("package/client.ts")
    expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(MOST)
    expect(Object.keys(metafile.inputs).filter((file) => !file.startsWith("src/client/") && file !== "package/client.ts")).toEqual([])
  })

  test("[H11] the hooks bring React's name and nothing else", async () => {
    const { metafile } = await built("package/react.ts")
    const [output] = Object.values(metafile.outputs)
    expect(output?.imports.map(({ path: name }) => name)).toEqual(["react"])
    expect(Object.keys(metafile.inputs).some((file) => file.includes("node_modules"))).toBe(false)
  })

  test("[H11] the declarations of ./worker name what the Worker exports", async () => {
    const names = (text: string): string[] =>
      [...text.matchAll(/^export (?:declare )?(?:class|function|\{) ?(\w+)/gm)].map(([, name = ""]) => name).sort()
    const [source, declared] = await Promise.all(
      ["src/worker.ts", "package/worker.d.ts"].map((file) => readFile(path.join(root, file), "utf8")),
    )
    expect(names(declared ?? "")).toEqual(names(source ?? ""))
  })
})
