// The files that a person gives: a folder, a zip, or what was dropped. They stay in this page until they are imported or another folder is
// chosen; a file that holds secrets is not read at all.

export interface GivenFile {
  readonly path: string
  readonly file: File
}

export interface GivenFolder {
  /** The folder's or the archive's name. */
  readonly name: string
  readonly files: readonly GivenFile[]
  /** A zip, which the server opens. */
  readonly archive?: File
  /** More was there than an import takes. */
  readonly isCut: boolean
}

/** As many as the server takes of one import. */
export const MAX_FILES = 5_000
/** Folders that no import needs, and that can be large. */
const SKIPPED = new Set(["node_modules", ".git", "__MACOSX"])

let held: GivenFolder | undefined

/** What was given on one page is looked at on the next. It is let go once that page stands: React may throw a render away and begin again. */
export const hold = (given: GivenFolder): void => {
  held = given
}
export const heldFiles = (): GivenFolder | undefined => held
export const letGo = (): void => {
  held = undefined
}

const isZip = (file: File): boolean => /\.zip$/i.test(file.name) || /^application\/(?:x-)?zip/.test(file.type)

/** From a field: with `webkitdirectory` each file tells its path. */
export function givenBy(list: FileList): GivenFolder | undefined {
  const files = [...list]
  const [first] = files
  if (!first) return undefined
  if (files.length === 1 && isZip(first)) return { name: first.name, files: [], archive: first, isCut: false }
  const all = files.map((file) => ({ path: file.webkitRelativePath || file.name, file }))
  const kept = all.filter(({ path }) => !path.split("/").some((part) => SKIPPED.has(part)))
  return named({ name: first.name, files: kept.slice(0, MAX_FILES), isCut: kept.length > MAX_FILES })
}

/** The items must be read before the event is over. */
export async function dropped(transfer: DataTransfer): Promise<GivenFolder | undefined> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  // Loose files, where a browser has no entries for them.
  if (entries.length === 0) return givenBy(transfer.files)
  const [only] = entries
  const [file] = transfer.files
  if (entries.length <= 1 && file && only?.isDirectory !== true && isZip(file))
    return { name: file.name, files: [], archive: file, isCut: false }
  const files: GivenFile[] = []
  const open = [...entries]
  while (open.length > 0 && files.length <= MAX_FILES) {
    const entry = open.shift()
    if (entry === undefined) break
    if (isFile(entry)) files.push({ path: entry.fullPath.replace(/^\/+/, ""), file: await fileOf(entry) })
    else if (isFolder(entry) && !SKIPPED.has(entry.name)) open.push(...(await childrenOf(entry)))
  }
  if (files.length === 0) return undefined
  return named({ name: only?.name ?? "", files: files.slice(0, MAX_FILES), isCut: files.length > MAX_FILES })
}

/** A folder's name goes before the list and not before each path: `.claude/agents/x.md` stays as it is. */
function named(given: GivenFolder): GivenFolder {
  const tops = new Set(given.files.map(({ path }) => path.split("/")[0]))
  const [top] = tops
  if (tops.size !== 1 || top === undefined || !given.files.every(({ path }) => path.includes("/"))) return given
  const isHidden = top.startsWith(".")
  const files = isHidden ? given.files : given.files.map(({ path, file }) => ({ path: path.slice(top.length + 1), file }))
  return { ...given, name: top, files }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((done, no) => entry.file(done, no))

/** A browser gives a folder's entries in pieces of a hundred. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((done, no) => reader.readEntries(done, no))
    if (piece.length === 0 || all.length > MAX_FILES) return all
    all.push(...piece)
  }
}
