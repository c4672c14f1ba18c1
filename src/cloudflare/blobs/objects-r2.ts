// Stores a tenant's shared files in R2 [T24], key `t/TENANT/objects/KEY`: whole, strongly consistent, apart from every run. A file's
// metadata says whether it contains text from outside [G11]. A link names tenant, key and expiry, and is signed: it opens this one file,
// read only.

import { defined } from "../../core/defined.ts"
import { normalizeFolder, normalizePath } from "../../core/text/path.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { Download } from "../../ports/services.ts"
import type { Objects } from "../../ports/tool.ts"
import { bucketOf, type JurisdictionEnv } from "../platform/jurisdiction.ts"
import { readToken, signToken } from "../platform/tokens/signed-token.ts"
import { storageRoom } from "./storage-room.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import type { VaultEnv } from "../platform/vault.ts"

type ReaderEnv = Omit<JurisdictionEnv, "TENANT">
export interface ObjectsEnv extends VaultEnv, ReaderEnv, TenantNamespace {}

/** A file is held whole in an isolate of 128 MB. */
const OBJECT_BYTES = 25 * 1024 * 1024 // limit: bytes of a shared file → the tool fails
/** The limit of one R2 list call. */
const LISTED = 1000 // limit: shared files of one call to R2 → the next call has the rest
const LONGEST_LINK = 7 * 86_400 // limit: seconds of a shared file's link → the tool fails
const PURPOSE = "download links"

/** `origin`: the address for links; "" gives only the path. Files are counted, and refused if they exceed the quota [H6]. */
export function r2Objects(env: ObjectsEnv, tenant: string, origin: string): Objects {
  const prefix = prefixOf(tenant)
  const bucket = (): R2Bucket => bucketOf(env, tenant)
  const room = storageRoom(env, tenant)
  const objects: Objects = {
    async put(key, body, { contentType, tainted }) {
      if (body.byteLength > OBJECT_BYTES) throw new Error(`${key} has ${body.byteLength} bytes; the limit is ${OBJECT_BYTES}`)
      const name = clean(key)
      const takeBack = await room.takeFile(name, body.byteLength)
      const meta = {
        ...(contentType === undefined ? {} : { httpMetadata: { contentType } }),
        customMetadata: { tainted: tainted ? "1" : "0" },
      }
      await bucket()
        .put(prefix + name, body, meta)
        .catch(async (e: unknown) => {
          await takeBack()
          throw e
        })
    },
    ...objectReader(env, tenant),
    async list(under, limit, after) {
      const folder = normalizeFolder(under)
      if (!folder.ok) throw new Error(folder.error)
      // A prefix may end anywhere; with a slash at the end it means the folder.
      const within = folder.value === "" ? "" : under.endsWith("/") ? `${folder.value}/` : folder.value
      const rows: { readonly key: string; readonly size: number; readonly tainted: boolean }[] = []
      const most = Math.min(limit, LISTED)
      for (let from = after; rows.length < most; from = rows.at(-1)?.key) {
        // With metadata, R2 may answer fewer than it was asked for.
        const found = await bucket().list({
          prefix: prefix + within,
          limit: most - rows.length,
          include: ["customMetadata"],
          ...(from === undefined ? {} : { startAfter: prefix + from }),
        })
        for (const { key, size, customMetadata } of found.objects)
          rows.push({ key: key.slice(prefix.length), size, tainted: isTainted(customMetadata) })
        if (!found.truncated || found.objects.length === 0) break
      }
      return rows
    },
    async keep(folder, name, body, meta) {
      const key = clean(`${folder}/${(await sha256(body)).slice(0, 32)}/${name}`)
      await objects.put(key, body, meta)
      return { key }
    },
    async remove(key) {
      const full = prefix + clean(key)
      const isThere = (await bucket().head(full)) !== null
      if (isThere) await bucket().delete(full)
      // Also if there was no file: a crash between counting and writing, or between the two deletions here, leaves it counted.
      await room.dropFile(clean(key))
      return isThere
    },
    async link(key, ttl) {
      const expires = Date.now() + Math.min(Math.max(1, ttl), LONGEST_LINK) * 1000
      return { url: `${origin}/d/${await signToken(env, PURPOSE, { tenant, key: clean(key) }, expires)}`, expires }
    },
  }
  return objects
}

/** A file that was put here in another way may contain text from outside. */
const isTainted = (metadata: Record<string, string> | undefined): boolean => metadata?.["tainted"] !== "0"

/** Reading needs no room and no link. */
export function objectReader(env: ReaderEnv, tenant: string): Pick<Objects, "get"> {
  const prefix = prefixOf(tenant)
  return {
    async get(key) {
      const found = await bucketOf(env, tenant).get(prefix + clean(key))
      if (!found) return undefined
      if (found.size > OBJECT_BYTES) {
        await found.body.cancel()
        throw new Error(`${key} has ${found.size} bytes; the limit for one read is ${OBJECT_BYTES}`)
      }
      const contentType = found.httpMetadata?.contentType
      return { body: new Uint8Array(await found.arrayBuffer()), ...defined({ contentType }), tainted: isTainted(found.customMetadata) }
    },
  }
}

/** The file behind a link. `refused`: not our link, or expired; undefined: the file is gone. */
export async function download(env: ObjectsEnv, token: string): Promise<Download | "refused" | undefined> {
  const said = await readToken(env, PURPOSE, token, Date.now())
  const { tenant, key } = said ?? {}
  if (typeof tenant !== "string" || typeof key !== "string") return "refused"
  const found = await bucketOf(env, tenant).get(prefixOf(tenant) + clean(key))
  if (!found) return undefined
  const contentType = found.httpMetadata?.contentType
  return { name: key.slice(key.lastIndexOf("/") + 1), size: found.size, body: found.body, ...defined({ contentType }) }
}

function prefixOf(tenant: string): string {
  // With a "/" in its name, a tenant could reach the keys of another tenant.
  if (!/^[A-Za-z0-9_-]+$/.test(tenant)) throw new Error(`"${tenant}" is not a tenant's name`)
  return `t/${tenant}/objects/`
}

function clean(key: string): string {
  const path = normalizePath(key)
  if (!path.ok) throw new Error(path.error)
  return path.value
}
