// A project: the folder with `sluice.yaml`, and the server that `sluice dev` runs for it.

import { readFile, stat } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { hasErrors, type Diagnostic } from "../../src/core/diagnostic.ts"
import { nearest } from "../../src/core/text/nearest.ts"
import type { Environment, ProjectFile } from "../../src/core/project/project-file.ts"
import { text } from "../../local/definition-files.ts"
import { Trouble } from "../../local/trouble.ts"
import { rendered } from "./places.ts"

export const PROJECT_FILE = "sluice.yaml"
/** The data of the local server, below the project. */
export const DATA = ".sluice"

/** The nearest folder with a sluice.yaml, from `from` upwards. */
export async function projectAround(from: string): Promise<string | undefined> {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    if (await exists(path.join(folder, PROJECT_FILE))) return folder
    if (path.dirname(folder) === folder) return undefined
  }
}

export interface Config {
  readonly value: ProjectFile
  /** What is wrong in sluice.yaml; of a file with an error, `value` is what can be read of it. */
  readonly diagnostics: readonly Diagnostic[]
}

/** sluice.yaml with what is wrong in it. A folder without one has no name, and no tools of its own. */
export async function readConfig(folder: string): Promise<Config> {
  const text = await configText(folder)
  // What reads it is large, and most commands need it not.
  if (text === "") return { value: {}, diagnostics: [] }
  const { projectFileOf } = await import("./config.ts")
  return projectFileOf(text)
}

/** "": there is none. */
export async function configText(folder: string): Promise<string> {
  const file = path.join(folder, PROJECT_FILE)
  return (await exists(file)) ? text(file) : ""
}

/** For those who need it whole. */
export async function configOf(folder: string): Promise<ProjectFile> {
  const { value, diagnostics } = await readConfig(folder)
  if (!hasErrors(diagnostics)) return value
  throw new Trouble(rendered("pretty", { [path.join(folder, PROJECT_FILE)]: diagnostics }, () => undefined).join("\n"), 3)
}

/** The environment of this name in sluice.yaml. */
export async function environmentOf(folder: string, name: string): Promise<Environment> {
  const { environments = {} } = await configOf(folder)
  const found = Object.hasOwn(environments, name) ? environments[name] : undefined
  if (found !== undefined) return found
  const names = Object.keys(environments)
  const near = nearest(name, names)
  const known = names.length === 0 ? "it has none yet: write `environments: { NAME: { server: URL } }`" : `known: ${names.join(", ")}`
  throw new Trouble(`${PROJECT_FILE} has no environment "${name}"${near === undefined ? "" : `: did you mean "${near}"?`} (${known})`, 2)
}

/** The address that the project's own server noted, if its process lives. Anybody can write such a file: it gets no key but the public one. */
export async function runningServer(folder: string): Promise<string | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(path.join(folder, DATA, "server.json"), "utf8"))
    const read = z.object({ launcher: z.object({ pid: z.int().min(1) }), port: z.int().min(1).max(65_535) }).parse(note)
    process.kill(read.launcher.pid, 0)
    return `http://127.0.0.1:${read.port}`
  } catch {
    return undefined
  }
}

export const exists = async (file: string): Promise<boolean> => {
  try {
    await stat(file)
    return true
  } catch {
    return false
  }
}

export async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory()
  } catch {
    throw new Trouble(`${file} is not there`, 2)
  }
}
