// Lists who may set which members of a start. This is the only list: nobody else may set a member, and a refusal names the member and who may set it.

/** The kinds of callers that start runs. */
export type Setter =
  /** The body of a start, with a key. */
  | "key"
  /** The `sluice` of a message, with a key [P2]. */
  | "message"
  /** The `sluice` of a message, with a chat token [P9]: a stranger on a page. */
  | "chat"
  /** A client that calls the flow as a tool over MCP [H12]. */
  | "mcp"
  /** The settings of a hook, and what its mapping takes from a delivery [W1]. */
  | "hook"
  | "delivery"
  /** The settings of a schedule [W5]. */
  | "schedule"

const KEYS = ["key", "message"] as const

export const START_MEMBERS = {
  // Of a message, its own text is the task.
  task: [...KEYS, "mcp", "delivery", "schedule"],
  inputs: [...KEYS, "chat", "mcp", "delivery", "schedule"],
  budget: [...KEYS, "chat", "hook"],
  thread: [...KEYS, "mcp", "delivery", "schedule"],
  files: [...KEYS, "delivery", "schedule"],
  session: KEYS,
  autonomous: [...KEYS, "hook"],
  effects: [...KEYS, "hook", "schedule"],
  rehearse: KEYS,
  start: [...KEYS, "mcp", "hook", "schedule"],
  tags: KEYS,
  callback: KEYS,
  trusted: KEYS,
} as const satisfies Readonly<Record<string, readonly Setter[]>>

export type StartMember = keyof typeof START_MEMBERS

const members: ReadonlyMap<string, readonly Setter[]> = new Map(Object.entries(START_MEMBERS))

/** The members that this caller may set. */
export const openMembers = (setter: Setter): string[] => [...members].flatMap(([name, setters]) => (setters.includes(setter) ? [name] : []))

/** The first member that this caller may not set; undefined: it may set them all. */
export const closedMember = (setter: Setter, start: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(start).find((name) => members.get(name)?.includes(setter) !== true)

/** A refusal's words for who may set the member. */
export const whoSets = (member: string): string =>
  members.has(member) ? "only a key with the scope runs:write may set it" : "a start has no such member"
