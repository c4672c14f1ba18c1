// A port for a server that stops and restarts on it. Any free port would do for a start; but while its server is down, the system may
// give such a port to another listener or to an outgoing connection. So the port is below the range that the system assigns.

import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"

const LOWEST = 10_240
/** The start of that range on systems that do not report it: Linux by default, others higher. */
const GIVEN_FROM = 32_768
const taken = new Set<number>()

export async function lastingPort(): Promise<number> {
  const given = Number(/^\d+/.exec(await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8").catch(() => ""))?.[0] ?? GIVEN_FROM)
  for (let tries = 0; tries < 100; tries++) {
    // A machine that assigns nearly all ports leaves no safe one.
    const port = given > LOWEST + 1_000 ? LOWEST + Math.floor(Math.random() * (given - LOWEST)) : 0
    const free = await bound(port)
    if (free === undefined || taken.has(free)) continue
    taken.add(free)
    return free
  }
  throw new Error("no port is free")
}

/** The port, if it is free right now. */
async function bound(port: number): Promise<number | undefined> {
  const probe = createServer()
  try {
    probe.listen(port, "127.0.0.1")
    await once(probe, "listening")
  } catch {
    return undefined
  }
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : undefined
}
