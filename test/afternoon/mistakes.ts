// Lists mistakes of a first afternoon, each with what must be said about it: the place, and the way out.

export interface Mistake {
  readonly what: string
  /** Path → its text, or what becomes of it. */
  readonly files: Readonly<Record<string, string | ((text: string) => string)>>
  readonly says: readonly RegExp[]
}

const HELLO = "flows/hello.yaml"
const SUPPORT = "flows/support.yaml"

/** The file's text with one part in place of another, which must be there. */
const edit =
  (from: string, to: string) =>
  (text: string): string => {
    if (!text.includes(from)) throw new Error(`the file lacks ${from}`)
    return text.replace(from, to)
  }

export const MISTAKES: readonly Mistake[] = [
  {
    what: "a misspelled agent",
    files: { [HELLO]: edit("agent: greeter", "agent: greter") },
    says: [/flows\/hello\.yaml:5/, /did you mean "greeter"/],
  },
  {
    what: "blockedby",
    files: { [HELLO]: edit("blockedBy", "blockedby") },
    says: [/error.*hello\.yaml:6|hello\.yaml:6/, /did you mean "blockedBy"/, /not valid/],
  },
  { what: "dependsOn", files: { [HELLO]: edit("blockedBy", "dependsOn") }, says: [/hello\.yaml:6/, /blockedBy/, /not valid/] },
  {
    what: "a template without quotes",
    files: { [HELLO]: edit("agent: greeter }", "agent: greeter, task: ${{task}} }") },
    says: [/hello\.yaml:5/, /needs quotes/],
  },
  { what: "a tab", files: { [HELLO]: edit("  - { id: greet", "\t- { id: greet") }, says: [/hello\.yaml:5/, /tab/i, /spaces/] },
  {
    what: "one space too deep",
    files: { [HELLO]: edit("outputs:\n  greeting", "outputs:\n   greeting") },
    says: [/hello\.yaml:9/, /deep|indent/i],
  },
  { what: "a file that ends with .yml", files: { "flows/other.yml": "name: other\n" }, says: [/flows\/other\.yml/, /\.yaml/] },
  {
    what: "a circle of steps",
    files: { [HELLO]: edit("agent: greeter }", "agent: greeter, blockedBy: [check] }") },
    says: [/hello\.yaml:5/, /greet.*check.*greet|check.*greet.*check/],
  },
  {
    what: "an output that an agent does not have",
    files: { [HELLO]: edit("result.greet.greeting", "result.greet.greting") },
    says: [/hello\.yaml:8/, /"?greeting"?/],
  },
  {
    what: "a type that there is not",
    files: { "agents/greeter.md": edit("type: string", "type: strng") },
    says: [/agents\/greeter\.md:8/, /did you mean "string"/, /^(?![\s\S]*does not exist)/],
  },
  {
    what: "output for outputs",
    files: { "agents/greeter.md": edit("outputs:", "output:") },
    says: [/agents\/greeter\.md:7/, /did you mean "outputs"/],
  },
  { what: "a name that differs from the file", files: { [HELLO]: edit("name: hello", "name: hallo") }, says: [/hello\.yaml:2/, /hello/] },
  {
    what: "a test of a flow that there is not",
    files: { "tests/nosuchflow.test.yaml": "cases: []\n" },
    says: [/tests\/nosuchflow\.test\.yaml/, /nosuchflow/],
  },
  {
    what: "an expectation of a step that there is not",
    files: { "flows/hello.test.yaml": (text) => `${text}      steps: { gret: { status: complete } }\n` },
    says: [/hello\.test\.yaml:8/, /did you mean "greet"/],
  },
  {
    what: "a rehearsal that ends with another word",
    files: { "flows/hello.rehearsal.yaml": edit("status: complete, summary: Greeted.", "status: completed, summary: Greeted.") },
    says: [/hello\.rehearsal\.yaml:5/, /complete/],
  },
  {
    what: "a rehearsal of a step that there is not",
    files: { "flows/hello.rehearsal.yaml": edit("  check:", "  chek:") },
    says: [/hello\.rehearsal\.yaml:6/, /did you mean "check"/],
  },
  {
    what: "a tool in the policy that there is not",
    files: { "policy.yaml": "hooks: { confirm: [wrte] }\n" },
    says: [/policy\.yaml:1/, /did you mean "write"/, /not valid/],
  },
  {
    what: "a denied tool that there is not",
    files: { "policy.yaml": "tools: { deny: [bahs] }\n" },
    says: [/policy\.yaml:1/, /did you mean "bash"/, /not valid/],
  },
  {
    what: "a pattern that fits no tool",
    files: { "policy.yaml": 'tools: { deny: ["shp.*"] }\n' },
    says: [/policy\.yaml:1/, /shp\.\*/, /valid, 1 warning/],
  },
  {
    what: "an hour that there is not",
    files: { "schedules/nightly.yaml": edit("0 2 * * *", "0 25 * * *") },
    says: [/schedules\/nightly\.yaml:2/, /25/],
  },
  {
    what: "a zone that there is not",
    files: { "schedules/nightly.yaml": edit("Europe/Berlin", "Europe/Berln") },
    says: [/schedules\/nightly\.yaml:3/, /did you mean "Europe\/Berlin"/],
  },
  {
    what: "a hook's flow",
    files: { "hooks/tickets.yaml": edit("flow: support", "flow: suport") },
    says: [/hooks\/tickets\.yaml:1/, /did you mean "support"/],
  },
  {
    what: "a hook's kind",
    files: { "hooks/tickets.yaml": edit("kind: hmac", "kind: hmca") },
    says: [/hooks\/tickets\.yaml:2/, /did you mean "hmac"/],
  },
  {
    what: "an input that the hook's flow does not have",
    files: { "hooks/tickets.yaml": edit('text: "', 'txt: "') },
    says: [/hooks\/tickets\.yaml:7/, /did you mean "text"/],
  },
  {
    what: "a filter that cannot be read",
    files: { "hooks/tickets.yaml": edit('action == "opened"', 'action = "opened"') },
    says: [/hooks\/tickets\.yaml:5/, /==/],
  },
  {
    what: "an event that there is not",
    files: { "callbacks/desk.yaml": edit("run.succeeded", "run.succeded") },
    says: [/callbacks\/desk\.yaml:2/, /did you mean "run\.succeeded"/],
  },
  {
    what: "a document that is not there",
    files: { "tools/shop.yaml": edit("shop.openapi.json", "shop.openapi.jsn") },
    says: [/tools\/shop\.yaml:1/, /shop\.openapi\.jsn, which the project does not have/],
  },
  {
    what: "an operation that the document does not have",
    files: { "tools/shop.yaml": (text) => `${text}only: [getOrdr]\n` },
    says: [/tools\/shop\.yaml:4/, /did you mean "getOrder"/],
  },
  {
    what: "a condition on an argument below body",
    files: { "agents/clerk.md": edit("args.body.amount", "args.amount") },
    says: [/agents\/clerk\.md:7/, /args\.body\.amount/],
  },
  {
    what: "an agent's tool that there is not",
    files: { "agents/clerk.md": edit("shop.getOrder,", "shop.getOdrer,") },
    says: [/agents\/clerk\.md:5/, /did you mean "shop\.getOrder"/],
  },
  {
    what: "a tool of src/index.ts that no file names",
    files: { "agents/writer.md": edit("tools: []", "tools: stamp") },
    says: [/agents\/writer\.md:5/, /`tools` in sluice\.yaml/, /defineTool in src\/index\.ts/],
  },
  {
    what: "a tool step without an argument",
    files: { [SUPPORT]: edit('id: "${{flow.input.ticket}}", ', "") },
    says: [/support\.yaml:1[45]/, /"?id"?/],
  },
  {
    what: "an argument of another type",
    files: { [SUPPORT]: edit('body: { text: "${{result.write.reply}}" }', "body: hello") },
    says: [/support\.yaml:1[45]/, /body/, /object/],
  },
  {
    what: "a handler that returns another name",
    files: { "code/support/route.ts": edit("({ branch:", "({ brnch:") },
    says: [/code\/support\/route\.ts:4/, /branch/],
  },
  {
    what: "a branch that the step does not have",
    files: { "lib/topics.ts": edit('? "refund"', '? "refnd"') },
    says: [/lib\/topics\.ts:1/, /refund/],
  },
  {
    what: "an input that the handler does not get",
    files: { "code/support/route.ts": edit("({ topic })", "({ topc })") },
    says: [/code\/support\/route\.ts:4/, /topc/, /topic/],
  },
  {
    what: "a handler that wants the file system",
    files: { "lib/topics.ts": (text) => `import { readFileSync } from "node:fs"\nexport const all = readFileSync("x")\n${text}` },
    says: [/topics\.ts:1/, /node:fs/],
  },
  {
    what: "a price in another unit",
    files: { "prices.yaml": "house/mock-1: { input: 1, outptu: 2 }\n" },
    says: [/prices\.yaml:1/, /output/],
  },
  {
    what: "a gate of a flow that there is not",
    files: { "gate.yaml": "flows:\n  - { match: suport, tests: true }\n" },
    says: [/gate\.yaml:2/, /support/],
  },
]
