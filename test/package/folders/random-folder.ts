// Random projects, each valid: agents, flows with rehearsals, tests and handlers, skills, and everything that configures a tenant.

import fc from "fast-check"

/** Path → text. */
export type Folder = Readonly<Record<string, string>>

const NAMES = ["alpha", "beta", "gamma", "delta"] as const
const name = fc.constantFrom(...NAMES)
/** What editors and other systems leave in texts. */
const words = fc.constantFrom("Do it.", "Tu es, en été.", "行います 🙂", "a\r\nb", "Say \"yes\": or 'no'.", "x".repeat(3_000))
const some = <T>(one: fc.Arbitrary<T>, most = 3): fc.Arbitrary<T[]> => fc.array(one, { maxLength: most })
const files = (entries: readonly (readonly [string, string])[]): Folder => Object.fromEntries(entries)

const agents = (tools: readonly string[]): fc.Arbitrary<Folder> =>
  fc
    .tuple(fc.array(words, { minLength: NAMES.length, maxLength: NAMES.length }), fc.shuffledSubarray([...tools]))
    .map(([texts, used]) =>
      files(
        NAMES.map((n, i) => [
          `agents/${n}.md`,
          `---\nname: ${n}\ndescription: d\nmodel: rehearsal/default\ntools: ${["read", ...used].join(", ")}\n---\n${texts[i] ?? ""}\n`,
        ]),
      ),
    )

const flows = some(fc.record({ id: name, deep: fc.boolean(), uses: name, rehearsed: fc.boolean(), tested: fc.boolean() }), 4).map(
  (all): Folder => {
    const found = new Map(all.map((one) => [one.deep ? `team:${one.id}` : one.id, one]))
    return files(
      [...found].flatMap(([id, { uses, rehearsed, tested }]) => {
        const at = `flows/${id.replace(":", "/")}`
        const text = `name: ${id}\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: ${uses} }\n`
        return [
          [`${at}.yaml`, text] as const,
          ...(rehearsed ? [[`${at}.rehearsal.yaml`, "steps:\n  a:\n    - finish: { status: complete, summary: done }\n"] as const] : []),
          ...(tested
            ? [
                [
                  `tests/${id.replace(":", "/")}.test.yaml`,
                  "cases:\n  - { name: works, task: go, expect: { status: succeeded } }\n",
                ] as const,
              ]
            : []),
        ]
      }),
    )
  },
)

const skills = some(fc.tuple(name, words), 2).map((all) =>
  files(
    all.flatMap(
      ([n, text]) =>
        [
          [`skills/${n}/SKILL.md`, `---\nname: ${n}\ndescription: d\n---\nRead more.md.\n`],
          [`skills/${n}/more.md`, text],
        ] as const,
    ),
  ),
)

/** Always there: hooks and schedules start it. */
const BASE: Folder = { "flows/base.yaml": "name: base\ndescription: d\nsteps:\n  - { id: a, type: wait, for: 1s }\n" }
const triggers = fc
  .record({
    hooks: some(fc.tuple(name, fc.constantFrom("token", "hmac", "github"))),
    schedules: some(fc.tuple(name, fc.constantFrom("0 1 29 2 *", "0 2 29 2 *"), fc.boolean())),
    callbacks: some(fc.tuple(name, fc.constantFrom("run.failed", "run.waiting"))),
  })
  .map(({ hooks, schedules, callbacks }) =>
    files([
      ...hooks.map(([n, kind]) => [`hooks/${n}.yaml`, `flow: base\nkind: ${kind}\nsecret: in\n`] as const),
      ...schedules.map(([n, cron, enabled]) => [`schedules/${n}.yaml`, `flow: base\ncron: "${cron}"\nenabled: ${enabled}\n`] as const),
      ...callbacks.map(
        ([n, event]) => [`callbacks/${n}.yaml`, `url: https://${n}.example.com/\nevents: [${event}]\nsecret: out\n`] as const,
      ),
    ]),
  )

const settings = fc
  .record({
    budget: fc.option(fc.integer({ min: 1, max: 9 })),
    role: fc.option(name),
    autonomy: fc.option(fc.constantFrom("standard", "conservative")),
    gate: fc.boolean(),
  })
  .map(({ budget, role, autonomy, gate }) =>
    files([
      ...(budget === null ? [] : [["budget.yaml", `usd: ${budget}\n`] as const]),
      ...(role === null ? [] : [["roles.yaml", `fast: rehearsal/${role}\n`] as const]),
      ...(autonomy === null ? [] : [["policy.yaml", `# Ours.\nautonomy: ${autonomy}\n`] as const]),
      ...(gate ? [["gate.yaml", "flows:\n  - match: none-of-these-*\n"] as const] : []),
    ]),
  )

const httpTool = (host: string): string =>
  `description: Look.\nparameters: { type: object, properties: { q: { type: string, description: What. } } }\nrequest: { method: GET, url: "https://${host}.example.com/" }\n`
const document = (prefix: string, count: number): string =>
  `prefix: ${prefix}_\nopenapi:\n  openapi: 3.0.0\n  servers: [{ url: "https://${prefix}.example.com" }]\n  paths:\n${Array.from(
    { length: count },
    (_, i) => `    /o${i}: { get: { operationId: o${i}, summary: Does it. } }\n`,
  ).join("")}`
const tools = fc
  .record({
    http: some(fc.tuple(name, name)),
    documents: some(fc.tuple(name, fc.integer({ min: 1, max: 3 })), 2),
    servers: some(fc.tuple(name, fc.integer({ min: 1, max: 9 })), 1),
  })
  .map(({ http, documents, servers }) => {
    const named = files([
      ...http.map(([n, host]) => [`tools/look_${n}.yaml`, httpTool(host)] as const),
      ...documents.map(([n, count]) => [`tools/api_${n}.yaml`, document(n, count)] as const),
      // The vault has no such scope, so nobody is asked.
      ...servers.map(
        ([n, s]) => [`tools/mcp-${n}.yaml`, `url: https://${n}.example.com/mcp\nauth: { scope: none }\ntimeout: ${s}000\n`] as const,
      ),
    ])
    return { named, names: [...new Set(http.map(([n]) => `look_${n}`)), ...new Set(documents.map(([n]) => `${n}_o0`))] }
  })

export const folder: fc.Arbitrary<Folder> = tools.chain(({ named, names }) =>
  fc.tuple(agents(names), flows, skills, triggers, settings).map((parts) => Object.assign({ ...BASE }, ...parts, named) as Folder),
)

/** How many tools of the tenant's own a folder makes, by name. */
export function toolsIn(all: Folder): readonly string[] {
  return Object.entries(all)
    .flatMap(([path, text]) => {
      if (path.startsWith("tools/look_")) return [path.slice("tools/".length, -".yaml".length)]
      if (!path.startsWith("tools/api_")) return []
      const prefix = path.slice("tools/api_".length, -".yaml".length)
      return [...text.matchAll(/operationId: (\w+)/g)].map(([, id = ""]) => `${prefix}_${id}`)
    })
    .sort()
}

/** The names of the files of a kind. */
export const namesIn = (all: Folder, kind: "hooks" | "schedules" | "callbacks" | "tools/mcp"): readonly string[] =>
  Object.keys(all)
    .filter((path) => path.startsWith(kind === "tools/mcp" ? "tools/mcp-" : `${kind}/`))
    .map((path) => path.slice(path.indexOf("/") + 1, -".yaml".length))
    .sort()
