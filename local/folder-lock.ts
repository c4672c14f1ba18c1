// Locks a data folder for one server, also across containers. `server.json` names a process by its pid, which another container cannot see;
// a socket in the folder is visible to all, and answers exactly as long as its process lives.

import { open, rm } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import path from "node:path"

const NAME = "server.sock"
/** The longest address of a socket that every system takes; a longer one is reached through the open folder, on Linux. */
const LONGEST = 100

export interface FolderLock {
  release(): Promise<void>
}

const NONE: FolderLock = { release: async () => undefined }

/** undefined: another server has the folder. On a file system without sockets there is no lock. */
export async function lockFolder(home: string): Promise<FolderLock | undefined> {
  if (process.platform === "win32") return NONE
  const folder = await open(home)
  const file = path.join(home, NAME)
  const address = file.length <= LONGEST ? file : process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${NAME}` : undefined
  try {
    if (address === undefined) return NONE
    for (let tries = 0; tries < 3; tries++) {
      const server = await listening(address)
      if (server === "this file system has no sockets") return NONE
      if (server !== "taken")
        return {
          async release() {
            await new Promise<void>((done) => server.close(() => done()))
            await rm(file, { force: true })
          },
        }
      if (await answers(address)) return undefined
      // Its process is gone.
      await rm(file, { force: true })
    }
    return undefined
  } finally {
    await folder.close()
  }
}

function listening(address: string): Promise<Server | "taken" | "this file system has no sockets"> {
  const server = createServer((socket) => socket.destroy())
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
