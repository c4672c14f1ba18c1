// An OpenAPI document by its address or as a file: each operation as a tool, with what it changes outside and what it weighs. One button registers
// those that are chosen.

import { useRef, useState, type FormEvent } from "react"
import type { ToolsImported, ToolsPreview } from "../../../src/api/doc/tools.doc.ts"
import type { ImportToolsGiven } from "../../../src/api/tools.ts"
import { Connect } from "../../../src/client/connect.ts"
import { Secrets } from "../../../src/client/settings.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { everyFault } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { TextField } from "../settings/parts/fields.tsx"
import type { Api } from "../shell/session.ts"
import { ChoiceTable, effectWord } from "./choice-table.tsx"
import { toggled } from "./mcp-preview.tsx"
import { Side } from "./side.tsx"
import { TotalWeight } from "./weight.tsx"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Looked {
  readonly from: string
  readonly given: ImportToolsGiven
  readonly preview: ToolsPreview
}

const MAX_FILE = 10 * 1_048_576

export function OpenApiTab({ api }: { readonly api: Api }) {
  const [looked, setLooked] = useState<Looked>()
  const [url, setUrl] = useState("")
  const [prefix, setPrefix] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const look = async (from: string, document: ImportToolsGiven): Promise<void> => {
    setBusy(true)
    setFault(undefined)
    const given = { ...document, ...(prefix === "" ? {} : { prefix }) }
    await new Connect(api.transport)
      .previewTools(given)
      .then(
        (preview) => setLooked({ from, given, preview }),
        (error: unknown) => setFault(everyFault(error)),
      )
      .finally(() => setBusy(false))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isBusy && url !== "") void look(url, { url })
  }
  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return
    if (file.size > MAX_FILE) setFault(`${file.name} is larger than 10 MiB.`)
    else await look(file.name, { openapi: await file.text() })
  }
  if (looked) return <Operations api={api} looked={looked} onBack={() => setLooked(undefined)} />
  return (
    <form className={classes("panel", css.cnForm)} aria-label="OpenAPI document" autoComplete="off" onSubmit={submit}>
      <div className={css.two}>
        <TextField
          label="Address of the document"
          isMono
          value={url}
          onChange={setUrl}
          placeholder="https://api.example.com/openapi.json"
          hint="OpenAPI 3 or Swagger 2.0, as JSON or YAML."
        />
        <TextField
          label="Prefix (optional)"
          isMono
          value={prefix}
          onChange={setPrefix}
          placeholder="shop_"
          hint="Prefix of the tools’ names."
        />
      </div>
      <FaultLine fault={fault} />
      <div className="bar">
        <button className="btn first" type="submit" aria-disabled={isBusy || url === ""}>
          {isBusy ? "Reading" : "Preview operations"}
        </button>
        <button className="btn" type="button" aria-disabled={isBusy} onClick={() => field.current?.click()}>
          Choose a file
        </button>
      </div>
      <input
        ref={field}
        type="file"
        accept=".json,.yaml,.yml,application/json,application/yaml"
        hidden
        aria-label="Document"
        onChange={({ target }) => void choose(target.files?.[0])}
      />
    </form>
  )
}

function Operations({
  api,
  looked: { from, given, preview },
  onBack,
}: {
  readonly api: Api
  readonly looked: Looked
  readonly onBack: () => void
}) {
  const { tools, skipped } = preview
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    // What takes something away is chosen by hand.
    () => new Set(tools.flatMap(({ id, operation }) => (operation.startsWith("DELETE ") ? [] : [id]))),
  )
  const [scope, setScope] = useState("")
  const [value, setValue] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const [done, setDone] = useState<ToolsImported>()
  const picked = tools.filter(({ id }) => chosen.has(id))
  const weight = (rows: ToolsPreview["tools"]): number => rows.reduce((sum, { tokens }) => sum + tokens, 0)
  const hosts = [...new Set(picked.map(({ host }) => host))]
  const writes = picked.filter(({ effect }) => effect === "write").length
  const register = (): void => {
    setBusy(true)
    setFault(undefined)
    const write = async (): Promise<ToolsImported> => {
      if (scope !== "" && value !== "") await new Secrets(api.transport).put(scope, value)
      const only = picked.map(({ id }) => id)
      return new Connect(api.transport).registerTools({ ...given, only, ...(scope === "" ? {} : { auth: { scope } }) })
    }
    write()
      .then(setDone, (error: unknown) => setFault(everyFault(error)))
      .finally(() => setBusy(false))
  }
  if (done)
    return (
      <section className={classes("panel", css.cnForm)} aria-label="Registered">
        <Status status="complete" word="Registered" />
        <h2>{counted(done.registered.length, "tool")} can be used</h2>
        <p className="mid">Name them in an agent’s tools, one by one or by a pattern.</p>
        <div className="bar">
          <button className="btn" type="button" onClick={onBack}>
            Other document
          </button>
        </div>
      </section>
    )
  const rows = tools.map(({ id, name, operation, description, effect, tokens }) => ({
    key: id,
    name,
    about: description === "" || description === operation ? operation : `${operation}: ${description}`,
    effect: effectWord(effect),
    tokens,
  }))
  return (
    <div className={css.cn}>
      <section className="panel" aria-label="Operations">
        <div className="panel-head">
          <h2 className="cut">{visible(from)}</h2>
          <span className="grow" />
          <span className="dim nowrap hide-s">{counted(tools.length + skipped.length, "operation")}</span>
          <button className="btn bare" type="button" onClick={onBack}>
            Other document
          </button>
        </div>
        <ChoiceTable
          verb="Bring"
          chosen={chosen}
          onChoose={(keys, isChosen) => setChosen(toggled(chosen, keys, isChosen))}
          groups={[
            { label: "To import", note: `${picked.length} of ${tools.length + skipped.length}`, rows },
            {
              label: "Skipped",
              note: `${skipped.length}, each with its reason`,
              rows: skipped.map(({ operation, reason }, at) => ({ key: `skipped ${at}`, name: operation, about: reason, isOff: true })),
            },
          ]}
        />
      </section>
      <Side
        figures={[
          ["Host", hosts.length === 0 ? "–" : `${visible(hosts.slice(0, 3).join(", "))}${hosts.length === 1 ? ", no other" : ""}`],
          ["Weight", `${weight(picked).toLocaleString()} tokens; all ${tools.length} would be ${weight(tools).toLocaleString()}`],
          ["Effects", writes === 0 ? "none of them writes" : `${writes} write`],
        ]}
        verb={picked.length === 0 ? "Nothing to register" : `Register ${counted(picked.length, "tool")}`}
        isOff={picked.length === 0}
        isBusy={isBusy}
        fault={fault}
        onAct={register}
      >
        <TotalWeight tokens={weight(picked)} of={weight(tools)} />
        <TextField
          label="Secret (optional)"
          isMono
          value={scope}
          onChange={setScope}
          hint="The scope of the vault whose value is sent as a bearer token."
        />
        {scope !== "" && (
          <TextField
            label={`Value of ${scope}`}
            type="secret"
            value={value}
            onChange={setValue}
            hint="Encrypted, and never shown again. Leave it empty if the vault already has it."
          />
        )}
      </Side>
    </div>
  )
}
