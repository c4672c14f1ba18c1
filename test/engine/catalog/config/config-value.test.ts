// Files that configure the tenant [F79]: what they set, and each fault with its line, its column and what to write.

import { describe, expect, test } from "vitest"
import { checkConfig } from "../../../../src/engine/catalog/config/config-value.ts"
import { secretIn } from "../../../../src/core/secrets/secret-like.ts"

const faults = (...asked: Parameters<typeof checkConfig>) =>
  checkConfig(...asked).diagnostics.map(({ code, line, column, message, suggestion }) => [code, line, column, message, suggestion])

describe("a file of the configuration", () => {
  test("[F79] a hook gets the defaults of the API", () => {
    const text = "flow: triage\nkind: github\nsecret: gh\nmapping: { task: '${{trigger.body.title}}' }\n"
    expect(checkConfig("hook", "tickets", text)).toEqual({
      value: {
        kind: "hook",
        value: {
          flow: "triage",
          kind: "github",
          secret: "gh",
          mapping: { task: "${{trigger.body.title}}" },
          autonomous: true,
          enabled: true,
        },
      },
      diagnostics: [],
    })
  })

  test("[F79] a schedule gets the defaults of the API", () => {
    expect(checkConfig("schedule", "nightly", "flow: report\ncron: 0 3 * * *\n").value).toEqual({
      kind: "schedule",
      value: { flow: "report", cron: "0 3 * * *", zone: "UTC", overlap: "skip", enabled: true },
    })
  })

  test("[F79] settings are those of the API", () => {
    expect(checkConfig("setting", "budget", "usd: 5\n").value).toEqual({ kind: "budget", value: { usd: 5 } })
    expect(checkConfig("setting", "roles", "fast: openai/gpt-5\n").value).toEqual({ kind: "roles", value: { fast: "openai/gpt-5" } })
    expect(checkConfig("setting", "gate", "flows:\n  - match: 'f*'\n").value).toEqual({ kind: "gate", value: { flows: [{ match: "f*" }] } })
    expect(checkConfig("setting", "policy", "autonomy: standard\n").value).toMatchObject({ kind: "policy" })
    expect(checkConfig("setting", "policy", "").value).toMatchObject({ kind: "policy" })
  })

  test("[F79] [N6] a provider is told with the scope of its key, never the key", () => {
    const good = "kind: openai\nkey: { secret: models }\n"
    expect(checkConfig("provider", "main", good).value).toEqual({
      kind: "provider",
      value: { kind: "openai", key: { secret: "models" } },
    })
    expect(faults("provider", "main", "kind: openai\napiKey: abc-not-in-a-file\n")).toEqual([
      ["PV-VALUE", 2, 9, expect.stringContaining("`apiKey` is not for a file"), expect.stringContaining("key: { secret: SCOPE }")],
    ])
    expect(faults("provider", "main", "kind: openai\n")).toEqual([
      ["PV-VALUE", 1, 1, expect.stringContaining("`key` is required for the kind openai"), expect.stringContaining("sluice secrets put")],
    ])
    expect(faults("provider", "main", "kind: opena\n")[0]).toEqual(["PV-VALUE", 1, 7, expect.any(String), 'did you mean "openai"?'])
    expect(faults("provider", "rehearsal", good)[0]?.[3]).toContain("is the built-in model")
    const header = "kind: openai\nkey: { secret: m }\nheaders: { x-api-key: a }\n"
    expect(faults("provider", "main", header)[0]?.[3]).toContain("holds a secret")
  })

  test("[F79] [B3] [H6] [H7] prices, retention and origins are read as their requests are", () => {
    const price = { input: 1, output: 2 }
    expect(checkConfig("setting", "prices", "own/*: { input: 1, output: 2 }\n").value).toEqual({
      kind: "prices",
      value: { "own/*": price },
    })
    expect(faults("setting", "prices", "own/m: { input: 1, outptu: 2 }\n").map(([code, , , message]) => [code, message])).toEqual([
      ["PV-VALUE", "`own/m.output` is required"],
      ["PV-FIELD", 'unknown field "outptu"'],
    ])
    expect(checkConfig("setting", "retention", "runs: 7d\n").value).toEqual({ kind: "retention", value: 604_800_000 })
    expect(faults("setting", "retention", "runs: soon\n")[0]?.[3]).toContain("must be a duration")
    expect(checkConfig("setting", "cors", "origins: [https://a.example, https://a.example]\n").value).toEqual({
      kind: "cors",
      value: ["https://a.example"],
    })
    expect(faults("setting", "cors", "origins:\n  - https://a.example\n  - https://b.example/x\n")[0]?.slice(0, 3)).toEqual([
      "PV-VALUE",
      3,
      5,
    ])
  })

  test("[F79] [N9] telemetry is one collector or several by name; other members are unknown for now", () => {
    const one = { endpoint: "https://otlp.example.com", headers: { authorization: "otlp" }, content: true }
    expect(checkConfig("setting", "telemetry", JSON.stringify(one)).value).toEqual({ kind: "telemetry", value: one })
    const two = { collectors: { a: one, b: { endpoint: "https://b.example.com", plain: { "x-team": "blue" } } } }
    expect(checkConfig("setting", "telemetry", JSON.stringify(two)).value).toEqual({ kind: "telemetry", value: two })
    const told = (value: object): unknown =>
      faults("setting", "telemetry", JSON.stringify(value)).map(([code, , , message]) => [code, message])
    expect(told({ ...one, metrics: true })).toEqual([["PV-FIELD", 'unknown field "metrics"']])
    expect(told({ collectors: { a: { ...one, signals: ["traces"] } } })).toEqual([["PV-FIELD", 'unknown field "signals"']])
    expect(told({ plain: { a: "b" } })).toEqual([["PV-VALUE", expect.stringContaining("add `endpoint`")]])
    expect(told({ ...one, collectors: { default: one } })).toEqual([["PV-VALUE", expect.stringContaining("keep one of them")]])
    expect(told({ ...one, plain: { "api-key": "x" } })).toEqual([["PV-VALUE", expect.stringContaining("holds a secret")]])
  })

  test("[R24] pacing has a thousand lines with whole numbers, for a model or for all models of a provider", () => {
    const one = { models: { "anthropic/*": { rpm: 50 }, "anthropic/claude": { itpm: 30_000, otpm: 8_000, spill: true } }, learn: false }
    expect(checkConfig("setting", "pacing", JSON.stringify(one)).value).toEqual({ kind: "pacing", value: one })
    const told = (value: object): unknown =>
      faults("setting", "pacing", JSON.stringify(value)).map(([code, , , message]) => [code, message])
    expect(told({ models: { "a/b": { rpm: 1, rps: 2 } } })).toEqual([["PV-FIELD", expect.stringContaining('unknown field "rps"')]])
    expect(told({ models: { claude: { rpm: 1 } } })).toEqual([["PV-VALUE", expect.stringContaining("must be named `provider/model`")]])
    for (const rpm of [0, 1.5, 1_000_000_001]) expect(told({ models: { "a/b": { rpm } } })).toHaveLength(1)
    expect(told({ models: { "a/b": { rpm: 1 }, "a/c": { rpm: 1_000_000_000 } } })).toEqual([])
    const lines = (n: number): object => ({ models: Object.fromEntries(Array.from({ length: n }, (_, i) => [`a/m${i}`, { rpm: 1 }])) })
    expect(told(lines(1_000))).toEqual([])
    expect(told(lines(1_001))).toEqual([["PV-VALUE", "`models` has 1001 members; at most 1000 are allowed"]])
  })

  test("[H3] of many faults of a setting 50 are told, and a tenant has at most 10 collectors", () => {
    const many = (n: number): string[] => Array.from({ length: n }, (_, i) => `m${i}`)
    expect(
      faults(
        "setting",
        "prices",
        many(60)
          .map((name) => `${name}: { input: 1, output: 2 }\n`)
          .join(""),
      ),
    ).toHaveLength(50)
    const turns = JSON.stringify({ kind: "scripted", turns: { "*": many(60).map(() => ({ nothing: 1 })) } })
    expect(faults("provider", "own", turns)).toHaveLength(50)
    const collectors = (n: number): string =>
      JSON.stringify({ collectors: Object.fromEntries(many(n).map((name) => [name, { endpoint: "https://otlp.example.com" }])) })
    expect(faults("setting", "telemetry", collectors(10))).toEqual([])
    expect(faults("setting", "telemetry", collectors(11))[0]?.[3]).toBe("`collectors` has 11 members; at most 10 are allowed")
  })

  test("[F79] every fault has its line and column, and what to write", () => {
    expect(faults("hook", "x", "flow: f\nkind: githb\nsecret: s\nfliter: a\nmapping:\n  tsak: b\n")).toEqual([
      ["PV-VALUE", 2, 7, expect.stringContaining("`kind` must be one of github"), 'did you mean "github"?'],
      ["PV-FIELD", 4, 1, 'unknown field "fliter"', 'did you mean "filter"?'],
    ])
    expect(faults("hook", "x", "flow: f\nkind: github\nsecret: s\nmapping:\n  tsak: b\n")).toEqual([
      ["PV-FIELD", 5, 3, 'unknown field "tsak"', expect.stringContaining("task")],
    ])
    expect(faults("schedule", "x", "flow: f\n")).toEqual([["PV-VALUE", 1, 1, "`cron` is required", undefined]])
    expect(faults("schedule", "x", "flow: f\ncron: 99 * * * *\n")).toEqual([
      ["PV-VALUE", 2, 7, expect.stringContaining("`cron`"), undefined],
    ])
    expect(faults("setting", "gate", "flows:\n  - match: a\n  - tests: 5\n    match: b\n")).toEqual([
      ["PV-VALUE", 3, 12, expect.stringContaining("`flows.1.tests` must be"), undefined],
    ])
    expect(faults("setting", "budget", "usd: [1\n")[0]?.slice(0, 1)).toEqual(["PV-PARSE"])
    expect(faults("setting", "budget", "- 1\n")).toEqual([["PV-VALUE", 1, 1, expect.stringContaining("the file must be"), undefined]])
    expect(faults("setting", "budget", "usd: 1\nusd: 2\n")[0]?.slice(0, 2)).toEqual(["PV-DUP-KEY", 2])
  })

  test("[F79] of many faults 100 are told", () => {
    const roles = Array.from({ length: 150 }, (_, i) => `r${i}: x\n`).join("")
    expect(faults("setting", "roles", roles)).toHaveLength(100)
  })

  test("[F79] a value that looks like a secret is refused at its place", () => {
    const text = `flow: f\nkind: token\nsecret: whsec_${"a1B2".repeat(8)}\n`
    expect(faults("hook", "x", text)).toEqual([
      ["PV-SECRET", 3, 9, "`secret` looks like a secret, which files must not contain", expect.stringContaining("PUT /v1/secrets/SCOPE")],
    ])
    expect(faults("schedule", "x", `flow: f\ncron: 0 0 * * *\ninputs: { list: [ "sk-${"a".repeat(30)}" ] }\n`)).toMatchObject([
      ["PV-SECRET", 3, 19, expect.any(String), expect.any(String)],
    ])
  })

  test("[F79] the forms of secrets, and what only resembles them", () => {
    for (const text of [
      `ghp_${"a".repeat(36)}`,
      `github_pat_${"a".repeat(40)}`,
      `AKIA${"Q".repeat(16)}`,
      `xoxb-${"1".repeat(12)}-${"a".repeat(24)}`,
      `sl_acme_${"a".repeat(32)}`,
      `sl_acme_eu_${"a".repeat(32)}`,
      `Bearer ${"a".repeat(24)}`,
      "-----BEGIN RSA PRIVATE KEY-----\nMII",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
      "postgres://user:hunter22@db.example.com/x",
    ])
      expect([text, secretIn(text)]).toEqual([text, true])
    for (const text of ["tickets", "sk-test", "https://example.com/a:b@c", "a task about Bearer tokens", "ghp", "sl_acme", "AKIA"])
      expect([text, secretIn(text)]).toEqual([text, false])
  })
})
