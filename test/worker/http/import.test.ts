// [F73, H3] An import and a large bundle over HTTP, in workerd: what is bad is a 4xx in time, and what is good is stored in one revision.

import { SELF } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { crc32 } from "../../../src/engine/import/zip.ts"
import { tenant, type Tenant } from "../../support/worker/service-client.ts"

let t: Tenant
beforeAll(async () => {
  t = await tenant("imports")
})

const encoder = new TextEncoder()

async function deflated(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Response(body).body?.pipeThrough(new CompressionStream("deflate-raw"))
  return new Uint8Array(await new Response(stream ?? null).arrayBuffer())
}

/** One packed body that `names` share, or one for each. */
function archive(names: readonly string[], packed: Uint8Array, crc: number, shared: boolean): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const list: Uint8Array[] = []
  let at = 0
  names.forEach((name, i) => {
    const file = encoder.encode(name)
    const common = new DataView(new ArrayBuffer(26))
    common.setUint16(0, 20, true)
    common.setUint16(4, 8, true)
    common.setUint32(10, crc, true)
    common.setUint32(14, packed.length, true)
    common.setUint16(22, file.length, true)
    const tail = new DataView(new ArrayBuffer(14))
    tail.setUint32(10, shared ? 0 : at, true)
    list.push(encoder.encode("PK\x01\x02\x14\x03"), new Uint8Array(common.buffer), new Uint8Array(tail.buffer), file)
    if (shared && i > 0) return
    parts.push(encoder.encode("PK\x03\x04"), new Uint8Array(common.buffer), file, packed)
    at += 30 + file.length + packed.length
  })
  const directory = list.reduce((sum, part) => sum + part.length, 0)
  const end = new DataView(new ArrayBuffer(22))
  end.setUint32(0, 0x06054b50, true)
  end.setUint16(8, names.length, true)
  end.setUint16(10, names.length, true)
  end.setUint32(12, directory, true)
  end.setUint32(16, at, true)
  const all = [...parts, ...list, new Uint8Array(end.buffer)]
  const whole = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0))
  let to = 0
  for (const part of all) {
    whole.set(part, to)
    to += part.length
  }
  return whole
}

const send = (body: Uint8Array<ArrayBuffer>, query = ""): Promise<Response> =>
  SELF.fetch(`http://sluice/v1/import${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${t.key}`, "content-type": "application/zip" },
    body,
  })

test("[F1] 500 damaged entries of 10 MiB, shared or not, are refused as a whole", async () => {
  const packed = await deflated(new Uint8Array(10 * 1_048_576))
  const names = Array.from({ length: 500 }, (_, i) => `agents/a${i}.md`)
  const shared = await send(archive(names, packed, 1, true))
  expect([shared.status, await shared.text()]).toEqual([422, expect.stringContaining("share the same bytes")])
  const own = await send(archive(names.slice(0, 90), packed, 1, false))
  expect([own.status, await own.text()]).toEqual([422, expect.stringContaining("more than 10 MiB")])
})

test("[F73] an archive is imported, in one revision", async () => {
  const text = encoder.encode("---\nname: from_zip\ndescription: d\ntools: read\n---\n\nDo the task.\n")
  const body = archive(["agents/from_zip.md"], await deflated(text), crc32(text), false)
  const dry = await send(body)
  expect([dry.status, await dry.json()]).toEqual([
    200,
    expect.objectContaining({ written: false, counts: { imported: 1, changed: 0, refused: 0 } }),
  ])
  expect((await t.raw("GET", "/v1/agents/from_zip")).status).toBe(404)
  expect((await send(body, "?write=1")).status).toBe(200)
  expect(await (await t.raw("GET", "/v1/agents/from_zip")).text()).toContain("Do the task.")
})

test("[F23e] a ring of 2,000 flows is a 422 that names the ring once", async () => {
  const flows = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [
      `flow_number_${i}.yaml`,
      `name: n${i}\ndescription: ${"a flow of a ring ".repeat(6)}\nsteps:\n  - { id: s, type: flow-ref, flow: flow_number_${(i + 1) % 2_000} }\n`,
    ]),
  )
  const answer = await (await tenant("rings")).raw("PUT", "/v1/catalog", { flows })
  const text = await answer.text()
  expect(answer.status).toBe(422)
  expect(text.length).toBeLessThan(10_000)
  expect(text).toContain("FV-FLOW-RECURSION")
})
