// Lists the kinds of files in a catalog [F5, F70, F79]: a row for each kind, in the manner of core/steps/kinds.ts. What a file of a kind
// sets is read by engine/catalog/config/config-kinds.ts, and written by cloudflare/tenant/catalog/configure.ts.

interface KindRow {
  /** Its folder, which is also a member of a bundle. */
  readonly folder: Folder
  /** For sentences. */
  readonly noun: string
  /** The path of a text that has none. */
  readonly unnamed: string
  /** Begins the codes of its diagnostics. */
  readonly codes: "FV" | "AV" | "SV" | "RV" | "TV" | "EV" | "CAT" | "PV"
  /** Other files name it [F76]. */
  readonly isNamed?: true
  /** The flow that a file of this id belongs to: the flow shows, hides and removes the file [F70]. */
  readonly flowOf?: (id: string) => string
  /** Its content takes effect when it is written [F79]. */
  readonly configures?: true
}

interface FolderRow {
  /** Which files of a project's folder are definitions. */
  readonly files: RegExp
  /** For the API's document. */
  readonly about: string
}

const YAML = /\.yaml$/

export const FOLDERS = {
  agents: { files: /\.md$/, about: "File name, such as `sorter.md`, → text." },
  flows: { files: /\.ya?ml$/, about: "File name, such as `sort.yaml`, → text." },
  // A skill may contain any text file; leftovers of editors and systems start with a dot.
  skills: { files: /^(?!.*(?:^|\/)\.)/, about: "Skill and file name, such as `style/SKILL.md`, → text." },
  code: { files: /\.[tj]s$/, about: "Flow and step, such as `sort/score.ts`, → text." },
  scorers: {
    files: /\.(?:yaml|[tj]s)$/,
    about: "File name, such as `helpful.yaml`, → a scorer of runs; `helpful.ts` or `helpful.js` is the handler of one with `code`.",
  },
  tests: { files: /\.test\.yaml$/, about: "File name, such as `sort.test.yaml`, → the tests of the flow." },
  datasets: { files: YAML, about: "File name, such as `regression.yaml`, → the flow and the rows of the dataset with that name, as YAML." },
  hooks: { files: YAML, about: "File name, such as `tickets.yaml`, → the settings of the hook with that name, as YAML." },
  schedules: { files: YAML, about: "File name, such as `nightly.yaml`, → the settings of the schedule with that name, as YAML." },
  callbacks: { files: YAML, about: "File name, such as `alerts.yaml`, → the receiver of callbacks with that name, as YAML." },
  tools: {
    files: YAML,
    about: "File name, such as `tickets.yaml`, → an HTTP tool, the operations of an OpenAPI document or an MCP server, as YAML.",
  },
  providers: {
    files: YAML,
    about: "File name, such as `openai.yaml`, → the settings of the model provider with that name, without its key, as YAML.",
  },
} as const satisfies Readonly<Record<string, FolderRow>>

/** Stands for the files at the top of a project, outside any folder. */
export const TOP = "settings"
export type Folder = keyof typeof FOLDERS | typeof TOP
/** The members of a bundle, in order. */
export const BUNDLE_FOLDERS = [...(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]), TOP] as const
/** The folders of definitions that every export has, empty or not. */
export const WHOLE_FOLDERS = ["agents", "flows", "skills", "code"] as const satisfies readonly Folder[]
/** The folders that a package may have. */
export const PACKED_FOLDERS = ["agents", "flows", "skills", "code", "scorers"] as const satisfies readonly Folder[]

/** Settings that are a single file of a project: `policy.yaml`, `roles.yaml`, and so on. */
export const SETTING_FILES = ["policy", "roles", "budget", "gate", "prices", "cors", "retention", "telemetry", "scoring", "pacing"] as const
export type SettingFile = (typeof SETTING_FILES)[number]

const itself = (id: string): string => id

const ROWS = {
  flow: { folder: "flows", noun: "a flow", unnamed: "flows/unnamed.yaml", codes: "FV", isNamed: true },
  agent: { folder: "agents", noun: "an agent", unnamed: "agents/unnamed.md", codes: "AV", isNamed: true },
  /** Stored under `SKILL/FILE`. */
  skill: { folder: "skills", noun: "a skill's file", unnamed: "skills/unnamed/SKILL.md", codes: "SV", isNamed: true },
  /** [M3] Stored under the id of its flow. */
  rehearsal: { folder: "flows", noun: "a rehearsal file", unnamed: "flows/unnamed.rehearsal.yaml", codes: "RV", flowOf: itself },
  /** [K20] Stored under the id of its flow. */
  test: { folder: "tests", noun: "a file of tests", unnamed: "flows/unnamed.test.yaml", codes: "TV", flowOf: itself },
  /** [F24] Stored under `FLOW/STEP`. */
  code: {
    folder: "code",
    noun: "a handler",
    unnamed: "code/unnamed/step.ts",
    codes: "CAT",
    flowOf: (id) => id.slice(0, id.lastIndexOf("/")),
  },
  /** [V1] */
  scorer: { folder: "scorers", noun: "a scorer", unnamed: "scorers/unnamed.yaml", codes: "EV", isNamed: true },
  /** [V5] Stored under the name of its scorer. */
  "scorer-code": { folder: "scorers", noun: "a scorer's handler", unnamed: "scorers/unnamed.ts", codes: "CAT" },
  /** [V31] */
  dataset: { folder: "datasets", noun: "a dataset", unnamed: "datasets/unnamed.yaml", codes: "PV", configures: true },
  hook: { folder: "hooks", noun: "a hook", unnamed: "hooks/unnamed.yaml", codes: "PV", configures: true },
  schedule: { folder: "schedules", noun: "a schedule", unnamed: "schedules/unnamed.yaml", codes: "PV", configures: true },
  callback: { folder: "callbacks", noun: "a callback", unnamed: "callbacks/unnamed.yaml", codes: "PV", configures: true },
  tool: { folder: "tools", noun: "a tool's file", unnamed: "tools/unnamed.yaml", codes: "PV", configures: true },
  provider: { folder: "providers", noun: "a provider", unnamed: "providers/unnamed.yaml", codes: "PV", configures: true },
  setting: { folder: TOP, noun: "a setting", unnamed: "policy.yaml", codes: "PV", configures: true },
} as const satisfies Readonly<Record<string, KindRow>>

export type CatalogKind = keyof typeof ROWS
/** Files whose content takes effect when they are written: `hooks/NAME.yaml`, `tools/NAME.yaml`, `policy.yaml` and so on. */
export type ConfigKind = { [K in CatalogKind]: (typeof ROWS)[K] extends { readonly configures: true } ? K : never }[CatalogKind]
export type DefinitionKind = Exclude<CatalogKind, ConfigKind>
/** Kinds that other files refer to by name [F76]. */
export type NamedKind = { [K in CatalogKind]: (typeof ROWS)[K] extends { readonly isNamed: true } ? K : never }[CatalogKind]
/** Kinds of files that stand beside a flow's file, have its id, and are deleted with it. */
export type BesideKind = "rehearsal" | "test"

export const CATALOG_KINDS: Readonly<Record<CatalogKind, KindRow>> = ROWS
export const FILE_KINDS = Object.keys(ROWS) as CatalogKind[]
export const isKind = (text: string): text is CatalogKind => Object.hasOwn(ROWS, text)
export const isConfig = (text: string): text is ConfigKind => isKind(text) && CATALOG_KINDS[text].configures === true
export const isNamedKind = (text: string): text is NamedKind => isKind(text) && CATALOG_KINDS[text].isNamed === true

export const isBeside = (text: string): text is BesideKind => isKind(text) && CATALOG_KINDS[text].flowOf === itself

/** Tells whether the kind is a flow or belongs to one. */
export const isOfFlow = (text: string): boolean => text === "flow" || (isKind(text) && CATALOG_KINDS[text].flowOf !== undefined)

/** Kinds with a file `FOLDER/NAME.yaml` for each item. */
export type ItemKind = Exclude<ConfigKind, "setting">
export const ITEM_KINDS = FILE_KINDS.filter((kind): kind is ItemKind => isConfig(kind) && kind !== "setting")

export const catalogFolder = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : TOP)
