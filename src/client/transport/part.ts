// Builds a part of the client, such as `sluice.schedules`. A member that repeats a route is one line: its type, and the route as `METHOD
// /path` with a star for each argument. The compiler compares both with the declaration of the route in src/api.

import type { Answers, Lines, PathOfList, Takes } from "../../api/run/calls.ts"
import type { Routes } from "../../api/route/route.ts"
import { Paged, type Query } from "./paged.ts"
import { part, parts, type Ask, type Transport } from "./transport.ts"

/** `Shapes`: the module of the routes' `.doc.ts` file. */
export class Part<Declared extends Routes = Routes, Shapes = object> {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  protected get transport(): Transport {
    return this.#transport
  }

  protected json<T>(method: string, path: string, ask?: Ask): Promise<T> {
    return this.#transport.json(method, path, ask)
  }

  protected paged<const Path extends PathOfList<Declared>>(
    path: Path,
  ): (...given: Takes<Declared, `GET ${Path}`>) => Paged<Answers<Declared, Shapes, `GET ${Path}`>> {
    return (...given) => {
      const rest: unknown[] = [...given]
      return new Paged(this.#transport, filled(path, rest), rest[0] as Query)
    }
  }

  protected route<const Line extends Lines<Declared>>(
    line: Line,
  ): (...given: Takes<Declared, Line>) => Promise<Answers<Declared, Shapes, Line>> {
    const [method = "", path = ""] = String(line).split(" ")
    return (...given) => {
      const rest: unknown[] = [...given]
      const at = filled(path, rest)
      return this.json(method, at, { [method === "GET" ? "query" : "body"]: rest[0] })
    }
  }
}

/** A path whose stars are arguments, taken from the front of the list; those of `**` keep their slashes. */
const filled = (path: string, given: unknown[]): string =>
  path.replace(/\*+/g, (stars) => (stars === "*" ? part : parts)(String(given.shift())))
