// POST /v1/import?flow=FLOW [V31]: files of promptfoo and of OpenAI evals become datasets of the catalog, and what is left out is named.

import { beforeAll, expect, test } from "vitest"
import type { ImportReport } from "../../../src/api/doc/catalog.doc.ts"
import { agent, ask, call, flow } from "../../support/worker/house.ts"

const PROMPTFOO = `
description: Answers of the shop
prompts: [ "Answer {{question}}" ]
providers: [ "openai:gpt" ]
defaultTest:
  assert:
    - { type: llm-rubric, value: "is polite: no slang" }
tests:
  - description: where is it
    vars: { lang: en, question: "Where is my order?" }
    assert: [ { type: icontains, value: tomorrow } ]
  - vars: { question: "1.10", tone: kind }
    assert:
      - { type: equals, value: "@home" }
      - { type: python, value: "len(output) < 9" }
  - vars: { question: "Which?" }
    assert: [ { type: contains, value: "a.b" } ]
  - vars: { question: "How many?" }
    options: { transform: output.trim() }
    assert: [ { type: regex, value: "\\\\d+" }, { type: similar, value: seven } ]
  - file://more.yaml
`

const EVALS = [
  { item: { lang: "en", ticket: "It is broken.", label: "repair" } },
  { item: { ticket: "Thanks!", label: "none" }, extra: 1 },
  {
    input: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "2+2?" },
    ],
    ideal: ["4", "four"],
  },
  { note: "no row" },
]
const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n")

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: { "shop.yaml": flow("shop", "  - { id: a, agent: a }\n", "inputs: { lang: { type: string } }\n") },
  })
})

const imported = (query: string, files: Readonly<Record<string, string>>): Promise<ImportReport> =>
  ask("POST", `/v1/import?flow=shop${query}`, { files })
const rowsOf = async (name: string): Promise<object[]> =>
  (await ask<{ data: Record<string, unknown>[] }>("GET", `/v1/datasets/${name}/rows`)).data
    .map(({ id: _id, created: _created, runs: _runs, ...row }) => row)
    .sort((a, b) => String(a["task"]).localeCompare(String(b["task"])))

test("[V31] a promptfoo configuration becomes a file of the catalog, which a dry import only shows", async () => {
  const files = { "evals/answers.yaml": PROMPTFOO }
  const dry = await imported("", files)
  expect(dry).toMatchObject({
    written: false,
    counts: { imported: 0, changed: 1, refused: 0 },
    data: [{ path: "evals/answers.yaml", kind: "dataset", status: "changed", target: "datasets/answers.yaml", diagnostics: [] }],
  })
  expect(dry.data[0]?.changes).toEqual([
    "its 4 tests are rows for shop",
    "leaves out /prompts: the flow has its own",
    "leaves out /providers: the flow has its own",
    "leaves out /tests/1/assert/2: python has no counterpart: write a scorer",
    "leaves out /tests/3/options: a row has no such member",
    "leaves out /tests/3/assert/2: similar has no counterpart: write a scorer",
    "leaves out /tests/4: it is another file",
  ])
  expect((await call("GET", "/v1/datasets/answers")).status).toBe(404)
  expect(await imported("&write=1", files)).toMatchObject({ written: true, counts: { changed: 1 } })
  expect(await ask("GET", "/v1/datasets/answers")).toMatchObject({ flow: "shop", rows: 4, file: "datasets/answers.yaml" })
  const criteria = "is polite: no slang"
  expect(await rowsOf("answers")).toEqual([
    { task: "How many?", expect: { answer: { matches: "\\d+" } }, criteria },
    { task: "question: 1.10\ntone: kind", expect: { answer: "@home" }, criteria },
    {
      name: "where is it",
      task: "Where is my order?",
      inputs: { lang: "en" },
      expect: { answer: { matches: expect.stringMatching(/^\[tT\]/) } },
      criteria,
    },
    { task: "Which?", expect: { answer: { matches: "a\\.b" } }, criteria },
  ])
  const again = await imported("", files)
  expect(again.data[0]).toMatchObject({ replaces: true, changes: expect.arrayContaining(["replaces the stored datasets/answers.yaml"]) })
})

test("[V31] JSON Lines of OpenAI evals become one too, with the reference that ?expected= names", async () => {
  const report = await imported("&write=1&expected=label&prefix=acme-", { "tickets.jsonl": `${lines(EVALS)}\n` })
  expect(report.data[0]).toMatchObject({ target: "datasets/acme-tickets.yaml", status: "changed" })
  expect(report.data[0]?.changes).toEqual([
    "its 3 tests are rows for shop",
    "leaves out /1/extra: a row has no such member",
    "leaves out /3: it has neither an `item` nor an `input` with a message of the user",
  ])
  expect(await rowsOf("acme-tickets")).toEqual([
    { task: "2+2?", conversation: [{ role: "system", text: "Be brief." }], expect: { answer: { matches: "^(?:4|four)$" } } },
    { task: "It is broken.", inputs: { lang: "en" }, expect: { answer: "repair" } },
    { task: "Thanks!", expect: { answer: "none" } },
  ])
})

test("[V31] what cannot be read, has no rows, too many, or rows that do not fit is refused with its reason, and the others come", async () => {
  const { counts, data } = await imported("&write=1", {
    "good.jsonl": lines([{ input: "Hello", ideal: "Hi" }]),
    "again/good.jsonl": lines([{ input: "Hello", ideal: "Hi" }]),
    "broken.jsonl": '{"input": "x"}\n{"input',
    "broken.yaml": "tests: [",
    "other.yaml": "prompts: [x]",
    "empty.json": '{"tests": "more.csv"}',
    "many.jsonl": lines(Array.from({ length: 101 }, (_, i) => ({ input: `${i}` }))),
    "regex.yaml": "tests: [ { vars: { q: x }, assert: [ { type: regex, value: '(' } ] } ]",
    "wrong.yaml": "tests: [ { vars: { q: x, lang: [] } } ]",
    "typed.jsonl": lines([{ item: { q: "x", lang: 7 } }]),
  })
  expect(counts).toEqual({ imported: 0, changed: 1, refused: 9 })
  const why = Object.fromEntries(data.map(({ path, diagnostics: [first] }) => [path, first && `${first.code} ${first.message}`]))
  expect(why).toEqual({
    "good.jsonl": undefined,
    "again/good.jsonl": "IV-TWICE datasets/good.yaml is already made from good.jsonl",
    "broken.jsonl": "IV-FILE is not JSON in line 2",
    "broken.yaml": expect.stringMatching(/^IV-FILE cannot be read, line 1: /),
    "other.yaml": "IV-FILE is no promptfoo configuration: it has no `tests`",
    "empty.json": "IV-FILE has no row that could be imported: /tests: they are not a list in this file",
    "many.jsonl": expect.stringContaining("has 101 rows, and a file of the catalog at most 100"),
    "regex.yaml": expect.stringContaining("EV-ROW"),
    "wrong.yaml": expect.stringContaining("a list of values is several tests"),
    "typed.jsonl": expect.stringContaining("EV-ROW"),
  })
  expect(await rowsOf("good")).toEqual([{ task: "Hello", expect: { answer: "Hi" } }])
})

test("[V31] a report names a thousand omissions, and counts the others", async () => {
  const many = { tests: [{ vars: { q: "x" }, assert: Array.from({ length: 1_003 }, () => ({ type: "cost" })) }] }
  const changes = (await imported("", { "costs.json": JSON.stringify(many) })).data[0]?.changes ?? []
  expect([changes.length, changes.at(-1)]).toEqual([1_002, "leaves out 3 more"])
})

test("[V31] an unknown flow, and ?expected= without one, are 422", async () => {
  for (const [query, pointer] of [
    ["?flow=none", "?flow"],
    ["?flow=../x", "?flow"],
    ["?expected=label", "?expected"],
  ]) {
    const answer = await call("POST", `/v1/import${query}`, { files: { "a.jsonl": lines(EVALS) } })
    expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ pointer }] }])
  }
})

test("[V31, V40] a key that writes the catalog imports rows, but not those that the gate relies on", async () => {
  const { key } = await ask<{ key: string }>("POST", "/v1/keys", { name: "writer", scopes: ["catalog:read", "catalog:write"] })
  const send = async (ideal: string): Promise<number> => {
    const files = { "relied.jsonl": lines([{ input: "Hello", ideal }]) }
    return (await call("POST", "/v1/import?flow=shop&write=1", { files }, {}, key)).status
  }
  expect(await send("Hi")).toBe(200)
  await ask("PUT", "/v1/settings/gate", {
    flows: [{ match: "shop", tests: false, score: { dataset: "relied", scorers: { succeeded: 0.5 } } }],
  })
  expect(await send("Bye")).toBe(403)
  expect(await rowsOf("relied")).toMatchObject([{ expect: { answer: "Hi" } }])
  await ask("PUT", "/v1/settings/gate", {})
})
