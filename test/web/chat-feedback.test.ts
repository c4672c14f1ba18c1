// What a page needs to rate an answer: the right in its token, and one call with it.

import { afterEach, expect, test, vi } from "vitest"
import { ChatDoor } from "../../web/chat/chat-door.ts"
import { readChatToken } from "../../web/chat/chat-token.ts"

const token = (says: object): string => `${btoa(JSON.stringify(says))}.seal`

afterEach(() => vi.unstubAllGlobals())

test("[V20] a token says whether its page may rate answers", () => {
  expect(readChatToken(token({ flow: "f", thread: "t", feedback: "yes" })).feedback).toBe(true)
  expect(readChatToken(token({ flow: "f", thread: "t" })).feedback).toBe(false)
})

test("[V20] a rating goes to the run with the page's token, and a refusal is told in its words", async () => {
  const asked: { url: string; init: RequestInit }[] = []
  const answers = [new Response("{}", { status: 201 }), Response.json({ detail: "This run takes no more feedback." }, { status: 429 })]
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, init })
    return answers.shift()
  })
  const door = new ChatDoor({ server: "https://sluice.test/", flow: "f", thread: "t" }, async () => "the.token")
  await door.rate("run_1", { thumb: "up" })
  expect(asked[0]?.url).toBe("https://sluice.test/v1/runs/run_1/feedback")
  expect(asked[0]?.init).toMatchObject({ method: "POST", body: '{"thumb":"up"}', headers: { authorization: "Bearer the.token" } })
  await expect(door.rate("run_1", { thumb: "up" })).rejects.toThrow("This run takes no more feedback.")
})
