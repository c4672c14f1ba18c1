// Infers the types of a client's calls from the routes: a call takes what the route's path and body say, and answers the shapes that the
// route names. Only types; a client loads no route.

import type { z } from "zod"
import type { Routes } from "../route/route.ts"

/** Names of the shapes that a route answers as JSON; never: it answers without a body. */
type NamesOf<Route> = Route extends { readonly answers: infer All }
  ? { [Status in keyof All]: All[Status] extends { readonly body: infer Body } ? JsonOf<Body> : never }[keyof All]
  : never
type JsonOf<Body> = Body extends string ? Body : Body extends { readonly "application/json": infer Name } ? Name : never

type LineOf<Route> = Route extends { readonly method: infer Method extends string; readonly path: infer Path extends string }
  ? string extends Path
    ? never
    : `${Method} ${Starred<Path>}`
  : never
type Starred<Path extends string> = Path extends `${infer Before}/:${infer Name}`
  ? Name extends `${string}/${infer Rest}`
    ? `${Before}/*${Starred<`/${Rest}`>}`
    : Name extends `${string}{.+}`
      ? `${Before}/**`
      : `${Before}/*`
  : Path
/** `METHOD /path` of each route, with a star for a parameter, and two where it may contain slashes. */
export type Lines<Declared extends Routes> = { [Id in keyof Declared]: LineOf<Declared[Id]> }[keyof Declared]
/** The paths of the routes that return pages. */
export type PathOfList<Declared extends Routes> = {
  [Id in keyof Declared]: [Extract<NamesOf<Declared[Id]>, `${string}[]`>] extends [never] ? never : Starred<Declared[Id]["path"]>
}[keyof Declared]

type RouteAt<Declared extends Routes, Line> = {
  [Id in keyof Declared]: Line extends LineOf<Declared[Id]> ? Declared[Id] : never
}[keyof Declared]

type Sent<Route> = Route extends { readonly body: infer Body extends z.ZodType }
  ? Body extends { readonly shape: Readonly<Record<string, never>> }
    ? []
    : Route extends { readonly optional: true }
      ? [body?: z.input<Body>]
      : [body: z.input<Body>]
  : Route extends { readonly method: "GET"; readonly query: infer Query }
    ? [query?: string extends keyof Query ? object : { readonly [Name in keyof Query]?: string | number | undefined }]
    : []

/** The parameters of a call: the parameters of its path, and its body or its query. */
export type Takes<Declared extends Routes, Line> = Line extends `${string}*${string}/*${string}`
  ? [id: string, item: string, ...Sent<RouteAt<Declared, Line>>]
  : Line extends `${string}*${string}`
    ? [id: string, ...Sent<RouteAt<Declared, Line>>]
    : Sent<RouteAt<Declared, Line>>

/**
 * The result of a call; for a list, a row. `Shapes` are the exports of `.doc.ts` files by the names that routes give, or a type where a
 * client knows more than the document says.
 */
export type Answers<Declared extends Routes, Shapes, Line> = ShapeAt<Shapes, NamesOf<RouteAt<Declared, Line>>>
type ShapeAt<Shapes, Names> = [Names] extends [never]
  ? void
  : Names extends `${infer Row}[]`
    ? ShapeAt<Shapes, Row>
    : Names extends keyof Shapes
      ? Shapes[Names] extends z.ZodType
        ? z.output<Shapes[Names]>
        : Shapes[Names]
      : unknown
