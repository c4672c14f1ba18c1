// Completes an agent's file in the editor: its keys, the available tools and skills, the roles of models, and the roots of templates.

/** `detail`: a short description. */
export interface Offer {
  readonly label: string
  readonly detail?: string
}

export interface Known {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly inputs: readonly string[]
}

const KEYS: Readonly<Record<string, string>> = {
  name: "as its file",
  description: "what it is for",
  model: "@role or provider/model",
  thinking: "off to max",
  tools: "what it may ask for",
  denied_tools: "all tools but these",
  tool_approvals: "tool: always, never",
  skills: "skills it may read",
  inputs: "what a step gives it",
  outputs: "what it finishes with",
  context_files: "files in the prompt",
  access: "paths: read, write",
  max_turns: "turns at most",
  max_output_tokens: "tokens of a reply",
  temperature: "0 to 2",
  role: "coordinator, planner, …",
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  thinking: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
  model: ["@default", "@fast", "@coding", "@planning", "@research", "@vision"],
}

/** `before`: the line up to the cursor. */
export function completions(before: string, whole: string, { tools, skills, inputs }: Known): readonly Offer[] {
  if (/\$\{\{[\w.]*$/.test(before)) return ["task", ...inputs.map((name) => `input.${name}`)].map((label) => ({ label: `${label}}}` }))
  const key = /^([\w]+):/.exec(before)?.[1] ?? (/^\s+(-\s*)?/.test(before) ? lastKey(whole, before) : undefined)
  if (key === "tools" || key === "denied_tools") return tools.map((label) => ({ label }))
  if (key === "skills") return skills.map((label) => ({ label }))
  if (key !== undefined) return (VALUES[key] ?? []).map((label) => ({ label }))
  if (!isHead(whole, before)) return []
  return Object.entries(KEYS).map(([label, detail]) => ({ label: `${label}:`, detail }))
}

/** The key whose list this line belongs to: the last one above a line that begins like it. */
function lastKey(whole: string, before: string): string | undefined {
  const lines = whole.split("\n")
  const at = lines.findIndex((line) => line.startsWith(before))
  return lines
    .slice(0, Math.max(0, at))
    .findLast((line) => /^\w+:/.test(line))
    ?.split(":")[0]
}

/** Whether a line that begins so is in the frontmatter. */
function isHead(whole: string, before: string): boolean {
  const end = whole.indexOf("\n---", 3)
  return end >= 0 && before !== "" && whole.slice(0, end).includes(`\n${before}`)
}

/** The names that the file lists under `inputs`. */
export function inputsIn(whole: string): readonly string[] {
  const [, list = ""] = /^inputs:[ \t]*\[([^\]]*)\]/m.exec(whole) ?? []
  return list.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))
}
