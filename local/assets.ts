// Builds the files for browsers into dist/assets, which a deploy uploads beside the Worker and the local server serves from the disk: the
// embedded chat, built from its sources, and the console as `npm run console` has built it. Several processes may do this at once: every
// file is complete at every moment.

import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { build } from "esbuild"

const pack = promisify(gzip)
const root = fileURLToPath(new URL("..", import.meta.url))

/** The folder, relative to the project's root. */
export const ASSETS = "dist/assets"
const CONSOLE = "console/built"

export async function buildAssets(): Promise<void> {
  const built = path.join(root, CONSOLE)
  const names = await filesOf(built)
  await Promise.all([buildChat(), ...names.map(async (name) => put(path.join("console", name), await readFile(path.join(built, name))))])
  const folder = path.join(root, ASSETS, "console")
  const stale = (await filesOf(folder)).filter((name) => !names.includes(unpacked(name)) && !name.endsWith(PARTIAL))
  await Promise.all(stale.map((name) => rm(path.join(folder, name), { force: true })))
}

/** Its style sheet is a text in the script: a page's policy then needs to allow no style. */
async function buildChat(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["web/chat/sluice-chat.ts"],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    loader: { ".css": "text" },
    legalComments: "none",
    logLevel: "silent",
  })
  for (const { contents } of outputFiles) await put("sluice-chat.js", contents)
}

const PARTIAL = ".partial"
/** As http/pages/static-files.ts asks for it, for browsers that take gzip. A third of the size. */
const PACKED = ".gz"
const PACKS = /\.(?:js|css|svg)$/

const unpacked = (name: string): string => (name.endsWith(PACKED) ? name.slice(0, -PACKED.length) : name)

async function put(name: string, contents: Uint8Array): Promise<void> {
  if (PACKS.test(name)) await write(name + PACKED, await pack(contents, { level: 9 }))
  await write(name, contents)
}

async function write(name: string, contents: Uint8Array): Promise<void> {
  const file = path.join(root, ASSETS, name)
  const partial = `${file}.${randomUUID()}${PARTIAL}`
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(partial, contents)
  await rename(partial, file)
}

async function filesOf(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
}
