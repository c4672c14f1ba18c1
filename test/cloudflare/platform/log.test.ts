// [N8] [T32] Every line of the Worker's log goes through one file, which takes out secrets.

import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, describe, expect, test, vi } from "vitest"
import { cachedSecrets, forgetSecrets } from "../../../src/cloudflare/platform/secret-cache.ts"
import { hideFromLog, logError, logRequest, logWarning } from "../../../src/cloudflare/platform/log.ts"
import { errorFields } from "../../../src/core/secrets/log-text.ts"

const src = fileURLToPath(new URL("../../../src/", import.meta.url))
const CANARY = 'can"ary\nof two lines, in no usual form'

const lines: string[] = []
const spies = (["log", "warn", "error"] as const).map((name) => vi.spyOn(console, name).mockImplementation((line) => void lines.push(line)))
afterEach(() => {
  lines.length = 0
  for (const spy of spies) spy.mockClear()
})

/** The same secret in every place that a line has. */
function everywhere(secret: string): void {
  const url = new URL("https://api.example.com/v1")
  url.searchParams.set("q", secret)
  const error = new Error(`failed: ${secret}`, { cause: new TypeError(`${url.href} with x-own-header: ${secret}`, { cause: secret }) })
  const fields = { ...errorFields(error), header: { "x-own": secret }, list: [secret, url.href, btoa(`user:${secret}`)], [secret]: true }
  logError("test", fields)
  logWarning("test", { raw: error })
  logRequest({ level: "info", event: "http.request", tenant: secret })
}

const shows = (secret: string): string[] => {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), btoa(secret).replace(/=+$/, "").slice(2, -2)]
  return lines.filter((line) => forms.some((form) => line.includes(form)))
}

afterAll(() => {
  for (const spy of spies) spy.mockRestore()
})

describe("the log", () => {
  test("[T32] takes out the secrets of a vault that this isolate has open", async () => {
    everywhere(CANARY)
    expect(shows(CANARY).length).toBeGreaterThan(0)
    lines.length = 0
    await cachedSecrets(
      "log-tenant",
      async () => ({ vault: { own: [CANARY] }, keys: {} }),
      () => 0,
    )()
    everywhere(CANARY)
    expect(shows(CANARY)).toEqual([])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "error", event: "test", error: "Error", message: "failed: [secret:own]", cause: { error: "TypeError" } },
      { level: "warn", raw: { message: "failed: [secret:own]" } },
      { level: "info", tenant: "[secret:own]" },
    ])
    forgetSecrets("log-tenant")
  })

  test("[T32] takes out the instance's own secrets", () => {
    const env = {
      VAULT_KEY: "a vault key of an instance",
      ADMIN_KEY: "an admin key of an instance",
      OTLP_HEADERS: "x-org=plain%20header%20value,a=b",
    }
    hideFromLog(env)
    for (const secret of [env.VAULT_KEY, env.ADMIN_KEY, "plain%20header%20value", "plain header value"]) {
      everywhere(secret)
      expect(shows(secret), secret).toEqual([])
    }
    // A value of one letter is no secret to look for.
    expect(lines.join()).toContain("failed")
    hideFromLog({})
  })

  test("[N8] no other file of the Worker writes to the console, and the linter refuses it", () => {
    const files = readdirSync(src, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".gen.ts"))
    const writers = files.filter((file) =>
      /\bconsole\s*[.[]|process\.std(?:out|err)/.test(readFileSync(src + file, "utf8").replaceAll(/^\s*(?:\/\/|\*).*$/gm, "")),
    )
    expect(writers).toEqual(["cloudflare/platform/log.ts"])
    const { overrides } = JSON.parse(readFileSync(`${src}../.oxlintrc.json`, "utf8")) as {
      overrides: { files: string[]; rules: Record<string, unknown> }[]
    }
    const about = overrides.flatMap(({ files: of, rules }) => ("eslint/no-console" in rules ? [[of, rules["eslint/no-console"]]] : []))
    expect(about).toEqual([
      [["src/**"], "error"],
      [["src/cloudflare/platform/log.ts"], "off"],
    ])
  })
})
