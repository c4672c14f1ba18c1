// The entrances that are not an operation with a body: /mcp in both revisions, hooks, links, tokens and sockets.

import type { Company } from "../service/possessions.ts"
import { Chance } from "./chance.ts"
import { objectOf } from "./judge.ts"
import { QUERIES, STRINGS } from "./naughty.ts"
import { brokenText, spoilt } from "./spoil.ts"
import type { Asked, Stand } from "./stand.ts"
import { valueOf, type Answer, type Header } from "./wire.ts"
import type { Json, JsonObject } from "../../src/core/json.ts"

const JSON_TYPE = "application/json"
const MODERN = "2026-07-28"

/** JSON-RPC has its own refusals, so they are checked against its format. */
export async function attackMcp(stand: Stand, { key, ids }: Company, seed: string, runs: number): Promise<void> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "f", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const call = { name: `flow_${ids["flow"] ?? ""}`, arguments: { task: "x" } }
  const methods: readonly (readonly [string, JsonObject])[] = [
    ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "f", version: "1" } }],
    ["tools/list", {}],
    ["tools/list", { cursor: "x" }],
    ["tools/call", { name: "read", arguments: { path: "a" } }],
    ["tools/call", { ...call, name: "flow_none" }],
    ["ping", {}],
    ["server/discover", {}],
    ["resources/list", {}],
    ["notifications/initialized", {}],
    ["notifications/cancelled", { requestId: 1 }],
    ["tasks/get", { taskId: "x" }],
    ["logging/setLevel", { level: "debug" }],
    ["__proto__", {}],
  ]
  for (let n = 0; n < runs; n++) {
    const chance = new Chance(seed, "mcp", n)
    const modern = chance.percent(50)
    const [method, params] = chance.of(methods)
    const right: Json = {
      jsonrpc: "2.0",
      id: chance.of<Json>([1, "a", 0, "__proto__"]),
      method,
      params: modern ? { ...params, _meta: meta } : params,
    }
    const text = JSON.stringify(chance.percent(70) ? spoilt(chance, right) : right)
    const named: Header[] = [
      ["accept", chance.percent(90) ? "application/json, text/event-stream" : chance.of(["*/*", "text/html", ""])],
      [
        "mcp-protocol-version",
        chance.percent(80) ? (modern ? MODERN : "2025-11-25") : chance.of(["1999-01-01", "", "__proto__", "2025-11-25, 2026-07-28"]),
      ],
      ...(modern && chance.percent(90) ? [["mcp-method", chance.percent(75) ? method : chance.of(["tools/call", "", "x"])] as const] : []),
      ...(modern && chance.percent(50) ? [["mcp-name", chance.of([String(params["name"]), "other", "=?base64?AAAA?="])] as const] : []),
      ...(chance.percent(20) ? [["mcp-session-id", chance.of(["", "x", "a.b", "eyJhIjoxfQ.AAAA", "..", "a".repeat(5_000)])] as const] : []),
      ...(chance.percent(5) ? [["origin", "https://evil.invalid"] as const] : []),
    ]
    const asked: Asked = {
      method: chance.percent(95) ? "POST" : chance.of(["GET", "DELETE", "PUT"]),
      path: "/mcp",
      key,
      headers: named,
      body: chance.percent(15) ? brokenText(chance, text) : chance.percent(3) ? `[${text},${text}]` : text,
      type: chance.percent(95) ? JSON_TYPE : "text/plain",
    }
    await rpc(stand, asked)
  }
}

async function rpc(stand: Stand, asked: Asked): Promise<void> {
  const answer = await stand.ask(asked)
  const { status, text, headers, ms } = answer
  const type = valueOf(headers, "content-type") ?? ""
  const isProblem = type === "application/problem+json"
  const said = objectOf(text)
  const fault =
    status === 0 || status >= 500
      ? `${status}`
      : ms > 2_000
        ? "slower than 2 s"
        : status >= 400 && asked.method === "POST" && !isProblem && (said?.["jsonrpc"] !== "2.0" || said["error"] === undefined)
          ? "a refusal that is not a JSON-RPC error"
          : status >= 400 && asked.method !== "POST" && !isProblem
            ? "a refusal that is not a problem"
            : undefined
  const shown = `${JSON.stringify(asked.headers)}\n${String(asked.body).slice(0, 500)}\n→ ${status} ${text.slice(0, 300)}`
  stand.tally.note(fault === undefined ? "mcp" : `/mcp: ${fault}`, fault === undefined ? undefined : shown)
}

/** Deliveries that differ from what their hook expects; a forged delivery must start nothing. */
export async function attackHooks(stand: Stand, { key, ids }: Company, seed: string, runs: number): Promise<void> {
  const scope = ids["scope"] ?? ""
  const hooks: [string, string][] = []
  for (const kind of ["github", "stripe", "slack", "standard", "hmac", "token"]) {
    const body = JSON.stringify({
      flow: ids["flow"],
      kind,
      secret: scope,
      mapping: { task: "${{trigger.body.text}}" },
      filter: 'a.b.c != "x"',
    })
    const made = await stand.ask({ method: "POST", path: "/v1/hooks", key, body, type: JSON_TYPE })
    hooks.push([kind, String(objectOf(made.text)?.["id"])])
  }
  const before = await runsOf(stand, key)
  for (let n = 0; n < runs; n++) {
    const chance = new Chance(seed, "hooks", n)
    const [kind, id] = chance.of(hooks)
    const now = String(Math.floor(Date.now() / 1000))
    const signature = chance.of([
      "",
      "sha256=",
      `sha256=${"0".repeat(64)}`,
      "v1,AAAA",
      "v0=00",
      `t=${now},v1=${"0".repeat(64)}`,
      `t=${"9".repeat(40)},v1=x`,
      "Bearer x",
      ",".repeat(2_000),
      "=".repeat(900),
    ])
    const signed = ["x-hub-signature-256", "stripe-signature", "x-slack-signature", "webhook-signature", "x-signature", "authorization"]
    const fields = [
      ...signed.map((name): Header => [name, signature]),
      ["x-slack-request-timestamp", chance.of([now, "0", "-1", "x", "9".repeat(30)])] as const,
      ["webhook-timestamp", now] as const,
      ["webhook-id", chance.of(["m", "", "a".repeat(3_000)])] as const,
    ]
    await stand.judge(
      `deliver ${kind}`,
      {
        method: "POST",
        path: `/v1/hooks/${chance.percent(90) ? id : `${id}x`}${chance.percent(20) ? `?${chance.of(QUERIES)}` : ""}`,
        headers: [...chance.some(fields, 70), ...(chance.percent(10) ? fields : [])],
        body: chance.percent(50)
          ? brokenText(chance, '{"text":"x","n":1}')
          : JSON.stringify(spoilt(chance, { text: "x", a: { b: { c: 1 } }, type: "url_verification", challenge: "c" })),
        type: chance.of([JSON_TYPE, "application/x-www-form-urlencoded", "text/plain", "application/json; charset=x", ""]),
      },
      { operation: stand.operation("deliver") },
    )
  }
  const after = await runsOf(stand, key)
  stand.tally.note("deliver: a forged delivery started a run", before === after ? undefined : `${before}\n${after}`)
}

const runsOf = async (stand: Stand, key: string): Promise<string> => {
  const { text } = await stand.ask({ method: "GET", path: "/v1/runs?trigger=webhook&limit=5", key })
  return [...text.matchAll(/run_[0-9a-z]+/g)].join(" ")
}

/** A token with any change opens nothing. */
export async function attackTokens(stand: Stand, { key, ids }: Company, seed: string): Promise<void> {
  const { run = "", interaction = "", flow = "" } = ids
  const made = async (path: string, member: string, body = "{}"): Promise<string> => {
    const { text } = await stand.ask({ method: "POST", path, key, body, type: JSON_TYPE })
    return String(objectOf(text)?.[member] ?? /\/d\/[A-Za-z0-9_.-]+/.exec(text)?.[0] ?? "")
  }
  const link = (await made(`/v1/runs/${run}/interactions/${interaction}/link`, "url")).replace(/^.*\/i\//, "")
  const token = await made(`/v1/runs/${run}/token`, "token")
  const file = (await made("/v1/tools/r2.share", "", JSON.stringify({ object_key: `${flow}/a.txt` }))).replace(/^.*\/d\//, "")
  const places: readonly (readonly [string, string, string, (token: string) => string, readonly number[]])[] = [
    ["GET", "openAnswerLink", link, (t) => `/i/${t}`, [403, 404]],
    ["POST", "answerByLink", link, (t) => `/i/${t}`, [400, 403, 404]],
    ["GET", "openFileLink", file, (t) => `/d/${t}`, [403, 404]],
    ["GET", "getRun", token, (t) => `/v1/runs/${run}?token=${t}`, [401]],
    ["GET", "readEvents", token, (t) => `/v1/runs/${run}/events?token=${t}`, [401]],
  ]
  for (const [method, id, right, place, refused] of places) {
    if (right !== "") {
      const { status } = await stand.ask({ method: "GET", path: place(right) })
      stand.tally.note(`${id}: its own token opens nothing`, status === 200 ? undefined : `${place(right)}: ${status}`)
    }
    for (const altered of alterations(right, [link, token, file], new Chance(seed, id))) {
      const body = method === "POST" ? { body: '{"answer":"left"}', type: JSON_TYPE } : {}
      await stand.judge(
        `${id} with an altered token`,
        { method, path: place(altered), ...body },
        {
          operation: stand.operation(id),
          wrong: ({ status }) => (refused.includes(status) ? undefined : `it answers ${status}`),
        },
      )
    }
  }
}

function alterations(token: string, others: readonly string[], chance: Chance): readonly string[] {
  const made = new Set([
    "x",
    "...",
    "a.b",
    "%00",
    "__proto__",
    "A".repeat(5_000),
    "A".repeat(4_000) + "." + "A".repeat(90),
    "bnVsbA.AAAA",
    ...others,
  ])
  for (const sign of ["A", "_", "%41", "=", ".", "%2E", "+", "%00"]) {
    const at = chance.below(token.length + 1)
    made
      .add(token.slice(0, at) + sign + token.slice(at))
      .add(token.slice(0, at) + sign + token.slice(at + 1))
      .add(token + sign)
      .add(sign + token)
  }
  const [head = "", tail = ""] = token.split(".")
  made
    .add(`${tail}.${head}`)
    .add(`${head}.`)
    .add(`.${tail}`)
    .add(head)
    .add(`${head}.${tail}.${tail}`)
    .add(token.toUpperCase())
    .add(token.split("").toReversed().join(""))
  // The last letter has unused bits: no other letter may replace it.
  for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef0123456789-_") made.add(token.slice(0, -1) + letter)
  made.delete(token)
  // A text that decodes to the token is the token.
  return [...made].filter((text) => !/^\.{0,2}$/.test(decoded(text)) && decoded(text) !== token)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Upgrades with a fault: refused like any request, or opened. */
export async function attackSockets(stand: Stand, { key, ids }: Company, seed: string, runs: number): Promise<void> {
  for (let n = 0; n < runs; n++) {
    const chance = new Chance(seed, "sockets", n)
    const parameters = ["after", "format", "token", "ack", "limit", "cursor", "snapshot"].filter(() => chance.percent(30))
    const query = parameters.map((name) => `${name}=${chance.of(QUERIES)}`).join("&")
    const headers: Header[] = [
      ["connection", chance.percent(85) ? "Upgrade" : chance.of(["keep-alive", "close", "Upgrade, Upgrade"])],
      ["upgrade", chance.percent(85) ? "websocket" : chance.of(["WebSocket", "h2c", "websocket, x", ""])],
      ...(chance.percent(85) ? [["sec-websocket-key", chance.of(["dGhlIHNhbXBsZSBub25jZQ==", "", "x", "a".repeat(900)])] as const] : []),
      ...(chance.percent(85) ? [["sec-websocket-version", chance.of(["13", "13", "13", "0", "99", "x"])] as const] : []),
      ...(chance.percent(20) ? [["sec-websocket-protocol", chance.of(["a, b", ",", "x".repeat(900)])] as const] : []),
      ...(chance.percent(20) ? [["sec-websocket-extensions", "permessage-deflate; client_max_window_bits=99"] as const] : []),
    ]
    const run = chance.percent(80) ? (ids["run"] ?? "") : chance.of(["run_00000000000000000000000000", "x", "%00"])
    const path = `/v1/runs/${run}/events${query === "" ? "" : `?${query}`}`
    await socket(stand, { method: "GET", path, ...(chance.percent(80) ? { key } : {}), headers })
  }
}

/** The runtime itself refuses an upgrade that is not for a WebSocket, in its own words. */
async function socket(stand: Stand, asked: Asked): Promise<void> {
  const answer: Answer = await stand.ask(asked)
  const isOurs = valueOf(answer.headers, "x-request-id") !== undefined
  const type = valueOf(answer.headers, "content-type")
  const fault =
    answer.status === 0 || answer.status >= 500
      ? `${answer.status}`
      : isOurs && answer.status >= 400 && type !== "application/problem+json"
        ? `${answer.status} as ${type ?? "nothing"}`
        : undefined
  stand.tally.note(
    fault === undefined ? "socket" : `upgrade: ${fault}`,
    fault === undefined ? undefined : `${asked.path}\n${JSON.stringify(asked.headers)}\n→ ${answer.status} ${answer.text.slice(0, 300)}`,
  )
}

/** Messages for everything that takes them: tools, over HTTP, with invalid arguments. */
export async function attackTools(stand: Stand, { key }: Company, seed: string, runs: number): Promise<void> {
  const listed = objectOf((await stand.ask({ method: "GET", path: "/v1/tools", key })).text)?.["data"]
  const tools = (Array.isArray(listed) ? (listed as readonly JsonObject[]) : []).filter(({ name }) => typeof name === "string")
  for (const tool of tools)
    for (let n = 0; n < runs; n++) {
      const chance = new Chance(seed, "tools", String(tool["name"]), n)
      const schema = (tool["parameters"] ?? tool["schema"] ?? {}) as JsonObject
      const names = Object.keys((schema["properties"] ?? {}) as JsonObject)
      const right = Object.fromEntries(
        chance.some(names, 80).map((name): [string, Json] => [name, chance.percent(60) ? chance.of(STRINGS) : 1]),
      )
      await stand.judge(
        `tool ${String(tool["name"])}`,
        {
          method: "POST",
          path: `/v1/tools/${encodeURIComponent(String(tool["name"]))}${chance.percent(40) ? "?workspace=fuzz" : ""}`,
          key,
          headers: [["prefer", "wait=0"]],
          body: JSON.stringify(spoilt(chance, right)),
          type: JSON_TYPE,
        },
        { operation: stand.operation("callTool"), extra: /^(?:web|browser|http)/.test(String(tool["name"])) ? 10_000 : 0 },
      )
    }
}
