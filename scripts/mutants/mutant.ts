// A fault that `npm run mutants` plants: a textual patch on a copy of src.

export interface Mutant {
  readonly name: string
  /** Under src. */
  readonly file: string
  readonly find: string
  readonly put: string
  /** The file below test/, and a part of the title, of the test that must find it. Absent: any test of the kernel. */
  readonly test?: readonly [file: string, title: string]
}
