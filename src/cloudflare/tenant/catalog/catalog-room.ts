// Serves a tenant's catalog. A check and an agent's list of tools also need the tenant's settings.

import { plan } from "../../../engine/catalog/catalog-apply.ts"
import { isOf, MAX_USES } from "../../../engine/catalog/catalog-uses.ts"
import { gateNamesScorer } from "../../../core/score/gate-score.ts"
import { ruleNames } from "../../../core/score/scoring-setting.ts"
import type { Use } from "../../../ports/tenant/catalog.ts"
import type { Answers, CatalogRoom } from "../../../ports/objects.ts"
import type { PlacedServers } from "../../../engine/net/mcp-servers.ts"
import { holding } from "./held-writes.ts"
import type { TenantResources } from "../tenant-resources.ts"

export const catalogRoom = (
  { catalog, providers, policies, tools, specs, settings, hooks, scheduleRows, starts, looks, feed, origins }: TenantResources,
  mcp: Pick<PlacedServers, "placed">,
): Answers<CatalogRoom> => {
  const hold = holding(starts)
  /** [F79] Whoever applies a server finds its tools, or its list waiting. One that does not answer is asked again by a refresh. */
  const held = async <T>(write: Promise<T>): ReturnType<typeof hold<T>> => {
    const written = await hold(write)
    await origins.tell()
    const asked = [...looks]
    looks.clear()
    await Promise.all(asked.map(([server, approve]) => mcp.placed(server, approve)))
    return written
  }
  return {
    agents: () => catalog.agents(),
    writeAgent: (path, content, by) => held(catalog.write("agent", path, content, by)),
    writeFlow: (path, content, by) => held(catalog.write("flow", path, content, by)),
    ruleFaults: (rules) => catalog.ruleFaults(rules),
    validate: (kind, content, path) => catalog.validate(kind, content, path),
    put: (...write) => held(catalog.put(...write)),
    importFiles: (files, write, by) => held(catalog.importFiles(files, write, by)),
    read: (kind, id, revision) => catalog.read(kind, id, revision),
    remove: (kind, id, ifMatch, by) => held(catalog.remove(kind, id, ifMatch, by)),
    uses: async (kind, id) => {
      const uses: Use[] = await catalog.uses(kind, id)
      if (kind === "provider")
        for (const [role, model] of Object.entries(providers.models().roles)) if (isOf(model, id)) uses.unshift({ kind: "role", id: role })
      if (kind === "flow" && (await catalog.goes(kind, id))) {
        for (const hook of hooks.list()) if (hook.flow === id) uses.push({ kind: "hook", id: hook.id })
        for (const schedule of scheduleRows.list()) if (schedule.flow === id) uses.push({ kind: "schedule", id: schedule.id })
      }
      // [V13] A rule of the sample names it.
      if (kind === "scorer" && (await catalog.goes(kind, id)) && ruleNames(settings.get("scoring"), id))
        uses.push({ kind: "scoring", id: "scoring" })
      // [V40] So does a rule of the gate.
      if (kind === "scorer" && (await catalog.goes(kind, id)) && gateNamesScorer(settings.get("gate"), id))
        uses.push({ kind: "gate", id: "gate" })
      return uses.slice(0, MAX_USES)
    },
    nearest: (kind, id) => catalog.nearest(kind, id),
    files: (kind) => catalog.files(kind),
    filesAt: (revision) => catalog.filesAt(revision),
    apply: (wish, ifRevision, by) => held(catalog.apply(wish, ifRevision, by)),
    plan: (wish, ifRevision) => plan(catalog.ground, wish, ifRevision, (write) => starts.held(write)),
    drafts: async () => catalog.drafts.list(),
    draft: async (name) => catalog.drafts.one(name),
    async putDraft(name, wish, by) {
      const written = await catalog.drafts.put(name, wish, by)
      if (written.ok) feed.tell("draft.written", { draft: name, by: written.draft.by })
      return written
    },
    async removeDraft(name) {
      const wasThere = catalog.drafts.remove(name)
      if (wasThere) feed.tell("draft.removed", { draft: name })
      return wasThere
    },
    export: () => catalog.export(),
    history: (query) => catalog.history.list(query),
    diff: (query) => catalog.history.diff(query),
    rollback: (revision, ifRevision, by) => held(catalog.history.rollback(revision, ifRevision, by)),
    packages: () => catalog.packages.list(),
    package: (name) => catalog.packages.read(name),
    putPackage: (name, body, ifMatch, by) => held(catalog.packages.put(name, body, ifMatch, by)),
    previewPackage: (name, body, ifMatch) => catalog.packages.preview(name, body, ifMatch),
    removePackage: (name, ifMatch, by) => held(catalog.packages.remove(name, ifMatch, by)),
    check: (id) => catalog.check(id, providers.models(), providers.prices()),
    agentTools: (name, place) =>
      catalog.agentTools(
        name,
        { tools: [...specs.values(), ...tools.specs()], policy: policies.policy(), settings: providers.models() },
        place,
      ),
    used: (kind, id) => catalog.used(kind, id),
  }
}
