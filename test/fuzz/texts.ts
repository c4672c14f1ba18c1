// Definitions as text: valid ones, and ones built to be expensive or to confuse their reader [S12, S17, threat 13].

export const FLOW_TEXT = `name: fuzzed
description: writes
inputs:
  topic: { type: string, default: x }
steps:
  - { id: go, type: agent, agent: writer, task: "about \${{inputs.topic}}" }
  - { id: pick, type: fork, question: Which?, options: [left, right], branches: { left: end, right: end }, blockedBy: go }
  - { id: end, type: agent, agent: writer, blockedBy: pick }
`
export const AGENT_TEXT = "---\nname: fuzzed\ndescription: writes\ntools: [write, read]\n---\nWrite what the task says.\n"
export const SKILL_TEXT = "---\nname: fuzzed\ndescription: how to write\n---\n# Writing\n"
export const HANDLER_TEXT = "export default (input: { a?: number }) => ({ b: input.a ?? 1 })\n"
export const REHEARSAL_TEXT = "steps:\n  go:\n    - finish: { status: complete, summary: done }\n"

const each = (n: number, line: (at: number) => string, between = "\n"): string =>
  Array.from({ length: n }, (_, at) => line(at)).join(between)

/** All of them are below 1 MiB: larger texts are refused before they are read. */
export const YAML_BOMBS: Readonly<Record<string, () => string>> = {
  "aliases that grow": () => `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${each(30, (n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`)}\n`,
  "an alias of itself": () => "a: &a\n  b: *a\nsteps: *a\n",
  "merge keys": () => `a0: &a0 { x: 1 }\n${each(200, (n) => `a${n + 1}: &a${n + 1} { <<: [*a${n}, *a${n}] }`)}\n`,
  "20,000 plain keys": () => `name: wide\n${each(20_000, (n) => `key${n}: ${n}`)}\n`,
  "60,000 short keys": () => `name: wide\n${each(60_000, (n) => `${n.toString(36)}:`)}\n`,
  "a flow map of 50,000": () => `name: wide\ninputs: {${each(50_000, (n) => `k${n}: 1`, ",")}}\n`,
  "20,000 times the same key": () => `name: same\n${"steps: []\n".repeat(20_000)}`,
  "100,000 open brackets": () => `name: deep\nsteps: ${"[".repeat(100_000)}`,
  "400,000 open braces": () => "{".repeat(400_000),
  "400,000 pairs of braces": () => "{}".repeat(400_000),
  "100,000 pairs of brackets": () => "[]".repeat(100_000),
  "nested 5,000 deep and closed": () => `steps: ${"[".repeat(5_000)}${"]".repeat(5_000)}\n`,
  "nested by indentation": () => each(900, (n) => `${" ".repeat(n)}a:`),
  "100,000 dashes": () => `steps:\n${"- ".repeat(100_000)}x\n`,
  "50,000 questions": () => "? ".repeat(50_000),
  "10,000 documents": () => "---\na: 1\n".repeat(10_000),
  "a tag that constructs objects": () => 'name: !!js/function "function () { throw 1 }"\nsteps: !!binary AAAA\na: !!set { b }\n',
  "a scalar of 900 kB": () => `name: ${"x".repeat(900_000)}\n`,
  "a folded scalar of many lines": () => `name: >\n${"  x\n".repeat(200_000)}`,
  "endless quotes": () => `name: "${'\\"'.repeat(200_000)}`,
  "200,000 anchors": () => each(60_000, (n) => `- &a${n} x`),
  "comments only": () => "# x\n".repeat(200_000),
  "tabs and returns": () => `name:\tx\r\r\nsteps:\r\n\t- id: a\r`,
  "names of Object.prototype": () =>
    "name: __proto__\ndescription: x\n__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 1 } }\nsteps:\n  - { id: __proto__, type: agent, agent: constructor }\n  - { id: toString, type: agent, agent: writer, blockedBy: [__proto__, hasOwnProperty] }\noutputs: { __proto__: '${{result.__proto__.summary}}' }\n",
  "1,000 steps in a chain": () =>
    `name: chain\ndescription: x\nsteps:\n${each(1_000, (n) => `  - { id: s${n}, type: agent, agent: writer${n === 0 ? "" : `, blockedBy: s${n - 1}`} }`)}\n`,
  "400 steps, each after all before": () =>
    `name: dense\ndescription: x\nsteps:\n${each(400, (n) => `  - { id: s${n}, type: agent, agent: writer, blockedBy: [${each(n, (m) => `s${m}`, ",")}] }`)}\n`,
  "a circle of 3,000": () =>
    `name: circle\ndescription: x\nsteps:\n${each(3_000, (n) => `  - { id: s${n}, type: agent, agent: writer, blockedBy: s${(n + 1) % 3_000} }`)}\n`,
  "5,000 steps of the same name": () =>
    `name: same\ndescription: x\nsteps:\n${"  - { id: a, type: agent, agent: writer }\n".repeat(5_000)}`,
  "50,000 templates": () =>
    `name: t\ndescription: x\nsteps:\n  - { id: a, type: agent, agent: writer, task: "${"${{inputs.a}}".repeat(50_000)}" }\n`,
  "endless templates": () =>
    `name: t\ndescription: x\nsteps:\n  - { id: a, type: agent, agent: writer, task: "${"${{".repeat(150_000)}" }\n`,
  "templates in templates": () =>
    `name: t\ndescription: x\nsteps:\n  - { id: a, type: agent, agent: writer, task: "${"${{ ".repeat(2_000)}x${" }}".repeat(2_000)}" }\n`,
  "a decision of 2,000 branches": () =>
    `name: wide\ndescription: x\nsteps:\n  - { id: d, type: agent-decision, agent: writer, branches: {${each(2_000, (n) => `b${n}: e`, ", ")}} }\n  - { id: e, type: agent, agent: writer, blockedBy: d }\n`,
  "forks on forks": () =>
    `name: forks\ndescription: x\nsteps:\n${each(300, (n) => `  - { id: f${n}, type: fork, question: q, options: [a, b], branches: { a: f${(n * 7 + 1) % 300}, b: f${(n * 11 + 3) % 300} } }`)}\n`,
  "maps on maps": () =>
    `name: maps\ndescription: x\nsteps:\n${each(200, (n) => `  - { id: m${n}, type: map, over: "\${{result.m${n - 1}.outputs.results}}", flow: maps, max_concurrent: 99999999 }`)}\n`,
}

/** Front matter and Markdown. */
export const MARKDOWN_BOMBS: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(Object.entries(YAML_BOMBS).map(([name, text]) => [name, () => `---\n${text()}\n---\nbody\n`])),
  "unclosed front matter": () => `---\nname: a\n${"x: y\n".repeat(50_000)}`,
  "front matter only": () => "---\n---\n".repeat(20_000),
  "hyphens only": () => "-".repeat(900_000),
  "a list of 30,000 tools": () => `---\nname: a\ndescription: x\ntools: [${each(30_000, (n) => `t${n}`, ",")}]\n---\nx\n`,
  "a glob of asterisks": () =>
    `---\nname: a\ndescription: x\ntools: [write]\naccess: { write: ["${"**/".repeat(5_000)}*", "${"{a,b}".repeat(2_000)}", "${"!(".repeat(500)}" ] }\n---\nx\n`,
}

/** Handlers: the API reads them and never runs them. */
export const CODE_BOMBS: Readonly<Record<string, () => string>> = {
  "open parentheses": () => "(".repeat(200_000),
  "open templates": () => "`${".repeat(80_000),
  "nested types": () => `type A = ${"Array<".repeat(20_000)}1${">".repeat(20_000)}\nexport default () => ({})\n`,
  "nested arrows": () => `export default ${"() => ".repeat(40_000)}1\n`,
  "a long expression": () => `export default () => (${"1+".repeat(120_000)}1)\n`,
  "a regular expression that hangs": () => 'export default () => /^(a+)+$/.test("a".repeat(60) + "!")\n',
  "angle brackets": () => `export default () => ${"<".repeat(100_000)}`,
  "half a surrogate": () => 'export default () => "\ud800"\n',
}
