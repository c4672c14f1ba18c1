// Bundles the Worker for the local server, with the same conditions as a deploy, so the same code runs in both.

import { mkdir, readdir, readFile, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build, type BuildOptions, type Plugin } from "esbuild"
import { buildAssets } from "./assets.ts"
import { makeShellLibrary } from "./shell-library.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const IMPORTED_ZOD = /^import \{ z \} from (["']zod(?:\/v4)?["'])/gm

/**
 * `import { z } from "zod"` keeps all of zod, since esbuild follows no names through an object that a module exports. `import * as z` means the
 * same and keeps what is used: 130 of 5,350 KB less to load, and none of zod's messages in some fifty languages.
 */
const usedZod: Plugin = {
  name: "used-zod",
  setup({ onLoad }) {
    onLoad({ filter: /(?:[\\/](?:src|cli|local)[\\/].*\.ts|[\\/]dist[\\/].*\.m?js)$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8")
      return { contents: text.replaceAll(IMPORTED_ZOD, "import * as z from $1"), loader: file.endsWith(".ts") ? "ts" : "js" }
    })
  },
}

/** How the Worker is bundled, wherever it will run. */
export const workerSettings = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2024",
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["module", "main"],
  external: ["cloudflare:*", "node:*"],
  plugins: [usedZod],
  sourcemap: false,
  logLevel: "silent",
} satisfies BuildOptions

/** The bundle's path, relative to the project's root. */
export const WORKER = "dist/worker.js"

/** The deployed form: the same code as separate modules. */
export const MODULES = "dist/modules"

/**
 * Names are shortened, 106 of 763 KB (gzip) at the start, and a map beside each module leads a stack back to the sources: wrangler uploads it,
 * and `npm run stack` reads it. `keepNames` would keep the names of functions, but with a call for each function created at run time, and a
 * start creates hundreds: 5 % of a short run's CPU.
 */
const short = { minify: true, sourcemap: "linked", sourcesContent: false } satisfies BuildOptions

/**
 * Builds for a deploy: index.mjs with the code that every request needs, and separate modules for code that is imported at first
 * use (the shell, the MCP client). wrangler's own bundle is a single file, all of which a Worker loads at its start.
 */
export async function buildModules(outdir = MODULES, entry = "src/index.ts"): Promise<readonly string[]> {
  await Promise.all([makeShellLibrary(), buildAssets()])
  await rm(path.join(root, outdir), { recursive: true, force: true })
  await build({ ...workerSettings, ...short, entryPoints: [entry], outdir, outExtension: { ".js": ".mjs" }, splitting: true })
  return (await readdir(path.join(root, outdir))).filter((file) => file.endsWith(".mjs")).map((file) => `${outdir}/${file}`)
}

/** Builds the bundle and returns its path, relative to the project's root. Syntax and resolve errors throw esbuild's message. `spare`: with all
 *  names and without spaces. */
export async function buildWorker(entry = "src/index.ts", outfile = WORKER, names: "kept" | "spare" | "short" = "kept"): Promise<string> {
  await Promise.all([makeShellLibrary(), buildAssets()])
  await mkdir(path.dirname(path.join(root, outfile)), { recursive: true })
  const minified = names === "spare" ? { minifyWhitespace: true, minifySyntax: true } : { minify: names === "short" }
  await build({ ...workerSettings, ...minified, entryPoints: [entry], outfile })
  return outfile
}
