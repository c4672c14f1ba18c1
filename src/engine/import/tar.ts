// Writes and reads the archives that carry files to a sandbox and back: ustar, with GNU's record for long names. Written for the `tar` of a
// Linux image; read without trust, because the sandbox wrote them.

export interface TarFile {
  readonly path: string
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly modified: number
}

const BLOCK = 512
/** Maximum name length in a header. */
const NAME_BYTES = 100
const LONG_NAME = "L"
const MAX_NAME = 8 * 1024 // limit: bytes of a name in a tar archive → the name is ignored

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export function writeTar(files: readonly TarFile[]): Uint8Array {
  const parts: Uint8Array[] = []
  for (const { path, body, modified } of files) {
    const name = encoder.encode(path)
    if (name.length > NAME_BYTES)
      parts.push(header(encoder.encode("././@LongLink"), name.length + 1, 0, LONG_NAME), padded(name, name.length + 1))
    parts.push(header(name.subarray(0, NAME_BYTES), body.length, Math.floor(modified / 1000), "0"), padded(body, body.length))
  }
  parts.push(new Uint8Array(2 * BLOCK))
  const tar = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    tar.set(part, at)
    at += part.length
  }
  return tar
}

/** Reads plain files and hard links to earlier files and skips everything else. Stops at the first invalid header. */
export function readTar(tar: Uint8Array): { readonly path: string; readonly body: Uint8Array }[] {
  const files = new Map<string, Uint8Array>()
  let long: string | undefined
  for (let at = 0; at + BLOCK <= tar.length;) {
    const head = tar.subarray(at, at + BLOCK)
    const size = octal(head.subarray(124, 136))
    if (head[0] === 0 || size === undefined || at + BLOCK + size > tar.length) break
    const body = tar.subarray(at + BLOCK, at + BLOCK + size)
    at += BLOCK + blocks(size)
    const type = String.fromCharCode(head[156] ?? 0)
    if (type === LONG_NAME) {
      long = size > MAX_NAME ? undefined : text(body)
      continue
    }
    if (type === "x") {
      long = paxPath(body) ?? long
      continue
    }
    const prefix = text(head.subarray(257, 262)) === "ustar" && head[262] === 0 ? text(head.subarray(345, 500)) : ""
    const short = text(head.subarray(0, NAME_BYTES))
    const path = long ?? (prefix === undefined || short === undefined || prefix === "" ? short : `${prefix}/${short}`)
    long = undefined
    if (path === undefined) continue
    if (type === "0" || type === "\0") files.set(path, body)
    const target = type === "1" ? text(head.subarray(157, 257)) : undefined
    const linked = target === undefined ? undefined : files.get(target)
    if (linked) files.set(path, linked)
  }
  return Array.from(files, ([path, body]) => ({ path: path.replace(/^(?:\.\/)+/, ""), body }))
}

const blocks = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

function padded(body: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(blocks(size))
  out.set(body)
  return out
}

function header(name: Uint8Array, size: number, mtime: number, type: string): Uint8Array {
  const head = new Uint8Array(BLOCK)
  head.set(name)
  const put = (at: number, value: string): void => head.set(encoder.encode(value), at)
  const number = (at: number, digits: number, value: number): void => put(at, `${value.toString(8).padStart(digits, "0")}\0`)
  // A workspace stores no modes, and every file in it is executable [T20].
  number(100, 7, 0o755)
  number(108, 7, 0)
  number(116, 7, 0)
  number(124, 11, size)
  number(136, 11, Math.max(0, mtime))
  put(148, "        ")
  put(156, type)
  // GNU's magic: the long-name record is GNU's.
  put(257, "ustar  \0")
  number(
    148,
    6,
    head.reduce((sum, byte) => sum + byte, 0),
  )
  return head
}

function octal(field: Uint8Array): number | undefined {
  const digits = (text(field) ?? "").trim()
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}

/** Up to the first NUL; undefined: not UTF-8. */
function text(field: Uint8Array): string | undefined {
  const end = field.indexOf(0)
  try {
    return decoder.decode(end === -1 ? field : field.subarray(0, end))
  } catch {
    return undefined
  }
}

/** The path from a POSIX record `LENGTH path=NAME\n`. */
function paxPath(body: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text(body) ?? "")?.[1]
}
