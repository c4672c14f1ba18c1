// Counts structure that should stay small: repeated names, question headers, duplicates of a rule, and module state.

import { isIn, type Source } from "./tree.ts"

/** Exported types and interfaces with the same name in three places or more. React's `Props` do not count. */
export function repeatedTypes(tree: readonly Source[]): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const { file, code } of tree) {
    if (!isIn(file, "src", "web", "cli", "console/app", "local")) continue
    for (const [, name = ""] of code.matchAll(/^export (?:declare )?(?:type|interface) (\w+)/gm))
      if (name !== "Props") places.set(name, [...(places.get(name) ?? []), file])
  }
  return new Map([...places].filter(([, files]) => files.length >= 3))
}

/** Files whose header begins with a question word instead of a verb. */
export const questionHeaders = (tree: readonly Source[]): string[] =>
  tree.filter(({ text }) => /^\/\/ (?:What|Which|Whether|Who|How|One)\b/.test(text)).map(({ file }) => file)

/** Where "can this flow start with this task and these inputs?" is answered, apart from the file that answers it for all. */
const START_RULE = /^src\/(?:core\/flow\/flow-inputs|engine\/catalog\/pin\/startable)\.ts$/
export const startJudges = (tree: readonly Source[]): string[] =>
  tree
    .filter(
      ({ file, code }) => isIn(file, "src") && !START_RULE.test(file) && /\.task_required\b|checkInputs\b.*flow-inputs\.ts"/.test(code),
    )
    .map(({ file }) => file)

/** The kinds of catalog files whose words mean nothing else: a flow, an agent, code and a tool are also other things. */
const KINDS = ["skill", "rehearsal", "hook", "schedule", "callback", "setting"]
export const kindSwitches = (tree: readonly Source[]): string[] =>
  tree
    .filter(({ file, code }) => isIn(file, "src") && KINDS.filter((kind) => code.includes(`"${kind}"`)).length >= 3)
    .map(({ file }) => file)

/**
 * Variables of a module that change while the Worker runs: all tenants of an isolate share them. A WeakMap is none: what it keeps follows from
 * its key, and goes with it.
 */
const FIXED = "Weak|Text|URL|RegExp|Uint8Array|Redactor|AsyncLocalStorage"
const STATE = new RegExp(
  `^(?:export )?(?:let (\\w+)|const (\\w+)(?:: (?!readonly|Readonly)[^=]+)? = (?:new (?:Map|Set)(?:<.*>)?\\(\\)|new (?!Map|Set|${FIXED})\\w+|\\[\\]))`,
  "gm",
)
export const stateOfModules = (tree: readonly Source[]): string[] =>
  tree
    .filter(({ file }) => isIn(file, "src"))
    .flatMap(({ file, code }) => [...code.matchAll(STATE)].map(([, changed, filled]) => `${file} ${changed ?? filled ?? ""}`))
