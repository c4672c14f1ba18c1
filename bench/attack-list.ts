// Lists the attacks: requests that one tenant can send, or make its agents send, at once. Each resolves with the answer that the attacker
// got.

import { separateZeros, sharedZeros } from "./archive.ts"
import { OUTSIDE_ATTACKS, OUTSIDE_PAGES } from "./attack-outside.ts"
import type { Answer, Attack } from "./attacker.ts"

const said = ({ status }: Answer): string => `${status}`
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const named = (names: readonly string[], text: (name: string) => string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${name}.yaml`, text(name)]))

/** The pages that the attacker's own site serves. */
export const PAGES: Readonly<Record<string, () => string>> = {
  ...OUTSIDE_PAGES,
  "/rows": () =>
    `<table>${range(170_000)
      .map((n) => `<tr><td>${n}</td></tr>`)
      .join("")}</table>`,
  "/deep": () => `<p>${"<div>".repeat(200_000)}x`,
  "/entities": () => `<p>${"&#115;".repeat(800_000)}</p>`,
  "/links": () =>
    range(80_000)
      .map((n) => `<a href="/${n}">${n}</a>`)
      .join(" "),
}

const page =
  (name: string): Attack =>
  (a) =>
    a.act(["web.fetch"], [{ calls: [{ tool: "web.fetch", args: { url: `${a.site}/${name}` } }] }])
const shell =
  (command: string): Attack =>
  (a) =>
    a.act(["bash"], [{ calls: [{ tool: "bash", args: { command } }] }])
const reply =
  (calls: number, tool: string, args: (n: number) => object): Attack =>
  (a) =>
    a.act([tool], [{ calls: range(calls).map((n) => ({ tool, args: args(n) })) }])

/** A flow of one child after another. */
const refers =
  (to: readonly string[]) =>
  (name: string): string =>
    `name: ${name}\ndescription: refers\nsteps:\n${to.map((other, n) => `  - { id: s${n}, type: flow-ref, flow: ${other} }\n`).join("")}`
const flows =
  (count: number, to: (n: number) => readonly string[]): Attack =>
  async (a) =>
    said(
      await a.send("PUT", "/v1/catalog", {
        agents: {},
        flows: Object.fromEntries(range(count).map((n) => [`f${n}.yaml`, refers(to(n))(`f${n}`)])),
        skills: {},
      }),
    )

const coded =
  (handler: string): Attack =>
  (a) =>
    a.act([], [], "name: f\ndescription: computes\nsteps:\n  - { id: s, type: code, timeout: 2s }\n", { code: { "f/s.js": handler } })

const zip =
  (archive: Buffer): Attack =>
  async (a) =>
    said(await a.send("POST", "/v1/import", archive, { "content-type": "application/zip" }))

export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...OUTSIDE_ATTACKS,

  // Bodies
  "zip: 500 entries share 10 MiB of zeros": zip(sharedZeros(500, 10 * 1024 * 1024)),
  "zip: 500 entries of 1 MiB of zeros each": zip(separateZeros(500, 1024 * 1024)),
  "YAML: 20,000 keys in one map": async (a) =>
    said(
      await a.send(
        "PUT",
        "/v1/flows/y",
        range(20_000)
          .map((n) => `k${n}: 1\n`)
          .join(""),
        { "content-type": "application/yaml" },
      ),
    ),
  "YAML: 100,000 nested lists": async (a) =>
    said(await a.send("PUT", "/v1/flows/y", `name: ${"[".repeat(100_000)}`, { "content-type": "application/yaml" })),
  "YAML: 250 KiB of steps that are all wrong": async (a) =>
    said(
      await a.send("PUT", "/v1/flows/y", `name: y\ndescription: y\nsteps:\n${"  - { id: 1, tipe: agnt, agnet: x }\n".repeat(7_000)}`, {
        "content-type": "application/yaml",
      }),
    ),
  "JSON: 500,000 nested lists": async (a) => said(await a.send("PUT", "/v1/catalog", "[".repeat(500_000) + "]".repeat(500_000))),
  "JSON: 1 MB of unknown keys": async (a) =>
    said(await a.send("PUT", "/v1/settings/policy", Object.fromEntries(range(60_000).map((n) => [`key${n}`, n])))),
  "catalog: a ring of 2,000 flows": flows(2_000, (n) => [`f${(n + 1) % 2_000}`]),
  "catalog: a chain of 2,000 flows": flows(2_000, (n) => (n === 1_999 ? [] : [`f${n + 1}`])),
  "catalog: 1,000 flows, each of which refers to 8 others": flows(1_000, (n) => range(8).map((k) => `f${(n * 7 + k * 131 + 1) % 1_000}`)),
  "catalog: 2,000 flows that name unknown agents": async (a) => {
    const names = range(2_000).map((n) => `f${n}`)
    const flow = (name: string): string =>
      `name: ${name}\ndescription: x\nsteps:\n  - { id: s, type: agent, agent: unknown-agent-of-${name} }\n`
    return said(await a.send("PUT", "/v1/catalog", { agents: {}, flows: named(names, flow), skills: {} }))
  },
  "OpenAPI: 1 MB, 4,000 operations": async (a) => {
    const operation = (n: number): object => ({
      get: { operationId: `op${n}`, summary: "x", parameters: [{ name: "q", in: "query", schema: { $ref: "#/components/schemas/S0" } }] },
    })
    const openapi = {
      openapi: "3.1.0",
      info: { title: "x", version: "1" },
      servers: [{ url: "https://example.com" }],
      paths: Object.fromEntries(range(4_000).map((n) => [`/p${n}`, operation(n)])),
      components: { schemas: { S0: { type: "string" } } },
    }
    return said(await a.send("POST", "/v1/tools/import", { openapi }))
  },
  "OpenAPI: schemas that refer to two others, 40 deep": async (a) => {
    const ref = (n: number): object => ({ $ref: `#/components/schemas/S${n}` })
    const schemas = Object.fromEntries(range(40).map((n) => [`S${n}`, { type: "object", properties: { a: ref(n + 1), b: ref(n + 1) } }]))
    const openapi = {
      openapi: "3.1.0",
      info: { title: "x", version: "1" },
      servers: [{ url: "https://example.com" }],
      paths: { "/p": { post: { operationId: "op", requestBody: { content: { "application/json": { schema: ref(0) } } } } } },
      components: { schemas: { ...schemas, S40: { type: "string" } } },
    }
    return said(await a.send("POST", "/v1/tools/import", { openapi }))
  },
  "diff of two revisions, 250 KiB of lines, all different": async (a) => {
    const text = (word: string): string =>
      `---\nname: d\ndescription: d\ntools: []\n---\n${range(40_000)
        .map((n) => word + (n % 97))
        .join("\n")}\n`
    for (const word of ["a", "b"]) await a.must("PUT", "/v1/catalog", { agents: { "d.md": text(word) }, flows: {}, skills: {} })
    return said(await a.send("GET", "/v1/catalog/diff?from=1&to=2"))
  },
  "webhook: 60 forged deliveries of 1 MB": async (a) => {
    await a.act([], [])
    await a.must("PUT", "/v1/secrets/hook", { value: "long-enough-to-be-one" })
    const made = await a.must("POST", "/v1/hooks", { flow: "f", kind: "github", secret: "hook" })
    const hook = /"id":"([^"]+)"/.exec(made.text)?.[1] ?? ""
    const body = JSON.stringify({ text: "x".repeat(1_000_000) })
    const headers = { "x-hub-signature-256": `sha256=${"0".repeat(64)}`, "x-github-delivery": "1", "x-github-event": "push" }
    const all = await Promise.all(range(60).map(() => a.send("POST", `/v1/hooks/${hook}`, body, headers)))
    return [...new Set(all.map(said))].join(", ")
  },
  "webhook: 40 genuine deliveries of 1 MB": async (a) => {
    await a.act([], [])
    await a.must("PUT", "/v1/secrets/hook", { value: "long-enough-to-be-one" })
    const made = await a.must("POST", "/v1/hooks", { flow: "f", kind: "token", secret: "hook" })
    const hook = /"id":"([^"]+)"/.exec(made.text)?.[1] ?? ""
    const body = JSON.stringify({ text: range(150_000) })
    const all = await Promise.all(
      range(40).map(() => a.send("POST", `/v1/hooks/${hook}`, body, { authorization: "Bearer long-enough-to-be-one" })),
    )
    return [...new Set(all.map(said))].join(", ")
  },

  // Pages
  "web.fetch: a table of 170,000 rows": page("rows"),
  "web.fetch: 200,000 nested elements": page("deep"),
  "web.fetch: 800,000 entities": page("entities"),
  "web.fetch: 80,000 links": page("links"),

  // What a model says
  "reply: 3,000 calls of write": reply(3_000, "write", (n) => ({ path: `f${n}.txt`, content: "x" })),
  "reply: 2,000 calls of ask_user": reply(2_000, "ask_user", (n) => ({ question: `q${n}`, type: "input" })),
  "reply: 3,000 calls that do not fit": reply(3_000, "write", (n) => ({ pathh: n })),
  "reply: 40 writes of 9,000 characters": reply(40, "write", (n) => ({ path: `f${n}.txt`, content: "x".repeat(9_000) })),

  // What a tool does
  "shell: arithmetic that doubles 24 times": shell(
    `${range(24)
      .map((n) => `v${n}='v${n + 1}+v${n + 1}'`)
      .join(";")};v24=1;echo $((v0))`,
  ),
  "shell: an endless loop": shell("while true; do x=1; done"),
  "shell: a pattern that backtracks": shell("x=$(printf 'a%.0s' $(seq 1 40)); for i in $(seq 1 20000); do [[ $x =~ ^(a+)+b$ ]]; done"),
  "shell: a text that doubles": shell("x=aaaaaaaaaaaaaaaa; for i in $(seq 1 40); do x=$x$x; done; echo ${#x}"),
  "shell: replacements in a long text": shell("x=$(seq 1 20000); for i in $(seq 1 2000); do y=${x//1/22}; done"),
  "shell: sed over a long text, 500 times": shell("seq 1 50000 > a; for i in $(seq 1 500); do sed 's/1/2/g; s/3/4/g' a > b; done"),
  "shell: jq that counts": shell("jq -n '[range(3000000)] | map(. * 2) | add'"),
  "shell: an endless awk": shell("awk 'BEGIN { while (1) i++ }'"),
  "grep: a pattern that backtracks, over 300 KB": (a) =>
    a.act(
      ["write", "grep"],
      [
        { calls: range(3).map((n) => ({ tool: "write", args: { path: `g${n}.txt`, content: `${"a".repeat(100)}\n`.repeat(1_000) } })) },
        { calls: [{ tool: "grep", args: { pattern: "(a|aa|aaa|a+b?)+(a|aa)*$" } }] },
      ],
    ),
  "code: an endless loop": coded("export default () => { for (;;) {} }\n"),
  "code: a pattern that backtracks": coded("export default () => ({ a: /^(a+)+$/.test('a'.repeat(40) + 'b') })\n"),
  "code: fills memory": coded("export default () => { const a = []; for (;;) a.push('x'.repeat(1e6)) }\n"),

  // Runs
  "map of 10,000 items, 100 at once": async (a) => {
    const flow =
      'name: f\ndescription: maps\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: each, type: map, over: "${{flow.input.list}}", do: child, max_concurrent: 100 }\n'
    await a.act([], []).catch(() => "")
    await a.must("PUT", "/v1/flows/f", flow, { "content-type": "application/yaml" })
    return a.rest("f", { inputs: { list: range(10_000) } }, true)
  },
  "300 readers of one run's stream": async (a) => {
    await a.act([], [])
    const { text } = await a.must("GET", "/v1/runs?limit=1")
    const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? ""
    for (let n = 0; n < 5; n++)
      await Promise.all(range(300).map(() => a.send("GET", `/v1/runs/${id}/events`, undefined, { accept: "text/event-stream" })))
    return "1,500 streams"
  },
}
