// Random worlds for the oracle's test: tools of every kind, agents, changing policies, valid and invalid calls.

import fc from "fast-check"
import type { Agent } from "../../../src/core/flow/agent.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { DEFAULT_POLICY, type ApprovalRule, type Policy, type Rules, type ToolRules } from "../../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { agentOf } from "./builders.ts"
import { PATHS, shaped, shapeOf, type Shape } from "./oracle-args.ts"
import type { Said } from "./oracle.ts"

const tool = (name: string, shape: Shape, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: name,
  parameters: shaped(name, shape),
  effect: "read",
  contexts: ["agent"],
  ...more,
})
const out = (method: string, host?: string) => ({ method: { fixed: method }, ...(host === undefined ? {} : { to: { host } }) })

/** Tools for agents, and tools only for an architect. `constructor` is a tool like any other here. */
export const UNIVERSE: readonly ToolSpec[] = [
  tool("look", "number"),
  tool("put", "number", { effect: "write", idempotent: true }),
  tool("post", "number", { effect: "write" }),
  tool("constructor", "number", { effect: "write" }),
  tool("read", "file", { groups: ["fs"], paths: { read: ["path"] } }),
  tool("file.read", "file", { groups: ["fs"], paths: { read: ["path"] }, same: "read" }),
  tool("write", "file", { effect: "write", idempotent: true, groups: ["fs"], paths: { write: ["path"] } }),
  tool("file.write", "file", { effect: "write", groups: ["fs"], paths: { write: ["path"] }, same: "write" }),
  tool("bash", "open", { effect: "write", groups: ["runtime"] }),
  tool("shell.exec", "open", { effect: "write", groups: ["runtime"], same: "bash" }),
  tool("web.fetch", "address", {
    groups: ["web"],
    untrusted: true,
    reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" } },
  }),
  tool("ask.api", "address", { reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" } } }),
  tool("web.search", "number", {
    groups: ["web"],
    untrusted: true,
    requiredSecretScopes: ["search"],
    reach: out("GET", "api.search.example"),
  }),
  tool("ping", "number", { reach: out("GET", "api.good.example") }),
  tool("head", "number", { reach: out("HEAD", "evil.example") }),
  tool("odd", "number", { effect: "none", reach: out("POST") }),
  tool("memory.read", "number", { groups: ["memory"], private: true }),
  tool("memory.write", "number", { effect: "write", idempotent: true, groups: ["memory"] }),
  tool("r2.share", "number", { effect: "write", idempotent: true }),
  tool("minio.share", "number", { effect: "write", same: "r2.share" }),
  tool("mcp:srv:go", "open", { effect: "write", groups: ["mcp"], untrusted: true, reach: out("POST", "mcp.example") }),
  tool("mcp:srv:look", "open", { groups: ["mcp"], untrusted: true }),
  tool("send", "payment", { effect: "write", reach: out("POST", "mail.example") }),
  tool("pay", "payment", { effect: "write", idempotent: true }),
  tool("vault", "number", { requiredSecretScopes: ["shop"] }),
  tool("vault.send", "payment", { effect: "write", requiredSecretScopes: ["shop", "mail"], reach: out("POST", "shop.example") }),
  tool("media.send", "open", { effect: "write", groups: ["media"], reach: { method: { fixed: "POST" } } }),
  tool("build", "number", { effect: "write", contexts: ["architect"] }),
  tool("ask_user", "open", { effect: "none" }),
]
const NAMES = UNIVERSE.map((t) => t.name)
const GRANTED = NAMES.filter((n) => n !== "ask_user")

const LOOKALIKES = [
  "ask_user",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "",
  " ",
  "Post",
  "POST",
  "post ",
  "post\u0000",
  "p\u043est",
  "post\u200b",
  "\uff50ost",
  "mcp:post",
  "mcp:srv",
  "mcp:srv:go:",
  "MCP:srv:go",
  "mcp:SRV:go",
  "mcp::go",
  "mcp_srv_go",
  "file_write",
  "file.write.",
  "web_fetch",
  "send()",
  "functions.send",
  "Finish",
  "finish ",
  "finis\u04bb",
  "subagent_finalize",
  "skill_read",
  "read_output",
  "subagent",
]
const PATTERNS = [
  ...NAMES,
  "*",
  "group:fs",
  "group:web",
  "group:memory",
  "group:runtime",
  "group:mcp",
  "group:media",
  "file.*",
  "mcp:*",
  "mcp:*:go",
  "p*",
  "*.share",
  "web.*",
  "v*t*",
  "*e*d",
  "__proto__",
  "Post",
]
const SUBJECTS = ["worker", "toString", "hasOwnProperty", "__proto__", "nobody"]

const rarely = <T>(arb: fc.Arbitrary<T>, weight = 1, of = 4): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: of - weight }, { arbitrary: arb, weight })
const patterns = (most: number): fc.Arbitrary<string[]> => fc.array(fc.constantFrom(...PATTERNS), { maxLength: most })
const some = <T extends object>(of: T): T => Object.fromEntries(Object.entries(of).filter(([, v]) => v !== undefined)) as T

const CONDITIONS = [
  "args.n > 3",
  "args.n == 7",
  "args.n != 1",
  "args.amount > 100",
  "args.amount <= 50",
  'args.to == "bob"',
  'args.path == "out/a"',
  "args.urgent == true",
  "args.amount > 100 || args.urgent == true",
  'args.amount > 10 && args.to != "bob"',
  "args.constructor == 1",
  "args.__proto__.n == 1",
  'args.n == "7"',
]
const approval: fc.Arbitrary<ApprovalRule> = fc.oneof(
  fc.constantFrom<ApprovalRule>("never", "never", "always"),
  fc.constantFrom(...CONDITIONS).map((value): ApprovalRule => ({ kind: "dynamic", value })),
)

const toolRules: fc.Arbitrary<ToolRules> = fc
  .record({
    profile: rarely(fc.constantFrom("minimal", "messaging", "coding", "full", "full")),
    allow: rarely(patterns(5)),
    deny: rarely(patterns(2), 1, 2),
  })
  .map((r) => some(r) as ToolRules)

/** Makes every name an own key, even `__proto__`. */
const keyed = <T>(keys: readonly string[], values: fc.Arbitrary<T>, most: number): fc.Arbitrary<Record<string, T>> =>
  fc
    .array(fc.tuple(fc.constantFrom(...keys), values), { maxLength: most })
    .map((pairs) => JSON.parse(`{${[...new Map(pairs)].map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(",")}}`))

const policy: fc.Arbitrary<Policy> = fc
  .record({
    tools: toolRules,
    agents: rarely(keyed(SUBJECTS, toolRules, 2)),
    providers: rarely(keyed(["acme", "__proto__", "constructor", "x"], toolRules, 2)),
    floor: rarely(approval),
    relax: fc.boolean(),
    expires: fc.constantFrom(50, 400, 100_000),
    confirm: rarely(patterns(2)),
    silent: rarely(patterns(3)),
    log: rarely(patterns(2)),
    autonomy: fc.constantFrom("standard", "standard", "autonomous", "conservative"),
    denylist: rarely(
      fc.array(
        fc.record(
          {
            tool: fc.constantFrom(...PATTERNS.filter((p) => !p.startsWith("group:"))),
            args: fc.constantFrom('"n":7', "evil", '^\\{"n":1\\}$', "secret", '"amount":(9|10)', "bob"),
            reason: fc.constant("no"),
          },
          { requiredKeys: ["tool", "reason"] },
        ),
        { maxLength: 3 },
      ),
      1,
      2,
    ),
    network: rarely(fc.array(fc.constantFrom("*.good.example", "api.search.example", "evil.example", "*"), { maxLength: 2 }), 1, 2),
  })
  .map((p) => ({
    tools: { ...p.tools, agents: p.agents ?? {}, providers: p.providers ?? {} },
    approvals: { ...(p.floor === undefined ? {} : { tools: p.floor }), allow_relax: p.relax, expires: p.expires },
    hooks: { confirm: p.confirm ?? [], log: p.log ?? [], silent: p.silent ?? [] },
    autonomy: p.autonomy as Policy["autonomy"],
    denylist: p.denylist ?? [],
    network: { allow: p.network ?? [] },
  }))

const rules: fc.Arbitrary<Rules> = fc.record({
  policy: fc.oneof({ arbitrary: policy, weight: 4 }, { arbitrary: fc.constant(DEFAULT_POLICY), weight: 1 }),
  scopes: fc.subarray(["shop", "mail", "search"]),
  version: fc.constant(0),
})

export const agentNamed = (name: string): fc.Arbitrary<Agent> =>
  fc
    .record({
      tools: fc.oneof(
        { arbitrary: fc.subarray(GRANTED, { minLength: 18 }).map((names) => ({ kind: "list" as const, names })), weight: 4 },
        { arbitrary: fc.subarray(GRANTED, { maxLength: 4 }).map((denied) => ({ kind: "inherit" as const, denied })), weight: 1 },
      ),
      access: fc.constantFrom<Agent["access"]>(
        {},
        {},
        { read: ["docs/*"], write: ["out/*"] },
        { read: ["docs/**"] },
        { write: ["out/**"] },
      ),
      approvals: rarely(approval.map((tools) => ({ tools }))),
      tool_approvals: rarely(
        keyed(PATTERNS, fc.oneof(approval, fc.constant("default" as const)), 1) as fc.Arbitrary<Agent["tool_approvals"]>,
      ),
      effects: fc.constantFrom(undefined, undefined, { after_untrusted: "ask" as const }, { after_untrusted: "allow" as const }),
      role: fc.constantFrom(undefined, undefined, undefined, "architect", "coordinator"),
      finalizer: fc.constant("finish" as const),
    })
    .map((a) => agentOf(name, some(a) as Partial<Agent>))

// Calls of a model.

const ns = fc.constantFrom<JsonObject[string]>(1, 2, 3, 7, 7, 12, "5", "-4", 2.5, "five", [1], { n: 1 })
const urls = fc.constantFrom(
  "https://api.good.example/x",
  "https://evil.example/?q=secret",
  "https://good.example/",
  "https://api.good.example@evil.example/",
  "https://evil.example/https://api.good.example/",
  "https://evil.example\\@api.good.example/",
  "https://evil.example#.good.example",
  "https://evil.example?.good.example",
  "HTTPS://API.GOOD.EXAMPLE/",
  "not a url",
)
const byShape: Readonly<Record<Shape, fc.Arbitrary<JsonObject>>> = {
  number: fc.record({ n: ns }),
  address: fc
    .record({
      url: urls,
      method: fc.constantFrom(undefined, undefined, "GET", "get", "HEAD", "POST", "post", "DELETE", "GET ", "GET\u0000"),
    })
    .map((a) => some(a) as JsonObject),
  file: fc
    .record({ path: fc.constantFrom(...Object.keys(PATHS)), content: fc.constantFrom(undefined, "evil", "\ud800") })
    .map((a) => some(a) as JsonObject),
  payment: fc
    .record({
      amount: fc.constantFrom<JsonObject[string]>(1, 9, 10, 50, 101, "101", 1000, "much"),
      to: fc.constantFrom(undefined, "bob", "ann", "evil"),
      urgent: fc.constantFrom(undefined, true, "true", "yes"),
    })
    .map((a) => some(a) as JsonObject),
  open: fc.record({ q: fc.constantFrom<JsonObject[string]>("hello", "evil", 5), more: fc.constantFrom<JsonObject[string]>(1, { x: [1] }) }),
}
const RAW = [
  "",
  "not json",
  "[1]",
  '"5"',
  "null",
  "{}",
  '{"n":1,"__proto__":{"n":2}}',
  '{"n":1,"constructor":{"prototype":{"n":2}}}',
  '{"q":"x","__proto__":{"polluted":true}}',
  '{"q":"x","deep":[{"__proto__":1}]}',
  '{"n":1,"n":7}',
  '{"n":1e400}',
  '{"amount":1e400}',
  '{"n":1,"m":2}',
  '{"N":1}',
  `{"n":1,"pad":"${"x".repeat(270_000)}"}`,
  `{"q":"${"\u00e4".repeat(140_000)}"}`,
  `{"q":"x","deep":${'{"a":'.repeat(80)}1${"}".repeat(80)}}`,
]
export const argsText = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: byShape[shapeOf(name)].map((a) => JSON.stringify(a)), weight: 12 },
    { arbitrary: fc.constantFrom(...RAW), weight: 1 },
    { arbitrary: fc.json({ maxDepth: 2 }), weight: 1 },
  )
const toolCall: fc.Arbitrary<Said> = fc
  .oneof(
    { arbitrary: fc.constantFrom(...GRANTED), weight: 30 },
    { arbitrary: fc.constantFrom(...LOOKALIKES), weight: 3 },
    { arbitrary: fc.string({ maxLength: 12 }), weight: 1 },
  )
  .chain((name) => argsText(name).map((args) => ({ name, args })))
export const GOOD_FINISH: Said = { name: "finish", args: '{"status":"complete","summary":"done"}' }
const finishes: fc.Arbitrary<Said> = fc.constantFrom(
  GOOD_FINISH,
  GOOD_FINISH,
  GOOD_FINISH,
  { name: "finish", args: '{"status":"complete"}' },
  { name: "finish", args: '{"status":"done","summary":"x"}' },
  { name: "finish", args: '{"status":"complete","summary":"x","branch":"y"}' },
)
export const turn: fc.Arbitrary<readonly Said[]> = fc.oneof(
  { arbitrary: fc.array(toolCall, { minLength: 1, maxLength: 4 }), weight: 6 },
  {
    arbitrary: fc
      .tuple(fc.array(toolCall, { maxLength: 3 }), finishes, fc.array(fc.oneof(toolCall, finishes), { maxLength: 3 }))
      .map(([a, f, b]) => [...a, f, ...b]),
    weight: 1,
  },
)

/** Ids as models send them: repeated, empty, or equal to the safe form of another id. */
export const IDS = ["", "c", "c", "c_2", "c_2", "a/b", "a_b", "__proto__", "constructor", "x".repeat(100)]

export type Move =
  | { readonly do: "reply"; readonly pick: number; readonly turn: readonly Said[]; readonly ids: number }
  | { readonly do: "return"; readonly pick: number; readonly flags: number }
  | { readonly do: "answer"; readonly pick: number; readonly kind: number; readonly args: string }
  | { readonly do: "rules"; readonly rules: Rules; readonly stale: boolean }
  | { readonly do: "crash" | "cancel" | "pass" | "stray" }

const nat = fc.nat(999)
const move: fc.Arbitrary<Move> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("reply" as const), pick: nat, turn, ids: nat }), weight: 8 },
  { arbitrary: fc.record({ do: fc.constant("return" as const), pick: nat, flags: nat }), weight: 12 },
  {
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      pick: nat,
      kind: nat,
      args: fc
        .constantFrom(...(["number", "address", "file", "payment", "open"] as const))
        .chain((s) =>
          fc.oneof({ arbitrary: byShape[s].map((a) => JSON.stringify(a)), weight: 6 }, { arbitrary: fc.constantFrom(...RAW), weight: 1 }),
        ),
    }),
    weight: 8,
  },
  { arbitrary: fc.record({ do: fc.constant("rules" as const), rules, stale: fc.nat(5).map((n) => n === 0) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "crash" as const, "stray" as const, "pass" as const) }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant("cancel" as const) }), weight: 1 },
)

export interface Scenario {
  readonly agents: readonly [Agent, Agent, Agent]
  readonly rules: Rules
  readonly flowRule: ApprovalRule | undefined
  readonly toolRules: Readonly<Record<string, ApprovalRule>>
  readonly tainted: boolean
  readonly quotes: readonly ("a" | "b")[]
  readonly snapshotEvery: number
  readonly moves: readonly Move[]
}
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  agents: fc.tuple(agentNamed("worker"), agentNamed("toString"), agentNamed("hasOwnProperty")),
  rules,
  flowRule: rarely(approval),
  toolRules: keyed(NAMES, approval, 4),
  tainted: fc.nat(7).map((n) => n === 0),
  quotes: fc.subarray<"a" | "b">(["a", "b"]),
  snapshotEvery: fc.constantFrom(0, 0, 5),
  moves: fc.array(move, { minLength: 10, maxLength: 60, size: "max" }),
})
