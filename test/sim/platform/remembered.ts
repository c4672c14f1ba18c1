// Remembers what a text of YAML parses to, for all machines and seeds of the process: nearly all texts of a simulation are the same few, and each isolate
// that is new would read them anew. A tree follows from its text alone and has nothing but data, and nobody can change it here: it is frozen.

const NAME = "remembered"
/** More than all catalogs of a few seeds; what a later one has of its own begins anew. */
const MOST_TEXTS = 4_000

/** The reader of `src` asks here first. */
export const REMEMBERING = {
  file: "src/core/flow/parse/source.ts",
  from: "export function readYaml(text: string, family: FileFamily, exact = true): Source {",
  to: `export const readYaml = (text: string, family: FileFamily, exact = true): Source =>
    globalThis.${NAME}(\`\${family} \${exact} \${text}\`, () => readAfresh(text, family, exact))
  function readAfresh(text: string, family: FileFamily, exact: boolean): Source {`,
}

const read = new Map<string, object>()

Reflect.set(globalThis, NAME, (key: string, afresh: () => object): object => {
  const before = read.get(key)
  if (before) return before
  if (read.size >= MOST_TEXTS) read.clear()
  const now = frozen(afresh())
  read.set(key, now)
  return now
})

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value) as unknown[]) if (typeof part === "object" && part !== null) frozen(part)
  return Object.freeze(value)
}
