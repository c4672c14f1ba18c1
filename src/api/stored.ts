// Declares settings that a tenant's object stores as sent. One declaration gives the routes, the port, the rows, the handlers and the
// client: a setting is one object that PUT replaces whole, a collection is a list of objects by name.
//
// What more a setting needs (a check across fields, rows that go with an item) is a hook: src/http/settings/stored.ts and
// src/cloudflare/tenant/settings/settings-room.ts.

import type { z } from "zod"
import { PAGE, PAST_GATE, type Method, type RouteDoc, type Routes, type Scope, type Tag } from "./route/route.ts"

export type ObjectSchema = z.ZodObject | z.ZodRecord

/** `/v1/settings/NAME`. Its operations are `getName` and `putName`, its answers have the shape `Name`. */
export interface SettingDoc<Body extends ObjectSchema = ObjectSchema> {
  readonly body: Body
  /** The value before the first PUT. */
  readonly otherwise: z.output<Body>
  /** Completes "Read …" and "Replace …". */
  readonly what: string
  /** Absent: `admin`. */
  readonly scope?: Scope
  /** [V40] The gate may keep it from being written. */
  readonly gated?: true
}

export const setting = <Body extends ObjectSchema>(doc: SettingDoc<Body>): SettingDoc<Body> => doc

export interface NamedResource {
  readonly name: string
}

/** `PATH` and `PATH/:param`. Its operations are `listOnes`, `getOne`, `putOne` and `deleteOne`. */
export interface CollectionDoc<Item extends NamedResource = NamedResource> {
  /** The end of its operations' ids. */
  readonly one: string
  readonly path: string
  readonly param: string
  readonly body: z.ZodObject
  /** The shape of an item: the body and `name`. */
  readonly shape: string
  /** The number of items that a tenant may have. */
  readonly most: number
  /** In summaries and refusals, such as "a kind of plan" and "kinds of plans". */
  readonly noun: string
  readonly nouns: string
  /** The summary of PUT. */
  readonly put: string
  /** The summary of DELETE; absent: "Remove" and the noun. */
  readonly remove?: string
  readonly tag: Tag
  readonly read: Scope
  readonly write: Scope
  /** Only a type: what is stored, after the hook. */
  readonly item?: Item
}

export const collection =
  <Item extends NamedResource>() =>
  <const Doc extends CollectionDoc<Item>>(doc: Doc): CollectionDoc<Item> & Doc =>
    doc

type SettingRoutes<All> = { readonly [Name in keyof All & string as `${"get" | "put"}${Capitalize<Name>}`]: RouteDoc<Capitalize<Name>> }
type CollectionRoutes<Doc extends CollectionDoc> = {
  readonly [Id in `list${Doc["one"]}s`]: At<"GET", Doc["path"], `${Doc["shape"]}[]`>
} & {
  readonly [Id in `get${Doc["one"]}`]: At<"GET", ItemPath<Doc>, Doc["shape"]>
} & {
  readonly [Id in `put${Doc["one"]}`]: At<"PUT", ItemPath<Doc>, Doc["shape"]> & Pick<Doc, "body">
} & {
  readonly [Id in `delete${Doc["one"]}`]: Omit<At<"DELETE", ItemPath<Doc>, never>, "answers"> & Pick<RouteDoc<never>, "answers">
}
type ItemPath<Doc extends CollectionDoc> = `${Doc["path"]}/:${Doc["param"]}`
/** A route at a path that the compiler knows. */
export interface At<M extends Method, Path extends string, Shape extends string> extends Omit<RouteDoc<never>, "answers"> {
  readonly method: M
  readonly path: Path
  readonly answers: { readonly 200: { readonly description: string; readonly body: Shape } }
}

export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export const settingRoutes = <All extends Readonly<Record<string, SettingDoc>>>(all: All): SettingRoutes<All> =>
  Object.assign(
    {},
    ...Object.entries(all).map(([name, { body, what, scope = "admin", gated }]) =>
      objectRoutes(capital(name), { name, body, what, scope, ...(gated ? GATED : {}) }),
    ),
  )

const GATED = { query: { force: PAST_GATE }, problems: ["gate_failed", "gate_pending", "catalog_moved"] } as const

/** What GET and PUT of an object under /v1/settings differ in, stored as it is or not. */
interface ObjectRoutes<Shape extends string> extends Pick<RouteDoc<Shape>, "body" | "media" | "description" | "query" | "problems"> {
  readonly name: string
  readonly what: string
  readonly scope?: Scope
  /** Of its answers; absent: the id. */
  readonly shape?: Shape
  /** In the descriptions of its answers; absent: the name. */
  readonly noun?: string
  readonly put?: string
}

export function objectRoutes<Id extends string, Shape extends string = Id>(
  id: Id,
  { name, what, scope = "admin", shape, noun = name, put = `The new ${noun}.`, ...sent }: ObjectRoutes<Shape>,
): { readonly [Made in `get${Id}` | `put${Id}`]: RouteDoc<Shape> } {
  const both = { path: `/v1/settings/${name}`, scope, tag: "Settings" } as const
  const body = shape ?? id
  const get = { 200: { description: `The current ${noun}.`, body } }
  const made: Routes = {
    [`get${id}`]: { ...both, method: "GET", summary: `Read ${what}`, answers: get },
    [`put${id}`]: { ...both, ...sent, method: "PUT", summary: `Replace ${what}`, answers: { 200: { description: put, body } } },
  }
  return made as { readonly [Made in `get${Id}` | `put${Id}`]: RouteDoc<Shape> }
}

export function collectionRoutes<Doc extends CollectionDoc>(doc: Doc): CollectionRoutes<Doc> {
  const { one, path, param, body, shape, noun, nouns, put, remove, tag, read, write } = doc
  const item = `${path}/:${param}`
  const made: Routes = {
    [`list${one}s`]: {
      method: "GET",
      path,
      scope: read,
      tag,
      summary: `List ${nouns}`,
      query: PAGE,
      answers: { 200: { description: `All ${nouns}.`, body: `${shape}[]` } },
    },
    [`get${one}`]: {
      method: "GET",
      path: item,
      scope: read,
      tag,
      summary: `Read ${noun}`,
      answers: { 200: { description: `The ${noun.replace(/^an? /, "")}.`, body: shape } },
    },
    [`put${one}`]: {
      method: "PUT",
      path: item,
      scope: write,
      tag,
      summary: put,
      body,
      answers: { 200: { description: "Replaced.", body: shape }, 201: { description: "Created.", body: shape } },
      problems: ["too_many_kinds"],
    },
    [`delete${one}`]: {
      method: "DELETE",
      path: item,
      scope: write,
      tag,
      summary: remove ?? `Remove ${noun}`,
      answers: { 204: { description: "Removed." } },
    },
  }
  return made as unknown as CollectionRoutes<Doc>
}
