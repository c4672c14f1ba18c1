// The MCP project's reference server, as a separate process on a loopback port: a peer that we did not write.

import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

export interface EverythingServer {
  readonly url: string
  /** Ends the process, and resolves when it is gone. */
  stop(): Promise<void>
}

/** It needs a port number, and a free port may be taken a moment later: then it tries another one. */
export async function everythingServer(): Promise<EverythingServer> {
  for (;;) {
    const server = await serverAt(await freePort())
    if (server !== "taken") return server
  }
}

async function serverAt(port: number): Promise<EverythingServer | "taken"> {
  const main = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))
  const child = spawn(process.execPath, [main, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const begun = await new Promise<"up" | "taken">((resolve, reject) => {
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text
      if (said.includes(`listening on port ${port}`)) resolve("up")
    })
    child.once("error", reject)
    child.once("close", (code) => {
      if (said.includes("already in use")) resolve("taken")
      else reject(new Error(`server-everything ended with ${code}: ${said}`))
    })
  })
  if (begun === "taken") return begun
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop() {
      child.kill("SIGKILL")
      return gone
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}
