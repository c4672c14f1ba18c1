// The tenant's stream over HTTP [H15]: its form, its scope, and its end.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"
import type { FeedLook, FeedPage } from "../../../src/ports/tenant/feed.ts"

describe("the stream", () => {
  test("[H15] ends by itself after 400 looks, with a comment for each that had nothing, and is gone then", async () => {
    const { app, acme } = setUp()
    const looks: FeedLook[] = []
    const left: string[] = []
    acme.feed = {
      async look(look: FeedLook): Promise<FeedPage> {
        looks.push(look)
        return { at: "e-1", events: [], gap: false }
      },
      leave: async (reader: string) => void left.push(reader),
    }
    const answer = await app.request("/v1/stream", { headers: { authorization: "Bearer key-a", "last-event-id": "e-1" } })
    const text = await answer.text()
    expect(text.match(/: ping/g)).toHaveLength(400)
    expect(text).toMatch(/^id: e-1\nevent: stream\.began\ndata: \{"id":"e-1","type":"stream\.began","at":"[^"]+"\}\n\n/)
    expect(looks.length).toBe(401)
    expect(looks[1]).toMatchObject({ after: "e-1", wait: 15_000 })
    expect(left).toEqual([looks[0]?.reader])
  })

  test("[H15] the header takes precedence over the query; one stream too many is 429", async () => {
    const { ask, acme } = setUp()
    const looks: FeedLook[] = []
    acme.feed = {
      async look(look: FeedLook): Promise<FeedPage> {
        looks.push(look)
        return "full"
      },
      leave: async () => undefined,
    }
    const refused = await ask("GET", "/v1/stream?after=a-1", { headers: { "last-event-id": "b-2" } })
    expect([refused.status, refused.body["code"], refused.headers.get("retry-after")]).toEqual([429, "quota", "30"])
    await ask("GET", "/v1/stream?after=a-1")
    await ask("GET", "/v1/stream")
    expect(looks.map(({ after }) => after)).toEqual(["b-2", "a-1", undefined])
  })

  test("[H15] needs runs:read, and says nothing of the catalog without catalog:read", async () => {
    const { services, acme, app } = setUp()
    services.key("reader", "acme", ["runs:read"])
    services.key("writer", "acme", ["catalog:read"])
    const stream = (key: string) => app.request("/v1/stream", { headers: { authorization: `Bearer ${key}`, "last-event-id": "e-0" } })
    let looks = 0
    acme.feed = {
      async look(): Promise<FeedPage> {
        if (looks++ > 0) return "full"
        const at = "2026-01-01T00:00:00.000Z"
        return {
          at: "e-2",
          events: [
            { id: "e-1", type: "revision.written", at, data: { revision: 2 } },
            { id: "e-2", type: "run.began", at, data: { run: "r" } },
          ],
          gap: false,
        }
      },
      leave: async () => undefined,
    }
    expect((await stream("writer")).status).toBe(403)
    const text = await (await stream("reader")).text()
    expect(text).toContain("run.began")
    expect(text).not.toContain("revision")
    looks = 0
    expect(await (await stream("key-a")).text()).toContain('"revision":2')
  })
})
