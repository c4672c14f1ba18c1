// The project's own Worker, for the local server: src/index.ts in one file, if there is one. Without it the shipped Worker serves.

import { existsSync } from "node:fs"
import path from "node:path"
import { Trouble } from "../../local/trouble.ts"
import { messageOf } from "../../src/core/text/fault-text.ts"

/** The bundle's path; undefined: the project has no Worker of its own. */
export async function projectWorker(folder: string, into: string): Promise<string | undefined> {
  const entry = path.join(folder, "src/index.ts")
  if (!existsSync(entry)) return undefined
  const { build } = await import("esbuild")
  const outfile = path.join(into, "worker.js")
  try {
    await build({
      absWorkingDir: folder,
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      target: "es2024",
      conditions: ["workerd", "worker", "browser"],
      mainFields: ["module", "main"],
      external: ["cloudflare:*", "node:*"],
      logLevel: "silent",
    })
    return outfile
  } catch (error) {
    throw new Trouble(`src/index.ts does not build: ${messageOf(error)}`, 3)
  }
}
