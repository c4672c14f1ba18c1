// Finds the package that a folder has under our name: npm gives the name to whoever asks first, so it may be somebody else's. And says how a new
// project gets the one that runs now.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"

const Manifest = z.object({ exports: z.looseObject({ "./worker": z.unknown(), "./testing": z.unknown() }) })
const Lock = z.object({ packages: z.record(z.string(), z.object({ resolved: z.string().exactOptional() })) })

/** In the folder or above it, as Node looks for it. */
export async function installed(from: string, name: string): Promise<{ readonly folder: string; readonly isOurs: boolean } | undefined> {
  for (let at = path.resolve(from); ; at = path.dirname(at)) {
    const folder = path.join(at, "node_modules", name)
    const manifest = await jsonIn(path.join(folder, "package.json"))
    if (manifest !== undefined) return { folder, isOurs: Manifest.safeParse(manifest).success }
    if (path.dirname(at) === at) return undefined
  }
}

/** What package.json of a new project names: a tarball, if the program that runs now came from one, else the version. `root` is the program's. */
export async function dependencyOn(root: string, name: string, version: string): Promise<string> {
  const modules = path.join(path.resolve(root), "..")
  const lock = Lock.safeParse(await jsonIn(path.join(modules, ".package-lock.json")))
  const resolved = lock.success ? lock.data.packages[`node_modules/${name}`]?.resolved : undefined
  if (resolved?.startsWith("file:") === true) return `file:${path.resolve(path.dirname(modules), resolved.slice("file:".length))}`
  return version === "" ? "latest" : `^${version}`
}

async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"))
  } catch {
    return undefined
  }
}
