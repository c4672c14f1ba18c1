import { describe, expect, test } from "vitest"
import { errorFields, logText, logValue } from "../../../src/core/secrets/log-text.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const CANARY = "c4n4ryV4lue0fThisTest"
const clean = (text: string): void => expect(text).not.toContain(CANARY)

describe("[N8] what may stand in a log", () => {
  test.each([
    `https://api.example.com/v1/x?key=${CANARY}`,
    `https://user:${CANARY}@api.example.com/`,
    `https://hooks.example.com/services/T0/B0/${CANARY}`,
    `wss://e.example/#${CANARY}`,
    `GET /v1/things?token=${CANARY}&x=1 failed`,
    `GET /v1/things?a[b]=${CANARY}`,
    `authorization: Bearer ${CANARY}`,
    `{"authorization":"Bearer ${CANARY}"}`,
    `{\\"Authorization\\":\\"Basic ${CANARY}\\"}`,
    `Authorization=${CANARY}`,
    `cookie: a=1; session=${CANARY}; b=2`,
    `Set-Cookie: session=${CANARY}; HttpOnly`,
    `x-api-key: ${CANARY}`,
    `X-Goog-Api-Key=${CANARY}`,
    `"api_key": "${CANARY}"`,
    `apiKey=${CANARY}`,
    `client_secret=${CANARY}&grant_type=x`,
    `password: ${CANARY}`,
    `x-hub-signature: ${CANARY}`,
    `token=${CANARY}`,
    `refresh-token: '${CANARY}'`,
    `sl_acme_${CANARY}${CANARY}`,
    `sl_acme_eu_${CANARY}${CANARY}`,
    `sk-${CANARY}${CANARY}`,
    `sk-ant-api03-${CANARY}`,
    `ghp_${CANARY}${CANARY}`,
    `whsec_${CANARY}`,
    `/i/eyJ0ZW5hbnQiOiJhIn0.${CANARY}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.${CANARY}`,
    `POST /v1/hooks/${CANARY}${CANARY} failed`,
    `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----`,
  ])("a secret in its place is taken out: %s", (text) => {
    clean(logText(text))
    clean(logText(`Error: it failed with ${text}, twice: ${text}`))
    clean(JSON.stringify(logValue({ message: text, deep: [{ text }] })))
  })

  test("what says where a fault is stays", () => {
    for (const text of [
      "",
      "the run could not be continued 3 times in a row: R2 is down",
      "TypeError: Cannot read properties of undefined (reading 'oneOf')\n    at narrowed (worker.js:74:19)",
      'the secret "hook" has no value that can sign',
      "it came with [secret:crm], which is hidden",
      "used 120 tokens of 4096",
      "/v1/runs/:run/token",
      "req_2359d92e03e04329a3e7f7575961de41 run_d5paw7e6bzaqz3w2tklu5qb3wt66qh40",
      "step a/b is late: 12 of 13",
    ])
      expect(logText(text)).toBe(text)
    expect(logText("fetch of https://api.example.com:8443/v1/x failed")).toBe("fetch of https://api.example.com:8443/… failed")
    expect(logText("https://api.example.com/ did not answer")).toBe("https://api.example.com/ did not answer")
  })

  test("an error has its name, message, stack and causes, each without the secret", () => {
    const root = new Error(`root ${CANARY}`)
    const error = new TypeError(`outer ${CANARY}`, { cause: new Error(`middle https://x.example/?q=${CANARY}`, { cause: root }) })
    const known = (text: string): string => text.replaceAll(CANARY, "[secret:canary]")
    const shown = JSON.stringify(logValue({ where: "here", ...errorFields(error), fields: { header: CANARY, [CANARY]: 1 } }, known))
    clean(shown)
    for (const part of ["TypeError", "outer [secret:canary]", "middle https://x.example/…", "root [secret:canary]", "log-text.test.ts"])
      expect(shown).toContain(part)
    expect(logValue({ error: errorFields("just a text") })).toEqual({ error: { error: "Error", message: "just a text" } })
  })

  test("a line is bounded, whatever is logged, and takes linear time", () => {
    const spent = cpuClock()
    for (const part of ["a", "https://", "token=", "?a=", "authorization:", "eyJaaaaaaaaa.", "-", "x-", "sl_a_", "cookie"])
      expect(logText(part.repeat(200_000 / part.length)).length).toBeLessThan(4_100)
    expect(spent()).toBeLessThan(12_000)
    const loop: { self?: unknown } = {}
    loop.self = loop
    const cycle = new Error("cycle")
    cycle.cause = cycle
    expect(JSON.stringify(logValue({ loop, cycle, list: Array.from({ length: 10_000 }, () => "x") })).length).toBeLessThan(20_000)
    expect(logValue({ n: 1n, f: () => 1, u: undefined, s: Symbol("x"), d: null })).toEqual({ n: "1", s: null, d: null })
  })
})
