// A port for a server that goes away and comes back on it. Any free one would do for a start; but while its server is down, the system may
// give such a port to whoever else asks for any, or to a connection that goes out. So it lies below those that the system gives.

import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"

const LOWEST = 10_240
/** Where the systems that do not say it begin: Linux by default, others higher. */
const GIVEN_FROM = 32_768
const taken = new Set<number>()

export async function lastingPort(): Promise<number> {
  const given = Number(/^\d+/.exec(await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8").catch(() => ""))?.[0] ?? GIVEN_FROM)
  for (let tries = 0; tries < 100; tries++) {
    // A machine that gives nearly all of them leaves none that is sure.
    const port = given > LOWEST + 1_000 ? LOWEST + Math.floor(Math.random() * (given - LOWEST)) : 0
    const free = await bound(port)
    if (free === undefined || taken.has(free)) continue
    taken.add(free)
    return free
  }
  throw new Error("no port is free")
}

/** The port, if it could be had just now. */
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
