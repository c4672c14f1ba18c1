// Gives a data folder to one server at a time. The folder's `server.json` names its owner: the launcher, its workerd and the port.
//
// A killed launcher (kill -9, a power cut) leaves that file behind, and perhaps its workerd, which would keep writing to the same databases
// and hold the port. So a start ends a workerd of this folder only if its launcher is gone; a running launcher keeps its folder.

import { rmSync } from "node:fs"
import { mkdir, open, readFile, realpath, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { defined } from "../src/core/defined.ts"
import { candidates, children, endProcess, findProcess, isRunning, isWorkerdWith, type Process } from "./processes.ts"
import { checkFormat, noteFormat } from "./data-format.ts"
import { fileFault } from "./file-fault.ts"
import { Halt } from "./halt.ts"
import { lockFolder, type FolderLock } from "./folder-lock.ts"
import { Trouble } from "./trouble.ts"

/** The variable in workerd's environment that names its data folder. */
export const OWNER = "SLUICE_DATA_FOLDER"

const NOTE = "server.json"

interface Note {
  readonly launcher: Process
  readonly workerd?: Process
  readonly port?: number
}

export interface DataFolder {
  /** Absolute, links resolved. */
  readonly path: string
  /** Orphaned workerd processes of this folder that were ended. */
  readonly ended: readonly number[]
  /** The current workerd. */
  runtime(): Process | undefined
  /** Records it, again after a restart, and its port. */
  note(port: number): Promise<void>
  /** Releases the folder; the data stays. */
  release(): Promise<void>
}

export async function claimDataFolder(folder: string): Promise<DataFolder> {
  try {
    return await claimed(folder)
  } catch (error) {
    const fault = fileFault(error, `the data folder ${folder}`)
    throw fault === undefined ? error : new Trouble(fault, 2)
  }
}

async function claimed(folder: string): Promise<DataFolder> {
  // The folder holds the tenant's settings, including provider keys.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const home = await realpath(folder)
  await checkFormat(home)
  const file = path.join(home, NOTE)
  const self = findProcess(process.pid) ?? { pid: process.pid, started: "unknown" }

  const before = await readNote(file)
  if (before !== undefined && isRunning(before.launcher)) throw inUse(home, before)
  const runtime = (): Process | undefined => children().find((it) => isWorkerdWith(it.pid, OWNER, home))
  const halt = new Halt(runtime)
  const lock = await lockFolder(home, (socket) => halt.talk(socket))
  if (lock === undefined) throw inUse(home, undefined)
  try {
    return await owned({ home, self, before, lock, halt, runtime })
  } catch (error) {
    await lock.release()
    throw error
  }
}

interface Claim {
  readonly home: string
  readonly self: Process
  readonly before: Note | undefined
  readonly lock: FolderLock
  readonly halt: Halt
  readonly runtime: () => Process | undefined
}

async function owned({ home, self, before, lock, halt, runtime }: Claim): Promise<DataFolder> {
  const file = path.join(home, NOTE)
  await noteFormat(home)
  // On Linux the environment variable identifies our workerd even if the launcher died before recording its pid.
  const strays = candidates(before?.workerd).filter((it) => it.pid !== self.pid && isWorkerdWith(it.pid, OWNER, home))
  for (const it of strays) await endProcess(it)

  await rm(file, { force: true })
  await take(file, { launcher: self }, home)
  // Removes the note on every normal exit.
  const forget = (): void => rmSync(file, { force: true })
  process.once("exit", forget)
  return {
    path: home,
    ended: strays.map((it) => it.pid),
    runtime,
    async note(port) {
      const workerd = runtime()
      const note = text({ launcher: self, port, ...defined({ workerd }) })
      // On a full disk the server goes on, and the commands of the project's folder do not find it.
      await writeFile(file, note).catch(() => undefined)
    },
    async release() {
      process.off("exit", forget)
      halt.close()
      await rm(file, { force: true })
      await lock.release()
    },
  }
}

/** If two servers start at the same time, only one creates the file. */
async function take(file: string, note: Note, home: string): Promise<void> {
  try {
    const handle = await open(file, "wx")
    await handle.writeFile(text(note))
    await handle.close()
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    throw inUse(home, await readNote(file))
  }
}

function inUse(home: string, note: Note | undefined): Trouble {
  const pid = note?.launcher.pid
  const where = note?.port === undefined ? "" : `, on port ${note.port}`
  return new Trouble(
    `the data folder ${home} is in use by another server${pid === undefined ? "" : ` (process ${pid}${where})`}: ` +
      `stop it${pid === undefined ? "" : ` (kill ${pid})`}, or use another folder: SLUICE_DATA=.sluice-2`,
    2,
  )
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"))
    const part = (key: string): unknown => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined)
    const launcher = asProcess(part("launcher"))
    const workerd = asProcess(part("workerd"))
    const port = part("port")
    if (launcher === undefined) return undefined
    return { launcher, ...defined({ workerd }), ...(typeof port === "number" ? { port } : {}) }
  } catch {
    return undefined // missing, or cut off by a crash: no owner
  }
}

function asProcess(value: unknown): Process | undefined {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("started" in value)) return undefined
  const { pid, started } = value
  return typeof pid === "number" && Number.isInteger(pid) && pid > 0 && typeof started === "string" ? { pid, started } : undefined
}

const text = (note: Note): string => `${JSON.stringify(note, null, 2)}\n`
