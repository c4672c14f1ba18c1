// Says what a revision of the catalog changed, by the names that people know: flows, agents, skills, packages and other files.

export interface Touched {
  readonly kind: "flow" | "agent" | "skill" | "package" | "file"
  readonly name: string
}

const FILES: readonly (readonly [RegExp, Touched["kind"]])[] = [
  [/^flows\/(.+?)(?:\.test|\.rehearsal)?\.ya?ml$/, "flow"],
  [/^code\/(.+)\/[^/]+$/, "flow"],
  [/^agents\/(.+)\.md$/, "agent"],
  [/^skills\/([^/]+)\//, "skill"],
  [/^packages\/([^/]+)/, "package"],
]

export function touchedBy(changes: readonly { readonly path: string }[]): readonly Touched[] {
  const found = new Map<string, Touched>()
  for (const { path } of changes) {
    const one = touchedAt(path)
    found.set(`${one.kind} ${one.name}`, one)
  }
  return [...found.values()]
}

function touchedAt(path: string): Touched {
  for (const [form, kind] of FILES) {
    const name = form.exec(path)?.[1]
    if (name !== undefined) return { kind, name: kind === "flow" ? name.replaceAll("/", ":") : name }
  }
  return { kind: "file", name: path }
}
