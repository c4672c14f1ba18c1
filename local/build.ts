// Bundles the Worker for the local server. The same conditions as a deploy, so that what runs here is what runs there.

import { mkdir } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Where the bundle is written; relative to the project's root. */
export const WORKER = "dist/worker.js"

/** Builds and answers the bundle's path, relative to the project's root. A syntax or resolve error throws esbuild's own message. */
export async function buildWorker(entry = "src/index.ts", outfile = WORKER): Promise<string> {
  await mkdir(path.dirname(path.join(root, outfile)), { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["module", "main"],
    external: ["cloudflare:*", "node:*"],
    // Stack traces and error messages keep the names of the source.
    keepNames: true,
    sourcemap: false,
    logLevel: "silent",
  })
  return outfile
}
