// The policy: what agents may do, in every flow. The form has what most need; the rest is in the text beside it.

import { Suspense } from "react"
import { settingsOver, Tools } from "../../../../src/client/settings.ts"
import type { JsonObject } from "../../../../src/core/json.ts"
import { approvalOf, hoursOf, ofHours, spokenPolicy } from "../../../../web/policy/policy-text.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { counted } from "../../parts/figures.ts"
import { later } from "../../parts/later.ts"
import { Select } from "../../parts/select.tsx"
import { Head } from "../parts/head.tsx"
import type { SectionProps } from "../section-props.ts"
import { Line, NamesField, NumberIn, PickField } from "./fields.tsx"
import { TwoFaces } from "./two-faces.tsx"
import { useFace, type Face } from "./use-face.ts"
import css from "./faces.module.css"

/** It judges as the guard does, with rules that no other page needs. */
const PolicyCheck = later(async () => (await import("./policy-check.tsx")).PolicyCheck)

export function PolicySection({ api }: SectionProps) {
  const { policy } = settingsOver(api.transport)
  const loaded = useAsked(["settings", "document", "policy"], async () => spokenPolicy(await policy.get()), { isFresh: true })
  return (
    <>
      <Head
        title="Policy"
        about="What agents may do, in every flow: which tools, when a person is asked, what may leave. Runs in progress follow a change at their next call."
      />
      <AskedView what="the policy" of={loaded}>
        {(value) => <PolicyFaces api={api} saved={value} again={loaded.again} />}
      </AskedView>
    </>
  )
}

const PROFILES = [
  ["full", "Full: every tool"],
  ["coding", "Coding: files, shell, web"],
  ["messaging", "Messaging: messages and people"],
  ["minimal", "Minimal: only what you add"],
] as const
const AUTONOMY = [
  ["conservative", "Before every call that writes"],
  ["standard", "Where a rule asks"],
  ["autonomous", "As rarely as the rules allow"],
] as const
const ASKS = [
  { value: "inherit", words: "As tools and flows say" },
  { value: "never", words: "Never" },
  { value: "always", words: "Before every call" },
  { value: "when", words: "When a condition holds" },
] as const
const PLACES = [
  "/tools/profile",
  "/tools/allow",
  "/tools/deny",
  "/hooks/confirm",
  "/approvals/tools",
  "/approvals/expires",
  "/autonomy",
  "/network/allow",
]
const formHas = (pointer: string): boolean => PLACES.some((place) => pointer === place || pointer.startsWith(`${place}/`))

function PolicyFaces({ api, saved, again }: { readonly api: SectionProps["api"]; readonly saved: unknown; readonly again: () => void }) {
  const face = useFace(saved, (value) => settingsOver(api.transport).policy.put(value as JsonObject), formHas, again)
  const tools = useAsked(["catalog", "tool names"], () => new Tools(api.transport).list().all())
  const choices = [
    ...(tools.value ?? []).map(({ name, effect }) => ({ value: name, ...(effect === undefined ? {} : { note: EFFECT[effect] }) })),
    ...[...new Set((tools.value ?? []).flatMap(({ judged }) => judged?.groups ?? []))].map((group) => ({
      value: `group:${group}`,
      note: "a group",
    })),
  ]
  return (
    <TwoFaces
      api={api}
      face={face}
      noun="policy"
      label="Policy"
      preview={
        api.who.scopes.includes("runs:read") && (
          <Suspense fallback={null}>
            <PolicyCheck api={api} draft={face.draft} saved={face.saved} />
          </Suspense>
        )
      }
      form={
        <>
          <PickField face={face} path={["tools", "profile"]} label="Starts from" options={PROFILES} otherwise="full" />
          <NamesField face={face} path={["tools", "allow"]} label="May also call" placeholder="Add a tool" choices={choices} />
          <NamesField
            face={face}
            path={["tools", "deny"]}
            label="Never"
            about="wins over all others"
            placeholder="Add a tool"
            choices={choices}
          />
          <NamesField
            face={face}
            path={["hooks", "confirm"]}
            label="Ask a person"
            about="before each call of"
            placeholder="Add a tool"
            choices={choices}
          />
          <Approval face={face} />
          <PickField face={face} path={["autonomy"]} label="Agents ask" options={AUTONOMY} otherwise="standard" />
          <NamesField
            face={face}
            path={["network", "allow"]}
            label="Web"
            about="hosts that agents may reach after reading private things"
            placeholder="Add a host"
            choices={[]}
          />
          <Line label="Unanswered asks" fault={face.faultAt(["approvals", "expires"])}>
            <div className={css.inl}>
              <span>are refused after</span>
              <NumberIn
                face={face}
                path={["approvals", "expires"]}
                label="Hours until an ask is refused"
                value={hoursOf(face.at(["approvals", "expires"]))}
                onValue={(hours) => face.set(["approvals", "expires"], hours === undefined ? undefined : ofHours(hours))}
              />
              <span>hours</span>
            </div>
          </Line>
          <Rest face={face} />
        </>
      }
    />
  )
}

const EFFECT = { none: "touches nothing outside", read: "reads", write: "writes" } as const

function Approval({ face }: { readonly face: Face }) {
  const path = ["approvals", "tools"]
  const { kind, condition } = approvalOf(face.at(path))
  const when = (value: string): void => face.set(path, { kind: "dynamic", value })
  return (
    <Line label="Approval" about="of tool calls" fault={face.faultAt(path)}>
      <div className={css.inl}>
        <Select
          aria-label="Approval of tool calls"
          className={classes(css.pick, face.isChanged(path) && css.changed)}
          value={kind}
          choices={ASKS}
          onChange={(next) => (next === "when" ? when("args.amount > 100") : face.set(path, next === "inherit" ? undefined : next))}
        />
        {kind === "when" && (
          <input
            className={classes("input mono", face.isChanged(path) && css.changed)}
            aria-label="Condition"
            autoComplete="off"
            spellCheck={false}
            value={condition}
            onChange={({ target }) => when(target.value)}
          />
        )}
      </div>
    </Line>
  )
}

/** What only the text has. */
function Rest({ face }: { readonly face: Face }) {
  const sizeOf = (path: readonly string[]): number => {
    const value = face.at(path)
    return typeof value === "object" && value !== null ? Object.keys(value).length : 0
  }
  const parts = [
    [sizeOf(["denylist"]), "rule about exact arguments", "rules about exact arguments"],
    [sizeOf(["effects"]), "rule that holds effects", "rules that hold effects"],
    [
      sizeOf(["tools", "agents"]) + sizeOf(["tools", "providers"]),
      "narrower rule for an agent or provider",
      "narrower rules for agents or providers",
    ],
  ] as const
  const said = parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)]))
  return said.length === 0 ? null : <p className="small dim">Only in the text: {said.join(", ")}.</p>
}
