// A tenant's shared files over R2 [T24], key `t/TENANT/objects/KEY`: whole, strongly consistent, apart from every run. Whether text from
// outside is in one stands in its metadata [G11]. A link names tenant, key and its end, and is signed: it opens this one file, read only.

import { normaliseFolder, normalisePath } from "../../core/text/path.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { Download } from "../../ports/house.ts"
import type { Objects } from "../../ports/tool.ts"
import { bucketOf, type Ground } from "../platform/jurisdiction.ts"
import { readToken, signToken } from "../platform/signed-token.ts"
import { storageRoom } from "../clients/storage-room.ts"
import type { TenantPortEnv } from "../clients/tenant-port.ts"
import type { VaultEnv } from "../platform/vault.ts"

export interface ObjectsEnv extends VaultEnv, Omit<Ground, "TENANT">, TenantPortEnv {}

/** What is held whole in an isolate of 128 MB. */
const OBJECT_BYTES = 25 * 1024 * 1024
/** R2 lists no more at once. */
const LISTED = 1000
const LONGEST_LINK = 7 * 86_400
const PURPOSE = "download links"

/** `origin`: where links lead; "" gives the path alone. What is stored is counted, and refused when it is too much [H6]. */
export function r2Objects(env: ObjectsEnv, tenant: string, origin: string): Objects {
  const prefix = prefixOf(tenant)
  const bucket = (): R2Bucket => bucketOf(env, tenant)
  const room = storageRoom(env, tenant)
  const objects: Objects = {
    async put(key, body, { contentType, tainted }) {
      if (body.byteLength > OBJECT_BYTES) throw new Error(`${key} has ${body.byteLength} bytes; ${OBJECT_BYTES} are the most`)
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
    async get(key) {
      const found = await bucket().get(prefix + clean(key))
      if (!found) return undefined
      if (found.size > OBJECT_BYTES) {
        await found.body.cancel()
        throw new Error(`${key} has ${found.size} bytes; ${OBJECT_BYTES} are the most that can be read at once`)
      }
      const contentType = found.httpMetadata?.contentType
      return {
        body: new Uint8Array(await found.arrayBuffer()),
        ...(contentType === undefined ? {} : { contentType }),
        // What came here by another way is not known to be clean.
        tainted: found.customMetadata?.["tainted"] !== "0",
      }
    },
    async list(under, limit, after) {
      const folder = normaliseFolder(under)
      if (!folder.ok) throw new Error(folder.error)
      // A prefix need not end at a slash; one that was written with it means the folder.
      const within = folder.value === "" ? "" : under.endsWith("/") ? `${folder.value}/` : folder.value
      const found = await bucket().list({
        prefix: prefix + within,
        limit: Math.min(limit, LISTED),
        ...(after === undefined ? {} : { startAfter: prefix + after }),
      })
      return found.objects.map(({ key, size }) => ({ key: key.slice(prefix.length), size }))
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
      // Also when it is not: a crash between the count and the write, or between both here, left it counted.
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

/** What a link opens. `refused`: it is none of ours, or was; undefined: the file is gone. */
export async function download(env: ObjectsEnv, token: string): Promise<Download | "refused" | undefined> {
  const said = await readToken(env, PURPOSE, token, Date.now())
  const { tenant, key } = said ?? {}
  if (typeof tenant !== "string" || typeof key !== "string") return "refused"
  const found = await bucketOf(env, tenant).get(prefixOf(tenant) + clean(key))
  if (!found) return undefined
  const contentType = found.httpMetadata?.contentType
  return {
    name: key.slice(key.lastIndexOf("/") + 1),
    size: found.size,
    body: found.body,
    ...(contentType === undefined ? {} : { contentType }),
  }
}

function prefixOf(tenant: string): string {
  // A "/" would let one tenant's name reach into another's keys.
  if (!/^[A-Za-z0-9_-]+$/.test(tenant)) throw new Error(`"${tenant}" is no tenant's name`)
  return `t/${tenant}/objects/`
}

function clean(key: string): string {
  const path = normalisePath(key)
  if (!path.ok) throw new Error(path.error)
  return path.value
}
