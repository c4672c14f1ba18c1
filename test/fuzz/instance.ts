// Instance-level attacks: tenant names that look like other objects' names, quotas at the ends of their range, bodies with a false length.

import { connect } from "node:net"
import type { Company } from "../service/possessions.ts"
import type { Stand } from "./stand.ts"

/** A name that looks like another tenant's in another jurisdiction does not create that tenant [N1, H2]. */
export async function attackTenants(stand: Stand, { tenant }: Company): Promise<void> {
  const names = [
    "acme_eu",
    "acme_us",
    "acme-eu",
    "eu",
    "acme.eu",
    "acme/eu",
    "acme:eu",
    "eu/acme",
    "acme%00",
    "Acme",
    "",
    "a",
    "-a",
    "a-",
    "a".repeat(31),
    "a".repeat(32),
    "__proto__",
    "constructor",
    "local",
    `${tenant}_eu`,
    `${tenant}-eu`,
    " ",
    "ａcme",
    "acme\n",
  ]
  for (const id of names)
    for (const jurisdiction of [undefined, "eu", "us", "EU", "fedramp", ""]) {
      const body = JSON.stringify({ id, ...(jurisdiction === undefined ? {} : { jurisdiction }) })
      await stand.judge(
        `createTenant ${JSON.stringify(id)}`,
        { method: "POST", path: "/v1/tenants", key: stand.admin, body, type: "application/json" },
        {
          operation: stand.operation("createTenant"),
          wrong: ({ status }) => (status !== 201 || /^[a-z][a-z0-9-]{1,30}$/.test(id) ? undefined : "an invalid name was accepted"),
        },
      )
      await stand.judge(
        `getTenant ${JSON.stringify(id)}`,
        { method: "GET", path: `/v1/tenants/${encodeURIComponent(id)}`, key: stand.admin },
        id === "" ? {} : { operation: stand.operation("getTenant") },
      )
    }
  for (const key of [
    "sl__x",
    `sl_${tenant}_`,
    `sl_${tenant}_eu_${"0".repeat(43)}`,
    `sl_${tenant}_${"0".repeat(43)}`,
    "sl_eu_local_dev",
    "sl_local_dev ",
    "SL_LOCAL_DEV",
    `sl_${"a".repeat(500)}`,
    "sl_admin_loca",
  ])
    await stand.judge(
      "an invalid key",
      { method: "GET", path: "/v1/flows", key },
      {
        wrong: ({ status }) => (status === 401 || (key.trim() === "sl_local_dev" && status === 200) ? undefined : `it answers ${status}`),
      },
    )
}

/** Numbers that a quota may have, and their neighbors; a start under each succeeds or is refused for lack of room, never a fault. */
export async function attackQuotas(stand: Stand, { tenant, key }: Company): Promise<void> {
  const numbers: readonly unknown[] = [
    0,
    1,
    -1,
    0.5,
    -0,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    1e308,
    "1",
    null,
    true,
    [],
    "9".repeat(400),
  ]
  const json = (value: unknown): { body: string; type: string } => ({ body: JSON.stringify(value), type: "application/json" })
  for (const name of ["concurrent_runs", "starts_per_minute", "catalog_bytes", "storage_bytes", "retention_max"])
    for (const number of numbers) {
      const path = `/v1/tenants/${tenant}/quotas`
      await stand.judge(
        `putQuotas ${name}`,
        { method: "PUT", path, key: stand.admin, ...json({ [name]: number }) },
        { operation: stand.operation("putQuotas") },
      )
      await stand.judge(
        `startRun under ${name}`,
        { method: "POST", path: "/v1/flows/asks/runs", key, headers: [["prefer", "wait=0"]], ...json({ rehearse: true }) },
        { operation: stand.operation("startRun") },
      )
      await stand.judge(
        `putFlow under ${name}`,
        {
          method: "PUT",
          path: "/v1/flows/small",
          key,
          body: "name: small\ndescription: x\nsteps:\n  - { id: a, type: agent, agent: writer }\n",
          type: "application/yaml",
        },
        { operation: stand.operation("putFlow") },
      )
      await stand.judge(
        `putObject under ${name}`,
        { method: "PUT", path: "/v1/objects/small", key, body: "x", type: "text/plain" },
        { operation: stand.operation("putObject") },
      )
      await stand.judge(
        `putRetention under ${name}`,
        { method: "PUT", path: "/v1/settings/retention", key, ...json({ runs: number }) },
        { operation: stand.operation("putRetention") },
      )
    }
  await stand.ask({
    method: "PUT",
    path: `/v1/tenants/${tenant}/quotas`,
    key: stand.admin,
    ...json({ concurrent_runs: 1_000, starts_per_minute: 1_000, catalog_bytes: 10_000_000, storage_bytes: 1_000_000_000 }),
  })
}

/** Bytes that no client library would send. The answer comes from the runtime; answering the next request is our part. */
export async function attackFraming(stand: Stand, url: string, key: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const head = (more: string): string =>
    `POST /v1/validate HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${more}`
  const all = [
    head("content-length: 5\r\ncontent-length: 6\r\n\r\n{}"),
    head("content-length: -1\r\n\r\n{}"),
    head("content-length: 99999999999999999999\r\n\r\n{}"),
    head("content-length: 100\r\n\r\n{"),
    head("transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
    head("transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{"),
    head("transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    head("transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"),
    head("x: y\u0000z\r\ncontent-length: 2\r\n\r\n{}"),
    head(`x: ${"y".repeat(200_000)}\r\n\r\n`),
    head(" folded: x\r\n\r\n"),
    "GET\r\n\r\n",
    "\u0016\u0003\u0001\u0002\u0000",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET /healthz HTTP/9.9\r\n\r\n",
    "GET http://evil.invalid/healthz HTTP/1.1\r\nhost: a\r\n\r\n",
    `GET /${"a".repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    "GET /healthz HTTP/1.1\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nhost: a b\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nhost: [::\r\n\r\n",
    "GET //healthz HTTP/1.1\r\nhost: a\r\n\r\n",
    "GET //evil.invalid:99999/x HTTP/1.1\r\nhost: a\r\n\r\n",
  ]
  for (const bytes of all) {
    const said = await raw(hostname, Number(port), bytes)
    // Refused by the runtime before the Worker runs: then there is no request id.
    const own = /^HTTP\/1\.1 5\d\d/.test(said) && /x-request-id/i.test(said)
    stand.tally.note(
      `framing ${JSON.stringify(bytes.slice(0, 300).replaceAll(key, "KEY")).slice(-80)}: 5xx`,
      own ? said.slice(0, 500) : undefined,
    )
    await stand.judge(
      "healthz after broken framing",
      { method: "GET", path: "/healthz" },
      { wrong: ({ status }) => (status === 200 ? undefined : String(status)) },
    )
  }
}

function raw(host: string, port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let said = ""
    const socket = connect(port, host, () => socket.write(bytes, "latin1"))
    const end = (): void => {
      socket.destroy()
      resolve(said)
    }
    socket.setTimeout(300, end)
    socket.on("data", (part) => {
      said += part.toString("latin1")
      if (said.includes("\r\n\r\n")) end()
    })
    socket.on("error", end)
    socket.on("close", end)
  })
}
