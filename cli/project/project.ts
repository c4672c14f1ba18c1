// A project: the folder with `sluice.yaml`, and the server that `sluice dev` runs for it.

import { readFile, stat } from "node:fs/promises"
import path from "node:path"
import { parse } from "yaml"
import { z } from "zod"
import { ProjectFile } from "../../src/core/project/project-file.ts"
import { Trouble } from "../../local/trouble.ts"

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

export async function configOf(folder: string): Promise<ProjectFile> {
  const file = path.join(folder, PROJECT_FILE)
  const text = await readFile(file, "utf8").catch(() => "")
  let value: unknown
  try {
    value = parse(text) ?? {}
  } catch (error) {
    throw new Trouble(`${file}: ${error instanceof Error ? error.message : String(error)}`, 3)
  }
  const read = ProjectFile.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Trouble(`${file}: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not valid"}`, 3)
}

/** The address that the project's own server noted, if its process lives. */
export async function runningServer(folder: string): Promise<string | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(path.join(folder, DATA, "server.json"), "utf8"))
    const read = z.object({ launcher: z.object({ pid: z.int() }), port: z.int() }).parse(note)
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
