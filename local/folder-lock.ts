// Locks a data folder for one server, also across containers. `server.json` names a process by its pid, which another container cannot see;
// a socket in the folder is visible to all, and answers exactly as long as its process lives. A backup speaks over it to the server.

import { open, rm } from "node:fs/promises"
import { connect, createServer, type Server, type Socket } from "node:net"
import path from "node:path"

const NAME = "server.sock"
/** The longest address of a socket that every system takes; a longer one is reached through the open folder, on Linux. */
const LONGEST = 100

export interface FolderLock {
  release(): Promise<void>
}

const NONE: FolderLock = { release: async () => undefined }

/** What the holder of a lock does with a connection. Whoever only asks whether it lives closes it at once. */
export type Talk = (socket: Socket) => void

const closes: Talk = (socket) => void socket.destroy()

/** undefined: another server has the folder. On a file system without sockets there is no lock. */
export async function lockFolder(home: string, talk: Talk = closes): Promise<FolderLock | undefined> {
  return atSocket(home, async (address, file) => {
    if (address === undefined) return NONE
    for (let tries = 0; tries < 3; tries++) {
      const server = await listening(address, talk)
      if (server === "this file system has no sockets") return NONE
      if (server !== "taken")
        return {
          async release() {
            // A backup that is still connected does not hold the folder.
            await Promise.race([new Promise<void>((done) => server.close(() => done())), new Promise((wake) => setTimeout(wake, 1_000))])
            await rm(file, { force: true })
          },
        }
      if (await answers(address)) return undefined
      // Its process is gone.
      await rm(file, { force: true })
    }
    return undefined
  })
}

/** A connection to the server that has the folder; undefined: none has it, or none can be asked. */
export async function connectToHolder(home: string): Promise<Socket | undefined> {
  return atSocket(home, async (address) => {
    if (address === undefined) return undefined
    return new Promise<Socket | undefined>((done) => {
      const socket = connect(address)
      socket.once("connect", () => done(socket))
      socket.once("error", () => done(undefined))
    })
  })
}

async function atSocket<T>(home: string, act: (address: string | undefined, file: string) => Promise<T>): Promise<T> {
  const file = path.join(home, NAME)
  if (process.platform === "win32") return act(undefined, file)
  const folder = await open(home)
  try {
    const isLong = file.length > LONGEST
    return await act(isLong ? (process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${NAME}` : undefined) : file, file)
  } finally {
    await folder.close()
  }
}

function listening(address: string, talk: Talk): Promise<Server | "taken" | "this file system has no sockets"> {
  const server = createServer(talk)
  // The launcher's other work keeps it alive.
  server.unref()
  return new Promise((done, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") done("taken")
      else if (["EROFS", "ENOSPC", "EDQUOT"].includes(error.code ?? "")) failed(error)
      else done("this file system has no sockets")
    })
    server.listen(address, () => done(server))
  })
}

function answers(address: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(address)
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
    // ECONNREFUSED: nobody listens. What this user may not ask is somebody's.
    socket.once("error", (error: NodeJS.ErrnoException) => done(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"))
  })
}
