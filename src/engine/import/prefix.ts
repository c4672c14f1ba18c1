// Applies `?prefix=` to flows and handlers, and to the names of agents, flows and skills of the same import in flows.

import { isMap, isScalar, isSeq, parseDocument, visit } from "yaml"
import { isOfFlow } from "../../core/flow/catalog-kinds.ts"
import { prefixed } from "./adapt-agent.ts"

export interface PrefixedFile {
  readonly kind: string
  readonly path: string
  target: string
  text: string
  changes: readonly string[]
}

export function renameFlows(drafts: PrefixedFile[], prefix: string): void {
  const agents = new Set(drafts.flatMap((draft) => (draft.kind === "agent" ? [bareName(draft.target, prefix)] : [])))
  const flows = new Set(drafts.flatMap((draft) => (draft.kind === "flow" ? [flowIdOf(draft.target)] : [])))
  for (const draft of drafts) {
    if (!isOfFlow(draft.kind)) continue
    const [folder = "", first = "", ...rest] = draft.target.split("/")
    draft.target = [folder, prefixed(prefix, first), ...rest].join("/")
    draft.changes = [...draft.changes.filter((change) => !change.startsWith("is stored as ")), `is stored as ${draft.target}`]
    if (draft.kind === "flow") draft.text = renamed(draft.text, prefix, agents, flows)
  }
}

/** `agents/acme-scout.md` → `scout` */
const bareName = (target: string, prefix: string): string => (target.split("/")[1] ?? "").replace(/\.md$/, "").slice(prefix.length)

/** `flows/legal/nda.yaml` and `flows/legal/nda/flow.yaml` → `legal:nda` */
const flowIdOf = (target: string): string =>
  target
    .slice("flows/".length)
    .replace(/(?:\/flow)?\.yaml$/, "")
    .replaceAll("/", ":")

/** Changes the references alone: comments and the order of keys stay. */
function renamed(text: string, prefix: string, agents: ReadonlySet<string>, flows: ReadonlySet<string>): string {
  const doc = parseDocument(text, { uniqueKeys: false, logLevel: "silent" })
  if (doc.errors.length > 0 || !isMap(doc.contents)) return text
  const places: { readonly from: number; readonly to: number; readonly name: string }[] = []
  const put = (node: unknown, names: ReadonlySet<string>): void => {
    if (isSeq(node)) for (const item of node.items) put(item, names)
    if (!isScalar(node) || typeof node.value !== "string" || !names.has(node.value) || !node.range) return
    places.push({ from: node.range[0], to: node.range[1], name: prefixed(prefix, node.value) })
  }
  visit(doc, {
    Pair(key, { key: name, value }, path) {
      if (!isScalar(name)) return
      if (name.value === "agent" || name.value === "agents") put(value, agents)
      if (name.value === "flow" || name.value === "flows") put(value, flows)
      // The flow's own name, at the top.
      if (name.value === "name" && path.length === 2) put(value, flows)
    },
  })
  places.sort((a, b) => b.from - a.from)
  return places.reduce((whole, { from, to, name }) => whole.slice(0, from) + name + whole.slice(to), text)
}
