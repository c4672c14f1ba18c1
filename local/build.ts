// Bundles the Worker for the local server. The same conditions as a deploy, so that what runs here is what runs there.

import { mkdir, readdir, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build, type BuildOptions, type Plugin } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/** zod brings its messages in some fifty languages, 39 KiB (gzip) that no one asks for: the build keeps English. */
const english: Plugin = {
  name: "english",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export { default as en } from "./en.js"' }))
  },
}

const settings = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2024",
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["module", "main"],
  external: ["cloudflare:*", "node:*"],
  plugins: [english],
  sourcemap: false,
  logLevel: "silent",
} satisfies BuildOptions

/** Where the bundle is written; relative to the project's root. */
export const WORKER = "dist/worker.js"

/** What is deployed: the same code, as modules beside each other. */
export const MODULES = "dist/modules"

/**
 * Builds for a deploy: index.mjs with all that every request needs, and a module of its own for what is imported when it is first
 * used (the shell, the MCP client). wrangler puts everything into one file, and a Worker starts with all it has read.
 */
export async function buildModules(outdir = MODULES): Promise<readonly string[]> {
  await rm(path.join(root, outdir), { recursive: true, force: true })
  // Names stay in the text: stack traces are read by people. `keepNames` would keep them too, by a call for each function that is made at
  // run time, and a start makes hundreds: a twentieth of a short run's CPU.
  const minify = { minifyWhitespace: true, minifySyntax: true }
  await build({ ...settings, ...minify, entryPoints: ["src/index.ts"], outdir, outExtension: { ".js": ".mjs" }, splitting: true })
  return (await readdir(path.join(root, outdir))).map((file) => `${outdir}/${file}`)
}

/** Builds and answers the bundle's path, relative to the project's root. A syntax or resolve error throws esbuild's own message. */
export async function buildWorker(entry = "src/index.ts", outfile = WORKER): Promise<string> {
  await mkdir(path.dirname(path.join(root, outfile)), { recursive: true })
  await build({ ...settings, entryPoints: [entry], outfile })
  return outfile
}
