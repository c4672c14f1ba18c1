// Builds the ToolSpec of an HTTP tool [T26] for models and the guard.

import { defined } from "../defined.ts"
import { Unfit } from "./http-template.ts"
import type { JsonObject } from "../json.ts"
import { hostOf } from "../text/web-address.ts"
import { overridesByHeader, overridesByQuery, queryOverrides } from "./method-override.ts"
import type { HttpToolDef } from "./tool-def.ts"
import type { RequestShown, ToolSpec } from "./tool-spec.ts"
import { authHeader, expand, LOOKING, type HttpRequest } from "./http-tool-request.ts"

export function httpSpec(def: HttpToolDef): ToolSpec {
  const { name, label, description, parameters, request, auth, approval, timeout, truncate, render } = def
  const looks = LOOKING.has(request.method) && !isOverridden(request)
  return {
    name,
    ...defined({ label }),
    description,
    parameters,
    effect: def.effect ?? (looks ? "read" : "write"),
    ...defined({ idempotent: def.idempotent, simulate: def.simulate, undoable: def.undo && true }),
    preview: (args) => preview(def, args),
    ...(looks ? { overrides: (args: JsonObject) => overrides(def, args) } : {}),
    contexts: ["main", "agent"],
    untrusted: def.untrusted ?? true,
    reach: { to: { host: hostOf(request.url)?.host ?? "" }, method: { fixed: looks ? request.method : writing(request.method) } },
    ...(auth === undefined ? {} : { private: true, requiredSecretScopes: [auth.scope] }),
    ...defined({ approval, timeout, truncate, render }),
  }
}

/** [K31] undefined: these arguments make no request. */
function preview(def: HttpToolDef, args: JsonObject): RequestShown | undefined {
  const request = requestOf(def, args)
  if (request === undefined) return undefined
  const { method, url, body } = request
  const secret = def.auth && authHeader(def.auth)
  return { method, url, ...defined({ secretHeaders: secret === undefined ? undefined : [secret], body }) }
}

/** [G11] The arguments make the names of some parameters: only the request itself tells. */
function overrides(def: HttpToolDef, args: JsonObject): boolean {
  const request = requestOf(def, args)
  return request !== undefined && (overridesByHeader(request.headers) || overridesByQuery(request.url))
}

function requestOf(def: HttpToolDef, args: JsonObject): HttpRequest | undefined {
  try {
    return expand(def, args)
  } catch (e) {
    if (e instanceof Unfit) return undefined
    throw e
  }
}

/** [G11] A header or a parameter of the definition replaces the method, so what the call does is not known: it counts as a write. */
const isOverridden = ({ url, headers = {} }: HttpToolDef["request"]): boolean =>
  overridesByHeader(headers) || queryOverrides(url.slice(url.indexOf("?") + 1 || url.length))

const writing = (method: string): string => (LOOKING.has(method) ? "POST" : method)
